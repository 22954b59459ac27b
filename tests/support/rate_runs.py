"""The rate-based scheduler as the simulator runs it, in the words of the reference, so that the two can be compared."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

import polars as pl
from rate_oracle import SCALE, JobRow, Outcome, System, Task
from rate_oracle.model import CLASSES, FORMULA3, LockRow
from rate_oracle.sharing import cost_of, used_by
from takt import _core

RULES = ("boundary", "in-flight", "naive")
EVENTS = {
    **dict(enumerate(("admitted", "rejected", "entered", "left", "re-rated", "suspended", "resumed", "refilled"))),
    8: "overrun",
    12: "in force",
}


def spec_of(system: System) -> _core.Spec:
    """Describe a system of the reference to core."""
    tasks = system.tasks
    zeros = _column([0] * len(tasks))
    spec = _core.Spec("rate-based", 1)
    names = names_of(system)
    spec.add_resources(
        protocols=["srp" for _ in names], ceiling=_column(1 for _ in names), home=_column(0 for _ in names)
    )
    spec.add_tasks(
        period=_column(task.period for task in tasks),
        deadline=_column(task.window for task in tasks),
        offset=zeros,
        wcet=_column(task.requested or 1 for task in tasks),
        demand=_column(task.demand_of(0) or 1 for task in tasks),
        level=_column([1] * len(tasks)),
        home=zeros,
        is_limited=zeros,
        preemption_key=zeros,
        task_class=_column(CLASSES.index(task.class_) for task in tasks),
        on_miss=zeros,
        jitter=zeros,
        is_external=zeros,
        suspends=zeros,
        locks=_column(bool(used_by(task)) for task in tasks),
        is_absent=zeros,
    )
    for number, task in enumerate(tasks):
        if isinstance(task.demand, tuple):
            spec.set_demand(number, "listed", _column(task.demand), 0.0, 0.0, 1, _core.RATE_LONGEST)
    _set_sharing(spec, system)
    _set_rates(spec, system)
    return spec


def simulate(system: System, horizon: int, trace_path: Path | None = None) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system by core and the simulator."""
    path = None if trace_path is None else str(trace_path)
    outcome = _core.simulate(
        spec_of(system),
        horizon,
        segments=True,
        jobs=True,
        budgets=False,
        points=False,
        locks=True,
        rates=True,
        trace_path=path,
    )
    names = [task.name for task in system.tasks]
    segments = [(start, end, names[task], job) for start, end, _, task, job in rows_of(outcome["segments"])]
    return Outcome(
        segments,
        _jobs(names, rows_of(outcome["jobs"]), rows_of(outcome["windows"])),
        _every_tick(rows_of(outcome["ledger"]), horizon),
        [(now, EVENTS[event], names[task], rate) for now, task, event, rate, *_ in rows_of(outcome["rates"])],
        _locks(system, rows_of(outcome["locks"])),
    )


def first_difference(expected: Outcome, found: Outcome) -> str | None:
    """Say where two outcomes differ first; None if they do not. Events of one instant may come in any order."""
    for name in ("segments", "jobs", "ledger", "log", "locks"):
        wanted, got = getattr(expected, name), getattr(found, name)
        if name == "log":
            wanted, got = sorted(wanted), sorted(got)
        if wanted != got:
            at = next((i for i, pair in enumerate(zip(wanted, got, strict=False)) if pair[0] != pair[1]), len(got))
            return f"{name}, row {at}: expected {wanted[at : at + 3]}, found {got[at : at + 3]}"
    return None


def names_of(system: System) -> list[str]:
    """Name the resources of a system, in core's order."""
    return sorted({name for task in system.tasks for name in used_by(task)})


def _set_sharing(spec: _core.Spec, system: System) -> None:
    """Describe bodies, who locks what, and what that takes from the processor."""
    names = names_of(system)
    costs = [cost_of(system, task) for task in system.tasks]
    uses = [(number, names.index(name)) for number, task in enumerate(system.tasks) for name in sorted(used_by(task))]
    spec.set_sharing(
        blocking=_column(min(cost.longest, 2 * SCALE) for cost in costs),
        excess=_column(min(cost.excess, 2 * SCALE) for cost in costs),
        task=_column(task for task, _ in uses),
        resource=_column(resource for _, resource in uses),
    )
    for number, task in enumerate(system.tasks):
        items = [item.partition(" ") for item in task.body]
        ops = [("run", "lock", "unlock").index(op) for op, _, _ in items]
        ticks = _column(int(rest) if op == "run" else names.index(rest) for op, _, rest in items)
        if items:
            spec.set_body(number, _column((0, 4, 5)[op] for op in ops), ticks)


