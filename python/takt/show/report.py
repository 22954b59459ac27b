# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What reports say of a run: a row for each task, cells for tables, sentences, and JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any

from takt.files import trace_file
from takt.model.python_policy import name_of
from takt.run.architecture import Architecture
from takt.run.remote import Remote
from takt.run.result import RunResult
from takt.show import resource_use, stretches
from takt.show.resource_use import Deadlock
from takt.show.stretches import Grant, Parameters, Stretch
from takt.show.text_tables import MAX_LINES, Cell, Clock, share

_PRECISION = 10**18
MAX_DEADLOCKS = 5
"""How many deadlocks are listed; the others are counted."""
MAX_CHANGES = 10
"""Likewise of changes."""


@dataclass(frozen=True)
class TaskRow:
    """One task in a report. Times in ticks; the responses are None if no job finished.

    Args:
        task, server: names, "" for the root.
        class_: "hard", "soft" or "none".
        period, deadline, wcet: parameters; a task whose jobs come as they like has no period.
        jobs: released before the horizon.
        finished: of these.
        response_min, response_max, response_sum: of the finished jobs.
        missed: jobs that missed their deadlines.
        aborted, skipped: of these, ended at their deadlines or dropped.
        overruns: finished jobs that executed for longer than the wcet.
        missed_requested: jobs that missed the requested deadlines, which a rate-based system extends.
        grant: what a rate-based system gives to the task at the end; None under other policies.
        migrations: how often a displaced job went on on another processor.
        cut: jobs that ended without their whole demand and have not missed.
        optional_executed, optional_wanted: of the optional parts of ended jobs, in ticks.
        allocator_calls: calls of an allocator for windows of the task.
        feedback_calls: of these, because a job had used up its budget.
        parameters: period, deadline and wcet between changes, in order of time; empty: those above.
    """

    task: str
    server: str
    class_: str
    period: int | None
    deadline: int
    wcet: int | None
    jobs: int
    finished: int
    response_min: int | None
    response_max: int | None
    response_sum: int | None
    missed: int
    aborted: int = 0
    skipped: int = 0
    overruns: int = 0
    missed_requested: int | None = None
    migrations: int = 0
    cut: int = 0
    optional_executed: int = 0
    optional_wanted: int = 0
    allocator_calls: int = 0
    feedback_calls: int = 0
    grant: Grant | None = None
    parameters: tuple[Parameters, ...] = ()
    domain: str = ""

    @property
    def response_avg(self) -> Fraction | None:
        """Mean response of the finished jobs."""
        return None if self.response_sum is None else Fraction(self.response_sum, self.finished)

    @property
    def utilization(self) -> Fraction | None:
        """Utilization of the task, wcet / period; None without one of them."""
        return None if self.period is None or self.wcet is None else Fraction(self.wcet, self.period)

    @property
    def is_rejected(self) -> bool:
        """True if a rate-based root does not let it enter."""
        return self.grant is not None and self.grant.state == "rejected"

    @property
    def values(self) -> tuple[Parameters, ...]:
        """Parameters of the task between changes, at least one."""
        return self.parameters or (Parameters(0, self.period, self.deadline, self.wcet),)

    def written(self, name: str, clock: Clock) -> str:
        """Write period, deadline or wcet, before and after each change.

        Args:
            name: which one.
            clock: how to write times.
        """
        return stretches.written([getattr(each, name) for each in self.values], clock.exactly)

    @property
    def share(self) -> str:
        """The share of the processor that the task requests, before and after each change; "-" without a period."""
        if self.utilization is None:
            return "-"
        return stretches.written([each.utilization for each in self.values], share)


_COUNTED = tuple(field.name for field in fields(TaskRow) if field.name not in ("grant", "parameters", "domain"))
_SUMMARY = {"class_": "class", "jobs": "released"}
"""Names of columns of the summary that are others than in TaskRow."""


