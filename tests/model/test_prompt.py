# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Takt at a prompt: files in the place of systems, records in one line, summaries in full, names that complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import ModuleType

import polars as pl
import pydantic
import pytest
import takt
from places import CASES, EXAMPLE_FILES, EXAMPLES
from pydantic import BaseModel

SMALLEST = EXAMPLES / "smallest.toml"


# ---- files in the place of systems --------------------------------------------------------------------


@pytest.mark.parametrize("path", [SMALLEST, str(SMALLEST)])
def test_a_file_is_simulated_and_analysed_as_its_system_is(path: str | Path) -> None:
    assert takt.simulate(path) == takt.simulate(takt.load(SMALLEST))
    assert takt.analyse(path) == takt.analyse(takt.load(SMALLEST))
    assert takt.simulate(path).missed == 1


def test_examples_need_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert takt.simulate("examples/smallest.toml") == takt.simulate(SMALLEST)


@pytest.mark.parametrize("given", [SMALLEST, takt.load(SMALLEST)])
def test_policy_horizon_and_seed_stand_in_the_place_of_the_systems(given: Path | takt.System) -> None:
    result = takt.simulate(given, policy="edf", horizon="70ms", seed=7)
    assert (result.missed, result.horizon) == (0, 70)
    assert (result.system.policy, result.system.seed) == ("edf", 7)
    assert result.system == takt.load(SMALLEST).replace(policy="edf", seed=7)
    assert takt.simulate(given, seed=0).system.seed == 0


def test_a_seed_gives_other_jobs_and_the_same_ones_again() -> None:
    drawn = takt.Task(name="A", period=10, wcet=9, demand=takt.Uniform(min=1, max=9))
    jobs = [takt.simulate(takt.System(tasks=[drawn]), 1000, seed=seed).jobs for seed in (1, 2, 1)]
    assert jobs[0].equals(jobs[2])
    assert not jobs[0].equals(jobs[1])


class Own(takt.Policy):
    def release(self, job: takt.Job) -> int:
        return job.deadline


def test_a_policy_in_python_orders_a_file() -> None:
    assert takt.simulate(SMALLEST, policy=Own()).missed == 0
    with pytest.raises(takt.InputError, match=r"policy: expected a policy, found the class Own; write Own\(\)"):
        takt.simulate(SMALLEST, policy=Own)  # type: ignore[arg-type]


WRONG: list[tuple[object, str]] = [
    ("no.toml", "no.toml: cannot read: No such file or directory"),
    (Path("no.toml"), "no.toml: cannot read: No such file or directory"),
    ("a.xml", r"a.xml: expected a task-set file \(TOML\); convert it first: takt convert a.xml a.toml"),
    (5, "expected a takt.System or the path of a task-set file, found 5"),
    (None, "expected a takt.System or the path of a task-set file, found None"),
    ([], "expected a takt.System or the path of a task-set file, found an array"),
    ({"system": {}}, "expected a takt.System or the path of a task-set file, found a table"),
    (takt.System, "expected a takt.System or the path of a task-set file, found <class"),
    (SMALLEST.read_text(), "expected the path of a task-set file, found a text of .. lines; save it first"),
]


@pytest.mark.parametrize("call", [takt.simulate, takt.analyse])
@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_no_system_is_one_line(call: Callable[[object], object], given: object, message: str) -> None:
    with pytest.raises(takt.InputError, match=f"^{message}") as raised:
        call(given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "eddf"}, 'unknown policy "eddf"; did you mean "edf"'),
        ({"seed": -1}, "seed: expected a whole number from 0"),
    ],
)
def test_a_wrong_value_names_the_file_and_the_key(change: dict[str, object], message: str) -> None:
    with pytest.raises(takt.InputError, match=rf"smallest.toml: \[system\] .*{message}"):
        takt.simulate(SMALLEST, **change)  # type: ignore[arg-type]


# ---- records in one line ------------------------------------------------------------------------------

MOST = 400
LONG_NAME = "<script>" + "long-" * 11 + "x"


def many() -> takt.System:
    """A thousand tasks with names as long as may be, in twenty servers."""
    tasks = [
        takt.Task(name=f"{LONG_NAME[:58]}{n:06}", period=2000 + n, wcet=1 + n % 4, server=f"S{n % 20}", priority=n)
        for n in range(1000)
    ]
    servers = [takt.Server(name=f"S{n}", period=100 + n, budget=6, priority=n) for n in range(20)]
    return takt.System(name="many " * 12, tasks=tasks, servers=servers, policy="fp")


def parts(value: object, depth: int = 4) -> Iterator[object]:
    """A record and the records in it."""
    if isinstance(value, (tuple, list)):
        for each in [*value[:30], *value[-3:]]:
            yield from parts(each, depth)
    elif is_dataclass(value) or isinstance(value, BaseModel):
        yield value
        names = [field.name for field in fields(value)] if is_dataclass(value) else list(type(value).model_fields)
        for name in names if depth else ():
            yield from parts(getattr(value, name), depth - 1)


def records_of(system: takt.System) -> Iterator[object]:
    """All records of a system, of its run and of its analysis."""
    result = takt.simulate(system, horizon=None if system.horizon else "3s")
    yield from parts([system, system.resolved, system.tables, system.domains, result, result.frames])
    yield from parts(takt.analyse(system, effort=10_000, sensitivity=False))


