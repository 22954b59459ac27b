# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The result of an analysis, as sentences and tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from takt.analysis.result import Analysis, Part, PartKind, ServerBound, TaskBound, Verdict, deciding
from takt.show import causes_text, remedy_text
from takt.show.text_tables import MAX_LINES, Cell, Clock, Column, Terminal, percent, text_of

REASONS = 5
"""How many reasons are printed unless more are asked for."""
MAX_CUTS = 5
"""How many tasks a line of advice names."""

_KINDS = {
    Verdict.SCHEDULABLE: "number",
    Verdict.NOT_SCHEDULABLE: "missed",
    Verdict.NOT_GUARANTEED: "open",
    Verdict.NOT_KNOWN: "open",
}
_MARKS = {
    Verdict.SCHEDULABLE: "  ",
    Verdict.NOT_SCHEDULABLE: " !",
    Verdict.NOT_GUARANTEED: " ?",
    Verdict.NOT_KNOWN: " ?",
}
_LEGEND = {
    Verdict.NOT_SCHEDULABLE: "!  missed: some arrivals and demands that the file allows make a job late",
    Verdict.NOT_GUARANTEED: "?  open: no bound, or one above the deadline that is only sufficient",
    Verdict.NOT_KNOWN: "?  not known: no test covers all that the file has, or it takes too long",
}
_OF_TASK = {
    Verdict.SCHEDULABLE: "met",
    Verdict.NOT_SCHEDULABLE: "missed",
    Verdict.NOT_GUARANTEED: "not guaranteed",
    Verdict.NOT_KNOWN: "not known",
}
_Row = TaskBound | ServerBound


def print_analysis(terminal: Terminal, analysis: Analysis, most: int | None = REASONS, command: str = "") -> None:
    """Print what is proved and what is not, why, the bounds, and what would fit.

    Args:
        terminal: where to.
        analysis: what is known.
        most: how many reasons, each in one line; None: all, with all their parts.
        command: the command line that analyses it so.
    """
    clock = terminal.clock(analysis.resolution_ns)
    first, *others = sentences(analysis, clock)
    terminal.print(first, _KINDS[analysis.verdict].replace("number", "good"))
    for line in others:
        terminal.print(line)
    for line in analysis.warnings:
        terminal.print(f"Warning: {line}", "open")
    terminal.print()
    _print_table(terminal, task_columns(analysis, clock))
    if analysis.servers:
        terminal.print()
        _print_table(terminal, server_columns(analysis, clock))
    verdicts = {row.verdict for row in analysis.tasks}
    legend = [meaning for verdict, meaning in _LEGEND.items() if verdict in verdicts]
    for block in (legend, _reasons(analysis, clock, terminal.width, most)):
        for line in block:
            terminal.print(line, indent=2)
    for line in remedy_text.lines_of(analysis, clock, command, terminal.width):
        terminal.out.write(f"{line}\n")
    for line in _remedies(analysis, clock, [] if analysis.remedies else remedy_text.sentences(analysis)):
        terminal.print(line, indent=2)
    for line in _closing(analysis, clock):
        terminal.print(line)


def sentences(analysis: Analysis, clock: Clock) -> list[str]:
    """Return the sentences above the table: the summary, the worst task, and what the run of the file shows."""
    found = [causes_text.summary(analysis, clock), causes_text.worst(analysis, clock), _as_written(analysis, clock)]
    return [line for line in found if line]


def lines_of(analysis: Analysis, clock: Clock, most: int = MAX_LINES) -> list[str]:
    """Return what is said of an analysis beside its tables with so many tasks, its reasons left out, for a page."""
    warnings = [f"Warning: {line}" for line in analysis.warnings]
    others = [
        *sentences(analysis, clock)[1:],
        *warnings,
        *_remedies(analysis, clock, remedy_text.sentences(analysis)),
        *_closing(analysis, clock, most),
    ]
    return [line for line in others if line]


def all_reasons(analysis: Analysis, clock: Clock) -> list[str]:
    """Return whose time all bounds are that are not proved, each as a line, for a page."""
    return [line for line in _reasons(analysis, clock, None, None) if line]


def _print_table(terminal: Terminal, columns: Sequence[Column]) -> None:
    """Print a table, and name the columns that do not fit."""
    left_out = terminal.print_table(columns)
    if left_out:
        terminal.print(f"Not shown: {', '.join(left_out)} (--wide)")


