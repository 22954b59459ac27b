# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A verdict says for which arrivals it speaks, and what a run of the file as it stands shows, as far as it was run."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
import takt
from sampling import count, expect_cases
from takt.analysis import Verdict, remarks
from takt.analysis.result import AsWritten
from takt.command.main import app
from takt.show import analysis_page, analysis_text
from takt.show.text_tables import Terminal
from typer.testing import CliRunner

APART = """
schema = 1
[system]
policy = "fp"
horizon = "2s"
[[task]]
name = "a"
period = "10ms"
wcet = "5ms"
deadline = "5ms"
priority = 2
[[task]]
name = "b"
period = "10ms"
wcet = "5ms"
deadline = "5ms"
offset = "5ms"
priority = 1
"""
"""Two tasks that never meet."""

TWO_JOBS = """
schema = 1
[system]
policy = "fp"
horizon = 20
[[task]]
name = "T0"
arrivals = [0]
wcet = 2
deadline = 10
priority = 1
preemption = "non-preemptive"
[[task]]
name = "T1"
period = 1000
jitter = 8
wcet = 2
deadline = 10
priority = 2
preemption = "non-preemptive"
"""
"""One job at 0, and one that is released in 0 .. 8."""


def loaded(text: str, folder: Path) -> takt.System:
    """Load a text as a file."""
    path = folder / "system.toml"
    path.write_text(text, encoding="utf-8")
    return takt.load(path)


def line_of(found: takt.Analysis) -> str:
    """Return the sentence on the runs of which the verdict speaks, without its full stop; "" if there is none."""
    out = io.StringIO()
    analysis_text.print_analysis(Terminal(out, 300), found)
    first, *others = out.getvalue().splitlines()
    assert first.startswith(f"{found.name}: {found.verdict.value}, ")
    return next((line for line in others if line.startswith(found.verdict.value.capitalize())), "").removesuffix(".")


def periodic(*tasks: dict[str, Any], policy: str | takt.Policy = "fp", **more: Any) -> takt.System:
    """Return a system of tasks with a period of 10 unless they have another."""
    given = [{"name": name, "period": 10} | task for name, task in zip("ABC", tasks, strict=False)]
    return takt.System(tasks=[takt.Task(**task) for task in given], policy=policy, **more)


def test_offsets_that_keep_tasks_apart_are_said_to_do_so(tmp_path: Path) -> None:
    found = takt.analyse(loaded(APART, tmp_path))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.as_written == AsWritten(("arrivals",), 2000, 0)
    assert line_of(found) == "Not schedulable if arrivals may shift; as written no job is late up to 2 s"


def test_of_what_is_drawn_one_run_is_told(tmp_path: Path) -> None:
    found = takt.analyse(loaded(TWO_JOBS, tmp_path))
    assert found.as_written == AsWritten(("arrivals",), 20, 0, is_drawn=True)
    assert line_of(found) == "Not schedulable if arrivals may shift; in one drawn run no job is late up to 20 ms"


def test_late_jobs_of_the_file_are_counted() -> None:
    found = takt.analyse(periodic({"wcet": 6}, {"wcet": 6, "offset": 1}, horizon=100))
    assert found.as_written is not None
    assert line_of(found).endswith(f"as written {found.as_written.late} jobs are late up to 100 ms")
    soft = takt.analyse(
        periodic({"wcet": 6, "deadline": 5, "offset": 1, "priority": 1}, {"wcet": 1, "class_": "soft"}, horizon=11)
    )
    assert line_of(soft) == "Not schedulable if arrivals may shift; as written 1 hard job is late up to 11 ms"


def test_where_the_file_is_what_the_verdict_is_about_nothing_is_added() -> None:
    at_once = takt.analyse(periodic({"wcet": 6}, {"wcet": 6}))
    assert (at_once.verdict, at_once.as_written) == (Verdict.NOT_SCHEDULABLE, None)
    assert line_of(at_once) == ""
    met = takt.analyse(periodic({"wcet": 2, "offset": 3}, {"wcet": 2, "demand": [1, 2]}))
    assert (met.verdict, met.as_written) == (Verdict.SCHEDULABLE, None)
    slots = [{"task": "A", "start": 0, "length": 1}]
    table = periodic({"wcet": 2, "offset": 3}, policy="time-driven", options=[takt.TimeDriven(cycle=10, slots=slots)])
    assert takt.analyse(table).as_written is None


def test_tasks_that_come_at_once_may_still_be_blocked_by_others_that_came_before() -> None:
    whole = {"wcet": 6, "priority": 1, "preemption": "non-preemptive"}
    found = takt.analyse(periodic({"wcet": 2, "deadline": 4, "priority": 2}, whole))
    assert line_of(found) == "Not schedulable if arrivals may shift; as written no job is late up to 10 ms"


def test_lists_of_demands_are_said() -> None:
    found = takt.analyse(periodic({"wcet": 6, "demand": [6, 1]}, {"wcet": 6, "demand": [1, 6]}, horizon=200))
    assert line_of(found) == "Not schedulable if demands may shift; as written no job is late up to 200 ms"
    both = takt.analyse(periodic({"wcet": 6, "demand": 3, "offset": 5}, {"wcet": 6, "demand": 3}, horizon=200))
    assert line_of(both) == "Not schedulable if arrivals and demands may shift; as written no job is late up to 200 ms"


