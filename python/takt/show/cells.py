# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cells of notebooks: a system, the result of a run or of an analysis as sentences, a picture and a table in HTML.

A cell is small, needs no network and no script, and has the colours of the text around it. It says what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from takt.analysis.result import Analysis, Verdict
from takt.base import one_line
from takt.model.input_table import given
from takt.model.system import System
from takt.model.tables import Server, Task
from takt.run import late_jobs
from takt.run.result import RunResult
from takt.show import analysis_text, causes_text, cell_bars, cell_chart, part_bars, report, run_page, run_text, timeline
from takt.show.text_tables import Cell, Clock, Column, percent, text_of

MAX_ROWS = 20
"""How many tasks and servers a cell has."""


@dataclass(frozen=True)
class Picture:
    """A picture of a cell.

    Args:
        title: above it.
        markup: SVG, which escapes what users name their tasks.
        notes: below it: what its signs mean, and which part it shows; empty ones are left out.
    """

    title: str
    markup: str
    notes: Sequence[str] = ()


def html_of(record: object) -> str:
    """Return the HTML of a system, or of the result of a run or an analysis."""
    if isinstance(record, System):
        return _of_system(record)
    if isinstance(record, Analysis):
        return _of_analysis(record)
    assert isinstance(record, RunResult)
    return _of_result(record)


def _html(
    lines: Sequence[Cell], pictures: Iterable[Picture], tables: Iterable[Sequence[Column]], notes: Iterable[str]
) -> str:
    """Return a cell: the first line is its main fact."""
    from markupsafe import Markup

    facts = {
        "lines": lines,
        "pictures": [vars(each) | {"markup": Markup(each.markup)} for each in pictures],
        "tables": [_table(columns) for columns in tables],
        "notes": list(filter(None, notes)),
    }
    return run_page.template_of("cell.html").render(facts)


def _table(columns: Sequence[Column]) -> dict[str, Any]:
    """Return a table as the template has it: of a table of the terminal as many rows as a cell has."""
    kinds = ["number" if column.kind == "number" else "name" for column in columns]
    rows = zip(*(column.cells[:MAX_ROWS] for column in columns), strict=True)
    totals = [column.total for column in columns] if any(text_of(column.total) for column in columns[1:]) else []
    return {
        "headers": [(column.heading, kind) for column, kind in zip(columns, kinds, strict=True)],
        "rows": [_cells(row, kinds) for row in rows],
        "totals": _cells(totals, kinds[: len(totals)]),
    }


