# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What rt-app's JSON says: each construct, what is told of it, and what is wrong with it.

That systems come and go unchanged is asked of a second rt-app, which executes events one after the other.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import takt
from foreign_files import lines, read, refusal
from hypothesis import given
from hypothesis import strategies as st
from rt_app_machine import Machine
from sampling import expect_cases, tries
from tables import read_rows
from takt import formats

TIMER = '"timer": {"ref": "unique", "period": 10000, "mode": "absolute"}'
FIFO = '"policy": "SCHED_FIFO", "cpus": [0]'
RESERVED = '"policy": "SCHED_DEADLINE", "cpus": [0], "dl-runtime": 2000, "dl-period": 10000'
WAKES = "scheduled otherwise: Linux keeps budget and deadline of a thread that wakes up with exactly its bandwidth left"
HORIZON = 240


def rt_app(*threads: str, head: str = "") -> str:
    """A file of threads T0, T1 ..., each with these members."""
    tasks = ", ".join(f'"T{number}": {{{members}}}' for number, members in enumerate(threads))
    return f'{{{head}"tasks": {{{tasks}}}}}'


def thread(members: str, folder: Path) -> takt.Task:
    """The task of one thread of SCHED_FIFO."""
    return read(rt_app(f"{FIFO}, {members}"), folder, ".json").system.tasks[0]


def test_a_file(tmp_path: Path) -> None:
    text = rt_app(
        f'{FIFO}, "priority": 5, "delay": 500, "run": 100, "lock": "R", "run": 200, "unlock": "R", {TIMER}',
        f'{FIFO}, "loop": -1, "run": 2500, {TIMER}',
        head='"global": {"duration": 2, "pi_enabled": true, "calibration": "CPU0", "logdir": "./"}, ',
    )
    imported = read(text, tmp_path, ".json")
    assert imported.warnings == ()
    body = ["run 100us", "lock R", "run 200us", "unlock R"]
    assert imported.system == takt.System(
        name="set",
        resolution="100us",
        policy="fp",
        horizon="2s",
        resources=[takt.Resource(name="R", protocol="pip")],
        tasks=[
            takt.Task(name="T0", period="10ms", wcet="300us", body=body, offset="500us", priority=5),
            takt.Task(name="T1", period="10ms", wcet="2500us", priority=10),
        ],
    )


def test_comments_commas_and_bare_suspensions_are_as_rt_app_and_workgen_take_them(tmp_path: Path) -> None:
    text = f"""/* {{ */ {{ "tasks": {{ // "T": 3
        "T/*0": {{{FIFO}, "run": 5000, {TIMER},}},
        "U": {{"run": 1, "suspend", "run": 1, "suspend"}},
    }}, }}"""
    imported = read(text, tmp_path, ".json")
    assert [task.name for task in imported.system.tasks] == ["T/*0"]
    assert lines(imported)[0] == '[[task]] "U": not read: a task that others release, "suspend" (tasks.U)'


