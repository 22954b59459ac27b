# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rate-based scheduler as the simulator runs it, in the words of the reference, so that the two can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import polars as pl
from rate_oracle import SCALE, JobRow, Outcome, System, Task
from rate_oracle.model import FORMULA3, LockRow
from rate_oracle.sharing import cost_of, used_by
from takt import _core
from takt.model import image as images
from takt.model.core_input import (
    ResolvedChange,
    ResolvedResource,
    ResolvedSharing,
    ResolvedSystem,
    ResolvedTask,
    Stream,
)
from takt.model.records import ResolvedRates

RULES = ("boundary", "in-flight", "naive")
EVENTS = {
    **dict(enumerate(("admitted", "rejected", "entered", "left", "re-rated", "suspended", "resumed", "refilled"))),
    8: "overrun",
    12: "in force",
}


def resolved_of(system: System) -> ResolvedSystem:
    """Describe a system of the reference to core."""
    names = names_of(system)
    return ResolvedSystem(
        name="reference",
        policy="rate-based",
        resolution_ns=1,
        levels=1,
        tasks=tuple(_task(system, task) for task in system.tasks),
        resources=tuple(ResolvedResource(name, protocol="srp", ceiling=1, home=0) for name in names),
        changes=tuple(_changes(system)),
        rates=_rates(system),
    )


def program_of(system: System, horizon: int = 1) -> _core.Program:
    """Return the program of a system of the reference."""
    resolved = resolved_of(system)
    return images.program(resolved, images.pack(resolved, horizon))


def simulate(system: System, horizon: int, trace_path: Path | None = None) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system by core and the simulator."""
    path = None if trace_path is None else str(trace_path)
    frames = _core.simulate(
        program_of(system, horizon),
        kept=["segments", "jobs", "windows", "locks", "rates", "ledger"],
        trace_path=path,
    )["frames"]
    names = [task.name for task in system.tasks]
    segments = [(start, end, names[task], job) for start, end, _, task, job in rows_of(frames["segments"])]
    return Outcome(
        segments,
        _jobs(names, rows_of(frames["jobs"]), rows_of(frames["windows"])),
        _every_tick(rows_of(frames["ledger"]), horizon),
        [(now, EVENTS[event], names[task], rate) for now, task, event, rate, *_ in rows_of(frames["rates"])],
        _locks(system, rows_of(frames["locks"])),
    )


def first_difference(expected: Outcome, found: Outcome) -> str | None:
    """Return where two outcomes differ first; None if they do not. Events of one instant may come in any order."""
    for name in ("segments", "jobs", "ledger", "log", "locks"):
        wanted, got = getattr(expected, name), getattr(found, name)
        if name == "log":
            wanted, got = sorted(wanted), sorted(got)
        if wanted != got:
            at = next((i for i, pair in enumerate(zip(wanted, got, strict=False)) if pair[0] != pair[1]), len(got))
            return f"{name}, row {at}: expected {wanted[at : at + 3]}, found {got[at : at + 3]}"
    return None


def names_of(system: System) -> list[str]:
    """Return the resources of a system, in core's order."""
    return sorted({name for task in system.tasks for name in used_by(task)})


def _sharing(system: System, task: Task) -> ResolvedSharing:
    """Return what a task locks, and the share of the processor for that."""
    names, cost = names_of(system), cost_of(system, task)
    uses = tuple(names.index(name) for name in sorted(used_by(task)))
    return ResolvedSharing(uses, min(cost.longest, 2 * SCALE), min(cost.excess, 2 * SCALE))


def _body(system: System, task: Task) -> tuple[tuple[int, int], ...]:
    """Describe the body of a task."""
    names, ops = names_of(system), {"run": 0, "lock": 4, "unlock": 5}
    items = [item.partition(" ") for item in task.body]
    return tuple((ops[op], int(rest) if op == "run" else names.index(rest)) for op, _, rest in items)


def _demand(task: Task) -> Stream:
    """Describe what the jobs of a task execute; whole budgets are 1."""
    return Stream("listed", task.demand if isinstance(task.demand, tuple) else (task.demand_of(0) or 1,))


def _task(system: System, task: Task) -> ResolvedTask:
    """Describe a task."""
    return ResolvedTask(
        task.name,
        class_=task.class_,
        home=0,
        period=task.period,
        deadline=task.window,
        offset=task.offset,
        wcet=task.requested or 1,
        level=1,
        preemption_key=None,
        locks=bool(used_by(task)),
        weight=task.weight,
        is_greedy=task.demand_of(0) is None,
        adapts=task.adapts,
        demand=_demand(task),
        body=_body(system, task),
        sharing=_sharing(system, task),
    )


def _locks(system: System, rows: list[tuple[int, ...]]) -> list[LockRow]:
    """Return the rows of resources."""
    names, whats = names_of(system), ("lock", "wait", "unlock", "deadlock")
    return [(now, system.tasks[task].name, job, names[what], whats[event]) for now, task, job, what, event in rows]


def _rates(system: System) -> ResolvedRates:
    """Describe the settings."""
    return ResolvedRates(
        beta=0 if isinstance(system.beta, str) else _rounded_up(system.beta),
        has_formula=system.beta == FORMULA3,
        sigma=_rounded_up(system.sigma),
        grid=system.grid,
        rule=RULES.index(system.rule),
        has_background=system.background,
        has_compression=system.compression,
        has_cuts=system.nrt_shrink,
        estimate_jobs=system.estimate_jobs,
    )


def _changes(system: System) -> Iterator[ResolvedChange]:
    """Yield the requests of tasks after they have entered."""
    for number, task in enumerate(system.tasks):
        if task.leaves is not None:
            yield ResolvedChange(at=task.leaves, kind="leave", task=number)
        for at, version in task.requests:
            yield ResolvedChange(
                at=at,
                kind="parameters",
                task=number,
                period=version.period,
                deadline=version.window,
                wcet=version.requested or 1,
                class_=version.class_,
                weight=version.weight,
                demand=_demand(version),
            )


def _rounded_up(share: Fraction) -> int:
    """Return a share in units of 1 / SCALE."""
    return -(-share.numerator * SCALE // share.denominator)


def records_of(system: System, horizon: int, path: Path) -> list[bytes]:
    """Run a system and give the records of its trace, without the closing one."""
    path.touch()
    simulate(system, horizon, path)
    data = path.read_bytes()[:-32]
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def rows_of(columns: Mapping[str, _core.Column]) -> list[tuple[int, ...]]:
    """Return columns of core as rows."""
    return pl.DataFrame({name: pl.Series(name, column) for name, column in columns.items()}).rows()


def _jobs(names: list[str], jobs: list[tuple[int, ...]], windows: list[tuple[int, ...]]) -> list[JobRow]:
    """Return the jobs with their windows."""

    def unless_never(instant: int) -> int | None:
        return None if instant == _core.NEVER else instant

    return [
        (names[task], job, release, unless_never(deadline), unless_never(finish), bool(missed), bool(requested))
        for (task, job, release, finish, missed), (*_, deadline, requested) in zip(jobs, windows, strict=True)
    ]


def _every_tick(changes: list[tuple[int, ...]], horizon: int) -> list[int]:
    """Return the ledger of every tick; of several decisions at one instant the last counts."""
    ends = [*(instant for instant, _ in changes[1:]), horizon]
    return [reserved for (start, reserved), end in zip(changes, ends, strict=True) for _ in range(start, end)]
