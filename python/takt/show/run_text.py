# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs in a terminal: how many jobs were late and why the first one was, a line for each task, and what runs cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from takt.run.late_jobs import Delay, LateJob
from takt.show import stretches
from takt.show.report import (
    Report,
    TaskRow,
    cells_of,
    change_sentences,
    deadlock_sentences,
    domain_lines,
    edge_lines,
    policies_of,
    verdict,
)
from takt.show.text_tables import (
    MAX_LINES,
    Cell,
    Clock,
    Column,
    Terminal,
    fitting,
    percent,
    share,
    text_of,
    width_of,
    wrapped,
)


class _Column(NamedTuple):
    """A column of the table of tasks.

    Args:
        key: of its cells, see report.cells_of.
        heading: above it.
        importance: of a column of a table (text_tables.py).
        kind: likewise.
    """

    key: str
    heading: str
    importance: int
    kind: str = "number"


_COLUMNS = (
    _Column("task", "task", 10, "name"),
    _Column("domain", "domain", 6, "name"),
    _Column("server", "server", 6, "name"),
    _Column("period", "period", 2),
    _Column("deadline", "deadline", 8),
    _Column("wcet", "wcet", 2),
    _Column("max", "worst seen", 9),
    _Column("of it", "of it", 4),
    _Column("misses", "late", 10),
    _Column("missed requested", "late for request", 9),
    _Column("jobs", "of jobs", 5),
    _Column("min", "min", 1),
    _Column("avg", "mean", 4),
    _Column("aborted", "aborted", 7),
    _Column("skipped", "skipped", 7),
    _Column("cut", "cut", 7),
    _Column("overruns", "overruns", 7),
    _Column("migrations", "migrations", 3),
    _Column("optional", "optional", 6),
    _Column("calls", "calls", 6),
    _Column("util", "load", 3),
    _Column("rate", "rate", 5),
    _Column("granted", "granted", 6),
)
_OCCURRING = ("aborted", "skipped", "cut", "overruns", "migrations", "optional_wanted")
"""Columns that are there only if some task has more than 0 of it."""


def print_report(terminal: Terminal, report: Report, late: LateJob | None = None, hint: str = "") -> None:
    """Print the results of a run.

    Args:
        terminal: where to.
        report: of the run.
        late: its first late job, if that is known.
        hint: the command that shows more of a late job.
    """
    clock = terminal.clock(report.resolution_ns)
    terminal.print(headline(report, clock))
    if late is not None:
        _print_late(terminal, late_sentence(late, clock), hint)
    terminal.print()
    hidden = terminal.print_table(task_columns(report, clock))
    terminal.print("  ".join([*_costs(report, clock), *_not_shown(hidden)]))
    for line in (*domain_lines(report), *edge_lines(report)):
        terminal.print(line, indent=2)
    _print_verdict(terminal, report)
    _print_deadlocks(terminal, report, clock)
    _print_changes(terminal, report, clock)
    _print_omitted(terminal, report)


def _print_late(terminal: Terminal, sentence: str, hint: str) -> None:
    """Print the sentence on the first late job, and a command in one line."""
    *lines, last = wrapped(f"First late: {sentence}", terminal.width)
    see = f"See it: {hint}" if hint else ""
    if width_of(f"{last}  {see}") <= terminal.width:
        last, see = f"{last}  {see}", ""
    for line in (*lines, last.rstrip(), *[see] * bool(see)):
        terminal.print(line)


def headline(report: Report, clock: Clock, where: str = "") -> str:
    """Return how many jobs were late, and of what system under which policy."""
    jobs = sum(row.jobs for row in report.rows)
    horizon = clock.in_words(report.horizon)
    tasks = f"{len(report.rows)} task{'s' if len(report.rows) > 1 else ''}"
    facts = [f"policy {policies_of(report)}", *[f"{report.cpus} processors"] * (report.cpus > 1), tasks]
    facts.append(f"load\u00a0{percent(report.utilization)}")
    return f"{report.name}: {_late_of(report.missed, jobs)} in {horizon}{where}.  {', '.join(facts)}"


