# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Study files: TOML in, a Study out, or every problem of the file with its place.

Source: SPEC.md, 7.7. A study is a grid of recipes with some task sets at each point, cut into chunks. Chunks are
numbered through all points, so that what a chunk is follows from the study and its number alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from takt.base import one_line
from takt.base.errors import InputError, Problem, show
from takt.base.version import __version__
from takt.draw.recipe import Recipe
from takt.files import task_set_reading
from takt.model import catalogue
from takt.model.input_table import Table
from takt.model.key import integer
from takt.model.key_types import OptionalName, Seed
from takt.model.system import SCHEMA
from takt.study.batch import Batch
from takt.study.breakdown import Breakdown
from takt.study.grid import Axes, Point, axes_of, name_of, points_of
from takt.study.measures import Acceptance, Compute, Measure, Weighted
from takt.study.simulated import Simulation

KINDS: dict[str, type[Measure]] = {kind.kind: kind for kind in (Acceptance, Weighted, Breakdown, Simulation)}
"""Kinds of measures by name."""

_TABLES = ("schema", "study", "generate", "grid", "measure")
MAX_SETS = 10**9
MAX_CHUNK = 10**6
_MAX_CHUNKS = 10_000_000
_Found = TypeVar("_Found")


class StudyTable(Table):
    """The table [study].

    Args:
        name: of the study; default: that of the file.
        seed: of all task sets.
        sets: how many task sets each point of the grid has.
        chunk: how many of them are one piece of work, and one file, at most.
        output: the folder for what is found; default: the name with .study behind it.
    """

    table = "study"

    name: OptionalName = None
    seed: Seed = 0
    sets: Annotated[int, integer("a number of task sets", 1, MAX_SETS)] = 1000
    chunk: Annotated[int, integer("a number of task sets", 1, MAX_CHUNK)] = 1000
    output: OptionalName = None

    @classmethod
    def _entity(cls, name: object) -> str | None:
        """Return None: there is one table of this kind."""
        return None


