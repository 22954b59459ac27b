# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs on boards: the report of a trace, and beside it what Takt itself takes on an emulated board.

A task-set file that has these costs is written here, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from takt import _core
from takt.base import input_files, output_files, times
from takt.board import clock
from takt.files.trace_file import Trace
from takt.model.python_policy import name_of
from takt.run.board_costs import Costs
from takt.run.measurement import jobs_of
from takt.run.remote import remote_of
from takt.show.report import Report, TaskRow


def report_of_machine(trace: Trace, simulated: Report) -> Report:
    """Return the report of a trace of one processor, or of domains with one each.

    Args:
        trace: of a scheduler that stands where the jobs run.
        simulated: the report of the same task set, which names the domains.
    """
    if not trace.domains:
        return replace(report_of(trace), remote=None)
    parts = [report_of(part) for part in trace.domains]
    rows = {row.task: row for part in parts for row in part.rows}
    return replace(
        parts[0],
        name=simulated.name,
        policy=simulated.policy,
        decisions=sum(part.decisions for part in parts),
        rows=[replace(rows[row.task], domain=row.domain) for row in simulated.rows],
        domains=simulated.domains,
        remote=None,
    )


def report_of(trace: Trace) -> Report:
    """Return the report of a trace of one processor."""
    system = trace.system
    every_job = jobs_of(trace)
    nothing, by_task = every_job.clear(), every_job.partition_by("task", as_dict=True)
    rows = []
    for task, server in zip(system.tasks, system.server_names(), strict=True):
        jobs = by_task.get((task.name,), nothing)
        responses, missed = jobs["response"].drop_nulls().to_list(), int(jobs["missed"].sum())
        row = TaskRow(
            task=task.name,
            server=server,
            class_=task.class_,
            period=task.period or None,
            deadline=task.deadline,
            wcet=task.wcet,
            jobs=len(jobs),
            finished=len(responses),
            response_min=min(responses, default=None),
            response_max=max(responses, default=None),
            response_sum=sum(responses) if responses else None,
            missed=missed,
            missed_requested=missed,
        )
        rows.append(row)
    return Report(
        name=system.name,
        policy=name_of(system.policy),
        platform=trace.platform,
        resolution_ns=system.resolution_ns,
        horizon=trace.horizon,
        decisions=sum(record.kind == _core.RECORD_DECISION for record in trace.records()),
        rows=rows,
        remote=remote_of(trace),
    )


# ---- what Takt takes --------------------------------------------------------------------------------

_LARGE = Fraction(1, 2)
"""From this part of a response on, what Takt adds to it is said."""

_FEW = 3
"""More than Takt takes for so many jobs has other reasons, such as another order of jobs."""


def in_real_time(report: Report, stretch: Fraction) -> Report:
    """Return a report of a board in nanoseconds of its clock; in its ticks, if they have the length that they claim.

    Args:
        report: in ticks of the emulator.
        stretch: how many times longer they are than at the clock.
    """
    if stretch == 1:
        return report
    scale = report.resolution_ns / stretch

    def scaled(ticks: int | None) -> Any:
        return None if ticks is None else round(ticks * scale)

    names = ("period", "deadline", "wcet", "response_min", "response_max", "response_sum")
    rows = [replace(row, **{name: scaled(getattr(row, name)) for name in names}) for row in report.rows]
    return replace(report, resolution_ns=1, horizon=round(report.horizon * scale), rows=rows)


def sentences(costs: Costs, hertz: Fraction, measured: Report, simulated: Report) -> Iterator[str]:
    """Yield what the clock is, what Takt takes at it, and why jobs are later than simulated.

    Args:
        costs: of the board.
        hertz: instructions in a second.
        measured: on the board.
        simulated: of the same task set.
    """
    under = "" if costs.policy == measured.policy else f" (under {costs.policy})"
    parts = {"release": costs.release, "switch": costs.resume, "preemption": costs.begin}
    if costs.are_cycles:
        counted = ", ".join(f"{name} {round(value):,} ({_time(value, hertz)})" for name, value in parts.items())
        yield f"clock {clock.written(hertz)}, cycles: {counted}{under}"
    else:
        counted = ", ".join(f"{name} {_time(value, hertz)}" for name, value in parts.items())
        yield f"clock {clock.written(hertz)} (emulated): {counted}{under}"
    reasons = [*_overload(costs, hertz, simulated), *_shortest_job(costs, hertz, measured, simulated)]
    if measured.missed > simulated.missed:
        late = f"{measured.missed:,} miss{'es' if measured.missed > 1 else ''} here, {simulated.missed:,} simulated"
        first, *reasons = reasons or [
            f"Takt's own work takes time here, {_time(costs.job, hertz)} or more for each job"
        ]
        yield f"{late}: {first}"
    yield from reasons