def _late_of(late: int, jobs: int) -> str:
    if jobs == 0:
        return "no job"
    of = f"{jobs:,} job{'s' if jobs > 1 else ''}"
    return f"{late:,} of {of} late" if late else f"none of {of} late" if jobs > 1 else "its one job in time"


def task_columns(report: Report, clock: Clock) -> list[Column]:
    """Return the columns of the table with one line for each task and a line of totals."""
    rows = report.rows[:MAX_LINES]
    cells = [_cells(row, clock) for row in rows]
    there = _present(report)
    totals = _totals(report)
    return [
        Column(
            each.heading,
            [of[each.key] for of in cells],
            totals.get(each.key, ""),
            each.kind,
            each.importance,
        )
        for each in _COLUMNS
        if each.key in there
    ]


def _present(report: Report) -> set[str]:
    """Return the keys of the columns that have something to say."""
    keys = {each.key for each in _COLUMNS} - {"domain", "server", *_OCCURRING, "optional", "calls"}
    keys |= {key for key in _OCCURRING if any(getattr(row, key) for row in report.rows)}
    keys |= {"optional"} if "optional_wanted" in keys else set()
    keys |= {"domain"} if report.domains else set()
    keys |= {"server"} if any(row.server for row in report.rows) else set()
    keys |= {"calls"} if report.tells_calls else set()
    return keys if report.is_rate_based else keys - {"missed requested", "rate", "granted"}


def _totals(report: Report) -> dict[str, Cell | str]:
    return {
        "task": "all",
        "jobs": f"{sum(row.jobs for row in report.rows):,}",
        "misses": _late(report.missed),
        "missed requested": _late(report.missed_requested or 0),
        "util": percent(report.utilization),
    }


def _cells(row: TaskRow, clock: Clock) -> dict[str, Cell]:
    """Return the cells of a task as a terminal has them."""
    cells = cells_of(row, clock)
    loads = [percent(each.utilization) for each in row.values]
    return cells | {
        "misses": _late(row.missed),
        "missed requested": _late(row.missed_requested or 0),
        "of it": Cell(_proportion(row)),
        "util": Cell(stretches.written(loads, str) if row.utilization is not None else "-"),
    }


def _late(count: int) -> Cell:
    """Write a number of late jobs, marked unless it is 0."""
    return Cell(f"{count:,} !", "missed") if count else Cell("-")


def _proportion(row: TaskRow) -> str:
    """Write the longest response as a part of the deadline, or a multiple; "-" where there are several deadlines."""
    deadlines = {each.deadline for each in row.values}
    if row.response_max is None or len(deadlines) > 1:
        return "-"
    ratio = Fraction(row.response_max, *deadlines)
    if ratio <= 1:
        return f"{round(ratio * 100)} %"
    return f"{float(ratio):.2f} x" if ratio < Fraction(21, 20) else f"{float(ratio):,.{1 if ratio < 10 else 0}f} x"


def _costs(report: Report, clock: Clock) -> list[str]:
    """Return what the scheduler cost, as sentences."""
    if (found := report.architecture) is not None:
        return [
            f"{found.switch_steps:,} switch steps, {found.dispatches:,} dispatches, {found.fails:,} fails, "
            f"{share(found.avail_sched)} available (net {share(found.avail_net)}), "
            f"start jitter {clock.write(found.max_start_jitter)}."
        ]
    costs = []
    if report.cpus > 1:
        costs.append(
            f"{percent(report.utilization / report.cpus)} of each processor, {report.migrations:,} migrations."
        )
    if report.overhead:
        part = percent(Fraction(report.overhead, report.horizon * report.cpus))
        costs.append(f"kernel {clock.write(report.overhead)} ({part}), {report.switches:,} switches.")
    return costs


def _not_shown(hidden: Sequence[str]) -> list[str]:
    return [f"Not shown: {', '.join(dict.fromkeys(hidden))} (--wide)"] if hidden else []


