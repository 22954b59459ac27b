# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CSV: one row for each task, as spreadsheets and scripts write them.

Before the row of headings there may be lines `# KEY = VALUE` for the keys of [system], and
`# resource NAME = PROTOCOL`. The headings are keys of [[task]], in any order and in either case, spaces counting as
underscores; one of times may end in a unit, `Period (ms)`, which the numbers below it have. An empty cell is a key
that is left out. Items of a list stand between bars:
`run 2ms | lock R | run 1ms | unlock R`; a distribution is its name and its parameters: `normal mean=2ms deviation=1`.
A text that a spreadsheet would take for a formula has an apostrophe before it; see csv_files.
Cells are separated by commas, semicolons or tabs, and with semicolons a number may have a decimal comma.

Left out: servers, options of policies, costs, changes; a file has one table.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from takt.base import input_files, times
from takt.base.csv_files import guarded, unguarded
from takt.base.errors import InputError, Problem, show
from takt.formats import common
from takt.formats.contracts import Format, Imported, Written
from takt.model import catalogue
from takt.model.distributions import DISTRIBUTIONS, Distribution
from takt.model.python_policy import Policy
from takt.model.system import Header, System
from takt.model.tables import Resource, Task

_SEPARATORS = ",;\t"
_KEYS = Task.keys()
_HEADER = Header.keys()
_LISTS = ("arrivals", "demand", "body", "subjobs", "sections")
_TEXTS = Task.text_keys()
_HEADER_TEXTS = Header.text_keys()
_RESOURCE = re.compile(r"resource\s+(?P<name>.*\S)")
_DECIMAL_COMMA = re.compile(rf"[0-9]+,[0-9]+ ?[a-z{times.MICRO}]*")
_TIMES = {*Task.time_keys(), "arrivals", "demand", "subjobs"}
_BRACKETS = {")": "(", "]": "["}
_TICKS = ("tick", "ticks")
_PROTOCOLS = {protocol: protocol for protocol in catalogue.PROTOCOLS if protocol not in catalogue.AMONG_PROTOCOLS}


# ---- reading ----------------------------------------------------------------------------------------


def read(data: bytes, name: str) -> Imported:
    """Read a file."""
    rows = _rows(input_files.decoded(data))
    input_files.check_count(len(rows), input_files.MAX_TABLES, "rows")
    start = next((number for number, row in enumerate(rows) if not _is_remark(row.cells[0])), None)
    if start is None:
        raise InputError([Problem("expected a row of headings such as name,period,wcet, found none", "missing")])
    header, resources, warnings = _comments(rows[:start])
    columns = [_column(number, heading) for number, heading in enumerate(rows[start].cells, start=1)]
    warnings += _unknown(rows[start], columns)
    tasks = _tasks(rows[start + 1 :], columns)
    if any(column.unit for column in columns) and "resolution" not in header:
        spans = {header.get("horizon", 0), *(span for task in tasks for span in _spans(task))} - {None, 0}
        lengths = [length for span in spans if isinstance(span, str) and (length := times.parse(span)) is not None]
        if len(lengths) == len(spans) and all(length.denominator == 1 for length in lengths):  # none is in ticks
            header["resolution"] = times.shortest(common.coarsest(map(int, lengths)))
    warnings += [warning for row in rows for warning in row.warnings]
    return Imported(System(**{"name": name, **header}, tasks=tasks, resources=resources), tuple(warnings))


class _Column(NamedTuple):
    """A heading.

    Args:
        heading: as it is written.
        key: the key of [[task]] that it is, if it is understood; else the heading in lower case.
        unit: of the numbers below it, none for ticks and numbers that are no times.
    """

    heading: str
    key: str
    unit: str

    @property
    def is_key(self) -> bool:
        return self.key in _KEYS


def _column(number: int, heading: str) -> _Column:
    """Read a heading; a unit that is none, or of what is no time, leaves it as it is."""
    opening = _BRACKETS.get(heading[-1:])
    name, _, unit = heading.lower()[:-1].rpartition(opening) if opening else ("", "", "")
    key, unit = "_".join(name.split()), times.spelled(unit.strip())
    if key in _TIMES and (unit in times.UNITS or unit in _TICKS):
        return _Column(heading, key, "" if unit in _TICKS else unit)
    return _Column(heading, "_".join(heading.lower().split()) or f"column {number}", "")


