# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The base of all measures: the tables [[measure]] of a study, which define what is computed of its task sets.

A measure names *quantities*: what is computed of each task set, by workers, and kept in chunk files. It then says what
many of them mean together: *aspects*, each of which is summed up at each point of the grid. Measures that use the same
quantity share it. Those that count accepted task sets are here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy.typing as npt

from takt.base.errors import InputError, Problem, show
from takt.model import value_checks
from takt.model.input_table import Table
from takt.model.key import Key, list_of, word
from takt.model.key_types import Name
from takt.study.batch import Batch
from takt.study.grid import Point
from takt.study.registry import TESTS, MatrixTest
from takt.study.statistics import Mean, Ratio, WeightedRatio

Column = npt.NDArray[Any]
Columns = dict[str, Column]
Compute = Callable[[Batch], Columns]
Summary = Ratio | WeightedRatio | Mean

UTILIZATION = "utilization"
"""The column that every chunk has: the sum of wcet / period of the set as it was drawn."""


@dataclass(frozen=True)
class Aspect:
    """Something that a measure says about a subject.

    Args:
        subject: the test or the policy.
        quantity: what is said, as tables and figures name it.
        new: makes an empty summary.
        add: adds the columns of a chunk to a summary.
    """

    subject: str
    quantity: str
    new: Callable[[], Summary]
    add: Callable[[Any, Mapping[str, Column]], None]


class Measure(Table):
    """Common base of all measures."""

    table = "measure"

    kind: ClassVar[str]

    def quantities(self) -> dict[str, Compute]:
        """Return the quantities computed of each task set: names, and functions from a batch to columns."""
        raise NotImplementedError

    def aspects(self) -> Iterator[Aspect]:
        """Yield the aspects of each point."""
        raise NotImplementedError

    def files(self) -> dict[str, str]:
        """Return the hashes of files that the quantities depend on, by what names them."""
        return {}

    def place(self, point: Point) -> Point:
        """Return the point of the result at which the task sets of a point count."""
        return point

    def check(self, batch: Batch) -> None:
        """Refuse recipes that this measure cannot be computed for.

        Args:
            batch: task sets of the recipe.

        Raises:
            InputError: they are not of the kind that this is about.
        """

    @classmethod
    def _entity(cls, name: object) -> str | None:
        """Measures are distinguished by their kind."""
        return cls.kind


def words(what: str, names: Iterable[str]) -> Key:
    """Describe a list of words, at least one and none twice, each out of a list."""
    one = word(what, names)
    return Key(
        lambda value: tuple(map(one.check, value_checks.check_names(value))), list_of(one.schema, uniqueItems=True)
    )


class OfTests(Measure):
    """Common base of measures of tests.

    Args:
        tests: names of tests, at least one.
    """

    column: ClassVar[str]
    examples: ClassVar[Mapping[str, str]] = {"tests": '["rm", "edf"]'}

    tests: Annotated[tuple[str, ...], words("test", TESTS)]

    def check(self, batch: Batch) -> None:
        """Refuse recipes of task sets that a test is not about: plain tasks on one ideal processor."""
        narrow = [test for test in self.tests if isinstance(TESTS[test], MatrixTest)]
        recipe = batch.recipe
        if narrow and not (recipe.cpus == 1 and recipe.is_plain and recipe.is_ideal):
            message = f"{show(narrow[0])} is for plain tasks on one processor without costs, [generate] makes others"
            raise InputError([Problem(message, "conflict", table=self.table, entity=self.kind, key="tests")])

    def quantities(self) -> dict[str, Compute]:
        """A column for each test."""
        return {self.column_of(test): partial(self._asked, test) for test in self.tests}

    def column_of(self, test: str) -> str:
        """Return the column of a test."""
        return f"{self.column}.{test}"

    def answer(self, test: str, batch: Batch) -> Column:
        """Return the verdicts of a test, one for each set."""
        raise NotImplementedError

    def _asked(self, test: str, batch: Batch) -> Columns:
        return {self.column_of(test): self.answer(test, batch)}


def add_column(name: str, summary: Any, columns: Mapping[str, Column]) -> None:
    """Add one column to a summary."""
    summary.add(columns[name])


# ---- accepted task sets -------------------------------------------------------------------------------


class _Counting(OfTests):
    """Common base of both measures: verdicts of tests."""

    column = "verdict"

    def answer(self, test: str, batch: Batch) -> Column:
        """Return the verdicts of a test, one for each set."""
        return TESTS[test].ask(batch)


class Acceptance(_Counting):
    """The ratio of task sets that a test accepts.

    Args:
        tests: names of tests, at least one.
    """

    kind = "acceptance"

    def aspects(self) -> Iterator[Aspect]:
        """One ratio for each test."""
        for test in self.tests:
            yield Aspect(test, "acceptance ratio", Ratio, partial(add_column, self.column_of(test)))


class Weighted(_Counting):
    """Acceptance along one axis as one number, in which a set counts by its utilization.

    Source: Bastoni, Brandenburg, Anderson, Cache-Related Preemption and Migration Delays: Empirical Approximation and
    Impact on Schedulability (OSPERT 2010), section 5.

    Args:
        tests: names of tests, at least one.
        over: the axis of the grid whose points are taken together.
    """

    kind = "weighted"

    over: Name = "utilization"

    def aspects(self) -> Iterator[Aspect]:
        """One ratio for each test."""
        for test in self.tests:
            yield Aspect(test, "weighted schedulability", WeightedRatio, partial(_add_weighted, self.column_of(test)))

    def place(self, point: Point) -> Point:
        """Return the point without that axis, so that its points are aggregated."""
        return {key: value for key, value in point.items() if key != self.over}


def _add_weighted(name: str, summary: WeightedRatio, columns: Mapping[str, Column]) -> None:
    summary.add(columns[name], columns[UTILIZATION])