def _print_verdict(terminal: Terminal, report: Report, prefix: str = "") -> None:
    """Print a line on missed deadlines where they are counted in two ways."""
    if report.missed_requested:
        terminal.print(prefix + verdict(report.missed, report.missed_requested))


def _print_deadlocks(terminal: Terminal, report: Report, clock: Clock, prefix: str = "") -> None:
    for sentence in deadlock_sentences(report.deadlocks, clock.exactly):
        terminal.print(prefix + sentence, "missed", indent=2)


def _print_changes(terminal: Terminal, report: Report, clock: Clock) -> None:
    for sentence in change_sentences(report.change_lines, clock.exactly):
        terminal.print(sentence, indent=2)
    load = stretches.sentence(report.stretches, clock.exactly) if report.stretches else ""
    if load:
        terminal.print(load, indent=2)


def _print_omitted(terminal: Terminal, report: Report) -> None:
    if len(report.rows) > MAX_LINES:
        terminal.print(f"{MAX_LINES} of {len(report.rows):,} tasks shown; --json has all")


# ---- the first late job -------------------------------------------------------------------------------

_MAX_CAUSES = 3

_WHY = {
    "non-preemptive": (" and is non-preemptive", ", which are non-preemptive"),
    "threshold": (" with a preemption threshold", " with preemption thresholds"),
    "priority": (" and has a higher priority", ", which have higher priorities"),
    "deadline": (" and was due earlier", ", which were due earlier"),
    "equal": (" and is as urgent", ", which are as urgent"),
    "section": (" in a section of {resource}", " in sections of {resource}"),
}


def late_sentence(late: LateJob, clock: Clock) -> str:
    """Return which job was late, when it was due, by how much it missed that, and what delayed it."""
    due = f"{late.task}, due at {clock.write(late.deadline)}"
    if late.finish is not None:
        outcome = f"{clock.write(late.finish - late.deadline)} late"
    else:
        outcome = {"abort": "ended there", "skip": "unfinished or dropped", "drop": "dropped"}.get(
            late.on_miss, "unfinished"
        )
    causes = list(_causes(late, clock))
    return f"{due}, {outcome}, because {_listed(causes)}." if causes else f"{due}, {outcome}."


def _causes(late: LateJob, clock: Clock) -> Iterator[str]:
    """Yield what delayed a job: as many of the longest delays as together explain by how much it was late."""
    allowed = late.deadline - late.release
    if late.executed > allowed:
        yield f"it executes for {clock.write(late.executed)} itself, longer than its deadline of {clock.write(allowed)}"
        return
    lacking = sum(delay.ticks for delay in late.delays)
    lacking -= 0 if late.finish is None else allowed - late.executed
    chosen = list[Delay]()
    for delay in late.delays:
        if chosen and (sum(each.ticks for each in chosen) >= max(lacking, 1) or len(chosen) == _MAX_CAUSES):
            break
        chosen.append(delay)
    for key, group in groupby(chosen, key=lambda delay: (delay.what, delay.why, delay.resource)):
        alike = list(group)
        yield _tasks(alike, clock) if key[0] == "task" else _listed([_cause(each, clock) for each in alike])
    rest = len(late.delays) - len(chosen)
    if rest and sum(each.ticks for each in chosen) < lacking:
        yield f"{rest} more cause{'s' if rest > 1 else ''}"


def _tasks(delays: Sequence[Delay], clock: Clock) -> str:
    """Write which tasks ran, for how long each, and why they could not be preempted."""
    ran = [f"{each.name} {'ran ' * (number == 0)}for {clock.write(each.ticks)}" for number, each in enumerate(delays)]
    forms = _WHY.get(delays[0].why)
    why = forms[len(delays) > 1].format(resource=delays[0].resource) if forms else ""
    return f"{_listed(ran)}{why}"