def _overload(costs: Costs, hertz: Fraction, simulated: Report) -> Iterator[str]:
    """Yield that the tasks and Takt need more than the processor."""
    seconds = Fraction(simulated.horizon * simulated.resolution_ns, times.UNITS["s"])
    instructions = sum(row.jobs for row in simulated.rows) / seconds * costs.job
    tasks, own = simulated.utilization, instructions / hertz
    if tasks + own > 1:
        remedy = (
            f"at least {clock.written(Fraction(math.ceil(instructions / (1 - tasks) / 10**6) * 10**6))} are needed"
            if tasks < 1
            else "no clock helps"
        )
        yield f"overload, the tasks need {_percent(tasks)} and Takt {_percent(own)} of the processor; {remedy}"


def _shortest_job(costs: Costs, hertz: Fraction, measured: Report, simulated: Report) -> Iterator[str]:
    """Yield how much longer the shortest response is than simulated, if it is much longer, by what Takt takes."""
    found = ((row, other) for row, other in zip(measured.rows, simulated.rows, strict=True))
    both = [
        (row, row.response_min, other.response_min) for row, other in found if row.response_min and other.response_min
    ]
    if not both:
        return
    row, ticks, expected = min(both, key=lambda one: one[-1])
    here, there = Fraction(ticks * measured.resolution_ns), Fraction(expected * simulated.resolution_ns)
    own, write = here - there, times.for_readers
    if there * _LARGE <= own <= _FEW * _nanoseconds(costs.job, hertz):
        yield (
            f"a job of {row.task} that takes {write(there)} simulated takes {write(here)} here: "
            f"{write(own)} are Takt's at {clock.written(hertz)}"
        )


def as_json(costs: Costs, hertz: Fraction) -> dict[str, Any]:
    """Return clock and costs for programs, costs in nanoseconds rounded up."""
    platform = {f"{name}_ns": math.ceil(_nanoseconds(value, hertz)) for name, value in _platform(costs).items()}
    return {"clock_hz": float(hertz), "costs": {"policy": costs.policy, **platform}}


def write_platform(target: Path, source: Path, costs: Costs, hertz: Fraction, resolution_ns: int, board: str) -> None:
    """Write a task-set file with the costs as its table [platform]; all else, comments too, stays as it is.

    Args:
        target: the file to be written.
        source: the task-set file.
        costs: to write, rounded up to ticks.
        hertz: instructions in a second.
        resolution_ns: nanoseconds of a tick of the file.
        board: that has these costs.
    """
    import tomlkit  # which takes long to load

    document = tomlkit.parse(input_files.decoded(input_files.read(source)))
    table: Any = document.setdefault("platform", tomlkit.table())
    for name in list(table):
        del table[name]
    table.comment(f"{board} at {clock.written(hertz)}, measured under {costs.policy}, rounded up to ticks")
    for name, value in _platform(costs).items():
        ticks = math.ceil(_nanoseconds(value, hertz) / resolution_ns)
        table.add(name, times.shortest(ticks * resolution_ns))
        table[name].comment(_time(value, hertz))
    output_files.write(target, tomlkit.dumps(document).encode())


def _platform(costs: Costs) -> dict[str, Fraction]:
    return {name: getattr(costs, name) for name in ("release", "scheduling", "context_switch")}


def _nanoseconds(instructions: Fraction, hertz: Fraction) -> Fraction:
    return instructions * times.UNITS["s"] / hertz


def _time(instructions: Fraction, hertz: Fraction) -> str:
    return times.for_readers(_nanoseconds(instructions, hertz))


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.1f} %"
