# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets in other formats: what is written and read back is what was there, but for what a line tells.

That the lines are complete is asked of what a system means: of its resolved tasks, and of its simulation, neither of
which the comparison behind the lines uses.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import CHANGES, EVERYTHING, PLAIN, RESOURCES, SERVER_KINDS, Features, systems
from places import EXAMPLE_FILES, ROBOTS
from sampling import expect_cases, tries
from tables import read_rows
from takt import formats
from takt.base import times
from takt.base.errors import Problem
from takt.command import main
from takt.files import other_formats
from test_random_systems import as_system
from typer.testing import CliRunner

NAMES = ("cheddar", "simso", "rt-app", "csv")

KEYS_OF = {
    "name": {"name"},
    "class_": {"class"},
    "home": {"server"},
    "period": {"period", "min_separation"},
    "deadline": {"deadline", "server"},
    "offset": {"offset", "arrivals"},
    "wcet": {"wcet"},
    "on_miss": {"on_miss"},
    "jitter": {"jitter"},
    "priority": {"priority"},
    "arrivals": {"arrivals", "min_separation"},
    "demand": {"demand"},
    "weight": {"weight"},
    "is_absent": {"initially"},
    "events": {"events", "policy", "server"},
    "suspends": {"body"},
    "locks": {"body"},
}
"""The keys of a task that say what a column of the resolved task has."""


def written(system: takt.System, folder: Path, format: str) -> tuple[formats.Imported, tuple[Problem, ...]]:
    """A system that went through a file of its own name, and what that lost; not where a tool schedules otherwise."""
    path = folder / "system"
    losses = formats.write(system, path, format)
    return formats.read(path, format), tuple(loss for loss in losses if loss.code == "lost")


def lost_keys(losses: tuple[Problem, ...], table: str, name: str) -> set[str] | None:
    """The keys of a table that are told to be lost, None if all of it is."""
    keys = {problem.key for problem in losses if (problem.table, problem.entity) == (table, name)}
    return None if None in keys else {str(key) for key in keys}


def columns(system: takt.System, name: str, format: str) -> dict[str, object]:
    """What a task means: in ticks, or where a file says how long they are in nanoseconds."""
    (task,) = [task for task in system.resolved.tasks if task.name == name]
    (given,) = [task for task in system.tasks if task.name == name]
    values = asdict(task) | {"on_miss": given.on_miss, "home": given.server}
    tick = 1 if format == "cheddar" else system.resolution_ns
    spans = {key: values[key] * tick for key in ("period", "deadline", "offset", "wcet", "jitter")}
    streams = {key: scaled(values[key], tick) for key in ("arrivals", "demand")}
    return values | spans | streams


def scaled(stream: dict[str, object] | None, tick: int) -> object:
    """A stream in nanoseconds, without a limit that is none."""
    if stream is None:
        return None
    values, most = stream["values"], stream["most"]
    assert isinstance(values, tuple)
    if stream["kind"] == "listed":
        return first_of(values, tick)
    numbers = {key: float(str(stream[key])) * tick for key in ("a", "b", "least")}
    return (
        stream["kind"],
        numbers,
        None if most == times.MAX_TICKS else int(str(most)) * tick,
    )


def first_of(values: tuple[int, ...], tick: int) -> list[int]:
    """The first numbers of a list that is repeated."""
    return [values[number % len(values)] * tick for number in range(120)]


def silent_losses(system: takt.System, back: takt.System, losses: tuple[Problem, ...], format: str) -> list[str]:
    """What a system means and its copy does not, and no line tells."""
    found = []
    system_keys = system_keys_told(losses)
    for task in system.tasks:
        told = lost_keys(losses, "task", task.name)
        if told is None or "name" in told:
            continue
        before, after = (columns(one, task.name, format) for one in (system, back))
        listed = isinstance(task.arrivals, tuple)
        for column, keys in KEYS_OF.items():
            is_other = before[column] != after[column] and not (column == "offset" and listed)
            if column == "home":  # its server, or the name of that, may be told to be lost
                lost = lost_keys(losses, "server", str(before[column]))
                is_other &= lost is not None and "name" not in lost
            if is_other and not keys & (told | system_keys):
                found.append(f"{task.name} {column}: {before[column]} is {after[column]}")
    return found


def system_keys_told(losses: tuple[Problem, ...]) -> set[str]:
    """The keys of [system] that are told to be lost."""
    return {str(problem.key) for problem in losses if problem.table == "system"}


# ---- examples ---------------------------------------------------------------------------------------


WRITTEN = [
    (path, format) for path in EXAMPLE_FILES for format in NAMES if format == "toml" or not takt.load(path).domains
]
"""Examples and formats that have all that a system needs to be one: only TOML has domains."""


