# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each field of system/fields.def says what the analysis does with it, and that is true.

A field that is not read makes the verdict *not known* by its name. One that is called INERT is given other values
here: the run is the same tick by tick, or it stays within what was said before.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import takt
from places import EXAMPLES
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from takt.model import image
from takt.model.fields import TABLES
from test_analyse import contradictions

WORDS = ("READ", "INERT", "UNREAD")


def all_fields() -> list[tuple[str, int]]:
    """Return each field as its table and place."""
    return [(table.name, place) for table in TABLES for place in range(len(table.fields))]


def named(table: str, place: int) -> str:
    """Return table and key of a field."""
    return f"{table} {next(each for each in TABLES if each.name == table).fields[place].key}"


def those(analysis: str) -> list[str]:
    """Return the fields with a word."""
    fields = [(table.name, field) for table in TABLES for field in table.fields]
    return [f"{table} {field.key}" for table, field in fields if field.analysis == analysis]


def test_each_field_says_what_the_analysis_does_with_it() -> None:
    assert {field.analysis for table in TABLES for field in table.fields} == set(WORDS)


# ---- a field that is not read --------------------------------------------------------------------------


SYSTEMS = [takt.load(path) for path in sorted(EXAMPLES.glob("*.toml"))]
FLAT = [system for system in SYSTEMS if not system.domains]


def as_unread(monkeypatch: pytest.MonkeyPatch, table: str, place: int) -> None:
    """Let the analysis not read one field."""

    def of(each: Any) -> Any:
        if each.name != table:
            return each
        fields = list(each.fields)
        fields[place] = fields[place]._replace(analysis="UNREAD")
        return each._replace(fields=tuple(fields))

    monkeypatch.setattr(image, "TABLES", tuple(map(of, TABLES)))


