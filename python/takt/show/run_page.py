# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page that a person opens: what happened in a run, or in several runs of one task set, as one HTML file.

The file holds everything that it shows, scripts included, and a policy that forbids the browser to load anything
else. The frame of the page is templates/report.html, which escapes all that is put into it; the charts are made in
charts.py. Neither Bokeh nor Jinja is imported before a page is wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from takt.base import forks, output_files
from takt.model.conversion import to_ticks
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.run.remote import Remote
from takt.run.result import RunResult
from takt.show import report, resource_use, stretches, timeline
from takt.show.report import TaskRow
from takt.show.text_tables import MAX_LINES, Cell, Clock, share

if TYPE_CHECKING:
    from bokeh.models import Model
    from jinja2 import Template
    from markupsafe import Markup

    from takt.show.charts import Run

MAX_PANELS = 30
"""How many tasks get a distribution of their own."""

_FIRST_SEGMENTS = 120
_COUNTS = ("preemptions", "migrations", "aborted", "skipped", "cut", "overruns")


@dataclass(frozen=True)
class Panel:
    """The distribution of one task's responses.

    Args:
        task: its name.
        deadline: written.
        facts: what stands below it.
        key: of its chart.
    """

    task: str
    deadline: str
    facts: list[Cell]
    key: str


def write(results: Sequence[RunResult], path: str | Path, remote: Remote | None = None) -> None:
    """Write a page about one run, or about several runs of one task set, one above the other on one time axis.

    Args:
        results: of simulations that kept what is shown; they differ in their policies.
        path: the file; what is there is replaced.
        remote: the messages of a run with a scheduler at a distance.

    Raises:
        InputError: the file cannot be written.
        ValueError: there is no result, or one did not keep segments, jobs, points, or the budgets or locks that
            there are.
    """
    output_files.write(path, page(results, remote).encode())


def page(results: Sequence[RunResult], remote: Remote | None = None) -> str:
    """Return the text of the page; arguments and errors are those of write."""
    forks.check()
    if not results:
        raise ValueError("a report needs at least one result")
    runs = _runs(results)
    facts = _facts(runs) | {"script": markup_of("report.js"), "remote_table": None}
    if remote is not None:
        cells = report.remote_cells(remote, _clock(results[0]))
        facts["remote_table"] = _table([(name, "number") for name in cells], [list(cells.values())])
    return render("report.html", facts, embed(_charts(runs, remote), "takt.ready()"))


def _runs(results: Sequence[RunResult]) -> list[Run]:
    """Prepare the runs; all show the same tasks. Names of policies that occur more than once are numbered."""
    from takt.show.charts import Run

    tasks = timeline.worst_tasks(results)[: timeline.MAX_LANES]
    limit = timeline.MAX_SEGMENTS // len(results)
    policies = [report.report_of(result).policy for result in results]
    runs, seen = list[Run](), Counter[str]()
    for policy, result in zip(policies, results, strict=True):
        seen[policy] += 1
        name = policy if policies.count(policy) == 1 else f"{policy} ({seen[policy]})"
        runs.append(Run(name, result, timeline.timeline(result, tasks, limit)))
    return runs


# ---- charts -----------------------------------------------------------------------------------------


def _charts(runs: Sequence[Run], remote: Remote | None) -> dict[str, Model]:
    """Return all charts of the page, by key: responses are histograms of one run, or a line for each of several."""
    from takt.show import charts

    lines, tasks = runs[0].timeline, _panel_tasks(runs)
    view = charts.view_of(runs, *_first_view(runs))
    found: dict[str, Model] = {"overview": charts.overview(runs, view)}
    found |= {f"gantt-{number}": charts.gantt(run, number, view) for number, run in enumerate(runs)}
    bins = charts.BINS if len(runs) == 1 else charts.SHARE_BINS
    by_run = [timeline.distributions(run.result, tasks, bins) for run in runs]
    colors = {lane.task: lane.color for lane in lines.lanes}
    for i, task in enumerate(tasks):
        counted = [distributions[task] for distributions in by_run]
        if len(runs) == 1:
            found[f"panel-{i}"] = charts.histogram(counted[0], colors[task], lines.scale, lines.unit)
        else:
            found[f"panel-{i}"] = charts.shares(counted, lines.scale, lines.unit)
    if remote is not None:
        edges, counts = timeline.bins_of(pl.Series(remote.lateness, dtype=pl.Int64), charts.BINS)
        found["lateness"] = charts.lateness(edges, counts, lines.scale, lines.unit)
    return found