def _cause(delay: Delay, clock: Clock) -> str:
    """Write a cause that is no other task which ran."""
    ticks = clock.write(delay.ticks)
    match delay.what:
        case "lock" if delay.name:
            return f"it waited {ticks} for {delay.resource}, which {delay.name} held"
        case "lock":
            return f"it waited {ticks} to lock {delay.resource}, which was free"
        case "budget":
            return f"server {delay.name} had no budget for {ticks}"
        case "idle server":
            return f"server {delay.name} used up its budget for {ticks} without work"
        case "earlier":
            return f"earlier jobs of it ran for {ticks}"
        case "nothing":
            return f"it was not selected for {ticks} although nothing ran"
        case "suspended":
            return f"it suspended itself for {ticks}"
        case "kernel or suspended":
            return f"the kernel ran or it suspended itself for {ticks}"
    return f"the kernel ran for {ticks}"


def _listed(parts: Sequence[str]) -> str:
    """Join parts of a sentence; a comma is before the last one if there is one within the others."""
    between = ", and " if any("," in part for part in parts[:-1]) else " and "
    return between.join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


# ---- a board beside the simulator ---------------------------------------------------------------------

_OF_BOARD = (
    _Column("task", "task", 10, "name"),
    _Column("domain", "domain", 6, "name"),
    _Column("server", "server", 6, "name"),
    _Column("period", "period", 2),
    _Column("deadline", "deadline", 5),
    _Column("max", "worst seen", 9),
    _Column("max 1", "sim worst", 8),
    _Column("bound", "bound", 7),
    _Column("misses", "late", 10),
    _Column("misses 1", "sim late", 6),
    _Column("jobs", "of jobs", 4),
    _Column("avg", "mean", 3),
    _Column("avg 1", "sim mean", 3),
    _Column("min", "min", 1),
    _Column("min 1", "sim min", 1),
)


def print_comparison(
    terminal: Terminal, measured: Report, simulated: Report, bounds: Mapping[str, int | None] | None = None
) -> None:
    """Print the measurements of a board beside those of the simulator, and beside the bounds of the analysis.

    Args:
        terminal: where to.
        measured: on the board.
        simulated: of the same task set.
        bounds: of responses in ticks of the simulation, by task; None: the table has none.
    """
    clocks = [terminal.clock(report.resolution_ns) for report in (measured, simulated)]
    terminal.print(headline(measured, clocks[0], f" on {measured.platform}"))
    terminal.print()
    known = bounds or {}
    rows = []
    for both in zip(measured.rows[:MAX_LINES], simulated.rows, strict=False):
        cells = [_cells(row, clock) for row, clock in zip(both, clocks, strict=True)]
        of_runs = {f"{key} {number}": cell for number, of in enumerate(cells) for key, cell in of.items()}
        rows.append(cells[0] | of_runs | {"bound": Cell(clocks[1].write(known.get(both[1].task)))})
    totals = _totals(measured) | {"misses 1": _late(simulated.missed)}
    left_out = set() if bounds is not None else {"bound"}
    left_out |= {"domain", "server"} - _present(measured)
    columns = [
        Column(each.heading, [of[each.key] for of in rows], totals.get(each.key, ""), each.kind, each.importance)
        for each in _OF_BOARD
        if each.key not in left_out
    ]
    terminal.print("".join(_not_shown(terminal.print_table(columns))))
    if (remote := measured.remote) is not None:
        lateness = (remote.lateness_min, remote.lateness_avg, remote.lateness_max)
        terminal.print(
            f"scheduler at a distance: lateness {' / '.join(map(clocks[0].write, lateness))} (min / avg / max) of "
            f"{remote.events} events, {remote.stale} stale events, {remote.dropped} dropped decisions, "
            f"{remote.unanswered} unanswered fetches, {remote.signals} signals, {remote.decisions} decisions",
            indent=2,
        )
    _print_omitted(terminal, measured)


# ---- several policies ---------------------------------------------------------------------------------

_BEST = Fraction(101, 100)
"""A response is among the best of its row if it is less than 1 percent longer than the shortest."""


class Compared(NamedTuple):
    """The run of a task set under a policy.

    Args:
        report: of the run.
        late: its first late job, if there is one and it is known.
        is_own: whether the policy is that of the file.
    """

    report: Report
    late: LateJob | None = None
    is_own: bool = False