class LatestFirst(takt.Policy):
    """The latest job first."""

    def release(self, job: takt.Job) -> int:
        raise AssertionError("an analysis asks no policy")


@pytest.mark.parametrize("how", ["own policy", "remote"])
def test_nothing_is_claimed_that_was_not_run(how: str) -> None:
    tasks = ({"wcet": 6, "offset": 1}, {"wcet": 6})
    own = how == "own policy"
    found = takt.analyse(periodic(*tasks, policy=LatestFirst() if own else "fp"), remote=0 if own else 1)
    assert found.as_written == AsWritten(("arrivals",))
    assert line_of(found) == f"{found.verdict.value.capitalize()} if arrivals may shift"


def test_a_run_ends_with_its_effort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks, "MAX_EVENTS", 50)
    found = takt.analyse(loaded(APART, tmp_path))
    assert found.as_written is not None
    assert found.as_written.until == 250
    primes = [
        {"period": 100003, "wcet": 60000, "offset": 1},
        {"period": 100019, "wcet": 60000},
        {"period": 100043, "wcet": 9},
    ]
    long = takt.analyse(periodic(*primes))  # repeats after 10^15 ticks, and has no horizon
    assert long.as_written is not None
    assert 10**6 < (long.as_written.until or 0) < 10**7


def test_ticks_and_slots_of_any_dispatcher_count_as_events() -> None:
    far = 10**9
    tasks = [
        takt.Task(name="A", period=far, wcet=far // 2, server="S", offset=1),
        takt.Task(name="B", period=far, wcet=far // 2, server="S"),
        takt.Task(name="C", period=far, wcet=far - 1),
    ]
    server = takt.Server(name="S", period=far, budget=far - 1, policy="llf")
    overtaking = takt.System(tasks=tasks, servers=[server], policy="edf", horizon=4 * far)
    late = takt.Task(name="A", period=far, deadline=far // 2, wcet=far // 2, offset=1)
    slots = takt.TimeDriven(cycle=2, slots=({"task": "A", "start": 0, "length": 1},))
    for system in (overtaking, takt.System(tasks=[late], policy="time-driven", horizon=1000 * far, options=[slots])):
        found = takt.analyse(system, sensitivity=False).as_written
        assert found is None or (found.until or 0) <= 2 * remarks.MAX_EVENTS, found


def test_a_rejected_hard_task_is_no_job_that_is_in_time() -> None:
    tasks = [takt.Task(name=name, period=10, wcet=7) for name in "AB"]
    found = takt.analyse(takt.System(tasks=tasks, policy="rate-based", horizon=1000), sensitivity=False)
    assert found.verdict is not Verdict.SCHEDULABLE
    assert found.as_written is None


def test_arrivals_that_are_drawn_are_not_fixed_by_the_file() -> None:
    tasks = [takt.Task(name=name, min_separation=10, wcet=6, priority=place) for place, name in enumerate("AB", 1)]
    found = takt.analyse(takt.System(tasks=tasks, policy="fp", horizon=100))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.as_written is None or found.as_written.fixed == ()


def test_what_is_told_is_what_a_simulation_shows() -> None:
    seen = [0, 0]
    rng = random.Random(1)
    for _ in range(count(60)):
        tasks = [
            {"period": rng.choice([4, 8, 8]), "wcet": 2, "deadline": rng.randint(2, 4), "offset": rng.randint(0, 7)}
            for _ in "AB"
        ]
        system = periodic(*tasks, policy=rng.choice(["rm", "edf"]), horizon=rng.randint(10, 200))
        found = takt.analyse(system, sensitivity=False).as_written
        if found is not None:
            assert found.until is not None
            assert takt.simulate(system, found.until).missed == found.late
            seen[found.late > 0] += 1
    expect_cases(min(seen) > 0, seen)


def test_a_machine_tells_of_all_its_domains() -> None:
    tasks = [
        takt.Task(name=f"{name}{cpu}", period=10, wcet=5, deadline=5, offset=offset, cluster=cpu, priority=1 + offset)
        for name, offset in (("A", 0), ("B", 5))
        for cpu in (0, 1)
    ]
    clusters = [takt.Cluster(cpus=[cpu]) for cpu in (0, 1)]
    found = takt.analyse(takt.System(tasks=tasks, policy="fp", cpus=2, clusters=clusters))
    assert found.as_written == AsWritten(("arrivals",), 15, 0)


def test_json_and_page_tell_it_too(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text(APART, encoding="utf-8")
    said = CliRunner().invoke(app, ["analyse", str(path), "--json"])
    (found,) = json.loads(said.stdout)["analyses"]
    assert found["as_written"] == {"fixed": ["arrivals"], "until": 2000, "late": 0, "is_drawn": False}
    page = analysis_page.page([takt.analyse(takt.load(path))])
    assert "if arrivals may shift; as written no job is late up to 2 s" in page