def _first_view(runs: Sequence[Run]) -> tuple[int, int]:
    """Return the first view: the begin of the runs, or if no job is late there, the first late job."""
    end = min(run.timeline.window(_FIRST_SEGMENTS) for run in runs)
    late = pl.concat([run.timeline.jobs.filter("missed") for run in runs], how="diagonal").sort("deadline")
    if late.is_empty() or late["deadline"][0] <= end:
        return 0, end
    release, deadline, finish = late.select("release", "deadline", "finish").row(0)
    end = min(run.timeline.window(_FIRST_SEGMENTS, release) for run in runs)
    until = max(run.timeline.until for run in runs)
    return release, max(end, min(deadline if finish is None else finish, until))


def _panel_tasks(runs: Sequence[Run]) -> list[str]:
    """Choose the tasks whose responses are shown: the worst, in the order of the chart above."""
    worst = set(timeline.worst_tasks([run.result for run in runs])[:MAX_PANELS])
    return [lane.task for lane in runs[0].timeline.lanes if lane.task in worst]


# ---- what the page says -----------------------------------------------------------------------------


def _facts(runs: Sequence[Run]) -> dict[str, Any]:
    """Collect what the template says; the changes are the same in every run."""
    from takt.show import charts

    system = runs[0].result.system
    reported = report.report_of(runs[0].result)
    show_span = partial(timeline.show_span, system=system)
    return {
        "name": system.name,
        "verdict": _verdict([run.result for run in runs]),
        "policies": [run.name for run in runs] if len(runs) > 1 else [report.policies_of(reported)],
        "domains": report.domain_lines(reported) if len(runs) == 1 else [],
        "horizon": show_span(runs[0].result.horizon),
        "utilization": stretches.written([each.utilization for each in reported.stretches], share),
        "load": stretches.sentence(reported.stretches, show_span),
        "is_rate_based": any(_is_rated(run.result) for run in runs),
        "cpus": reported.cpus,
        "tasks": len(reported.rows),
        "servers": len(system.servers),
        "server_note": _row_note(MAX_LINES, "first", len(system.servers), "servers"),
        "runs": [
            {"name": run.name, "verdict": _verdict([run.result]), "key": f"gantt-{number}"}
            for number, run in enumerate(runs)
        ],
        "notes": list(_notes(runs)),
        "panels": _panels(runs),
        "panel_note": _row_note(MAX_PANELS, "worst", runs[0].timeline.task_count, "tasks"),
        "policy_lines": [{"name": run.name, **charts.line_of(number)} for number, run in enumerate(runs)],
        "policy_table": _policy_table(runs),
        "task_table": _task_table(runs) if len(runs) == 1 else _comparison_table(runs),
        "server_table": _server_table(system),
        "task_note": _row_note(MAX_LINES, "worst", len(reported.rows), "tasks"),
        "has_points": any(len(run.timeline.points) for run in runs),
        "has_misses": any(run.result.missed for run in runs),
        "deadlocks": list(_deadlocks(runs)),
        "has_budgets": any(group.server is not None for run in runs for group in run.timeline.groups),
        "changes": report.change_sentences(runs[0].result.change_lines, show_span),
        "has_ledger": any(group.server is None for run in runs for group in run.timeline.groups),
        "has_idle": any(len(run.timeline.idle) for run in runs),
        "has_sections": any(len(run.timeline.sections) for run in runs),
        "has_waits": any(run.timeline.sections["waits"].any() for run in runs),
    }