@pytest.mark.parametrize(("path", "format"), WRITTEN, ids=lambda value: getattr(value, "stem", value))
def test_no_example_loses_anything_silently(path: Path, format: str, tmp_path: Path) -> None:
    system = takt.load(path)
    imported, losses = written(system, tmp_path, format)
    told = system_keys_told(losses)
    assert silent_losses(system, imported.system, losses, format) == []
    assert "seed" in told or imported.system.seed == system.seed
    assert "policy" in told or imported.system.policy == system.policy
    assert imported.system.cpus == system.cpus
    tables = {problem.table for problem in losses}
    assert not system.changes or "change" in tables
    assert system.platform == takt.Platform() or "platform" in tables
    assert {one.entity for one in losses if one.table == "server"} >= {one.name for one in system.servers} - {
        one.name for one in imported.system.servers
    }


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_toml_holds_every_example(path: Path, tmp_path: Path) -> None:
    system = takt.load(path)
    imported, losses = written(system, tmp_path, "toml")
    assert (imported.system, imported.warnings, losses) == (system, (), ())


@pytest.mark.parametrize("format", NAMES)
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.suffix)
def test_what_came_from_a_format_goes_there_again_without_loss(path: Path, format: str, tmp_path: Path) -> None:
    system = formats.read(path).system
    own = {".xmlv3": "cheddar", ".xml": "simso", ".json": "rt-app", ".csv": "csv"}[path.suffix]
    imported, losses = written(system.replace(name="system"), tmp_path, format)
    if format == own:
        assert losses == ()
        assert imported.warnings == ()
    assert silent_losses(system, imported.system, losses, format) == []


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.suffix)
def test_every_foreign_example_runs(path: Path) -> None:
    result = takt.simulate(formats.read(path).system, "400ms")
    assert (result.summary["finished"] > 0).all()


def test_the_foreign_examples_say_what_takt_cannot_hold() -> None:
    lines = {path.suffix: [str(one) for one in formats.read(path).warnings] for path in ROBOTS}
    assert [line.partition("robot")[2] for line in lines[".xmlv3"]] == [
        ".xmlv3: dependencies: not read: 1 precedence_dependency (line 132)",
        '.xmlv3: [[task]] "camera" criticality: not read: "2" (line 75)',
    ]
    assert [line.partition("robot")[2] for line in lines[".xml"]] == [
        '.xml: [system] cs_overhead: not read: "25" (line 11)'
    ]
    assert [line.partition("robot")[2] for line in lines[".json"]] == [
        '.json: [[task]] "camera" mem: not read: 65536 (tasks.camera.phases.large.mem)'
    ]
    assert lines[".csv"] == []


# ---- random systems ---------------------------------------------------------------------------------

FEATURES = EVERYTHING | RESOURCES | SERVER_KINDS | CHANGES


@st.composite
def takt_systems(draw: st.DrawFn, features: Features) -> takt.System:
    """Random systems of the oracle, some with jitter, another tick, units, or separations that are drawn."""
    system = as_system(draw(systems(features=features)))
    resolution = draw(st.sampled_from(["1ms", "100us", "20us", "3ms"]))
    tasks = [draw(_varied(task, resolution)) for task in system.tasks]
    return system.replace(resolution=resolution, tasks=tasks)


def _varied(task: takt.Task, resolution: str) -> st.SearchStrategy[takt.Task]:
    """A task, or one that differs in how its times are written or its jobs come."""
    choices = [task]
    if task.period is not None:
        ticks = int(task.period)
        length = times.shortest(ticks * int(times.to_ticks(resolution, 1)))
        choices += [task.replace(period=length), task.replace(jitter=min(ticks, 2))]
    return st.sampled_from(choices)


def test_no_random_system_loses_anything_silently(tmp_path: Path) -> None:
    """What differs is told; once through a file, a system goes through it again as it is."""
    kept, told = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)

    @tries(60)
    @given(system=takt_systems(FEATURES))
    def check(system: takt.System) -> None:
        for format in NAMES:
            once, losses = written(system, tmp_path, format)
            assert silent_losses(system, once.system, losses, format) == []
            (told if losses else kept)[format] += 1
            assert written(once.system, tmp_path, format)[1] == ()

    check()
    expect_cases(min(told.values()) > 10)
    expect_cases(kept["csv"] > 10)


def test_toml_holds_every_random_system(tmp_path: Path) -> None:
    @tries(30)
    @given(system=takt_systems(FEATURES))
    def check(system: takt.System) -> None:
        assert written(system, tmp_path, "toml") == ((system, ()), ())

    check()


def test_what_loses_nothing_is_scheduled_alike(tmp_path: Path) -> None:
    """Few of these systems go to rt-app without loss; test_formats_rt_app.py draws others for it."""
    alike = dict.fromkeys(NAMES, 0)

    @tries(60)
    @given(system=takt_systems(PLAIN | {"policies"}))
    def check(system: takt.System) -> None:
        plain = system.replace(
            servers=(), tasks=[task.replace(server=None, threshold=None, class_="hard") for task in system.tasks]
        )
        for format in NAMES:
            imported, losses = written(plain, tmp_path, format)
            if {one.key for one in losses} <= {"resolution"}:
                assert ran(plain, format) == ran(imported.system, format)
                alike[format] += 1

    check()
    expect_cases(min(alike[name] for name in NAMES if name != "rt-app") > 5)


