# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes of a running system: what SPEC.md, 12 says, on small systems whose schedules can be seen by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import takt
from takt.model.changes import described
from takt.show import report
from trace_header import Change, having, header_of, refusal, refusal_of_header, rewrite


def segments(result: takt.Result) -> list[tuple[int, int, str, int]]:
    """Who ran when."""
    return result.segments.select("start", "end", "task", "job").rows()


def run(system: takt.System, horizon: int, tmp_path: Path) -> takt.Result:
    """Simulate, and replay what was recorded."""
    path = tmp_path / "changes.takt"
    result = takt.simulate(system, horizon, trace=path)
    assert takt.replay(path).is_identical
    return result


def pair(**header: Any) -> takt.System:
    """A(T=5, C=2) and B(T=7, C=4): B misses under rm and does not under edf."""
    tasks = [takt.Task(name="A", period=5, wcet=2), takt.Task(name="B", period=7, wcet=4)]
    return takt.System(**{"policy": "rm", "tasks": tasks} | header)


def test_from_a_change_of_policy_on_the_new_one_orders(tmp_path: Path) -> None:
    """At 35 all is idle under both policies, so what follows is what edf does from 0 on."""
    switched = run(pair(changes=[takt.Change(at=35, policy="edf")]), 70, tmp_path)
    rm, edf = takt.simulate(pair(), 35), takt.simulate(pair(policy="edf"), 35)
    later = [(start - 35, end - 35, task) for start, end, task, _ in segments(switched) if start >= 35]
    assert [row for row in segments(switched) if row[0] < 35] == segments(rm)
    assert later == [(start, end, task) for start, end, task, _ in segments(edf)]
    assert rm.missed > 0
    assert switched.missed == rm.missed


def test_a_run_tells_its_changes(tmp_path: Path) -> None:
    changes = [
        takt.Change(at=40, policy="edf"),
        takt.Change(at="7ms", remove=["A"], task="B", wcet=3, priority=2),
        takt.Change(at=9, add=["A"]),
    ]
    result = run(pair(changes=changes), 40, tmp_path)
    assert result.changes.rows() == [
        (7, "A", "removed", ""),
        (7, "B", "parameters", "wcet = 3, priority = 2"),
        (9, "A", "added", ""),
    ]
    assert described(result.system.tables, 41)[1:] == [(9, "added A"), (40, "policy edf")]
    assert report.as_json(report.report_of(result), "x")["changes"][0] == {
        "instant": 7,
        "task": "A",
        "what": "removed",
        "detail": "",
    }
    assert report.change_sentences([(number, "x") for number in range(12)], str)[-1] == "2 more changes"


def test_charts_and_pages_say_what_changes(tmp_path: Path) -> None:
    result = takt.simulate(pair(changes=[takt.Change(at=7, remove=["A"], policy="edf")]), 40)
    result.to_html(tmp_path / "r.html")
    result.gantt(tmp_path / "g.svg")
    result.to_perfetto(tmp_path / "p")
    assert "at 7 ms: removed A; policy edf" in (tmp_path / "r.html").read_text()
    assert "removed A; policy edf" in (tmp_path / "g.svg").read_text()
    assert b"policy: edf" in (tmp_path / "p").read_bytes()


def test_the_default_horizon_covers_a_hyperperiod_after_the_last_change() -> None:
    absent = takt.Task(name="C", period=4, wcet=1, offset=3, initially="absent")
    system = takt.System(tasks=[absent, takt.Task(name="A", period=6, wcet=1)], changes=[takt.Change(at=50, add=["C"])])
    assert takt.simulate(system).horizon == 50 + 3 + 12


def test_one_seed_draws_the_same_numbers_after_a_pause() -> None:
    task = takt.Task(name="A", min_separation=3, wcet=5, demand=takt.Uniform(min=1, max=5), deadline=9)
    changes = [takt.Change(at=30, remove=["A"]), takt.Change(at=60, add=["A"])]
    without, paused = (takt.simulate(takt.System(tasks=[task], seed=5, changes=some), 90) for some in ([], changes))
    busy = [
        result.segments.group_by("job").agg((pl.col("end") - pl.col("start")).sum()).sort("job")
        for result in (without, paused)
    ]
    finished = paused.jobs.filter(pl.col("finish").is_not_null())["job"].to_list()
    assert busy[0].filter(pl.col("job").is_in(finished)).rows() == busy[1].filter(pl.col("job").is_in(finished)).rows()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (having(9, "CHANGES", 0, "kind"), "kind 9 out of range"),
        (having(7, "CHANGES", 0, "task"), "task 7 out of range"),
        (having(1, "CHANGES", 1, "policy"), "a policy or a kind is not in the tables of this build"),
    ],
)
def test_damaged_changes_are_refused(change: Change, message: str, tmp_path: Path) -> None:
    changes = [takt.Change(at=3, task="A", period=6), takt.Change(at=5, policy="edf")]
    assert refusal_of_header(tmp_path / "x.takt", pair(changes=changes), change) == message


def test_a_change_that_is_in_no_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.takt"
    takt.simulate(pair(changes=[takt.Change(at=3, remove=["A"])]), 20, trace=path)
    takt.simulate(pair(), 20, trace=tmp_path / "without.takt")
    rewrite(path, header=header_of(tmp_path / "without.takt"))
    assert "cannot have been recorded in this order" in refusal(path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [("task", 7, "task 7 out of range"), ("at", 2**64 - 1, f"at {2**64 - 1} out of range")],
)
def test_damaged_entries_under_rates_are_refused(key: str, value: int, message: str, tmp_path: Path) -> None:
    tasks = [takt.Task(name="A", period=5, offset=4, wcet=2)]
    changes = [takt.Change(at=10, remove=["A"]), takt.Change(at=20, add=["A"])]
    system = takt.System(policy="rate-based", tasks=tasks, changes=changes)
    assert refusal_of_header(tmp_path / "x.takt", system, having(value, "CHANGES", 1, key)) == message
