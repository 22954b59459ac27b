# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The result of an analysis, as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from takt.analysis.result import Analysis, ServerBound, TaskBound, Verdict
from takt.show import remedy_text
from takt.show.text_tables import MAX_LINES, Clock, print_table, share, text_table

_STYLES = {
    Verdict.SCHEDULABLE: "green",
    Verdict.NOT_SCHEDULABLE: "bold red",
    Verdict.NOT_GUARANTEED: "yellow",
    Verdict.NOT_KNOWN: "yellow",
}
_OF_TASK = {
    Verdict.SCHEDULABLE: "met",
    Verdict.NOT_SCHEDULABLE: "missed",
    Verdict.NOT_GUARANTEED: "not guaranteed",
    Verdict.NOT_KNOWN: "not known",
}


class Column(NamedTuple):
    """A column: its heading and what it says of a row; left out where no row has anything to say."""

    heading: str
    write: Callable[[Any], str]
    justify: Any = "right"


def print_analysis(console: Console, analysis: Analysis, unit: str) -> None:
    """Print the bounds, the verdict with its reason, and what would fit.

    Args:
        console: where to.
        analysis: what is known.
        unit: the unit to write times in.
    """
    clock = Clock(analysis.resolution_ns, unit)
    title = f"{analysis.name}  policy {analysis.policy}  utilization {share(Fraction(*analysis.utilization))}"
    title += f"  messages of at most {clock.write(analysis.remote)}" if analysis.remote else ""
    print_table(console, title, _table(task_columns(analysis, clock), analysis.tasks[:MAX_LINES]))
    if analysis.servers:
        print_table(console, "servers", _table(server_columns(analysis, clock), analysis.servers[:MAX_LINES]))
    for line, style in lines_of(analysis, clock):
        console.print(Text(line, style=style), soft_wrap=True)


def lines_of(analysis: Analysis, clock: Clock) -> list[tuple[str, str]]:
    """Write verdict, reasons, scaling and advice as sentences, each with its style."""
    verdict = f"{analysis.verdict.value}{_as_written(analysis, clock)}"
    lines = [(f"{verdict}: {analysis.reason}", _STYLES[analysis.verdict])]
    if analysis.scaling is not None:
        lines.append((f"all wcets together may be multiplied by {share(Fraction(analysis.scaling, 1000))}", ""))
    if analysis.unsearched:
        searched = len(analysis.tasks) - analysis.unsearched
        lines.append((f"how far wcets may grow was searched for {searched} of {len(analysis.tasks)} tasks only", ""))
    lines += [(line, "") for line in remedy_text.sentences(analysis)] if analysis.remedies is None else []
    if len(analysis.tasks) > MAX_LINES:
        lines.append((f"{MAX_LINES} of {len(analysis.tasks)} tasks shown; --json has all", ""))
    return lines


def _as_written(analysis: Analysis, clock: Clock) -> str:
    """Write of which runs a verdict speaks, and what the run of the file shows; "" where these are the same."""
    run = analysis.as_written
    if run is None:
        return ""
    scope = f" if {' and '.join(run.fixed) or 'arrivals'} may shift"
    if run.until is None:
        return scope
    kind = "hard job" if any(row.class_ != "hard" for row in analysis.tasks) else "job"
    late = f"no {kind} is late" if run.late == 0 else f"{run.late} {kind}{'s are' if run.late > 1 else ' is'} late"
    return f"{scope}; {'in one drawn run' if run.is_drawn else 'as written'} {late} up to {clock.write(run.until)}"


# ---- columns ------------------------------------------------------------------------------------------


def task_columns(analysis: Analysis, clock: Clock) -> list[Column]:
    """Return the columns of the table of tasks."""
    has_servers = any(row.server for row in analysis.tasks)
    has_classes = len({row.class_ for row in analysis.tasks}) > 1
    return [
        Column("task", lambda row: row.task, "left"),
        *_domain_column(analysis),
        *([Column("server", lambda row: row.server or "-", "left")] * has_servers),
        *([Column("class", lambda row: row.class_, "left")] * has_classes),
        Column("period", lambda row: clock.write(row.period or None)),
        Column("wcet", lambda row: clock.write(row.wcet)),
        Column("deadline", lambda row: clock.write(row.deadline)),
        # A bound that may never occur has a sign.
        Column(
            "response", lambda row: "<= " * (not row.is_tight and row.response is not None) + clock.write(row.response)
        ),
        Column("slack", lambda row: clock.write(row.slack)),
        Column("blocking", lambda row: clock.write(row.blocking)),
        Column(
            "wcet may grow", lambda row: "+" * (row.growth is not None and row.growth >= 0) + clock.write(row.growth)
        ),
        Column("deadline is", lambda row: _OF_TASK[row.verdict], "left"),
        Column("test", _test, "left"),
    ]


def _domain_column(analysis: Analysis) -> list[Column]:
    """Return the column with the domain's name, if there are several."""
    return [Column("domain", lambda row: row.domain, "left")] * any(row.domain for row in analysis.tasks)


def server_columns(analysis: Analysis, clock: Clock) -> list[Column]:
    """Return the columns of the table of servers."""
    return [
        Column("server", lambda row: row.server, "left"),
        *_domain_column(analysis),
        Column("kind", lambda row: row.kind, "left"),
        Column("period", lambda row: clock.write(row.period)),
        Column("budget", lambda row: clock.write(row.budget)),
        Column("full budget after", lambda row: clock.write(row.response)),
        Column("longest gap", lambda row: clock.write(row.gap)),
        Column("least budget", lambda row: clock.write(row.least_budget)),
        Column("budget is", lambda row: _OF_SERVER[row.verdict], "left"),
        Column("test", _test, "left"),
    ]


_OF_SERVER = {
    Verdict.SCHEDULABLE: "guaranteed",
    Verdict.NOT_SCHEDULABLE: "not guaranteed",
    Verdict.NOT_GUARANTEED: "not guaranteed",
    Verdict.NOT_KNOWN: "not known",
}


def _test(row: TaskBound | ServerBound) -> str:
    return "-" if row.test is None else row.test.name


def _table(columns: Sequence[Column], rows: Sequence[TaskBound] | Sequence[ServerBound]) -> Table:
    table = text_table([], [])
    for column in columns:
        table.add_column(column.heading, justify=column.justify)
    for row in rows:
        style = "" if row.verdict is Verdict.SCHEDULABLE else _STYLES[row.verdict]
        table.add_row(*(Text(column.write(row), style=style) for column in columns))
    return table


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
        "unsearched": analysis.unsearched,
        "as_written": None if analysis.as_written is None else asdict(analysis.as_written),
        **({"remote": analysis.remote} if analysis.remote else {}),
        "tasks": tasks,
        "servers": [_row_as_json(row) for row in analysis.servers],
        "advice": [
            {"what": advice.what, "changes": [list(each) for each in advice.changes]} for advice in analysis.advice
        ],
    }


def _row_as_json(row: TaskBound | ServerBound) -> dict[str, Any]:
    """Return the JSON of a task or a server; with its domain, if it is in one."""
    named = {key: value for key, value in asdict(row).items() if key != "domain" or value}
    return named | {"verdict": row.verdict.value, "test": None if row.test is None else asdict(row.test)}
