# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The analysis of a machine: those of its domains, put together.

A domain is a system in itself, whatever the others do. So every bound of a domain holds on the machine, and the
verdict of the machine is that of all domains together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from takt.analysis.result import Advice, Analysis, AsWritten, worst_of
from takt.model.python_policy import name_of
from takt.model.system import Domain, System

_Analysed = tuple[Domain, Analysis]
_MOST = 3
"""How many domains a reason is about."""


def together(system: System, analyses: Sequence[Analysis]) -> Analysis:
    """Return the analysis of a machine.

    Args:
        system: the machine.
        analyses: of its domains, in their order.
    """
    rows = list(zip(system.domains, analyses, strict=True))
    counted = [row for row in rows if any(bound.class_ == "hard" for bound in row[1].tasks)] or rows
    verdict = worst_of([analysis.verdict for _, analysis in counted])
    tasks = {task.name: number for number, task in enumerate(system.tasks)}
    servers = {server.name: number for number, server in enumerate(system.servers)}
    bounds = [replace(bound, domain=domain.label) for domain, analysis in rows for bound in analysis.tasks]
    supplies = [replace(bound, domain=domain.label) for domain, analysis in rows for bound in analysis.servers]
    scalings = [analysis.scaling for analysis in analyses]
    known = [scaling for scaling in scalings if scaling is not None]
    named = [f"{domain.label}: {analysis.reason}" for domain, analysis in counted if analysis.verdict is verdict]
    more = len(named) - _MOST
    reason = "; ".join([*named[:_MOST], *([f"and {more} domains more"] if more > 0 else [])])
    return Analysis(
        name=system.name,
        policy=", ".join(dict.fromkeys(name_of(domain.system.policy) for domain in system.domains)),
        resolution_ns=system.resolution_ns,
        verdict=verdict,
        reason=reason,
        utilization=sum((Fraction(*analysis.utilization) for analysis in analyses), Fraction(0)).as_integer_ratio(),
        tasks=tuple(sorted(bounds, key=lambda bound: tasks[bound.task])),
        servers=tuple(sorted(supplies, key=lambda bound: servers[bound.server])),
        remote=max(analysis.remote for analysis in analyses),
        scaling=min(known) if len(known) == len(scalings) else None,
        unsearched=sum(analysis.unsearched for analysis in analyses),
        advice=tuple(_advice(counted)),
        as_written=_as_written(analyses),
        warnings=tuple(f"{domain.label}: {line}" for domain, analysis in rows for line in analysis.warnings),
        demands=tuple(replace(each, domain=domain.label) for domain, analysis in rows for each in analysis.demands),
        charts=tuple(
            replace(chart, title=f"{domain.label}: {chart.title}")
            for domain, analysis in rows
            for chart in analysis.charts
        ),
    )


def _as_written(analyses: Sequence[Analysis]) -> AsWritten | None:
    """Return the runs of all domains together; no job is late in a domain that is schedulable."""
    runs = [analysis.as_written for analysis in analyses if not analysis.is_schedulable]
    there = [run for run in runs if run is not None]
    fixed = tuple(dict.fromkeys(what for run in there for what in run.fixed))
    lengths = [run.until for run in there if run.until is not None]
    if not runs or len(lengths) < len(runs):
        return AsWritten(fixed) if fixed else None
    return AsWritten(fixed, min(lengths), sum(run.late for run in there), any(run.is_drawn for run in there))


def _advice(counted: Sequence[_Analysed]) -> list[Advice]:
    """Return the advice for the only domain that does not fit; with several such domains it would not help."""
    late = [(domain, analysis) for domain, analysis in counted if not analysis.is_schedulable]
    if len(late) != 1:
        return []
    domain, analysis = late[0]
    return [
        replace(advice, what=f"{advice.what} on {domain.label}")
        for advice in analysis.advice
        if all(table in ("task", "server") for table, _, _, _ in advice.changes)  # [system] is of all domains
    ]
