# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tables that people read in a terminal, and the same as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from takt.base import times
from takt.files import trace_file
from takt.model.python_policy import name_of
from takt.run.architecture import Architecture
from takt.run.remote import Remote
from takt.run.result import RunResult
from takt.show import resource_use, stretches
from takt.show.resource_use import Deadlock
from takt.show.stretches import Grant, Parameters, Stretch
from takt.show.text_tables import MAX_LINES, Cell, Clock, print_table, share

_MISSED = "bold red"
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
        return stretches.written([getattr(each, name) for each in self.values], clock.write)

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
    columns = result.summary.select(_SUMMARY.get(name, name) for name in _COUNTED)
    granted, parameters = stretches.grants(result), stretches.parameters_of(result)
    domains = {task.name: domain.label for domain in result.system.domains for task in domain.system.tasks}
    return [
        replace(TaskRow(*row), grant=granted.get(row[0]), parameters=parameters[row[0]], domain=domains.get(row[0], ""))
        for row in columns.iter_rows()
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
        changes=tuple(result.changes.iter_rows(named=True)),
        change_lines=tuple(result.change_lines),
        tells_calls=system.allocator is not None,
        stretches=stretches.stretches_of(result),
        domains=tuple((each.label, each.processors, name_of(each.system.policy)) for each in system.domains),
    )


def print_report(console: Console, report: Report, unit: str) -> None:
    """Print the results of a run for each task.

    Args:
        console: where to.
        report: of the run.
        unit: the unit to write times in.
    """
    clock = Clock(report.resolution_ns, unit)
    print_table(console, _title(report), _run_table(report, clock))
    if (found := report.architecture) is not None:
        line = (
            f"{found.switch_steps} switch steps, {found.dispatches} dispatches, {found.fails} fails, "
            f"{share(found.avail_sched)} available (net {share(found.avail_net)}), "
            f"start jitter {clock.write(found.max_start_jitter)}"
        )
        console.print(line, soft_wrap=True)
    elif report.cpus > 1:
        load = share(report.utilization / report.cpus)
        console.print(f"{report.cpus} processors, {load} of each, {report.migrations} migrations", soft_wrap=True)
    for line in domain_lines(report):
        console.print(Text(line), soft_wrap=True)
    if report.architecture is None and report.overhead:
        console.print(f"kernel time {clock.write(report.overhead)}, {report.switches} context switches")
    _print_verdict(console, report)
    _print_deadlocks(console, report, clock)
    _print_changes(console, report, clock)
    _say_what_is_left_out(console, report)


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


def print_comparison(
    console: Console,
    measured: Report,
    simulated: Report,
    unit: str,
    bounds: Mapping[str, int | None] | None = None,
) -> None:
    """Print the measurements of a board beside those of the simulator, and beside the bounds of the analysis.

    Args:
        console: where to.
        measured: on the board.
        simulated: of the same task set.
        unit: the unit to write times in.
        bounds: of responses in ticks of the simulation, by task; None: the table has none.
    """
    table = _comparison_table(measured, simulated, unit, bounds)
    print_table(console, f"{_title(measured)}  on {measured.platform}", table)
    if (remote := measured.remote) is not None:
        lateness = (remote.lateness_min, remote.lateness_avg, remote.lateness_max)
        line = (
            f"scheduler at a distance: lateness "
            f"{' / '.join(map(Clock(measured.resolution_ns, unit).write, lateness))} (min / avg / max) of "
            f"{remote.events} events, {remote.stale} stale events, {remote.dropped} dropped decisions, "
            f"{remote.unanswered} unanswered fetches, {remote.signals} signals, {remote.decisions} decisions"
        )
        console.print(line, soft_wrap=True)
    _say_what_is_left_out(console, measured)


def _print_verdict(console: Console, report: Report, prefix: str = "") -> None:
    """Print a line on missed deadlines where they are counted in two ways."""
    if report.missed_requested:
        console.print(Text(prefix + verdict(report.missed, report.missed_requested)), soft_wrap=True)


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


def _print_deadlocks(console: Console, report: Report, clock: Clock, prefix: str = "") -> None:
    for sentence in deadlock_sentences(report.deadlocks, clock.write):
        console.print(Text(prefix + sentence, style=_MISSED), soft_wrap=True)


def _print_changes(console: Console, report: Report, clock: Clock) -> None:
    for sentence in change_sentences(report.change_lines, clock.write):
        console.print(Text(sentence), soft_wrap=True)
    load = stretches.sentence(report.stretches, clock.write) if report.stretches else ""
    if load:
        console.print(Text(load), soft_wrap=True)


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


def _say_what_is_left_out(console: Console, report: Report) -> None:
    if len(report.rows) > MAX_LINES:
        console.print(f"{MAX_LINES} of {len(report.rows)} tasks shown; --json has all")


def policies_of(report: Report) -> str:
    """Write the policy of the root, or those of all domains, each once."""
    return ", ".join(dict.fromkeys(policy for *_, policy in report.domains)) or report.policy


def _title(report: Report) -> str:
    horizon = times.shortest(report.horizon * report.resolution_ns)
    return f"{report.name}  policy {policies_of(report)}  horizon {horizon}"


