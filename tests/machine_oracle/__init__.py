# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A machine of domains: one run of another oracle for each domain; see README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import global_oracle
import oracle


@dataclass(frozen=True)
class Domain:
    """A part of a machine.

    Args:
        processors: their numbers, ascending.
        system: what it runs.
    """

    processors: tuple[int, ...]
    system: oracle.System


def simulate(
    domains: Sequence[Domain], tasks: Sequence[str], servers: Sequence[str], horizon: int
) -> tuple[oracle.Outcome, list[int]]:
    """Run each domain by itself.

    Args:
        domains: in the order of processors or clusters.
        tasks: names, in the order of the file.
        servers: likewise.
        horizon: number of ticks, >= 0.

    Returns:
        What happened, in the order of time, of one instant in the order of the domains, segments in the order of their
        starts and processors. And the processor of each segment.
    """
    found = [_run(domain, horizon) for domain in domains]
    outcomes = [outcome for outcome, _ in found]
    segments = [row for outcome, own in found for row in zip(outcome.segments, own, strict=True)]
    segments.sort(key=lambda row: (row[0][0], row[1]))
    whole = oracle.Outcome(
        segments=[segment for segment, _ in segments],
        jobs=_jobs(outcomes, tasks),
        budgets=_budgets(domains, outcomes, servers, horizon),
        misses=_counts(outcomes, "misses"),
        aborted=_counts(outcomes, "aborted"),
        skipped=_counts(outcomes, "skipped"),
        overruns=_counts(outcomes, "overruns"),
        points=_merged(outcomes, "points", lambda row: row[0]),
        overhead=sum(outcome.overhead for outcome in outcomes),
        switches=sum(outcome.switches for outcome in outcomes),
        invocations=sum(outcome.invocations for outcome in outcomes),
        locks=_merged(outcomes, "locks", lambda row: row[0]),
        deadlocks=_merged(outcomes, "deadlocks", lambda row: row[0]),
    )
    return whole, [cpu for _, cpu in segments]


def _run(domain: Domain, horizon: int) -> tuple[oracle.Outcome, list[int]]:
    """Run one domain: its outcome, and the processor of each segment."""
    if len(domain.processors) == 1:
        outcome = oracle.simulate(domain.system, horizon)
        return outcome, [domain.processors[0]] * len(outcome.segments)
    several = global_oracle.simulate(domain.system, len(domain.processors), horizon)
    outcome = oracle.Outcome(
        segments=[(start, end, "", task, job) for start, end, _, task, job in several.segments],
        jobs=several.jobs,
        budgets=[],
        misses=several.misses,
        aborted=several.aborted,
        skipped=several.skipped,
        overruns=several.overruns,
        switches=_switches(several.segments),
    )
    return outcome, [domain.processors[cpu] for _, _, cpu, _, _ in several.segments]


def _switches(segments: Iterable[global_oracle.Segment]) -> int:
    """Count how often a processor ran another task than the last one."""
    last: dict[int, str] = {}
    count = 0
    for _, _, cpu, task, _ in segments:
        count += last.get(cpu) != task
        last[cpu] = task
    return count


def _merged(outcomes: Iterable[oracle.Outcome], name: str, instant: Callable[[Any], int]) -> list[Any]:
    """Return the rows of all domains in the order of time."""
    return sorted((row for outcome in outcomes for row in getattr(outcome, name)), key=instant)


def _counts(outcomes: Iterable[oracle.Outcome], name: str) -> dict[str, int]:
    """Return the counts of all tasks together."""
    return {task: count for outcome in outcomes for task, count in getattr(outcome, name).items()}


def _budgets(
    domains: Sequence[Domain], outcomes: Sequence[oracle.Outcome], servers: Sequence[str], horizon: int
) -> list[list[int]]:
    """Return the budgets of all servers in rows, one for each tick; none if there are no servers."""
    columns = {
        server.name: [row[place] for row in outcome.budgets]
        for domain, outcome in zip(domains, outcomes, strict=True)
        for place, server in enumerate(domain.system.servers)
    }
    return [[columns[name][tick] for name in servers] for tick in range(horizon)] if servers else []


def _jobs(outcomes: Sequence[oracle.Outcome], tasks: Sequence[str]) -> list[oracle.JobRow]:
    """Return the jobs of all domains: finished ones by the latest finish before, then the others by their tasks.

    A domain lists its jobs that ended before all others: as many as it aborted or skipped have no finish.
    """
    ended: list[tuple[int, oracle.JobRow]] = []
    others: list[oracle.JobRow] = []
    for outcome in outcomes:
        count = sum(row[3] is not None for row in outcome.jobs)
        count += sum(outcome.aborted.values()) + sum(outcome.skipped.values())
        latest = 0
        for row in outcome.jobs[:count]:
            latest = latest if row[3] is None else row[3]
            ended.append((latest, row))
        others += outcome.jobs[count:]
    by_time = [row for _, row in sorted(ended, key=lambda pair: pair[0])]
    return by_time + sorted(others, key=lambda row: tasks.index(row[0]))