def task_rows(result: RunResult) -> list[TaskRow]:
    """Return the rows of a simulation, in file order."""
    columns = [result.statistics[_SUMMARY.get(name, name)] for name in _COUNTED]
    granted, parameters = stretches.grants(result), stretches.parameters_of(result)
    domains = {task.name: domain.label for domain in result.system.domains for task in domain.system.tasks}
    return [
        replace(TaskRow(*row), grant=granted.get(row[0]), parameters=parameters[row[0]], domain=domains.get(row[0], ""))
        for row in zip(*columns, strict=True)
    ]


@dataclass(frozen=True)
class Report:
    """The report of one run.

    Args:
        name: of the task set.
        policy: of the root.
        platform: where it ran, such as "simulator".
        resolution_ns: nanoseconds of a tick.
        horizon: ticks that ran.
        decisions: how many decisions the scheduler made.
        rows: one for each task.
        switches: context switches, where that is known.
        overhead: ticks that the kernel's own work took, where that is known.
        architecture: what the scheduler cost where it runs, if the platform says where.
        deadlocks: circles of waiting jobs, as far as the simulation kept locks.
        cpus: processors that it ran on.
        changes: what became different, as Result.changes has it.
        change_lines: the same for people: instant and text.
        tells_calls: whether the task set says what an allocator does.
        stretches: the utilization between changes; empty if that is not known.
        domains: label, processors and policy of each domain of a machine; else empty.
        edges: source, target and lost events of each edge between tasks.
        remote: the messages to and from a scheduler at a distance; None elsewhere.
    """

    name: str
    policy: str
    platform: str
    resolution_ns: int
    horizon: int
    decisions: int
    rows: list[TaskRow]
    switches: int | None = None
    overhead: int | None = None
    architecture: Architecture | None = None
    deadlocks: tuple[Deadlock, ...] = ()
    cpus: int = 1
    changes: tuple[dict[str, int | str | None], ...] = ()
    change_lines: tuple[tuple[int, str], ...] = ()
    tells_calls: bool = False
    stretches: tuple[Stretch, ...] = ()
    domains: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    edges: tuple[tuple[str, str, int], ...] = ()
    remote: Remote | None = None

    @property
    def migrations(self) -> int:
        """Number of times that a displaced job continued on another processor."""
        return sum(row.migrations for row in self.rows)

    @property
    def missed(self) -> int:
        """Number of jobs that missed their deadlines."""
        return sum(row.missed for row in self.rows)

    @property
    def missed_requested(self) -> int | None:
        """Number of jobs that missed requested deadlines, which a rate-based root adjusts; None elsewhere."""
        return sum(row.missed_requested or 0 for row in self.rows) if self.is_rate_based else None

    @property
    def has_finding(self) -> bool:
        """True if a job missed its deadline, or a hard task is rejected, so that its jobs are not released."""
        return self.missed > 0 or any(row.is_rejected for row in self.rows if row.class_ == "hard")

    @property
    def utilization(self) -> Fraction:
        """Share of one processor that all tasks with a period request, between changes at most.

        Each is rounded down to 1e-18, for exact sums grow long.
        """
        if self.stretches:
            return stretches.largest(self.stretches)
        asked = ((row.wcet, row.period) for row in self.rows)
        return Fraction(sum(wcet * _PRECISION // period for wcet, period in asked if wcet and period), _PRECISION)

    @property
    def is_rate_based(self) -> bool:
        """True if rates were granted."""
        return any(row.grant is not None for row in self.rows)


def report_of(result: RunResult) -> Report:
    """Return the report of a simulation."""
    system = result.system
    return Report(
        name=system.name,
        policy=name_of(system.policy),
        platform=trace_file.SIMULATOR,
        resolution_ns=system.resolution_ns,
        horizon=result.horizon,
        decisions=result.decisions,
        rows=task_rows(result),
        switches=result.switches,
        overhead=result.overhead,
        architecture=result.architecture,
        deadlocks=resource_use.deadlocks(result) if result.keeps_locks else (),
        cpus=system.cpus,
        changes=tuple(result.change_rows),
        change_lines=tuple(result.change_lines),
        tells_calls=system.allocator is not None,
        stretches=stretches.stretches_of(result),
        edges=tuple((edge.source, edge.target, edge.lost) for edge in result.edges),
        domains=tuple((each.label, each.processors, name_of(each.system.policy)) for each in system.domains),
    )


def edge_lines(report: Report) -> list[str]:
    """Return for each edge that lost events how many, in one line; of many, only the first ones."""
    losing = [edge for edge in report.edges if edge[2] > 0]
    return [f"{source} -> {to}: {lost:,} event{'s' * (lost > 1)} lost" for source, to, lost in losing[:MAX_LINES]]


def domain_lines(report: Report) -> list[str]:
    """Return for each domain its policy, its load and its misses in one line; of many, only the first ones."""
    lines = []
    for label, processors, policy in report.domains[:MAX_LINES]:
        rows = [row for row in report.rows if row.domain == label]
        asked = sum((row.utilization or Fraction(0) for row in rows), Fraction(0)) / len(processors)
        where = f" ({', '.join(map(str, processors))})" if label != f"processor {processors[0]}" else ""
        missed = verdict(sum(row.missed for row in rows))
        lines.append(f"{label}{where}: policy {policy}, utilization {share(asked)}, {missed}")
    return lines


def remote_cells(remote: Remote, clock: Clock) -> dict[str, Cell]:
    """Write what happened to the messages of a scheduler at a distance, by name.

    Args:
        remote: the messages.
        clock: how to write times and numbers.
    """
    lateness = (remote.lateness_min, remote.lateness_avg, remote.lateness_max)
    times_told = {f"{name} lateness": value for name, value in zip(_RESPONSES, lateness, strict=True)}
    counts = {"events": remote.events, "late": len(remote.lateness), "stale events": remote.stale}
    counts |= {"dropped decisions": remote.dropped, "unanswered fetches": remote.unanswered}
    counts |= {"signals": remote.signals, "decisions": remote.decisions}
    return {
        **{name: Cell(clock.write(value)) for name, value in times_told.items()},
        **{name: Cell(clock.count(value)) for name, value in counts.items()},
    }


def verdict(missed: int, requested: int | None = None) -> str:
    """Return how many deadlines a run missed.

    Args:
        missed: jobs that missed their deadlines; under a rate-based root those that it adjusted.
        requested: jobs that missed the deadlines that were requested; None if no other ones are given.
    """
    if requested is None or missed == requested == 0:
        return _counted(missed, "deadline") + " missed" if missed else "no deadline missed"
    adjusted = f"{_counted(missed, 'adjusted deadline')} missed" if missed else "adjusted deadlines met"
    return f"{adjusted}, {_counted(requested, 'requested deadline') if requested else 'no requested deadline'} missed"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count > 1 else ''}"


def change_sentences(lines: Sequence[tuple[int, str]], write: Callable[[int], str]) -> list[str]:
    """Write each change with its instant; of many, only the first ones.

    Args:
        lines: instants and what changed.
        write: how to write an instant.
    """
    sentences = [f"at {write(instant)}: {text}" for instant, text in lines[:MAX_CHANGES]]
    more = len(lines) - len(sentences)
    return sentences + [f"{more} more change{'s' if more > 1 else ''}"] * (more > 0)


def deadlock_sentences(deadlocks: Sequence[Deadlock], write: Callable[[int], str]) -> list[str]:
    """Return for each deadlock when it closed and which job waits for which; of many, only the first ones.

    Args:
        deadlocks: of a run.
        write: how to write an instant.
    """
    sentences = [f"deadlock at {write(found.instant)}: {found}" for found in deadlocks[:MAX_DEADLOCKS]]
    more = len(deadlocks) - len(sentences)
    return sentences + [f"{more} more deadlock{'s' if more > 1 else ''}"] * (more > 0)


def policies_of(report: Report) -> str:
    """Write the policy of the root, or those of all domains, each once."""
    return ", ".join(dict.fromkeys(policy for *_, policy in report.domains)) or report.policy


_PARAMETERS = ("period", "deadline", "wcet")
_RESPONSES = ("min", "avg", "max")
_EVENTS = ("aborted", "skipped", "cut", "overruns", "migrations")


def cells_of(row: TaskRow, clock: Clock) -> dict[str, Cell]:
    """Write what tables say of a task, by the keys of their columns; the root's server has no name.

    Args:
        row: of the task.
        clock: how to write times and numbers.
    """
    names = {"task": row.task, "domain": row.domain, "server": row.server, "class": row.class_}
    parameters = {key: (row.written(key, clock), getattr(row.values[0], key)) for key in _PARAMETERS}
    responses = zip(_RESPONSES, (row.response_min, row.response_avg, row.response_max), strict=True)
    numbers = {
        **parameters,
        "jobs": (clock.count(row.jobs), row.jobs),
        **{key: (clock.write(value), value) for key, value in responses},
        **{key: (clock.count(getattr(row, key)), getattr(row, key)) for key in _EVENTS},
        "optional": (f"{clock.write(row.optional_executed)} of {clock.write(row.optional_wanted)}", None),
        "calls": (clock.count(row.allocator_calls), row.allocator_calls),
        "util": (row.share, row.utilization),
    }
    misses = {"misses": row.missed, "missed requested": row.missed_requested or 0}
    rate: float | None = None
    granted = clock.write(None) if row.grant is None else row.grant.state
    if row.grant is not None and not granted:
        rate, granted = row.grant.rate, f"{clock.write(row.grant.budget)} / {clock.write(row.grant.period)}"
    return {
        **{key: Cell(text, "name", text) for key, text in names.items()},
        **{key: Cell(text, sort=-1 if value is None else float(value)) for key, (text, value) in numbers.items()},
        **{key: Cell(clock.count(value), "missed" if value else "number", value) for key, value in misses.items()},
        "rate": Cell(clock.write(None), sort=-1) if rate is None else Cell(f"{rate:.3f}", sort=rate),
        "granted": Cell(granted, "missed", -1) if rate is None else Cell(granted, sort=rate),
    }


# ---- JSON -------------------------------------------------------------------------------------------


_PLAIN = (
    "name policy platform resolution_ns horizon cpus decisions missed missed_requested switches migrations overhead"
)


def as_json(report: Report, file: str) -> dict[str, Any]:
    """Return the JSON of a run; times in ticks.

    Args:
        report: of the run.
        file: the task-set file.
    """
    document: dict[str, Any] = {
        "file": file,
        **{key: getattr(report, key) for key in _PLAIN.split()},
        "jobs": sum(row.jobs for row in report.rows),
        "utilization": float(report.utilization),
        "stretches": [{"until": each.until, "utilization": float(each.utilization)} for each in report.stretches],
        "architecture": None,
        "deadlocks": [asdict(deadlock) for deadlock in report.deadlocks],
        "changes": list(report.changes),
        "tasks": [_row_as_json(row) for row in report.rows],
    }
    if report.architecture is not None:
        shares = {name: float(getattr(report.architecture, name)) for name in ("avail_sched", "avail_net")}
        document["architecture"] = asdict(report.architecture) | shares
    if report.remote is not None:
        remote = asdict(report.remote)
        remote["late"] = len(remote.pop("lateness"))
        for name in ("lateness_min", "lateness_avg", "lateness_max"):
            value = getattr(report.remote, name)
            remote[name] = float(value) if isinstance(value, Fraction) else value
        document["remote"] = remote
    if report.edges:
        document["edges"] = [{"from": source, "to": to, "lost": lost} for source, to, lost in report.edges]
    if report.domains:
        document["domains"] = [
            {"domain": label, "processors": list(processors), "policy": policy}
            | {"tasks": [row.task for row in report.rows if row.domain == label]}
            for label, processors, policy in report.domains
        ]
    return document


def _row_as_json(row: TaskRow) -> dict[str, Any]:
    fields = {key.rstrip("_"): value for key, value in asdict(row).items() if key not in ("response_sum", "domain")}
    averages = {"response_avg": row.response_avg, "utilization": row.utilization}
    fields |= {key: None if value is None else float(value) for key, value in averages.items()}
    return fields | {"parameters": [asdict(each) for each in row.values]}