def _reasons(analysis: Analysis, clock: Clock, width: int | None, most: int | None) -> Iterator[str]:
    """Yield whose time the bounds are, and how many reasons are left; all of them are the parts of each response."""
    known = causes_text.worst(analysis, clock)
    found = list(causes_text.by_task(analysis, clock)) if most is None else causes_text.reasons(analysis, clock)
    found = [each for each in found if causes_text.sentence(each[0]) != known]
    if not found:
        return
    yield ""
    lines = 2 if len(found) <= causes_text.FEW else 1
    for reason in found[:most]:
        yield causes_text.in_one_line(
            reason, None if most is None or width is None else width * lines - 4 * (lines - 1)
        )
    more = len(found) - (len(found) if most is None else most)
    yield from [f"{more} more reason{'s' * (more > 1)}: --reasons all"] if more > 0 else []


def _remedies(analysis: Analysis, clock: Clock, changes: Sequence[str]) -> Iterator[str]:
    """Yield what would make the system fit: changes, and by how much wcets must be cut."""
    lines = [*changes, *_cuts(analysis, clock)]
    if analysis.scaling is not None and analysis.scaling < 1000:
        what = _what_would_fit(analysis.tasks, "It", "Its")
        lines.append(f"{what} would fit with all wcets cut to {percent(Fraction(analysis.scaling, 1000))}")
    yield from ["", *lines] if lines else []


def _cuts(analysis: Analysis, clock: Clock) -> Iterator[str]:
    """Yield for each domain by how much one wcet must be cut, and which tasks would then meet their deadlines.

    A domain fits if the tasks that decide fit; each other task that is late is one for itself.
    """
    domains: dict[str, list[TaskBound]] = {}
    for row in analysis.tasks:
        domains.setdefault(row.domain, []).append(row)
    late = [domain for domain, rows in domains.items() if _is_open(deciding(rows))]
    for domain, rows in domains.items():
        cuts = sorted((-row.growth, row.task) for row in rows if row.growth is not None and row.growth < 0)
        words = [f"{name} by {clock.write(ticks)}" for ticks, name in cuts[:MAX_CUTS]]
        words += [f"{len(cuts) - MAX_CUTS} more tasks" for _ in cuts[MAX_CUTS : MAX_CUTS + 1]]
        if domain not in late and len(cuts) == 1:
            yield f"{cuts[0][1]} would meet its deadline too with its wcet cut by {clock.write(cuts[0][0])}"
        elif domain not in late and cuts:
            yield f"Each of these would meet its deadline too with its own wcet cut: {', '.join(words)}"
        elif cuts:
            is_all = late == [domain] and not analysis.is_schedulable
            what = _what_would_fit(rows, *(("It", "Its") if is_all else (domain, f"On {domain} the")))
            yield f"{what} would fit with one wcet cut: {' or '.join(words)}"


def _what_would_fit(rows: Sequence[TaskBound], whole: str, of_whole: str) -> str:
    """Return what a change is for: a whole, or its hard tasks if others stay late."""
    counted = deciding(rows)
    return f"{of_whole} hard tasks" if _is_open([row for row in rows if row not in counted]) else whole


def _is_open(rows: Sequence[TaskBound]) -> bool:
    """True if a deadline is not proved."""
    return any(row.verdict is not Verdict.SCHEDULABLE for row in rows)


def _closing(analysis: Analysis, clock: Clock, most: int = MAX_LINES) -> Iterator[str]:
    """Yield by how much all wcets may grow together, what was left out, and which test says so."""
    if analysis.scaling is not None and analysis.scaling >= 1000:
        factor, finer = _factor(analysis.scaling), _factor(analysis.scaling_finer)
        # a coarse tick hides a part of it
        steps = f" in steps of {clock.write(1)}; {finer} at a finer resolution" if finer not in ("", factor) else ""
        yield f"All wcets together may be multiplied by {factor}{steps}."
    if analysis.unsearched:
        searched = len(analysis.tasks) - analysis.unsearched
        yield f"How far wcets may grow was searched for {searched} of {len(analysis.tasks)} tasks only."
    if len(analysis.tasks) > most:
        yield f"{most} of {len(analysis.tasks)} tasks shown; --json has all."
    policy = f"Policy {analysis.policy}, load {percent(Fraction(*analysis.utilization))}"
    remote = f", messages of at most {clock.write(analysis.remote)}" if analysis.remote else ""
    tests = dict.fromkeys(f"{row.test.name} ({row.test.source})" for row in analysis.tasks if row.test is not None)
    more = f" and {len(tests) - 1} more (--json)" if len(tests) > 1 else ""
    yield f"{policy}{remote}." + (f" Test: {next(iter(tests))}{more}." if tests else "")