@pytest.mark.parametrize("table", [table.name for table in TABLES if table.name not in ("RUN", "INPUTS", "THREADS")])
def test_a_field_that_is_not_read_makes_the_verdict_not_known_by_its_name(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for place in range(len(next(each for each in TABLES if each.name == table).fields)):
        with monkeypatch.context() as patched:
            as_unread(patched, table, place)
            for system in FLAT:
                told = list(image.unread_in(system.resolved))
                if not told:
                    continue
                key, owner = told[0]
                view = view_of(system)
                assert {row.verdict for row in judge(view).rows()} == {Verdict.NOT_KNOWN}
                assert view.unread[0] == f"the analysis does not read {key} of {owner}"
                found.add(key)
                break
    assert found, "no example has such a field"


def test_the_reason_of_a_verdict_names_fields_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    place = [field.key for field in next(each.fields for each in TABLES if each.name == "TASKS")].index("jitter")
    as_unread(monkeypatch, "TASKS", place)
    tasks = [takt.Task(name=name, period=10, wcet=1, jitter=jitter) for name, jitter in zip("AB", (0, 1), strict=True)]
    found = takt.analyse(takt.System(tasks=tasks))
    assert (found.verdict, found.reason) == (Verdict.NOT_KNOWN, "the analysis does not read jitter of B")
    assert not found.advice
    assert takt.analyse(takt.System(tasks=[tasks[0]])).verdict is Verdict.SCHEDULABLE


# ---- fields of which no verdict depends ----------------------------------------------------------------


RUN_ALONE = {"RUN is_real_time", "RUN is_remote", "RUN delays"} | {named("INPUTS", place) for place in range(4)}
"""Not of a system but of one run of it; of a distance the analysis is told by --remote."""

Changed = Callable[[Any], Any]


def each(part: str, **values: Any) -> Changed:
    """Return a part of a system with other values in all its rows."""
    return lambda resolved: replace(
        resolved, **{part: tuple(replace(row, **values) for row in getattr(resolved, part))}
    )


SAME_RUN: dict[str, Changed] = {
    "SYSTEM levels": lambda resolved: replace(resolved, levels=resolved.levels + 3),
    "SYSTEM order_rows": lambda resolved: replace(resolved, order_rows=7),
    "SYSTEM time_rows": lambda resolved: replace(resolved, time_rows=16),
    "SYSTEM bulk": lambda resolved: replace(resolved, bulk=resolved.bulk + 2 * any(t.windows for t in resolved.tasks)),
    "SERVERS levels": each("servers", levels=9),
    "SERVERS order_rows": each("servers", order_rows=7),
    "SERVERS time_rows": each("servers", time_rows=16),
    "TASKS ring": each("tasks", ring=64),
}
"""What changes no run: how the same is kept in memory, or handed over by calls that take no time.

Where calls take time nothing is known, whatever they hand over.
"""

FOLLOWS = {"TASKS is_external", "RESOURCES ceiling"}
"""What follows from arrivals, and from users of a resource, so that it cannot be another by itself."""


def with_resolved(system: takt.System, change: Changed) -> takt.System:
    """Return a system that is another one where core gets it."""
    other = copy.copy(system)
    other._resolved = change(system.resolved)
    return other


def schedule(system: takt.System) -> Any:
    """Return what a run does."""
    return takt.simulate(system, horizon=200, jobs=False).segments.rows()


def rows(system: takt.System) -> Any:
    """Return what is known of each task."""
    return [(row.verdict, row.response, row.is_tight) for row in judge(view_of(system)).rows()]


@pytest.mark.parametrize("field", SAME_RUN)
def test_an_inert_field_changes_no_run_and_no_verdict(field: str) -> None:
    changed = 0
    for system in FLAT:
        other = with_resolved(system, SAME_RUN[field])
        if other.resolved != system.resolved and not any(task.is_allocator for task in system.resolved.tasks):
            assert schedule(other) == schedule(system), system.name
            assert rows(other) == rows(system), system.name
            changed += 1
    assert changed


def drawn(**keys: Any) -> takt.System:
    """Return a system that draws demands and arrivals."""
    mean, shape, seed = keys.get("mean", 3), keys.get("shape", 2.0), keys.get("seed", 0)
    demand = takt.Weibull(scale=mean, shape=shape, min=1, max=4)
    tasks = [
        takt.Task(name="A", period=8, wcet=4, demand=demand, priority=2),
        takt.Task(name="B", period=16, wcet=5, demand=takt.Exponential(mean=mean, min=1, max=5), priority=1),
    ]
    return takt.System(tasks=tasks, policy="fp", seed=seed, horizon=keys.get("horizon", 300))


def rated(**keys: Any) -> takt.System:
    """Return a rate-based system in which soft and best-effort tasks change and adapt."""
    options = {"grid": 1} | {key: value for key, value in keys.items() if key != "weight"}
    tasks = [
        takt.Task(name="A", period=10, wcet=3),
        takt.Task(name="B", class_="soft", period=12, wcet=4, on_overrun="adapt", demand=[4, 2]),
        takt.Task(name="C", class_="none", period=20, wcet=5, demand=[5, 2, 1]),
    ]
    changes = [
        takt.Change(at=60, task="C", weight=keys.get("weight", 2)),
        takt.Change(at=90, task="B", wcet=6),
    ]
    return takt.System(tasks=tasks, policy="rate-based", options=[takt.RateBased(**options)], changes=changes)


WITHIN: dict[str, list[takt.System]] = {
    "RUN horizon": [drawn(horizon=horizon) for horizon in (50, 300, 900)],
    "RUN seed": [drawn(seed=seed) for seed in range(5)],
    "STREAMS a": [drawn(mean=mean) for mean in (1, 3, 9)],
    "STREAMS b": [drawn(shape=shape) for shape in (0.5, 1.0, 4.0)],
    "CHANGES weight": [rated(weight=weight) for weight in (2, 5, 60)],
    "RATES has_background": [rated(background=value) for value in (False, True)],
    "RATES has_compression": [rated(compression=value) for value in (False, True)],
    "RATES has_cuts": [rated(cuts=value) for value in (False, True)],
    "RATES estimate_jobs": [rated(estimate_jobs=value) for value in (1, 8, 16)],
}
"""What changes runs, and never beyond what is said of all runs."""


@pytest.mark.parametrize("field", WITHIN)
def test_runs_with_other_values_of_an_inert_field_stay_within_one_verdict(field: str) -> None:
    systems = WITHIN[field]
    assert len({tuple(rows(system)) for system in systems}) == 1
    assert not [line for system in systems for line in contradictions(system, 600)]
    assert any(verdict is Verdict.SCHEDULABLE for verdict, *_ in rows(systems[0]))


def test_each_inert_field_is_tried_here() -> None:
    assert set(those("INERT")) == RUN_ALONE | set(SAME_RUN) | set(WITHIN) | FOLLOWS
    assert those("UNREAD") == ["THREADS level", "THREADS home"]


# ---- what was not read ---------------------------------------------------------------------------------


def test_a_task_that_becomes_hard_counts_from_the_begin() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=6, priority=2),
        takt.Task(name="B", class_="soft", period=10, wcet=6, priority=1),
    ]
    system = takt.System(tasks=tasks, policy="fp", changes=[takt.Change(at=40, task="B", class_="hard")])
    assert takt.simulate(system, 200).missed > 0
    found = takt.analyse(system)
    assert found.verdict is not Verdict.SCHEDULABLE
    assert [row.class_ for row in found.tasks] == ["hard", "hard"]