def ran(system: takt.System, format: str) -> list[tuple[int, int, str, int]]:
    """Who runs when in the first while, in ticks where a file has no unit, else in nanoseconds."""
    tick = 1 if format == "cheddar" else system.resolution_ns
    horizon = 60 if format == "cheddar" else "6ms"
    rows = takt.simulate(system, horizon).segments.select("start", "end", "task", "job").rows()
    return [(start * tick, end * tick, task, job) for start, end, task, job in rows]


# ---- the command ------------------------------------------------------------------------------------


def convert(*arguments: object) -> tuple[int, list[str]]:
    """Run takt convert; gives status and lines of the error output."""
    result = CliRunner().invoke(main.app, ["convert", *map(str, arguments)])
    return result.exit_code, result.stderr.splitlines()


def test_convert_goes_by_suffixes_and_tells_what_is_lost(tmp_path: Path) -> None:
    source = tmp_path / "one.toml"
    takt.save(takt.System(name="one", tasks=[takt.Task(name="A", period="5ms", wcet="2ms", weight=3)]), source)
    assert convert(source, tmp_path / "one.csv") == (0, [])
    line = f'{tmp_path}/one.xmlv3: [[task]] "A" weight: lost: 3 in Takt, 1 in the file'
    assert convert(source, tmp_path / "one.xmlv3") == (0, [line])
    assert convert(source, tmp_path / "one.xmlv3", "--strict") == (2, [line])
    assert convert(tmp_path / "one.xmlv3", tmp_path / "again.toml") == (0, [])
    assert takt.load(tmp_path / "again.toml").tasks[0].period == 5


def test_convert_tells_what_was_not_read(tmp_path: Path) -> None:
    (source,) = (path for path in ROBOTS if path.suffix == ".xml")
    status, lines = convert(source, tmp_path / "robot.toml", "--strict")
    assert (status, len(lines)) == (2, 1)
    assert lines[0].endswith('robot.xml: [system] cs_overhead: not read: "25" (line 11)')
    assert takt.load(tmp_path / "robot.toml").name == "robot"


@pytest.mark.parametrize(
    ("arguments", "line"),
    read_rows("refused_conversions"),
)
def test_convert_refuses_in_one_line(
    arguments: tuple[str, ...], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text('schema = 1\n[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n')
    assert convert(*arguments) == (2, [line])


@pytest.mark.parametrize(("name", "text", "called"), read_rows("unread_formats"))
def test_a_format_that_is_known_and_not_read_is_called_by_its_name(
    name: str, text: str, called: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = f"found {called}, which Takt does not read"
    line = f"{path}: expected a file in one of the formats toml, cheddar, simso, rt-app, csv, {found}"
    assert convert(path, tmp_path / "out.toml") == (2, [line])
    assert convert(path, tmp_path / "out.toml", "--from", "csv") == (2, [line])
    result = CliRunner().invoke(main.app, ["run", str(path)])
    expected = "; convert it first" if path.suffix in (".xml", ".csv") else f", {found}"
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{path}: expected a task-set file (TOML){expected}")


def test_no_file_that_is_read_is_taken_for_one_that_is_not() -> None:
    for path in (*EXAMPLE_FILES, *ROBOTS):
        other_formats.refuse(path, path.read_text(encoding="utf-8"), "")


def test_many_comments_before_the_first_element_take_little_time(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text("<!-- a -->" * 6000 + "<a/>")
    with pytest.raises(takt.InputError, match="found none"):
        formats.read(path)


@pytest.mark.parametrize("path", [path for path in ROBOTS if "xml" in path.suffix], ids=lambda path: path.suffix)
def test_a_default_namespace_changes_nothing(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = "simulation" if path.suffix == ".xml" else "cheddar"
    place = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://a b.xsd"'
    (tmp_path / path.name).write_text(text.replace(f"<{root}", f'<{root} xmlns="http://a" {place}', 1))
    named = formats.read(tmp_path / path.name)
    assert named.system == formats.read(path).system
    assert [one.message for one in named.warnings] == [one.message for one in formats.read(path).warnings]


@pytest.mark.parametrize("name", ["set.xml", "set.xmlv3", "set.json", "set.csv"])
def test_other_commands_say_how_to_convert(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("<cheddar/>")
    expected = f"{path}: expected a task-set file (TOML); convert it first: takt convert {name} set.toml"
    for command in ("run", "compare"):
        result = CliRunner().invoke(main.app, [command, str(path)])
        assert (result.exit_code, result.stderr.splitlines()) == (2, [expected])


def test_convert_is_a_command_of_its_own(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("takt")), "convert", str(ROBOTS[0]), str(tmp_path / "out.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