def _verdict(results: Sequence[RunResult]) -> Cell:
    rated = [result.summary["missed_requested"].sum() for result in results if _is_rated(result)]
    missed, requested = sum(result.missed for result in results), sum(map(int, rated)) if rated else None
    return Cell(report.verdict(missed, requested), "bad" if missed else "warn" if requested else "good")


def _deadlocks(runs: Sequence[Run]) -> Iterator[str]:
    """Yield deadlocks, with the run if there are several."""
    for run in runs:
        found = resource_use.deadlocks(run.result)
        prefix = f"{run.name}: " if len(runs) > 1 else ""
        for sentence in report.deadlock_sentences(found, partial(timeline.show_span, system=run.result.system)):
            yield prefix + sentence


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield notes about what the charts omit."""
    lines = runs[0].timeline
    servers = len(runs[0].result.system.servers)
    if len(lines.groups) < servers:
        yield f"The charts show {len(lines.groups)} of {servers} servers."
    if len(lines.lanes) < lines.task_count:
        yield f"The charts show {len(lines.lanes)} of {lines.task_count} tasks, the worst: see the table of tasks."
    for run in runs:
        shown, system = run.timeline, run.result.system
        if shown.until < shown.horizon:
            until, horizon = timeline.show_about(shown.until, system), timeline.show_span(shown.horizon, system)
            yield (
                f"The chart of {run.name} ends at {until} of {horizon}, after {len(shown.segments):,} segments of its "
                "tasks. Tables and responses are those of the whole run."
            )


def _row_note(most: int, which: str, count: int, what: str) -> str:
    return f"The {most} {which} of {count} {what}." if count > most else ""


class _PageClock(Clock):
    """Writer of times and numbers on the page."""

    def write(self, ticks: int | Fraction | None) -> str:
        """Write a time; a dash if there is none."""
        return "\u2013" if ticks is None else timeline.spaced(super().write(ticks))


def _clock(result: RunResult) -> Clock:
    """Return the clock in which the result's task set is written."""
    return _PageClock(result.system.resolution_ns)


def _panels(runs: Sequence[Run]) -> list[Panel]:
    """Return the facts around the distributions.

    Deadlines are as the tables have them, with the longest one of those that rules give instead.
    """
    result = runs[0].result
    rows, clock = [_rows_by_task(run.result) for run in runs], _clock(result)
    requested, longest = timeline.requested_deadlines(result), timeline.relative_deadlines(result)
    word = "requested deadline" if _is_rated(result) else "deadline"
    panels = []
    for number, task in enumerate(_panel_tasks(runs)):
        deadline = f"{word} {stretches.written(requested[task], clock.write)}"
        if longest[task] not in requested[task]:
            deadline += f", given up to {clock.write(longest[task])}"
        facts = [_panel_fact(run, by_task[task], len(runs) > 1) for run, by_task in zip(runs, rows, strict=True)]
        panels.append(Panel(task, deadline, facts, f"panel-{number}"))
    return panels


def _panel_fact(run: Run, row: TaskRow, is_compared: bool) -> Cell:
    """Return the largest response and the misses of a task."""
    name = f"{run.name}: " if is_compared else ""
    largest = f"max {_clock(run.result).write(row.response_max)}" if row.finished else "none finished"
    requested = row.missed_requested or 0
    is_rate_based = _is_rated(run.result)
    misses = [f"{row.missed} {'adjusted deadlines ' * is_rate_based}missed"] * bool(row.missed)
    misses += [f"{requested} requested deadlines missed"] * (is_rate_based and requested > 0)
    return Cell(f"{name}{', '.join([largest, *misses])}", "missed" if misses else "")


def _rows_by_task(result: RunResult) -> dict[str, TaskRow]:
    return {row.task: row for row in report.task_rows(result)}