@pytest.mark.parametrize(
    ("members", "keys"),
    [
        (f'"loop": 2, "run": 5000, {TIMER}', {"arrivals": ("0s", "10ms"), "deadline": "10ms", "wcet": "5ms"}),
        (f'"phases": {{"a": {{{TIMER}}}, "b": {{"run": 5000, {TIMER}}}}}', {"period": "20ms", "offset": "10ms"}),
        (f'{TIMER}, "run": 5000', {"period": "10ms", "offset": "10ms", "wcet": "5ms"}),
        (
            f'"run": 2000, "sleep": 1000, "run": 500, "sleep": 3, {TIMER}',
            {"body": ("run 2ms", "suspend 1ms", "run 500us")},
        ),
        (f'"run": 2000, "timer0": {{"ref": "unique", "period": 5000}}, {TIMER}', {"period": "15ms", "wcet": "2ms"}),
        (
            f'"phases": {{"a": {{"loop": 2, "run": 1000, {TIMER}}}, "b": {{"run": 3000, {TIMER}}}}}',
            {"period": "10ms", "wcet": "3ms", "demand": ("1ms", "1ms", "3ms")},
        ),
        (
            f'"loop": 2, "phases": {{"a": {{"run": 1000, {TIMER}}}, "b": {{"run": 3000}}}}',
            {"arrivals": ("0s", "10ms", "20ms"), "demand": ("1ms", "4ms", "3ms"), "wcet": "4ms"},
        ),
        (
            '"phases": {"a": {"sleep": 700}, "b": {"loop": -1, "run": 300, "sleep": 600}}',
            {"period": "900us", "offset": "700us"},
        ),
        ('"run": 300', {"period": "300us", "wcet": "300us"}),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[:40],
)
def test_loops_are_jobs(members: str, keys: dict[str, Any], tmp_path: Path) -> None:
    task = thread(members, tmp_path)
    assert {key: getattr(task, key) for key in keys} == keys


def test_a_reservation_that_its_jobs_never_exhaust_is_a_task_under_edf(tmp_path: Path) -> None:
    imported = read(rt_app(f'{RESERVED}, "dl-deadline": 9000, "run": 500, {TIMER}'), tmp_path, ".json")
    assert imported.warnings == ()
    system = imported.system
    assert (system.policy, system.servers) == ("edf", ())
    task = takt.Task(name="T0", period="10ms", wcet="2ms", demand=["500us"], deadline="9ms")
    assert system.tasks == (task,)


@pytest.mark.parametrize(
    ("keys", "reservation"),
    [
        ('"runtime": 3000, "period": 9000, "deadline": 8000', ("3ms", "9ms", "8ms")),
        ('"runtime": 3000, "period": 9000', ("3ms", "9ms", None)),
        ('"runtime": 3000, "dl-period": 9000, "deadline": 8000', ("3ms", "9ms", None)),
        ('"runtime": 3000, "period": 9000, "dl-deadline": 7000, "deadline": 8000', ("3ms", "9ms", "7ms")),
        ('"dl-runtime": 3000, "dl-period": 9000, "deadline": 8000', ("3ms", "9ms", None)),
        ('"dl-runtime": 0, "dl-period": 0, "runtime": 3000, "period": 9000', ("3ms", "9ms", None)),
    ],
)
def test_a_reservation_may_have_the_keys_of_older_files(
    keys: str, reservation: tuple[str, str, str | None], tmp_path: Path
) -> None:
    """In phases, so that `runtime` is no event; the class is the default one."""
    text = rt_app(
        f'{keys}, "cpus": [0], "phases": {{"a": {{"loop": -1, "run": 2500, {TIMER.replace("10000", "9000")}}}}}',
        head='"global": {"default_policy": "SCHED_DEADLINE"}, ',
    )
    (task,) = read(text, tmp_path, ".json").system.tasks
    assert (task.wcet, task.period, task.deadline) == (*reservation[:2], reservation[2] or reservation[1])


def test_the_budget_of_an_older_file_is_an_event_too_as_in_rt_app(tmp_path: Path) -> None:
    text = (
        '{"tasks": {"a": {"policy": "SCHED_DEADLINE", "runtime": 3000, "period": 10000, "deadline": 8000, "run": 2500, '
        f'{TIMER}, "cpus": [0]}}}}, "global": {{"duration": 1}}}}'
    )
    imported = read(text, tmp_path, ".json")
    assert imported.system.servers == (takt.Server(name="a", kind="hard-cbs", budget="3ms", period="10ms"),)
    assert imported.system.tasks[0].body is None
    assert imported.system.tasks[0].wcet == "5500us"
    assert lines(imported)[0] == (
        '[[task]] "a" runtime: not read: the budget, and again an event: 3000us on the clock, '
        "which pass while others run too; read as run (tasks.a.runtime)"
    )


@pytest.mark.parametrize(
    "events",
    [
        f'"run": 2001, {TIMER}',
        f'"run": 500, {TIMER.replace("10000", "9999")}',
        f'"run": 5, "sleep": 9, "run": 5, {TIMER}',
    ],
)
def test_a_reservation_that_jobs_may_exhaust_is_a_hard_cbs(events: str, tmp_path: Path) -> None:
    imported = read(rt_app(f'{RESERVED}, "dl-deadline": 9000, {events}'), tmp_path, ".json")
    server = takt.Server(name="T0", kind="hard-cbs", budget="2ms", period="10ms")
    assert imported.system.servers == (server,)
    assert imported.system.tasks[0].server == "T0"
    assert lines(imported) == [
        '[[task]] "T0" dl-deadline: not read: 9000, so 10ms takes its place (tasks.T0)',
        f"[system] policy: {WAKES}",
    ]


def test_reservations_are_above_all_other_threads(tmp_path: Path) -> None:
    text = rt_app(
        f'{FIFO}, "priority": 99, "run": 500, {TIMER}',
        f'{RESERVED}, "run": 2000, {TIMER}',
        f'{RESERVED}, "run": 3000, {TIMER}',
    )
    imported = read(text, tmp_path, ".json")
    above, inner = imported.system.servers
    assert (above.name, above.budget, above.period, above.priority, above.policy) == (
        "SCHED_DEADLINE",
        "1s",
        "1s",
        100,
        "edf",
    )
    assert (inner.name, inner.parent) == ("T2", "SCHED_DEADLINE")
    assert [task.server for task in imported.system.tasks] == [None, "SCHED_DEADLINE", "T2"]
    told = [str(loss) for loss in formats.write(imported.system, tmp_path / "set.json")]
    assert told == [f'[[server]] "SCHED_DEADLINE" policy: {WAKES}']


@pytest.mark.parametrize(
    ("affinities", "cpus", "places", "warnings"),
    [
        (["[0, 1]", "[1, 0]"], 2, [(None, None), (None, None)], []),
        (["[0]", "[2]"], 3, [(0, None), (2, None)], []),
        (["[0, 1]", "[2]"], 3, [(None, 0), (None, 1)], []),
        (
            ["[3]", "[3]"],
            1,
            [(None, None)] * 2,
            ["[system] cpus: not read: the numbers [3], so they are counted from 0"],
        ),
        (
            ["[0, 1]", "[1]"],
            2,
            [(None, None)] * 2,
            ["[system] cpus: not read: affinities that overlap, so every thread may use all of [0, 1]"],
        ),
        (
            ["[0, 1]", "null"],
            2,
            [(None, None)] * 2,
            [
                '[system] cpus: not read: none of "T1", which may use all of the machine, '
                "so all of these take their place"
            ],
        ),
    ],
    ids=str,
)
def test_affinities(
    affinities: list[str], cpus: int, places: list[tuple[int | None, int | None]], warnings: list[str], tmp_path: Path
) -> None:
    threads = [
        f'"policy": "SCHED_FIFO", "priority": {priority}, "cpus": {one}, "run": 5000, {TIMER}'
        for priority, one in enumerate(affinities, start=1)
    ]
    imported = read(rt_app(*threads), tmp_path, ".json")
    assert lines(imported) == warnings
    assert imported.system.cpus == cpus
    assert [(task.cpu, task.cluster) for task in imported.system.tasks] == places
    assert formats.write(imported.system, tmp_path / "set.json") == ()


def test_domains_have_their_own_policies(tmp_path: Path) -> None:
    text = rt_app(f'{FIFO}, "run": 500, {TIMER}', f'{RESERVED.replace("[0]", "[1]")}, "run": 2000, {TIMER}')
    imported = read(text, tmp_path, ".json")
    assert [(one.cpus, one.policy) for one in imported.system.clusters] == [((0,), "fp"), ((1,), "edf")]
    assert formats.write(imported.system, tmp_path / "set.json") == ()


def test_instances(tmp_path: Path) -> None:
    imported = read(rt_app(f'{RESERVED}, "instance": 2, "run": 2500, {TIMER}'), tmp_path, ".json")
    assert [task.name for task in imported.system.tasks] == ["T0-0", "T0-1"]
    assert [(server.name, server.budget) for server in imported.system.servers] == [("T0-0", "2ms"), ("T0-1", "2ms")]


@pytest.mark.parametrize(("members", "found"), read_rows("rt_app_losses"))
def test_what_takt_has_no_place_for_is_told(members: str, found: list[str], tmp_path: Path) -> None:
    """Beside a thread that is a task, so that there is a system."""
    text = rt_app(
        f'{FIFO}, "priority": 11, "run": 1000, {TIMER}', members.replace("{TIMER}", TIMER).replace("{FIFO}", FIFO)
    )
    assert lines(read(text, tmp_path, ".json")) == list(found)


def test_what_a_global_section_and_a_file_have_besides_is_told(tmp_path: Path) -> None:
    head = '"global": {"frag": 1, "ftrace": true, "lock_pages": false}, "x": {"a": 1}, '
    head += '"resources": {"R": {"type": "mutex"}, "t": {}}, '
    imported = read(rt_app(f'{FIFO}, "run": 1000, {TIMER}', head=head), tmp_path, ".json")
    assert lines(imported) == ["[system] frag: not read: 1 (global.frag)", "x: not read: an object (x)"]
    assert imported.system.resources == (takt.Resource(name="R", protocol="none"),)


def test_a_mutex_of_several_dispatchers_is_left_out(tmp_path: Path) -> None:
    locks = f'"run": 2500, "lock": "R", "run": 100, "unlock": "R", {TIMER}'
    imported = read(rt_app(f"{RESERVED}, {locks}", f"{RESERVED}, {locks}"), tmp_path, ".json")
    assert lines(imported) == [
        '[[resource]] "R": not read: a mutex of threads that are in several dispatchers here',
        f"[system] policy: {WAKES}",
    ]
    assert imported.system.tasks[1].body == ("run 2500us", "run 100us")


@pytest.mark.parametrize(("text", "found"), read_rows("rt_app_refusals"))
def test_wrong_files_are_refused(text: str, found: list[str], tmp_path: Path) -> None:
    text = text.replace("{TIMER}", TIMER).replace("{FIFO}", FIFO).replace("{RESERVED}", RESERVED)
    assert refusal(text, tmp_path, ".json") == list(found)


def test_json_without_an_object_is_no_file_of_rt_app(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text("[1]")
    with pytest.raises(takt.InputError, match="expected an object with tasks, found an array"):
        formats.read(tmp_path / "set.json", "rt-app")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"tasks": ' * 100_000, "expected values in fewer levels, found too many"),
        ('{"tasks": ' + "9" * 5000 + "}", "not valid JSON: a number is too long"),
        ('{"tasks": "' + '\\"' * 200_000 + "\\", "line 1: not valid JSON: Unterminated string starting at"),
        ("{" + "/*" * 200_000, "line 1: not valid JSON: Expecting property name enclosed in double quotes"),
        (
            rt_app(f'"loop": 50000, "phases": {{"a": {{"loop": 50000, "run": 1, {TIMER}}}}}'),
            "expected at most 100000 events in all loops, found 150000",
        ),
    ],
    ids=["deep", "long number", "long text", "long comment", "long loop"],
)
def test_no_file_takes_memory_or_time_without_bound(text: str, line: str, tmp_path: Path) -> None:
    assert refusal(text, tmp_path, ".json") == [line]