def _cells(row: Sequence[Cell | str], kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Return text and classes of each cell of a row."""
    found = zip(row, kinds, strict=True)
    return [(text_of(each), f"{kind} {each.kind}" if isinstance(each, Cell) else kind) for each, kind in found]


def _left_out(shown: int, count: int, what: str, rest: str) -> str:
    """Return how many of some things are shown, and where all are; "" if all are shown."""
    return f"{shown} of {count:,} {what} are shown{rest}" if shown < count else ""


# ---- systems ------------------------------------------------------------------------------------------

_WHOLE = ("horizon", "seed", "platform", "allocator", "options")
_LISTED = ("resources", "clusters", "changes")
_IN_COLUMNS = {"name", "server", "class_", "period", "deadline", "wcet", "priority", "kind", "parent", "budget"}
"""Keys of tasks and servers that have a column of their own."""


def _of_system(system: System) -> str:
    """Return a system: its load, its tasks and its servers."""
    clock = Clock(system.resolution_ns)
    resolved = system.resolved.tasks[: len(system.tasks)]
    shares = [(task.name, Fraction(task.wcet, task.period)) for task in resolved if task.period and not task.is_greedy]
    pictures = [Picture("", cell_bars.loads(shares, system.cpus))] if shares else []
    tables = [_task_columns(system, clock)]
    tables += [_server_columns(system.servers, clock, system)] if system.servers else []
    notes = [
        _left_out(MAX_ROWS, len(system.tasks), "tasks", "; system.tasks has all."),
        _left_out(MAX_ROWS, len(system.servers), "servers", "; system.servers has all."),
        *(f"{key} = {getattr(system, key)!r}" for key in given(system, _WHOLE)),
        *(f"{len(getattr(system, key))} {key}: see system.{key}." for key in given(system, _LISTED)),
    ]
    return _html([Cell(repr(system)[1:-1].removeprefix("System "))], pictures, tables, notes)


def _task_columns(system: System, clock: Clock) -> list[Column]:
    """Return the parameters of tasks; keys that few have are in one column."""
    tasks = list(zip(system.tasks, system.resolved.tasks, strict=False))[:MAX_ROWS]
    columns = [
        Column("task", [task.name for task, _ in tasks], kind="name"),
        Column("server", [task.server or "-" for task, _ in tasks], kind="name"),
        Column("class", [task.class_ for task, _ in tasks], kind="name"),
        Column("period", [clock.exactly(found.period or None) for _, found in tasks]),
        Column("deadline", [clock.exactly(found.deadline) for _, found in tasks]),
        Column("wcet", [clock.exactly(None if found.is_greedy else found.wcet) for _, found in tasks]),
        Column("priority", [str(task.priority) for task, _ in tasks]),
        Column("load", [_load(found.wcet, found.period) if not found.is_greedy else "-" for _, found in tasks]),
        Column("other keys", [_other_keys(task) for task, _ in tasks], kind="name"),
    ]
    return _used(columns)


def _used(columns: Sequence[Column]) -> list[Column]:
    """Return the columns in which something is not as it is by default."""
    unused = {"server": "-", "inside": "-", "class": "hard", "priority": "0", "other keys": ""}
    return [each for each in columns if any(cell != unused.get(each.heading) for cell in each.cells)]


def _load(wcet: int, period: int) -> str:
    return percent(Fraction(wcet, period)) if period else "-"


def _other_keys(table: Task | Server) -> str:
    """Return the keys of a table that have no column of their own, with their values."""
    names = [name for name in given(table, tuple(type(table).model_fields)) if name not in _IN_COLUMNS]
    found = one_line.of_values(table, ((name, getattr(table, name)) for name in names))
    return found.partition("(")[2].removesuffix(")")


def _server_columns(servers: Sequence[Server], clock: Clock, system: System) -> list[Column]:
    """Return the parameters of servers."""
    found = list(zip(servers, system.resolved.servers, strict=True))[:MAX_ROWS]
    columns = [
        Column("server", [server.name for server, _ in found], kind="name"),
        Column("kind", [server.kind for server, _ in found], kind="name"),
        Column("inside", [server.parent or "-" for server, _ in found], kind="name"),
        Column("period", [clock.exactly(each.period or None) for _, each in found]),
        Column("budget", [clock.exactly(each.budget or None) for _, each in found]),
        Column("priority", [str(server.priority) for server, _ in found]),
        Column("other keys", [_other_keys(server) for server, _ in found], kind="name"),
    ]
    return _used(columns)


# ---- results of runs ----------------------------------------------------------------------------------


def _of_result(result: RunResult) -> str:
    """Return a run: how many jobs were late and why the first one was, a stretch of it, and a row for each task."""
    clock = Clock(result.system.resolution_ns)
    found = report.report_of(result)
    worst = set(timeline.worst_tasks([result])[:MAX_ROWS])
    first, last = ([row for row in found.rows if (row.task in worst) is is_shown] for is_shown in (True, False))
    late = late_jobs.first_late(result)
    lines = [Cell(run_text.headline(found, clock), "bad" if found.missed else "good")]
    lines += [Cell(f"First late: {run_text.late_sentence(late, clock)}")] if late is not None else []
    lines += [Cell(report.verdict(found.missed, found.missed_requested), "bad")] if found.missed_requested else []
    lines += [Cell(line, "bad") for line in report.deadlock_sentences(found.deadlocks, clock.exactly)]
    lines += [Cell(line) for line in report.change_sentences(found.change_lines, clock.exactly)]
    columns = _with_percentiles(run_text.task_columns(replace(found, rows=first + last), clock), result, clock)
    try:
        pictures, notes = [_gantt(result, worst, clock)], list[str]()
    except ValueError as error:  # of a frame that was not kept
        pictures, notes = [], [f"No chart: {error}."]
    notes.append(_left_out(MAX_ROWS, len(found.rows), "tasks", ", the worst; result.summary has all."))
    return _html(lines, pictures, [columns], notes)


def _with_percentiles(columns: Sequence[Column], result: RunResult, clock: Clock) -> list[Column]:
    """Return the columns of tasks with percentiles of their responses, beside the means."""
    rows = {row["task"]: row for row in result.summary.select("task", *_PERCENTILES).iter_rows(named=True)}
    names = [text_of(cell) for cell in columns[0].cells]
    added = [Column(heading, [clock.write(rows[name][key]) for name in names]) for key, heading in _PERCENTILES.items()]
    place = next((number for number, column in enumerate(columns) if column.heading == "mean"), len(columns) - 1)
    return [*columns[: place + 1], *added, *columns[place + 1 :]]


_PERCENTILES: Mapping[str, str] = {"response_p50": "p50", "response_p99": "p99"}


def _gantt(result: RunResult, tasks: set[str], clock: Clock) -> Picture:
    """Return the chart of a stretch of a run, and which part that is."""
    lines = timeline.timeline(result, sorted(tasks), most=None)
    first, last = cell_chart.stretch_of(lines)
    parts = [f"{clock.write(first)} to {clock.write(last)} of {clock.write(result.horizon)}"]
    parts += [f"{len(lines.lanes)} of {lines.task_count:,} tasks, the worst"] * (len(lines.lanes) < lines.task_count)
    servers = sum(group.server is not None for group in lines.groups)
    parts += [f"{servers} of {len(result.system.servers)} servers"] * (servers < len(result.system.servers))
    is_whole = len(parts) == 1 and (first, last) == (0, result.horizon)
    note = "" if is_whole else f'Drawn: {"; ".join(parts)}. result.to_html("run.html") writes a page with all.'
    return Picture("", cell_chart.gantt(lines, first, last, clock.write), [_legend(lines), note])


def _legend(lines: timeline.Timeline) -> str:
    """Return what the signs of a chart mean, of those that it has."""
    signs = [
        ("arrow up: release, arrow down: deadline", True),
        ("red: deadline missed, and what ran after it", bool(lines.jobs["missed"].any())),
        ("dotted: the job was interrupted", lines.segments["resumed"].count() > 0),
        ("number: processor", lines.cpus > 1),
        ("line: budget left", any(group.server is not None for group in lines.groups)),
        ("line: reserved share", any(group.server is None for group in lines.groups)),
        ("pale ground: server idles", len(lines.idle) > 0),
        ("bar below: holds a resource", len(lines.sections) > 0),
        ("pale bar below: waits for one", bool(lines.sections["waits"].any())),
        ("diamond: point, filled where the job should yield", len(lines.points) > 0),
        ("dashed: change", len(lines.changes) > 0),
    ]
    text = "; ".join(sign for sign, is_there in signs if is_there)
    return f"{text[0].upper()}{text[1:]}."


# ---- results of analyses ------------------------------------------------------------------------------


def _of_analysis(analysis: Analysis) -> str:
    """Return an analysis: what is proved, whose time the bounds are, and a row for each task."""
    clock = Clock(analysis.resolution_ns)
    late = causes_text.open_rows(analysis)
    worst = {row.task for row in [*late, *(row for row in analysis.tasks if row not in late)][:MAX_ROWS]}
    first, last = (tuple(row for row in analysis.tasks if (row.task in worst) is shown) for shown in (True, False))
    ordered = replace(analysis, tasks=first + last)
    kind = "good" if analysis.is_schedulable else "bad" if analysis.verdict is Verdict.NOT_SCHEDULABLE else "open"
    lines = [Cell(causes_text.summary(analysis, clock), kind)]
    lines += [Cell(line) for line in analysis_text.lines_of(analysis, clock)]
    bars = [part_bars.bar_of(row, clock) for row in first if row.parts]
    if bars:
        pictures = [Picture("Whose time each bound is", cell_bars.parts(bars), [_without_bars(first)])]
    else:
        more = [f"1 of {len(analysis.charts)} charts: see analysis.charts."] * (len(analysis.charts) > 1)
        charts = ((chart.title, cell_bars.demand(chart, analysis.resolution_ns)) for chart in analysis.charts[:1])
        pictures = [Picture(*chart, more) for chart in charts]
    tables = [analysis_text.task_columns(ordered, clock)]
    tables += [analysis_text.server_columns(analysis, clock)] if analysis.servers else []
    rest = ", those first that are not proved; analysis.tasks has all."
    notes = [
        "" if pictures else "No chart: no bound has parts, and there is no demand to compare with a supply.",
        _left_out(MAX_ROWS, len(analysis.tasks), "tasks", rest),
        _left_out(MAX_ROWS, len(analysis.servers), "servers", "; analysis.servers has all."),
    ]
    return _html(lines, pictures, tables, notes)


def _without_bars(rows: Sequence[Any]) -> str:
    """Return which tasks have no bar, as their bounds have no parts."""
    names = [row.task for row in rows if not row.parts]
    return f"Without a bound in parts: {', '.join(names)}." if names else ""