# ---- tables -----------------------------------------------------------------------------------------

_Table = dict[str, Any]


def _table(headers: Sequence[tuple[str, str]], rows: list[list[Cell]]) -> _Table:
    return {"headers": headers, "rows": rows}


def _number(value: float | Fraction | None) -> Cell:
    return Cell("\u2013" if value is None else f"{value:,}", sort=-1 if value is None else float(value))


def _name(text: str) -> Cell:
    return Cell(text, "name", text)


def _task_table(runs: Sequence[Run]) -> _Table:
    """Return the table of tasks with parameters and results, worst first; preemptions, and other counts that occur."""
    result = runs[0].result
    occurring = (name for name in _COUNTS if name in result.summary.columns)
    counts = [name for name in occurring if name == "preemptions" or result.summary[name].sum()]
    is_rated = _is_rated(result)
    counted = {row["task"]: row for row in result.summary.select("task", *counts).iter_rows(named=True)}
    names = ["task", *_places(result), "class"]
    first = ["period", "deadline", "wcet", "util", "jobs", "misses", *["missed requested"] * is_rated, *_RESPONSES]
    last = ["rate", "granted"] * is_rated
    headers = [*_headers(names, "name"), *_headers((*first, *counts, *last), "number")]
    rows = [
        [
            *(_named(cells[key]) for key in names),
            *(cells[key] for key in first),
            *(_number(counted[task][name]) for name in counts),
            *(cells[key] for key in last),
        ]
        for task, (cells,) in _worst_cells(runs)
    ]
    return _table(headers, rows)


_RESPONSES = {"min": "min response", "avg": "mean", "max": "max"}
_HEADINGS = {"util": "utilization", "misses": "missed"} | _RESPONSES
"""Headings that are others than in the terminal."""

_OUTCOMES = {"max": "max response", "misses": "missed", "missed requested": "missed requested"}
"""Columns for each of several runs with their headings; the last one under a rate-based root."""


def _headers(keys: Iterable[str], kind: str) -> list[tuple[str, str]]:
    return [(_HEADINGS.get(key, key), kind) for key in keys]


def _named(cell: Cell) -> Cell:
    """Write a name; a dash if there is none."""
    return cell if cell.text else _name("\u2013")


def _server_table(system: System) -> _Table:
    """Return the table of the servers, in file order."""
    headers = [(name, "name") for name in ("server", "in", "kind", "policy")]
    numbers = [(name, "number") for name in ("period", "budget", "offset", "priority")]
    rows = [
        [
            *map(_name, (server.name, server.parent or "\u2013", server.kind, name_of(server.policy))),
            *(
                Cell(timeline.show_time(value, system), sort=float(to_ticks(value, system.resolution)))
                for value in (server.period, server.budget, server.offset)
            ),
            _number(server.priority),
        ]
        for server in system.servers[:MAX_LINES]
    ]
    return _table([*headers, *numbers], rows)


def _is_rated(result: RunResult) -> bool:
    return result.system.resolved.rates is not None


def _places(result: RunResult) -> list[str]:
    """Return the columns of domains and servers, if there are any."""
    system = result.system
    return ["domain"] * bool(system.domains) + ["server"] * bool(system.servers)


def _worst_cells(runs: Sequence[Run]) -> Iterator[tuple[str, list[dict[str, Cell]]]]:
    """Yield tasks, worst first and not too many, with their cells in each run."""
    clock = _clock(runs[0].result)
    rows = [_rows_by_task(run.result) for run in runs]
    for task in timeline.worst_tasks([run.result for run in runs])[:MAX_LINES]:
        yield task, [report.cells_of(by_task[task], clock) for by_task in rows]