def print_policies(terminal: Terminal, runs: Sequence[Compared]) -> None:
    """Print the longest response and the late jobs of each task under several policies.

    Policies under which each task fares alike are one.

    Args:
        terminal: where to.
        runs: one for each policy.
    """
    groups = _alike(runs)
    first = runs[0].report
    clock = terminal.clock(first.resolution_ns)
    for sentence in _policies_summary(groups, clock):
        terminal.print(sentence)
    terminal.print()
    names = [
        replace(each, importance=10) for each in task_columns(first, clock) if each.heading in ("task", "deadline")
    ]
    blocks = list(_blocks(terminal, names, [_policy_columns(group, groups, clock) for group in groups]))
    for number, columns in enumerate(blocks):
        if number:
            terminal.print()
        terminal.print_table(columns)
    if any("*" in text_of(cell) for columns in blocks for column in columns for cell in column.cells):
        terminal.print("*  best of its row by 1 % or more.  Each policy got the same jobs.")
    for group in groups:
        prefix = f"{_names_of(group)}: "
        _print_verdict(terminal, group[0].report, prefix)
        _print_deadlocks(terminal, group[0].report, clock, prefix)
    _print_changes(terminal, first, clock)
    _print_omitted(terminal, first)


def _alike(runs: Sequence[Compared]) -> list[list[Compared]]:
    """Return the runs in groups of the same figures, in the order of their first ones."""
    groups = list[list[Compared]]()
    for run in runs:
        figures = run.report.rows, run.report.overhead
        group = next((group for group in groups if (group[0].report.rows, group[0].report.overhead) == figures), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    return groups


def _names_of(group: Sequence[Compared]) -> str:
    """Return the names of the policies of runs; domains with policies of their own are joined by a plus sign."""
    names = (policies_of(run.report).replace(", ", "+") for run in group)
    return ", ".join(name + " (own)" * run.is_own for name, run in zip(names, group, strict=True))


def _policies_summary(groups: Sequence[Sequence[Compared]], clock: Clock) -> Iterator[str]:
    """Yield under which policies deadlines are met, how many jobs are late, and why the first ones."""
    report = groups[0][0].report
    horizon, count = clock.in_words(report.horizon), sum(map(len, groups))
    met = [group for group in groups if not group[0].report.missed]
    good = [_names_of(group) for group in met]
    jobs = sum(row.jobs for row in report.rows)
    merged = [_names_of(group) for group in groups if len(group) > 1]
    one = f"; {' and '.join(merged)} give the same" if merged else ""
    if len(good) == len(groups):
        which = f"each of {count} policies meets" if count > 1 else f"{good[0]} meets"
        yield f"{report.name}: {which} all deadlines in {horizon}{one}."
        return
    which = ", ".join(good) if good else f"none of {count} policies" if count > 1 else "the policy does not"
    verb = "meet" if sum(map(len, met)) > 1 or (not good and count == 1) else "meets"
    yield f"{report.name}: {which} {verb} all deadlines in {horizon}{one}."
    late = "; ".join(f"{_names_of(group)} {group[0].report.missed:,}" for group in groups)
    yield f"Late jobs of {jobs:,}: {late}."
    known = [(group, group[0].late) for group in groups]
    under = dict[str, list[str]]()
    for group, found in known:
        if found is not None:
            under.setdefault(late_sentence(found, clock), []).append(_names_of(group))
    for sentence, names in under.items():
        which = "each" if len(names) == len(groups) > 1 else ", ".join(names)
        yield f"First late under {which}: {sentence}"


def _policy_columns(group: Sequence[Compared], groups: Sequence[Sequence[Compared]], clock: Clock) -> list[Column]:
    """Return the columns of a policy: the longest responses, the best of each row marked, and the late jobs."""
    report, name = group[0].report, _names_of(group)
    worst, late, requested = list[Cell](), list[Cell](), list[Cell]()
    for number, row in enumerate(report.rows[:MAX_LINES]):
        others = [each[0].report.rows[number].response_max for each in groups]
        mark = "*" if _is_best(row.response_max, others) else " " * (len(groups) > 1)
        worst.append(Cell(clock.write(row.response_max) + mark))
        late.append(_late(row.missed))
        requested.append(_late(row.missed_requested or 0))
    columns = [
        Column("worst" + " " * (len(groups) > 1), worst, group=name, importance=8),
        Column("late", late, _late(report.missed), group=name, importance=9),
    ]
    if report.is_rate_based:
        total = _late(report.missed_requested or 0)
        columns.append(Column("late for request", requested, total, group=name, importance=7))
    return columns


def _is_best(response: int | None, others: Iterable[int | None]) -> bool:
    """True if a response is among the shortest of a row, and another one is at least 1 percent longer."""
    known = [each for each in others if each is not None]
    if response is None or not known:
        return False
    limit = min(known) * _BEST
    return response < limit and any(each >= limit for each in known)


def _blocks(
    terminal: Terminal, names: Sequence[Column], policies: Sequence[Sequence[Column]]
) -> Iterator[list[Column]]:
    """Yield tables with as many policies beside one another as fit the terminal; the others stand below."""
    block = list(names)
    for columns in policies:
        is_first = len(block) == len(names)
        wider = [*block, *columns]
        if is_first or terminal.is_wide or len(fitting(wider, terminal.width)) == len(wider):
            block = wider
        else:
            yield block
            block = [*names, *columns]
    yield block


# ---- several files ------------------------------------------------------------------------------------


class FileRun(NamedTuple):
    """The run of a file.

    Args:
        name: that of the file, and of the policy if there are several of a file.
        report: of the run.
    """

    name: str
    report: Report


def print_files(terminal: Terminal, runs: Sequence[FileRun]) -> None:
    """Print the late jobs of each file, and a table with the longest response of each task in each of them.

    Tasks of one name are one row. Left out: servers, resources and changes, which `takt run` shows file by file.

    Args:
        terminal: where to.
        runs: one for each file and policy.
    """
    clocks = [terminal.clock(run.report.resolution_ns) for run in runs]
    for run, clock in zip(runs, clocks, strict=True):
        report, horizon = run.report, clock.in_words(run.report.horizon)
        jobs = sum(row.jobs for row in report.rows)
        late = _late_of(report.missed, jobs)
        if report.missed_requested:
            late += f", {report.missed_requested:,} later than requested,"
        terminal.print(f"{run.name}: {late} in {horizon}, policy {report.policy}", indent=2)
    terminal.print()
    by_name = [{row.task: row for row in run.report.rows} for run in runs]
    names = list(dict.fromkeys(name for rows in by_name for name in rows))
    columns = [Column("task", [Cell(name, "name") for name in names[:MAX_LINES]], "all", "name")]
    for run, rows, clock in zip(runs, by_name, clocks, strict=True):
        columns += _columns_of_file(run, [rows.get(name) for name in names[:MAX_LINES]], clock)
    left_out = terminal.print_table(columns)
    if left_out:
        terminal.print(f"Left out: {len(left_out)} columns; --wide prints all.")
    if len(names) > MAX_LINES:
        terminal.print(f"{len(names) - MAX_LINES:,} more tasks are not shown.")


def _columns_of_file(run: FileRun, rows: Sequence[TaskRow | None], clock: Clock) -> list[Column]:
    """Return the columns of a file; a task that it does not have has no cells there."""

    def late(count: int) -> Cell:
        return Cell(f"{count:,}", "missed" if count else "number")

    cells = {
        "wcet": [Cell("-" if row is None else row.written("wcet", clock)) for row in rows],
        "deadline": [Cell("-" if row is None else row.written("deadline", clock)) for row in rows],
        "worst": [Cell("-" if row is None else clock.write(row.response_max)) for row in rows],
        "late": [Cell("-") if row is None else late(row.missed) for row in rows],
    }
    importance = {"wcet": 1, "deadline": 2, "worst": 8, "late": 9}
    totals = {"late": late(run.report.missed)}
    return [
        Column(key, column, totals.get(key, ""), importance=importance[key], group=run.name)
        for key, column in cells.items()
    ]