class _Row:
    """A row that is not empty.

    Args:
        line: number of its last line, counted from 1.
        cells: their texts, without spaces around them.
        has_commas: whether a comma is a decimal one.
    """

    def __init__(self, line: int, cells: Sequence[str], *, has_commas: bool) -> None:
        self.line = line
        self.cells = [unguarded(cell.strip()) for cell in cells]
        self.has_commas = has_commas
        self.warnings: list[Problem] = []


def _rows(text: str) -> list[_Row]:
    headings = next((line for line in text.splitlines() if line.strip(' "\t,;') and not _is_remark(line)), "")
    separator = max(_SEPARATORS, key=headings.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        rows = [_Row(reader.line_num, cells, has_commas=separator == ";") for cells in reader]
    except csv.Error as error:
        raise InputError([Problem(f"line {reader.line_num}: not a table: {error}", "syntax")]) from None
    return [row for row in rows if any(row.cells)]


def _is_remark(text: str) -> bool:
    """True if a text is no part of the table."""
    return text.lstrip(' "').startswith("#")


def _comments(rows: Iterable[_Row]) -> tuple[dict[str, Any], list[Resource], list[Problem]]:
    """Read the lines before the table: keys of [system] and resources; warns of other lines."""
    header: dict[str, Any] = {}
    resources: list[Resource] = []
    warnings: list[Problem] = []
    for row in rows:
        remark = ", ".join(cell for cell in row.cells if cell).lstrip().removeprefix("#")
        key, equals, value = (part.strip() for part in remark.partition("="))
        resource = _RESOURCE.fullmatch(key) if equals else None
        if resource:
            resources.append(Resource(name=resource["name"], protocol=value))
        elif equals and key in _HEADER:
            header[key] = value if key in _HEADER_TEXTS else _scalar(value, row)
        else:
            warnings.append(Problem(f"not read: {show(' '.join(row.cells).strip())} (line {row.line})", "lost"))
    return header, resources, warnings


def _unknown(row: _Row, columns: Sequence[_Column]) -> list[Problem]:
    """Warn of columns that are no keys; an error if one is there twice, or names are missing."""
    input_files.check_count(len(columns), input_files.MAX_COLUMNS, "columns")
    keys = [column.key for column in columns]
    unknown = [column for column in columns if not column.is_key]
    for key, count in Counter(keys).items():
        if count > 1:
            raise InputError(
                [Problem(f"line {row.line}: expected each column once, found {show(key)} twice", "duplicate")]
            )
    if "name" not in keys:
        message = f"line {row.line}: expected a column name among the headings, found {show(', '.join(keys))}"
        if unknown:
            message += f"; not understood: {show(', '.join(column.heading for column in unknown))}; {_understood()}"
        raise InputError([Problem(message, "missing")])
    return [
        Problem(f"not read: a heading that is not understood; {_understood(column.key)}", "lost", key=column.heading)
        for column in unknown
    ]


def _understood(key: str = "") -> str:
    """Return the heading that was probably meant, or all headings."""
    close = catalogue.suggest(key, _KEYS)
    every = f"headings are {', '.join(_KEYS)}, or period (ms)"
    return f"did you mean {show(close)}?" if close else every


def _tasks(rows: Sequence[_Row], columns: Sequence[_Column]) -> list[Task]:
    """Read the tasks, or collect their problems."""
    tasks: list[Task] = []
    problems: list[Problem] = []
    for row in rows:
        try:
            if any(row.cells[len(columns) :]):
                message = f"expected {len(columns)} cells as there are headings, found {len(row.cells)}"
                raise InputError([Problem(message, "conflict")])
            cells = zip(columns, row.cells, strict=False)
            tasks.append(
                Task(**{column.key: _value(column, cell, row) for column, cell in cells if cell and column.is_key})
            )
        except InputError as error:
            problems += [replace(one, message=f"{one.message} (line {row.line})") for one in error.problems]
    if problems:
        raise InputError(problems)
    return tasks


def _spans(task: Task) -> Iterator[int | str | None]:
    yield from (span for _, span in task.times())
    yield from (item.time for item in task.items)
    for value in (task.arrivals, task.demand):
        if isinstance(value, Distribution):
            yield from (getattr(value, key) for key in {*value.parameters, "min", "max"} - {"shape"})
        else:
            yield from value if isinstance(value, tuple) else (value,)


def _value(column: _Column, cell: str, row: _Row) -> Any:
    key, unit = column.key, column.unit
    if key in _TEXTS:
        return cell
    if cell.split()[0] in DISTRIBUTIONS and key in ("arrivals", "demand"):
        return _distribution(column, cell, row)
    if key == "body":
        return [item.strip() for item in cell.split("|")]
    if key in _LISTS:
        return [_scalar(item.strip(), row, unit) for item in cell.split("|")]
    return _scalar(cell, row, unit)


def _scalar(text: str, row: _Row, unit: str = "") -> int | str:
    """Read a number, which without the unit of its column is whole; a time with a unit stays as it is."""
    if row.has_commas and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    value = common.number(text)
    if unit and value is not None and value >= 0:
        length = value * times.UNITS[unit]
        if length.denominator != 1:
            what = f"not read: {text} {unit}, so {round(length)}ns takes its place (line {row.line})"
            row.warnings.append(Problem(what, "lost"))
            return f"{round(length)}ns"
        return f"{text}{unit}" if times.parse(f"{text}{unit}") is not None else times.shortest(int(length))
    return int(value) if value is not None and value.denominator == 1 else text


def _distribution(column: _Column, cell: str, row: _Row) -> Distribution:
    name, *parameters = cell.split()
    pairs = [parameter.partition("=") for parameter in parameters]
    values: dict[str, Any] = {
        word: _scalar(value, row, "" if word == "shape" else column.unit) for word, _, value in pairs
    }
    shape = common.number(str(values.get("shape", "")))
    try:
        return DISTRIBUTIONS[name](**(values if shape is None else values | {"shape": float(shape)}))
    except InputError as error:
        raise InputError(
            [replace(one, table="task", key=column.key, message=f"{one.key}: {one.message}") for one in error.problems]
        ) from None


# ---- writing ----------------------------------------------------------------------------------------


def write(system: System) -> Written:
    """Write a table; keys without a column are left out."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    policy = common.policy_for(system, system.tasks)
    if isinstance(policy, Policy) or catalogue.traits_of(policy).has_slots:  # nothing without its options
        policy = "fp"
    for key, field in Header.model_fields.items():
        value = policy if key == "policy" else getattr(system, key)
        if value != field.default or key == "name":
            writer.writerow([f"# {key} = {value}"])
    protocols = common.protocols(system.resources, policy, _PROTOCOLS, "none")
    for name, protocol in protocols.items():
        writer.writerow([f"# resource {name} = {protocol}"])
    deadlines = {task.name: task.deadline for task in system.resolved.tasks}
    without = ("server", "threshold") if system.servers else ()
    rows = [_cells(task, without, deadlines[task.name]) for task in system.tasks]
    columns = [key for key in _KEYS if any(key in row for row in rows)]
    writer.writerow(columns)
    writer.writerows([guarded(row.get(key, "")) for key in columns] for row in rows)
    return Written(text.getvalue(), {})


def _cells(task: Task, without: Collection[str], deadline: int) -> dict[str, str]:
    """Write the keys of a task that say something, but for some; and the deadline where only its server says it."""
    cells: dict[str, str] = {}
    for name, field in type(task).model_fields.items():
        key, value = field.alias or name, getattr(task, name)
        if value != field.default and key not in without:
            if isinstance(value, Distribution):
                keys = (key for key in type(value).model_fields if getattr(value, key) is not None)
                text = " ".join((value.kind, *(f"{key}={str(getattr(value, key)).replace(' ', '')}" for key in keys)))
            elif isinstance(value, tuple):
                text = " | ".join(map(str, value))
            else:
                text = str(value)
            cells[key] = text
    if task.lacks_deadline:
        cells["deadline"] = str(deadline)
    return cells


FORMAT = Format("csv", (".csv",), lambda data: True, read, write)
