# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where the tools behind the formats schedule otherwise: a line says it, and without a line both run alike.

SimSo runs the files itself, those that it gets from Takt and its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import takt
from foreign_files import lines, read
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from sampling import expect_cases, tries
from simso_runs import file_of, ran_in_simso, ran_in_takt
from takt import formats
from takt.base.errors import Problem
from takt.command import main
from takt.formats.scheduling_rules import DIFFERS, RULES, SIMSO, Dates
from typer.testing import CliRunner

OTHERWISE = "scheduled otherwise: "


def reasons(problems: tuple[Problem, ...]) -> list[str]:
    """Where a tool schedules otherwise."""
    return [problem.message.removeprefix(OTHERWISE) for problem in problems if problem.code == DIFFERS]


# ---- each rule --------------------------------------------------------------------------------------

PAIR = '"T1" and "T2" can have equal'
DISPLACED = "does not displace the running one and puts a displaced one behind its equals"
TIE = [{"period": 10, "WCET": 2}, {"period": 20, "deadline": 20, "WCET": 15}]
BEHIND = [
    {"period": 20, "deadline": 20, "WCET": 6, "priority": 1},
    {"period": 20, "deadline": 20, "WCET": 6, "priority": 1},
    {"period": 10, "deadline": 9, "WCET": 1, "activationDate": 2, "priority": 2},
]
THREE = [
    {"period": 4, "deadline": 4, "WCET": 1},
    {"period": 8, "deadline": 8, "WCET": 6},
    {"period": 16, "deadline": 16, "WCET": 13},
]
LATE = [
    {"period": 40, "deadline": 9, "WCET": 5, "priority": 2},
    {"period": 30, "deadline": 3, "WCET": 2, "priority": 1, "activationDate": 1, "abort_on_miss": "yes"},
]