def _run_table(report: Report, clock: Clock) -> Table:
    """Return the table with one line for each task and a line of totals."""
    totals: dict[str, Text | str] = {
        "jobs": str(sum(row.jobs for row in report.rows)),
        "misses": _misses(report.missed),
        "missed requested": _misses(report.missed_requested or 0),
        "util": share(report.utilization),
    }
    events = [name for name in _EVENTS if any(getattr(row, name) for row in report.rows)]
    optional = ["optional"] * any(row.optional_wanted for row in report.rows)
    rated = _RATED if report.is_rate_based else ()
    keys = [
        *_names(report),
        *_NUMBERS,
        *rated[:1],
        *events,
        *optional,
        *["calls"] * report.tells_calls,
        "util",
        *rated[1:],
    ]
    return _table([(key, key) for key in keys], totals, (cells_of(row, clock) for row in report.rows[:MAX_LINES]))


_PARAMETERS = ("period", "deadline", "wcet")
_RESPONSES = ("min", "avg", "max")
_NUMBERS = (*_PARAMETERS, "jobs", *_RESPONSES, "misses")
_RATED = ("missed requested", "rate", "granted")
_EVENTS = ("aborted", "skipped", "cut", "overruns", "migrations")


def cells_of(row: TaskRow, clock: Clock) -> dict[str, Cell]:
    """Write what tables say of a task, by the names of the terminal's columns; the root's server has no name.

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


def print_policies(console: Console, reports: Sequence[Report], unit: str) -> None:
    """Print the largest response and the misses of each task under several policies.

    Args:
        console: where to.
        reports: one for each policy.
        unit: the unit to write times in.
    """
    horizon = times.shortest(reports[0].horizon * reports[0].resolution_ns)
    title = f"{reports[0].name}  horizon {horizon}  largest response and misses under each policy"
    clock = Clock(reports[0].resolution_ns, unit)
    columns, totals = [("task", "task"), ("deadline", "deadline")], dict[str, Text | str]()
    for number, report in enumerate(reports):  # columns for each policy
        outcome = ("max", "misses", *_RATED[: report.is_rate_based])
        columns += zip((f"{key} {number}" for key in outcome), (report.policy, *outcome[1:]), strict=True)
        totals |= {f"misses {number}": _misses(report.missed)}
        totals |= {f"missed requested {number}": _misses(report.missed_requested or 0)}
    rows = list(zip(*(report.rows for report in reports), strict=True))[:MAX_LINES]
    cells = (_numbered([cells_of(row, clock) for row in under]) for under in rows)
    print_table(console, title, _table(columns, totals, cells))
    for report in reports:
        _print_verdict(console, report, f"{report.policy}: ")
        _print_deadlocks(console, report, clock, f"{report.policy}: ")
    _print_changes(console, reports[0], clock)
    _say_what_is_left_out(console, reports[0])


def _comparison_table(measured: Report, simulated: Report, unit: str, bounds: Mapping[str, int | None] | None) -> Table:
    """Return the table with one line for each task: measured and simulated responses and misses, and bounds."""
    totals: dict[str, Text | str] = {
        "jobs": str(sum(row.jobs for row in measured.rows)),
        "misses": _misses(measured.missed),
        "misses 1": _misses(simulated.missed),
    }
    clocks = [Clock(report.resolution_ns, unit) for report in (measured, simulated)]
    ideal = {f"{key} 1": f"sim {key}" for key in _RESPONSES}
    keys = [*_names(measured), "period", "jobs", *_RESPONSES, *ideal, *["bound"] * (bounds is not None), "misses"]
    columns = [*((key, ideal.get(key, key)) for key in keys), ("misses 1", "simulated")]
    rows = zip(measured.rows[:MAX_LINES], simulated.rows, strict=False)
    known = bounds or {}
    cells = (
        _numbered(list(map(cells_of, both, clocks))) | {"bound": Cell(clocks[1].write(known.get(both[1].task)))}
        for both in rows
    )
    return _table(columns, totals, cells)


def _numbered(of_runs: Sequence[Mapping[str, Cell]]) -> dict[str, Cell]:
    """Join the cells of one task in several runs: those of run n under "NAME n" too, those of the first also alone."""
    return {**of_runs[0], **{f"{key} {n}": cell for n, cells in enumerate(of_runs) for key, cell in cells.items()}}


def _names(report: Report) -> list[str]:
    """Return the columns of names: servers and domains only if there are several."""
    has_servers = any(row.server for row in report.rows)
    return ["task", *["domain"] * bool(report.domains), *["server"] * has_servers]


def _table(
    columns: Iterable[tuple[str, str]], totals: Mapping[str, Text | str], rows: Iterable[Mapping[str, Cell]]
) -> Table:
    """Return a table of names on the left and numbers on the right; a column is its cells' key and its heading."""
    table = Table(box=SIMPLE, show_footer=True, show_edge=False, pad_edge=False, collapse_padding=True)
    keys = []
    for key, heading in columns:
        keys.append(key)
        if key in ("task", "domain", "server"):
            table.add_column(heading, footer="total" if key == "task" else "", overflow="fold")
        else:
            table.add_column(heading, footer=totals.get(key, ""), justify="right", no_wrap=True)
    for cells in rows:
        table.add_row(*(Text(cells[key].text, style=_MISSED if cells[key].kind == "missed" else "") for key in keys))
    return table


def _misses(count: int) -> Text:
    """Write a number of misses, marked unless it is 0."""
    return Text(str(count), style=_MISSED if count else "")


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