def is_short(record: object) -> bool:
    """True if a record is one line of at most 400 characters at a prompt, and when it is printed."""
    return all(0 < len(text) <= MOST and text.isprintable() for text in (repr(record), str(record)))


def records_or_problems(path: Path) -> Iterator[object]:
    """All records of the system in a file, or what is wrong with it."""
    try:
        yield from records_of(takt.load(path))
    except takt.InputError as error:
        yield from error.problems


@pytest.mark.parametrize("path", EXAMPLE_FILES + sorted((CASES / "people").glob("*.toml")), ids=lambda path: path.stem)
def test_a_record_is_one_line(path: Path) -> None:
    found = list(records_or_problems(path))
    assert [repr(record) for record in found if not is_short(record)] == []


def test_a_record_is_one_line_with_a_thousand_tasks() -> None:
    found = list(records_of(many()))
    assert {type(record).__name__ for record in found} >= {
        "System",
        "Task",
        "Server",
        "Result",
        "Analysis",
        "TaskBound",
    }
    assert [repr(record) for record in found if not is_short(record)] == []


def test_other_records_are_one_line_too(tmp_path: Path) -> None:
    takt.simulate(many(), 3000, trace=tmp_path / "T.takt")
    replayed = takt.replay(tmp_path / "T.takt")
    recipe = takt.load_recipe(EXAMPLES / "recipes" / "automotive.toml")
    study = takt.study.load(EXAMPLES / "studies" / "acceptance.toml")
    read = takt.formats.read(EXAMPLES / "formats" / "robot.xml")
    wide = replace(study, axes={"utilization": [n / 1000 for n in range(1000)]})
    for record in (replayed, replayed.trace, recipe, study, wide, read, *takt.policies(), *takt.server_kinds()):
        assert is_short(record)
    assert all(map(is_short, takt.study.tests.values()))
    assert repr(read).startswith('<Imported of <System "robot": ')
    assert is_short(takt.Job(LONG_NAME, False, 2**62, 2**62, 2**62, 2**62, 2**62, 2**31, "hard", 2**62, True))


def test_a_record_says_its_main_fact() -> None:
    system = takt.load(SMALLEST)
    assert repr(system) == '<System "smallest": 2 tasks, policy fp, load 97.1 %, ticks of 1ms>'
    late = '<Result of "smallest", policy fp: 1 of 12 jobs late in 35 ms, the first due at 7 ms>'
    assert repr(takt.simulate(system)) == late
    met = '<Result of "smallest", policy edf: 0 of 12 jobs late in 35 ms>'
    assert repr(takt.simulate(system, policy="edf")) == met
    analysis = takt.analyse(system)
    assert repr(analysis).startswith('<Analysis of "smallest", policy fp: not schedulable, 1 of 2 deadlines proved; B')
    assert repr(analysis.tasks[0]) == '<TaskBound "A": schedulable, response 2, deadline 5 ticks>'
    assert repr(takt.simulate(system, segments=False).frames) == (
        "<Recorded frames: jobs, budgets, points, locks, rates, windows, ledger>"
    )


def test_a_table_is_what_makes_it() -> None:
    task = takt.Task(name="A", period="10ms", wcet="2ms", class_="soft", demand=takt.Uniform(min=1, max="2ms"))
    assert repr(task) == ("Task(name='A', period='10ms', wcet='2ms', demand=Uniform(min=1, max='2ms'), class_='soft')")
    assert eval(repr(task), {"Task": takt.Task, "Uniform": takt.Uniform}) == task
    assert repr(takt.Platform()) == "Platform()"


# ---- names that complete ------------------------------------------------------------------------------


def public_modules(module: ModuleType = takt) -> Iterator[ModuleType]:
    """The modules that users reach by public names."""
    yield module
    for name in module.__all__:
        if isinstance(value := getattr(module, name), ModuleType):
            yield from public_modules(value)


def test_a_public_module_completes_its_public_names_alone() -> None:
    found = list(public_modules())
    assert [module.__name__ for module in found] == ["takt", "takt.formats", "takt.study"]
    for module in found:
        assert dir(module) == sorted(module.__all__)
        assert all(getattr(module, name) is not None for name in dir(module))
    assert not {"np", "pl", "Path", "annotations", "TYPE_CHECKING", "import_module"} & set(dir(takt))


def visible(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_a_record_completes_names_of_its_own() -> None:
    system = takt.load(EXAMPLES / "servers.toml")
    result, analysis = takt.simulate(system), takt.analyse(system)
    assert visible(system.tasks[0]) >= {"name", "period", "wcet", "class_", "replace"}
    assert visible(system) >= {"tasks", "servers", "policy", "replace", "resolution_ns", "domains"}
    assert visible(result) >= {"summary", "jobs", "missed", "gantt", "to_html", "system"}
    assert visible(analysis) >= {"tasks", "verdict", "is_schedulable", "remedies"}
    for record in (system, system.tasks[0], system.servers[0], system.platform, result, analysis):
        assert visible(record) & (visible(pydantic.BaseModel) | visible(pl) | visible(Iterable)) <= set()
        assert all(hasattr(type(record), name) or name in visible_fields(record) for name in visible(record))


def visible_fields(record: object) -> set[str]:
    """The fields of a dataclass or a table."""
    return {field.name for field in fields(record)} if is_dataclass(record) else set(type(record).model_fields)  # type: ignore[attr-defined]