@dataclass(frozen=True)
class Study:
    """A study: the recipes to draw, and the measures.

    Args:
        table: what [study] says, with a name.
        generate: what [generate] says.
        axes: what [grid] says.
        measures: at least one, of different kinds.
    """

    table: StudyTable
    generate: Mapping[str, Any]
    axes: Axes
    measures: tuple[Measure, ...]

    __repr__ = one_line.of_fields

    @property
    def name(self) -> str:
        """The name of the study."""
        return str(self.table.name)

    @property
    def output(self) -> Path:
        """The folder for the results, unless the command names another one."""
        return Path(self.table.output or f"{self.name}.study")

    @cached_property
    def points(self) -> list[Point]:
        """The points of the grid, in order."""
        return list(points_of(self.axes))

    @cached_property
    def quantities(self) -> dict[str, Compute]:
        """Quantities of each task set, computed once for all measures that use them."""
        return {name: compute for measure in self.measures for name, compute in measure.quantities().items()}

    @cached_property
    def document(self) -> str:
        """All that the numbers of the study depend on, as text; of_document reads it."""
        parts = {
            "takt": __version__,
            "schema": SCHEMA,
            "study": {"seed": self.table.seed, "sets": self.table.sets, "chunk": self.table.chunk},
            "generate": self.generate,
            "grid": self.axes,
            "measure": [{"kind": measure.kind} | measure.model_dump() for measure in self.measures],
        }
        files = {name: value for measure in self.measures for name, value in measure.files().items()}
        return json.dumps(parts | ({"files": files} if files else {}))

    @property
    def digest(self) -> str:
        """The hash of the document: studies with the same one have the same numbers."""
        return digest_of(self.document)

    # ---- chunks -------------------------------------------------------------------------------------

    @property
    def chunks_of_point(self) -> int:
        """Number of chunks of each point."""
        return -(-self.table.sets // self.table.chunk)

    @property
    def chunks(self) -> int:
        """Number of all chunks."""
        return len(self.points) * self.chunks_of_point

    @property
    def sets(self) -> int:
        """Number of task sets."""
        return len(self.points) * self.table.sets

    def point_of(self, chunk: int) -> int:
        """Return the number of the point that a chunk belongs to."""
        return chunk // self.chunks_of_point

    def size_of(self, chunk: int) -> int:
        """Return the number of task sets of a chunk."""
        return min(self.table.chunk, self.table.sets - self._first_of(chunk))

    def batch_of(self, chunk: int) -> Batch:
        """Return the task sets of a chunk; numbers of sets count from 0 at each point."""
        return Batch(self.recipe_of(self.point_of(chunk)), self.table.seed, self._first_of(chunk), self.size_of(chunk))

    def recipe_of(self, point: int) -> Recipe:
        """Return the recipe of a point."""
        return Recipe(**self.generate, **self.points[point])

    def name_of(self, chunk: int) -> str:
        """Return the name of a chunk for people."""
        first = self._first_of(chunk)
        sets = f"sets {first} to {first + self.size_of(chunk) - 1}"
        return f"chunk {chunk} ({name_of(self.points[self.point_of(chunk)])}; {sets})"

    def _first_of(self, chunk: int) -> int:
        return chunk % self.chunks_of_point * self.table.chunk


def load(path: str | Path) -> Study:
    """Read a study file.

    Args:
        path: a TOML file, schema 1.

    Returns:
        The study; its name is that of the file if the file gives none.

    Raises:
        InputError: the file cannot be read or is not right; it holds the problems that were found.
    """
    document = task_set_reading.read(path)
    task_set_reading.check_kind(path, document, *_TABLES[1:])
    try:
        study = _build(document, task_set_reading.as_name(Path(path).stem, "study"))
        for number, point in enumerate(study.points):
            where = f" (at {name_of(point)})" if point else ""
            try:
                batch = study.batch_of(number * study.chunks_of_point)
                for measure in study.measures:
                    measure.check(batch)
            except InputError as error:
                raise InputError([replace(one, message=one.message + where) for one in error.problems]) from None
        return study
    except InputError as error:
        raise error.in_file(path) from None


def digest_of(document: str) -> str:
    """Return the hash of the document of a study."""
    return hashlib.sha256(document.encode()).hexdigest()


@lru_cache(maxsize=1)
def of_document(document: str) -> Study:
    """Return the study of its document, read once for all chunks of it that a worker gets.

    Raises:
        ValueError: this is another version of Takt, which may compute other numbers.
    """
    parts = json.loads(document)
    version = parts.pop("takt")
    parts.pop("files", None)
    if version != __version__:
        raise ValueError(f"this worker has Takt {__version__}, the study was begun with Takt {version}")
    return _build(parts, "study")


# ---- building ---------------------------------------------------------------------------------------


def _build(document: Mapping[str, Any], default_name: str) -> Study:
    """Return the study of a document; raise all its problems if it has some."""
    problems = [*task_set_reading.schema_problems(document), *_table_problems(document)]
    if problems:
        raise InputError(problems)
    table = _attempt(problems, lambda: StudyTable(**({"name": default_name} | document.get("study", {}))))
    axes = _attempt(problems, lambda: axes_of(document.get("grid", {})))
    measures = _measures(document.get("measure", []), problems)
    if table is None or axes is None or problems:
        raise InputError(problems)
    study = Study(table, document.get("generate", {}), axes, tuple(measures))
    problems += _grid_problems(study)
    if problems:
        raise InputError(problems)
    return study


def _attempt(problems: list[Problem], make: Callable[[], _Found]) -> _Found | None:
    """Return an object; None after adding its problems to `problems`."""
    try:
        return make()
    except InputError as error:
        problems += error.problems
        return None


def _table_problems(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Check the top-level keys and that they are tables."""
    for key, value in document.items():
        if key not in _TABLES:
            yield Problem(f"unknown key; {catalogue.alternatives(key, _TABLES)}", "unknown-key", key=key)
        elif key in ("study", "generate", "grid") and not isinstance(value, dict):
            yield Problem(f"expected a table, found {show(value)}; write [{key}]", "wrong-type", key=key)
    measures = document.get("measure", [])
    if not isinstance(measures, list) or not all(isinstance(table, dict) for table in measures):
        message = f"expected an array of tables, found {show(measures)}; write [[measure]]"
        yield Problem(message, "wrong-type", key="measure")
    elif not measures:
        yield Problem('missing; write [[measure]] and kind = "acceptance"', "missing", key="measure")


def _measures(tables: list[dict[str, Any]], problems: list[Problem]) -> list[Measure]:
    found: list[Measure] = []
    for number, table in enumerate(tables, start=1):
        try:
            kind = table.get("kind")
            if not isinstance(kind, str) or kind not in KINDS:
                message = "missing" if kind is None else f"unknown kind {show(kind)}"
                hint = catalogue.alternatives(str(kind), KINDS)
                raise InputError([Problem(f"{message}; {hint}", "unknown-word", table="measure", key="kind")])
            if kind in [measure.kind for measure in found]:
                message = f"expected one measure of this kind, found another one; list all in the first {show(kind)}"
                raise InputError([Problem(message, "duplicate", table="measure", key="kind")])
            found.append(KINDS[kind](**{key: value for key, value in table.items() if key != "kind"}))
        except InputError as error:
            problems += [replace(problem, number=number) for problem in error.problems]
    return found


def _grid_problems(study: Study) -> Iterator[Problem]:
    """Check that the chunks can be counted, and that keys fit between the tables."""
    if study.chunks > _MAX_CHUNKS:
        message = f"expected at most {_MAX_CHUNKS} chunks, found {study.chunks}; make them larger"
        yield Problem(message, "out-of-range", table="study", key="chunk")
    known = Recipe.keys()
    for key in study.axes:
        if key not in known:
            message = f"unknown key; {catalogue.alternatives(key, known)}"
            yield Problem(message, "unknown-key", table="grid", key=key)
        if key in study.generate:
            yield Problem("this key stands in [generate] too; leave out one", "conflict", table="grid", key=key)
    for measure in study.measures:
        over = getattr(measure, "over", None)
        if over is not None and over not in study.axes:
            message = f"expected an axis of [grid], found {show(over)}"
            yield Problem(message, "out-of-range", table="measure", entity=measure.kind, key="over")