def _locks(system: System, rows: list[tuple[int, ...]]) -> list[LockRow]:
    """Name what became of resources."""
    names, whats = names_of(system), ("lock", "wait", "unlock", "deadlock")
    return [(now, system.tasks[task].name, job, names[what], whats[event]) for now, task, job, what, event in rows]


def _set_rates(spec: _core.Spec, system: System) -> None:
    """Describe the settings and the requests: at one instant leaves, then entries, then parameters, in file order."""
    tasks = system.tasks
    spec.set_rates(
        beta=0 if isinstance(system.beta, str) else _rounded_up(system.beta),
        has_formula=system.beta == FORMULA3,
        sigma=_rounded_up(system.sigma),
        grid=system.grid,
        rule=RULES.index(system.rule),
        has_background=system.background,
        has_compression=system.compression,
        has_cuts=system.nrt_shrink,
        estimate_jobs=system.estimate_jobs,
        weight=_column(task.weight for task in tasks),
        is_greedy=_column(task.demand_of(0) is None for task in tasks),
        adapts=_column(task.adapts for task in tasks),
    )
    requests = _requests(system)
    versions = [version for *_, version in requests]
    spec.set_changes(
        instant=_column(instant for instant, *_ in requests),
        kind=_column(kind for _, kind, *_ in requests),
        task=_column(number for _, _, number, _ in requests),
        policies=["" for _ in requests],
        period=_column(task.period for task in versions),
        deadline=_column(task.window for task in versions),
        wcet=_column(task.requested or 1 for task in versions),
        level=_column(1 for _ in versions),
        task_class=_column(CLASSES.index(task.class_) for task in versions),
        weight=_column(task.weight for task in versions),
        demand=_column(task.demand_of(0) or 1 for task in versions),
    )
    for number, task in enumerate(versions):
        if isinstance(task.demand, tuple):
            spec.set_changed_demand(number, "listed", _column(task.demand), 0.0, 0.0, 1, _core.RATE_LONGEST)


def _requests(system: System) -> list[tuple[int, int, int, Task]]:
    """List what tasks ask for: instant, kind, number of the task, and what it is to be."""
    rows = []
    for number, task in enumerate(system.tasks):
        rows += [(task.offset, 1, number, task)]
        rows += [(task.leaves, 0, number, task)] if task.leaves is not None else []
        rows += [(at, 2, number, version) for at, version in task.requests]
    return sorted(rows, key=lambda row: row[:3])


def _rounded_up(share: Fraction) -> int:
    """Give a share in units of 1 / SCALE."""
    return -(-share.numerator * SCALE // share.denominator)


def _column(values: Iterable[int]) -> array[int]:
    """Make a column for core."""
    return array("Q", values)


def rows_of(columns: Mapping[str, _core.Column]) -> list[tuple[int, ...]]:
    """Give columns of core as rows."""
    return pl.DataFrame({name: pl.Series(name, column) for name, column in columns.items()}).rows()


def _jobs(names: list[str], jobs: list[tuple[int, ...]], windows: list[tuple[int, ...]]) -> list[JobRow]:
    """Put jobs and their windows together."""

    def unless_never(instant: int) -> int | None:
        return None if instant == _core.NEVER else instant

    return [
        (names[task], job, release, unless_never(deadline), unless_never(finish), bool(missed), bool(requested))
        for (task, job, release, finish, missed), (deadline, requested) in zip(jobs, windows, strict=True)
    ]


def _every_tick(changes: list[tuple[int, ...]], horizon: int) -> list[int]:
    """Give the ledger of every tick; of several decisions at one instant the last counts."""
    ends = [*(instant for instant, _ in changes[1:]), horizon]
    return [reserved for (start, reserved), end in zip(changes, ends, strict=True) for _ in range(start, end)]