def _comparison_table(runs: Sequence[Run]) -> _Table:
    """Return the table of the task set with the largest response and the misses under each policy, worst first."""
    names, times = ["task", *_places(runs[0].result)], ["period", "deadline", "wcet"]
    outcomes = [[*_OUTCOMES][: 2 + _is_rated(run.result)] for run in runs]
    headers = [*_headers(names, "name"), *_headers(times, "number")]
    for run, keys in zip(runs, outcomes, strict=True):
        headers += [(f"{_OUTCOMES[key]} {run.name}", "number") for key in keys]
    rows = [
        [
            *(_named(under[0][key]) for key in names),
            *(under[0][key] for key in times),
            *(cells[key] for cells, keys in zip(under, outcomes, strict=True) for key in keys),
        ]
        for _, under in _worst_cells(runs)
    ]
    return _table(headers, rows)


def _policy_table(runs: Sequence[Run]) -> _Table:
    """Return the table with a line for each run; kernel time only if there is any."""
    is_costly = any(run.result.overhead for run in runs)
    counts = ["jobs", "missed", "preemptions", "decisions"] + ["context switches", "kernel time"] * is_costly
    headers = [
        ("policy", "name"),
        *[(name, "number") for name in (*counts, "largest response / deadline")],
        ("of task", "name"),
    ]
    rows = []
    for run in runs:
        overhead, missed, summary = run.result.overhead, run.result.missed, run.result.summary
        kernel = [_number(run.result.switches), Cell(_clock(run.result).write(overhead), sort=float(overhead))]
        longest = pl.col("task").replace_strict(timeline.relative_deadlines(run.result))
        nearnesses = summary.filter(pl.col("finished") > 0).select("task", found=pl.col("response_max") / longest)
        worst = nearnesses.sort("found", descending=True, maintain_order=True).head(1)
        task, nearness = worst.row(0) if len(worst) else ("\u2013", None)
        rows.append(
            [
                _name(run.name),
                _number(int(summary["released"].sum())),
                Cell(f"{missed:,}", "missed" if missed else "number", missed),
                _number(int(summary["preemptions"].sum())),
                _number(run.result.decisions),
                *(kernel if is_costly else []),
                Cell("\u2013" if nearness is None else f"{nearness:.3f}", sort=nearness or 0.0),
                _name(task),
            ]
        )
    return _table(headers, rows)


# ---- the page ---------------------------------------------------------------------------------------


def render(template: str, facts: dict[str, Any], embedded: Embedded) -> str:
    """Return the text of a template with facts and charts; it escapes all that is no markup.

    Args:
        template: its name in templates/.
        facts: what it shows.
        embedded: the charts.
    """
    return template_of(template).render(
        facts,
        css=markup_of("report.css"),
        library=embedded.library,
        embedding=embedded.script,
        places=embedded.places,
    )


def template_of(name: str) -> Template:
    """Return a template, which escapes all that is no markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("takt.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def markup_of(name: str) -> Markup:
    """Read a file of the templates, which is put into pages as it is."""
    from markupsafe import Markup

    return Markup((resources.files("takt.show") / "templates" / name).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Embedded:
    """Charts as a page holds them: the script that makes them, the place of each, and the library."""

    script: Markup
    places: dict[str, Markup]
    library: Markup


def embed(figures: dict[str, Model], when_ready: str | None = None) -> Embedded:
    """Return the markup of charts; their script escapes its data.

    Args:
        figures: by key.
        when_ready: what the browser runs when they are there.
    """
    from bokeh.document import Document
    from bokeh.embed import components
    from bokeh.models import CustomJS
    from bokeh.resources import Resources
    from markupsafe import Markup

    if not figures:
        return Embedded(Markup(""), {}, Markup(""))
    document = Document()
    with document.models.freeze():  # counts the models once, not once for each root
        for figure in figures.values():
            document.add_root(figure)
    if when_ready is not None:
        document.js_on_event("document_ready", CustomJS(code=when_ready))
    script, places = components(figures)
    library = Resources(mode="inline", components=["bokeh"]).render()
    return Embedded(Markup(script), {key: Markup(place) for key, place in places.items()}, Markup(library))