@pytest.mark.parametrize(
    ("scheduler", "tasks", "cpus", "line"),
    [
        ("EDF", TIE, 1, f"{PAIR} deadlines; of equals SimSo does not displace the running one"),
        ("EDF", THREE, 2, f"{PAIR} deadlines; of equals SimSo does not displace the running one"),
        ("EDF_mono", TIE, 1, f"{PAIR} deadlines; of equals SimSo runs the one that became ready first"),
        ("FP", BEHIND, 1, f"{PAIR} priorities; of equals SimSo {DISPLACED}"),
        ("RM", BEHIND, 1, f"{PAIR} periods; of equals SimSo {DISPLACED}"),
        (
            "RM_mono",
            [BEHIND[0] | {"activationDate": 1}, BEHIND[1]],
            1,
            f"{PAIR} periods; of equals SimSo runs the one that became ready first",
        ),
        (
            "LLF",
            [{"period": 12, "deadline": 12, "WCET": 4}] * 2,
            1,
            "SimSo orders jobs at releases, completions and each ms, which can take 1us, not at each tick",
        ),
        ("FP", LATE, 1, "a job can be late; SimSo then loses the running job when it aborts one that waits"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 9 else "",
)
def test_what_simso_does_otherwise_is_told_and_it_does(
    scheduler: str, tasks: list[Mapping[str, object]], cpus: int, line: str, tmp_path: Path
) -> None:
    imported = read(file_of(tasks, scheduler, 40_000_000, cpus), tmp_path)
    assert reasons(imported.warnings) == [line]
    assert ran_in_takt(imported.system) != ran_in_simso(tmp_path / "set.xml")


def test_whole_cycles(tmp_path: Path) -> None:
    tasks = [{"period": 6.5, "deadline": "6.5", "WCET": 2}, {"period": 8, "deadline": 8, "WCET": "3.5"}]
    imported = read(file_of(tasks, "EDF", 60, cycles=1), tmp_path)
    assert [line for line in lines(imported) if "cycles" in line] == [
        f'[[task]] "T1" deadline: {OTHERWISE}SimSo counts whole cycles, 6 of 6.5 ms (line 1)',
        f'[[task]] "T1" period: {OTHERWISE}SimSo counts whole cycles, 6 of 6.5 ms (line 1)',
        f'[[task]] "T2" WCET: {OTHERWISE}SimSo counts whole cycles, 3 of 3.5 ms (line 1)',
    ]
    assert imported.system.tasks[0].period == "6.5ms"
    assert ran_in_takt(imported.system) != ran_in_simso(tmp_path / "set.xml")


def test_schedulers_for_one_processor_use_one_of_several(tmp_path: Path) -> None:
    tasks = [{"period": 10, "WCET": 6}, {"period": 15, "deadline": 12, "WCET": 6}]
    for scheduler in ("EDF_mono", "RM_mono"):
        imported = read(file_of(tasks, scheduler, 60_000_000, 2), tmp_path)
        assert imported.system.cpus == 1
        assert lines(imported) == [
            f"[system] cpus: not read: 2 processors, of which {scheduler} uses 1 (line 1)",
        ]
        assert ran_in_takt(imported.system) == ran_in_simso(tmp_path / "set.xml")


def test_convert_ends_with_a_status_where_a_tool_schedules_otherwise(tmp_path: Path) -> None:
    """In both directions."""
    source = tmp_path / "set.toml"
    tasks = [takt.Task(name="A", period=10, wcet=2), takt.Task(name="B", period=20, wcet=15)]
    takt.save(takt.System(name="set", policy="edf", tasks=tasks), source)
    for name in ("simso", "rt-app", "cheddar"):
        there, back = (source, tmp_path / "out", "--to", name), (tmp_path / "out", tmp_path / "again", "--from", name)
        for arguments in (there, (*back, "--to", "toml")):
            result = CliRunner().invoke(main.app, ["convert", *map(str, arguments), "--strict"])
            assert result.exit_code == 2
            assert '"A" and "B" can have equal deadlines' in result.stderr


def test_the_reference_has_the_table_of_rules() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for rule in RULES:
        besides = "; ".join(filter(None, (rule.anew, rule.late and f"late jobs: {rule.late}", rule.budget)))
        cells = (rule.tool, f"`{rule.scheduler}`", f"`{rule.policy}`", rule.key, rule.equals, rule.counts)
        assert f"| {' | '.join(cells)} | {rule.processors or 'all'} | {besides} |\n" in page


def test_deadlines_coincide_if_and_only_if_some_of_them_do() -> None:
    """Against a search in the first of them, which repeat after a common multiple of the periods."""
    for first, second in product(product(range(13), (0, 4, 6, 9)), repeat=2):
        ours, theirs = (range(at, 100, step) if step else [at] for at, step in (first, second))
        assert Dates(*first).meets(Dates(*second)) == bool({*ours} & {*theirs})


@pytest.mark.parametrize(
    ("policy", "keys", "is_told"),
    [
        ("edf", [{"period": 10}, {"period": 20}], True),
        ("edf", [{"period": 20}, {"period": 10}], False),
        ("edf", [{"period": 10}, {"period": 20, "offset": 1}], False),
        ("edf", [{"period": 10}, {"arrivals": [3, 15], "deadline": 16}], False),
        ("edf", [{"period": 10}, {"arrivals": [3, 14], "deadline": 16}], True),
        ("edf", [{"period": 10}] * 2000, False),
        ("edf", [{"period": 10 + number, "deadline": 5 + number // 2} for number in range(1001)], True),
        ("fp", [{"period": 10, "priority": 1}, {"period": 20, "priority": 2}], False),
        ("fp", [{"period": 10}], False),
        ("rm", [{"period": 10}, {"period": 10, "offset": 5}], True),
        ("llf", [{"period": 10}], True),
    ],
)
def test_a_line_is_there_if_equals_are_possible(
    policy: str, keys: list[dict[str, Any]], is_told: bool, tmp_path: Path
) -> None:
    """Of SimSo's schedulers; many tasks are not compared one by one."""
    tasks = [takt.Task(name=f"T{number}", wcet=1, **key) for number, key in enumerate(keys)]
    losses = formats.write(takt.System(name="set", policy=policy, tasks=tasks), tmp_path / "set.xml", "simso")
    assert bool(reasons(losses)) == is_told


def test_as_many_processors_as_tasks_have_no_equals(tmp_path: Path) -> None:
    tasks = [takt.Task(name=name, period=10, wcet=1) for name in "AB"]
    for cpus in (1, 2):
        system = takt.System(name="set", policy="rm", cpus=cpus, tasks=tasks)
        assert len(reasons(formats.write(system, tmp_path / "set.xml", "simso"))) == 2 - cpus


@pytest.mark.parametrize(("deadline", "section", "is_told"), [(20, False, False), (9, False, True), (20, True, True)])
def test_a_reservation_that_can_be_late_is_told(deadline: int, section: bool, is_told: bool, tmp_path: Path) -> None:
    body = {"body": ["lock R", "run 5", "unlock R"]} if section else {"wcet": 5}
    tasks = [
        takt.Task(name="A", period=10, **body),
        takt.Task(name="B", period=20, offset=1, wcet=5, deadline=deadline),
    ]
    system = takt.System(name="set", policy="edf", tasks=tasks, resources=[takt.Resource(name="R", protocol="none")])
    late = [one for one in reasons(formats.write(system, tmp_path / "set.json")) if "late" in one]
    assert late == ["a job can be late; Linux then gives the next job what is left of the budget"] * is_told


def test_servers_of_cheddar_are_dispatchers_of_their_own(tmp_path: Path) -> None:
    server = takt.Server(name="server", kind="polling", period=20, budget=3, priority=5)
    tasks = [
        takt.Task(name="A", period=10, wcet=1, priority=5),
        takt.Task(name="B", arrivals=[3], wcet=1, deadline=60, server="server", priority=1),
        takt.Task(name="C", arrivals=[9], wcet=1, deadline=60, server="server", priority=1),
    ]
    losses = formats.write(takt.System(name="set", tasks=tasks, servers=[server]), tmp_path / "set.xmlv3")
    equals = "can have equal priorities; of equals Cheddar runs the one of the earliest wake-up time, or any"
    assert [str(loss) for loss in losses] == [
        f'[system] policy: {OTHERWISE}"A" and "server" {equals}',
        f'[[server]] "server" policy: {OTHERWISE}"B" and "C" {equals}',
    ]


# ---- random files -----------------------------------------------------------------------------------


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str]:
    """A scheduler of SimSo, and a file for it of which times need not be whole."""
    rule = draw(st.sampled_from(SIMSO))
    cpus = draw(st.sampled_from([1, 1, 1, 2, 3]))
    cycles, step = draw(st.sampled_from([(1, 1), (1, 2), (1000, 1), (1000, 100), (10**6, 1), (10**6, 1000)]))
    aborts = draw(st.booleans())
    tasks = []
    for _ in range(draw(st.integers(1, 4))):
        period = draw(st.integers(4, 24))
        deadline = draw(st.one_of(st.just(period), st.integers(2, period), st.integers(period, period + 5)))
        times = {"period": period, "deadline": deadline, "WCET": draw(st.integers(1, max(1, period // 2)))}
        times["activationDate"] = draw(st.integers(0, 6))
        task: dict[str, object] = {
            key: round(value + draw(st.integers(0, step - 1)) / step, 3) for key, value in times.items()
        }
        task["priority"] = draw(st.integers(0, 5))
        task["abort_on_miss"] = "yes" if aborts and draw(st.booleans()) else "no"
        if draw(st.integers(0, 7)) == 0:
            dates = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=4)))
            task |= {"task_type": "Sporadic", "list_activation_dates": ",".join(map(str, dates))}
            task["period"] = draw(st.sampled_from([0, 5]))
        tasks.append(task)
    return rule.scheduler, file_of(tasks, rule.scheduler, 120 * cycles, cpus, cycles)


def test_a_file_of_simso_without_a_line_runs_alike(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    outcomes: Counter[tuple[str, bool, bool]] = Counter()

    @tries(400)
    @given(drawn=files())
    def check(drawn: tuple[str, str]) -> None:
        scheduler, text = drawn
        path.write_text(text, encoding="utf-8")
        imported = formats.read(path)
        is_told = len(imported.warnings) > 0
        try:
            is_alike = ran_in_simso(path) == ran_in_takt(imported.system)
        except AssertionError:  # SimSo lost a job
            is_alike = False
        assert is_told or is_alike
        outcomes[scheduler, is_told, is_alike] += 1

    check()
    for scheduler in (rule.scheduler for rule in SIMSO):
        expect_cases(outcomes[scheduler, True, False] > 2, outcomes)
        expect_cases(outcomes[scheduler, False, True] > 4 or scheduler == "LLF", outcomes)


@st.composite
def systems(draw: st.DrawFn) -> takt.System:
    """Systems of Takt that are written without loss."""
    policy = draw(st.sampled_from(["rm", "edf", "fp"]))
    tasks = []
    for number in range(draw(st.integers(2, 4))):
        period = draw(st.integers(40, 240)) * draw(st.sampled_from([1, 5, 12]))
        source = {"period": period, "offset": draw(st.integers(0, 90))}
        wcet = draw(st.integers(1, max(1, period // 3)))
        on_miss = draw(st.sampled_from(["continue", "abort"]))
        tasks.append(takt.Task(name=f"T{number}", wcet=wcet, priority=number, on_miss=on_miss, **source))
    resolution = draw(st.sampled_from(["1ms", "100us", "1us"]))
    return takt.System(
        name="set", policy=policy, resolution=resolution, horizon=3000, tasks=draw(st.permutations(tasks))
    )


def test_a_system_that_is_written_to_simso_without_a_line_runs_alike(tmp_path: Path) -> None:
    outcomes: Counter[tuple[bool, bool]] = Counter()

    @tries(100)
    @given(system=systems())
    def check(system: takt.System) -> None:
        is_told = len(formats.write(system, tmp_path / "set.xml", "simso")) > 0
        try:
            is_alike = ran_in_simso(tmp_path / "set.xml") == ran_in_takt(system)
        except AssertionError:
            is_alike = False
        assert is_told or is_alike
        outcomes[is_told, is_alike] += 1

    check()
    expect_cases(min(outcomes[True, False], outcomes[False, True]) > 5, outcomes)