def _factor(thousandths: int | None) -> str:
    """Write a factor with two decimals, rounded down."""
    return "" if thousandths is None else f"{thousandths // 1000}.{thousandths % 1000 // 10:02}"


def _as_written(analysis: Analysis, clock: Clock) -> str:
    """Return of which runs a verdict speaks, and what the run of the file shows; "" where these are the same."""
    run = analysis.as_written
    if run is None:
        return ""
    scope = f"{analysis.verdict.value.capitalize()} if {' and '.join(run.fixed) or 'arrivals'} may shift"
    if run.until is None:
        return f"{scope}."
    kind = "hard job" if any(row.class_ != "hard" for row in analysis.tasks) else "job"
    late = f"no {kind} is late" if run.late == 0 else f"{run.late} {kind}{'s are' if run.late > 1 else ' is'} late"
    where = "in one drawn run" if run.is_drawn else "as written"
    return f"{scope}; {where} {late} up to {clock.write(run.until)}."


# ---- columns ------------------------------------------------------------------------------------------


def _column(
    rows: Sequence[_Row], heading: str, write: Callable[[Any], str], importance: int, kind: str = "number"
) -> Column:
    """Return a column with a text for each row; rows that are not proved stand out."""
    return Column(heading, [Cell(write(row), _KINDS[row.verdict]) for row in rows], kind=kind, importance=importance)


def task_columns(analysis: Analysis, clock: Clock) -> list[Column]:
    """Return the columns of the table of tasks; those in which nothing differs or is known are left out."""
    rows = analysis.tasks[:MAX_LINES]
    is_exact = all(row.is_tight for row in rows if row.response is not None)

    def column(heading: str, write: Callable[[TaskBound], str], importance: int, kind: str = "number") -> Column:
        return _column(rows, heading, write, importance, kind)

    columns = [
        column("task", lambda row: row.task, 100, "name"),
        *([column("domain", lambda row: row.domain, 85, "name")] * any(row.domain for row in rows)),
        *([column("server", lambda row: row.server or "-", 80, "name")] * any(row.server for row in rows)),
        *([column("class", lambda row: row.class_, 30, "name")] * (len({row.class_ for row in rows}) > 1)),
        column("period", lambda row: clock.exactly(row.period or None), 40),
        column("wcet", lambda row: clock.exactly(row.wcet), 45),
        column("deadline", lambda row: clock.exactly(row.deadline), 90),
        column(
            "response" if is_exact else "bound",  # one that may never occur has a sign
            lambda row: "<= " * (not row.is_tight and row.response is not None) + clock.write(row.response),
            99,
        ),
        column("slack", lambda row: clock.write(row.slack) + _MARKS[row.verdict], 95),
        column("blocked by", lambda row: _author(row, PartKind.BLOCKING, clock), 70),
        column("delayed by", lambda row: _author(row, PartKind.INTERFERENCE, clock), 60),
        column("blocking", lambda row: clock.write(row.blocking or None), 15),
        column("kernel", lambda row: _of_kind(row, PartKind.KERNEL, clock), 20),
        column("budget wait", lambda row: _of_kind(row, PartKind.BUDGET, clock), 65),
        column("wcet may grow", lambda row: _growth(analysis, row, clock), 50),
        column("deadline is", lambda row: _OF_TASK[row.verdict], 35),
        column("test", _test, 10),
    ]
    kept = ("task", "period", "wcet", "deadline", "response", "bound", "slack", "deadline is")
    found = [each for each in columns if each.heading in kept or any(text_of(cell) != "-" for cell in each.cells)]
    return found if len({_test(row) for row in rows}) > 1 else [each for each in found if each.heading != "test"]