# ---- writing ----------------------------------------------------------------------------------------


def document(system: takt.System, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """What is written of a system, read as strict JSON, and what that loses."""
    losses = formats.write(system, folder / "set.json")
    return json.loads((folder / "set.json").read_text()), [str(loss) for loss in losses]


def test_a_system_is_a_file_of_loops_and_phases(tmp_path: Path) -> None:
    body = ["run 1", "lock R", "run 2", "point", "run 1", "lock S!", "run 1"]
    tasks = [
        takt.Task(name="A", period="10ms", offset=2, body=body, priority=3),
        takt.Task(name="B", arrivals=[5, 9, 9], wcet=2, demand=[1, 2, 2], deadline=4, priority=1),
    ]
    resources = [takt.Resource(name="R"), takt.Resource(name="S!")]
    system = takt.System(name="set", horizon="1500ms", tasks=tasks, resources=resources)
    written, losses = document(system, tmp_path)

    def timer(period: int) -> dict[str, Any]:
        return {"timer": {"ref": "unique", "period": period, "mode": "absolute"}}

    held = {"run": 1000, "lock": "R", "run1": 2000, "run2": 1000, "lock1": "S_", "run3": 1000}
    phases = [
        {"loop": 1, "run": 1000} | timer(4000),
        {"loop": 1, "run": 2000} | timer(0),
        {"loop": 1, "run": 2000},
    ]
    class_and_place = {"policy": "SCHED_FIFO", "cpus": [0]}
    assert written["tasks"] == {
        "A": class_and_place
        | {"priority": 3, "delay": 2000, "loop": -1}
        | held
        | {"unlock": "S_", "unlock1": "R"}
        | timer(10_000),
        "B": class_and_place
        | {"priority": 1, "delay": 5000, "loop": 1, "phases": {f"phase{one}": phases[one] for one in range(3)}},
    }
    assert list(written["tasks"]["A"])[4:-1] == ["loop", *held, "unlock", "unlock1"]
    assert written["resources"] == {"R": {"type": "mutex"}, "S_": {"type": "mutex"}}
    assert written["global"] == {"duration": 2, "calibration": "CPU0", "pi_enabled": True}
    assert [loss.partition(": lost")[0] for loss in losses] == [
        "[system] horizon",
        '[[task]] "A" body',
        '[[task]] "A" preemption',
        '[[resource]] "S!" name',
    ]


def test_priorities_are_kept_or_become_ranks(tmp_path: Path) -> None:
    def priorities(policy: str, *given: int) -> list[int]:
        tasks = [
            takt.Task(name=f"T{one}", period=200 - number, wcet=1, priority=one) for number, one in enumerate(given)
        ]
        written, _ = document(takt.System(name="set", policy=policy, tasks=tasks), tmp_path)
        return [one["priority"] for one in written["tasks"].values()]

    assert priorities("fp", 1, 99, 30) == [1, 99, 30]
    assert priorities("fp", 0, 99, 30) == [1, 3, 2]
    assert priorities("fp", 1, 100, 30) == [1, 3, 2]
    assert priorities("rm", 1, 99, 30) == [1, 2, 3]
    with pytest.raises(takt.InputError, match="expected at most 99 priorities, which SCHED_FIFO has, found 100"):
        priorities("fp", *range(100))


def test_what_linux_would_refuse_of_a_reservation_is_cut(tmp_path: Path) -> None:
    tasks = [takt.Task(name="A", period=10, wcet=8, deadline=5), takt.Task(name="B", period=10, wcet=2, deadline=50)]
    written, losses = document(takt.System(name="set", policy="edf", tasks=tasks), tmp_path)
    keys = ("dl-runtime", "dl-deadline", "dl-period")
    assert [tuple(one[key] for key in keys) for one in written["tasks"].values()] == [
        (5000, 5000, 10_000),
        (2000, 10_000, 10_000),
    ]
    assert losses == [
        '[[task]] "A" deadline: lost: 5 in Takt, none in the file',
        '[[task]] "A" server: lost: none in Takt, "A" in the file',
        '[[task]] "B" deadline: lost: 50 in Takt, "10ms" in the file',
        '[[server]] "A": only in the file',
        f"[system] policy: {WAKES}",
    ]


def test_a_task_without_known_instants_is_left_out(tmp_path: Path) -> None:
    drawn = takt.Task(name="A", arrivals=takt.Exponential(mean="5ms"), wcet=1, deadline=5)
    plain = takt.Task(name="B", period=5, wcet=1, priority=1)
    assert document(takt.System(name="set", tasks=[drawn, plain]), tmp_path)[1] == [
        '[[task]] "A": lost: the file has no such task'
    ]
    with pytest.raises(takt.InputError, match="listed arrivals, found none that could be written"):
        document(takt.System(name="set", tasks=[drawn]), tmp_path)


def test_a_time_is_rounded_to_microseconds_and_is_at_most_what_rt_app_counts(tmp_path: Path) -> None:
    task = takt.Task(name="A", period="10us", wcet="1400ns", priority=1)
    system = takt.System(name="set", resolution="100ns", tasks=[task])
    written, losses = document(system, tmp_path)
    assert written["tasks"]["A"]["run"] == 1
    assert losses[-1] == '[[task]] "A" wcet: lost: "1400ns" in Takt, "1us" in the file'
    with pytest.raises(takt.InputError, match='"A": expected times of at most 2147483647us, which rt-app can count'):
        document(system.replace(tasks=[task.replace(period="3000s")]), tmp_path)


# ---- a second rt-app --------------------------------------------------------------------------------


def simulated(system: takt.System) -> list[str | None]:
    """The task that runs in each microsecond."""
    names: list[str | None] = [None] * HORIZON
    scale = system.resolution_ns // 1000
    for start, end, task in takt.simulate(system, f"{HORIZON}us").segments.select("start", "end", "task").rows():
        names[start * scale : end * scale] = [task] * ((end - start) * scale)
    return names


@st.composite
def threads(draw: st.DrawFn, priority: int) -> dict[str, Any]:
    """A thread whose jobs a timer releases, with loops, phases and sleeps."""
    period = draw(st.integers(8, 40))
    timer = {"ref": "unique", "period": period, "mode": "absolute"}
    runs = [draw(st.integers(1, 6)) for _ in range(draw(st.integers(1, 3)))]
    shape = draw(st.sampled_from(["plain", "phases", "finite", "first", "sleep", "lock"]))
    scheduling: dict[str, Any] = {"policy": "SCHED_FIFO", "priority": priority}
    if draw(st.booleans()):
        least = draw(st.integers(1, 6))
        deadline = draw(st.sampled_from([period, draw(st.integers(least, period))]))
        scheduling = {"policy": "SCHED_DEADLINE", "dl-runtime": least, "dl-period": period, "dl-deadline": deadline}
    does: dict[str, Any] = {"run": runs[0], "timer": timer}
    if shape in ("phases", "finite"):
        phases = [{"loop": draw(st.integers(1, 3)), "run": run, "timer": timer} for run in runs]
        does = {
            "loop": -1 if shape == "phases" else draw(st.integers(1, 3)),
            "phases": dict(zip("abc", phases, strict=False)),
        }
    elif shape == "first":
        does = {"timer": timer, "run": runs[0]}
    elif shape == "sleep":
        does = {"run": runs[0], "sleep": draw(st.integers(1, 9)), "run1": runs[-1], "timer": timer}
    elif shape == "lock":
        does = {"run": runs[0], "lock": "R", "run1": runs[-1], "unlock": "R", "timer": timer}
    return scheduling | {"cpus": [0], "delay": draw(st.integers(0, 9))} | does


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Files of one processor, priorities all different."""
    count = draw(st.integers(1, 4))
    priorities = draw(st.permutations(range(1, count + 1)))
    tasks = {f"T{number}": draw(threads(priority)) for number, priority in enumerate(priorities)}
    return {"tasks": tasks, "global": {"pi_enabled": draw(st.booleans())}}


@st.composite
def reservations(draw: st.DrawFn) -> dict[str, Any]:
    """Files of reservations that suffice, with deadlines that can but need not coincide."""
    tasks = {}
    for number in range(draw(st.integers(2, 4))):
        period, budget = draw(st.sampled_from([24, 36, 48])), draw(st.integers(1, 9))
        timer = {"ref": "unique", "period": period, "mode": "absolute"}
        does = {"run": draw(st.integers(1, budget)), "timer": timer}
        scheduling = {
            "policy": "SCHED_DEADLINE",
            "dl-runtime": budget,
            "dl-period": period,
            "dl-deadline": period,
            "cpus": [0],
        }
        tasks[f"T{number}"] = {**scheduling, "delay": draw(st.integers(0, 23)), **does}
    return {"tasks": tasks}


def test_what_is_read_runs_as_rt_app_runs_it(tmp_path: Path) -> None:
    """Without loss, where Linux admits all reservations and a late one is a server; what is written runs so again."""
    seen = {"fp": 0, "edf": 0, "mixed": 0, "server": 0, "again": 0}

    @tries(300)
    @given(text=documents())
    def check(text: dict[str, Any]) -> None:
        path = tmp_path / "set.json"
        path.write_text(json.dumps(text))
        imported = formats.read(path)
        servers = {server.name for server in imported.system.servers}
        machine = Machine(text, servers)
        expected = machine.run(HORIZON)
        are_late = any(one.was_late and one.is_reserved and one.name not in servers for one in machine.threads)
        reserved = sum(Fraction(one.runtime, one.period) for one in machine.threads if one.is_reserved)
        if reserved > 1 or are_late or any(one.code == "lost" and one.key != "deadline" for one in imported.warnings):
            return
        system = imported.system
        assert simulated(system) == expected
        kinds = {one.is_reserved for one in machine.threads}
        seen["mixed" if len(kinds) > 1 else str(system.policy)] += 1
        seen["server"] += any(server.kind == "hard-cbs" for server in system.servers)
        written, losses = document(system, tmp_path)
        assert [line for line in losses if "scheduled otherwise" not in line] == []
        assert Machine(written, servers).run(HORIZON) == expected
        seen["again"] += 1

    check()
    expect_cases(min(seen.values()) > 5, seen)


def test_a_file_without_a_line_runs_alike_by_the_rules_of_linux(tmp_path: Path) -> None:
    """Whatever the order of timers that expire at one instant; and where rules differ in a run, a line says so."""
    seen = dict.fromkeys(("fp", "edf", "mixed", "otherwise"), 0)

    @tries(250)
    @given(text=st.one_of(documents(), reservations()), choice=st.randoms(use_true_random=False))
    def check(text: dict[str, Any], choice: random.Random) -> None:
        path = tmp_path / "set.json"
        path.write_text(json.dumps(text))
        imported = formats.read(path)
        machine = Machine(text, order=choice.sample(range(len(text["tasks"])), len(text["tasks"])))
        is_alike = machine.run(HORIZON) == simulated(imported.system)
        told = [one for one in imported.warnings if one.key != "deadline"]
        assert is_alike or told
        kinds = {one.is_reserved for one in machine.threads}
        is_told = any(one.code == "differs" for one in told)
        seen["otherwise"] += is_told and not is_alike
        if len(kinds) > 1 or len(machine.threads) > 1:
            seen["mixed" if len(kinds) > 1 else str(imported.system.policy)] += not told

    check()
    expect_cases(min(seen.values()) > 5, seen)