def _author(row: TaskBound, kind: PartKind, clock: Clock) -> str:
    """Return the longest part of a kind, with its author."""
    part = max((part for part in row.parts if part.kind is kind), key=lambda part: part.ticks, default=None)
    return "-" if part is None else f"{part.name} {clock.write(part.ticks)}"


def _of_kind(row: TaskBound, kind: PartKind, clock: Clock) -> str:
    """Return the sum of the parts of a kind."""
    return clock.write(sum(part.ticks for part in row.parts if part.kind is kind) or None)


def _growth(analysis: Analysis, row: TaskBound, clock: Clock) -> str:
    """Return by how much a wcet may grow; in a system that does not fit none may."""
    if row.growth is None or row.growth < 0 or not analysis.is_schedulable:
        return "-"
    return f"+{clock.write(row.growth)}"


def server_columns(analysis: Analysis, clock: Clock) -> list[Column]:
    """Return the columns of the table of servers."""
    rows = analysis.servers[:MAX_LINES]

    def column(heading: str, write: Callable[[ServerBound], str], importance: int, kind: str = "number") -> Column:
        return _column(rows, heading, write, importance, kind)

    return [
        column("server", lambda row: row.server, 100, "name"),
        *([column("domain", lambda row: row.domain, 85, "name")] * any(row.domain for row in rows)),
        column("kind", lambda row: row.kind, 40, "name"),
        column("period", lambda row: clock.exactly(row.period), 80),
        column("budget", lambda row: clock.exactly(row.budget), 90),
        column("full budget after", lambda row: clock.write(row.response), 70),
        column("longest gap", lambda row: clock.write(row.gap), 60),
        column("least budget", lambda row: clock.exactly(row.least_budget), 50),
        column("budget is", lambda row: _OF_SERVER[row.verdict], 95),
        column("test", _test, 10),
    ]


_OF_SERVER = {
    Verdict.SCHEDULABLE: "guaranteed",
    Verdict.NOT_SCHEDULABLE: "not guaranteed",
    Verdict.NOT_GUARANTEED: "not guaranteed",
    Verdict.NOT_KNOWN: "not known",
}


def _test(row: _Row) -> str:
    return "-" if row.test is None else row.test.name


# ---- JSON ---------------------------------------------------------------------------------------------


def as_json(analysis: Analysis, file: str) -> dict[str, Any]:
    """Return the JSON of an analysis; times in ticks.

    Args:
        analysis: what is known.
        file: the task-set file.
    """
    tasks = []
    for row in analysis.tasks:
        described = _row_as_json(row)
        described["class"] = described.pop("class_")
        tasks.append(described | {"slack": row.slack, "interference": dict(row.interference)})
    return {
        "file": file,
        "name": analysis.name,
        "policy": analysis.policy,
        "resolution_ns": analysis.resolution_ns,
        "verdict": analysis.verdict.value,
        "reason": analysis.reason,
        "utilization": float(Fraction(*analysis.utilization)),
        "scaling": None if analysis.scaling is None else analysis.scaling / 1000,
        "scaling_finer": None if analysis.scaling_finer is None else analysis.scaling_finer / 1000,
        "unsearched": analysis.unsearched,
        "as_written": None if analysis.as_written is None else asdict(analysis.as_written),
        **({"remote": analysis.remote} if analysis.remote else {}),
        "tasks": tasks,
        "servers": [_row_as_json(row) for row in analysis.servers],
        "advice": [
            {"what": advice.what, "changes": [list(each) for each in advice.changes]} for advice in analysis.advice
        ],
        "warnings": list(analysis.warnings),
        "demands": [
            asdict(demand) | {"ticks": demand.ticks, "parts": [part_as_json(part) for part in demand.parts]}
            for demand in analysis.demands
        ],
    }


def _row_as_json(row: TaskBound | ServerBound) -> dict[str, Any]:
    """Return the JSON of a task or a server; with its domain, if it is in one."""
    named = {key: value for key, value in asdict(row).items() if key != "domain" or value}
    named["parts"] = [part_as_json(part) for part in row.parts]
    return named | {"verdict": row.verdict.value, "test": None if row.test is None else asdict(row.test)}


def part_as_json(part: Part) -> dict[str, Any]:
    """Return the JSON of a part; keys that say nothing of it are left out."""
    said = {key: value for key, value in asdict(part).items() if value not in ("", 0)}
    return said | {"kind": part.kind.value, "ticks": part.ticks}
