# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures that count accepted task sets: the acceptance ratio, and weighted schedulability.

Source of the latter: Bastoni, Brandenburg, Anderson, Cache-Related Preemption and Migration Delays: Empirical
Approximation and Impact on Schedulability (OSPERT 2010), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from takt.model.key_types import Name
from takt.study.batch import Batch
from takt.study.grid import Point
from takt.study.measures import (
    TESTS_EXAMPLE,
    UTILIZATION,
    Aspect,
    Column,
    Columns,
    Compute,
    Measure,
    Tests,
    add_column,
    check_tests,
)
from takt.study.registry import TESTS
from takt.study.statistics import Ratio, WeightedRatio


def _verdicts(test: str, batch: Batch) -> Columns:
    """Ask a test about each set."""
    return {_column(test): TESTS[test].ask(batch)}


def _column(test: str) -> str:
    """Name the column of a test's verdicts."""
    return f"verdict.{test}"


class _Counting(Measure):
    """What both measures have: verdicts of tests."""

    examples: ClassVar[Mapping[str, str]] = {"tests": TESTS_EXAMPLE}

    tests: Tests

    def check(self, batch: Batch) -> None:
        """Refuse task sets that no test is about."""
        check_tests(self.kind, self.tests, batch.recipe)

    def quantities(self) -> dict[str, Compute]:
        """Verdicts."""
        return {_column(test): partial(_verdicts, test) for test in self.tests}


class Acceptance(_Counting):
    """The ratio of task sets that a test accepts.

    Args:
        tests: names of tests, at least one.
    """

    kind = "acceptance"

    def aspects(self) -> Iterator[Aspect]:
        """One ratio for each test."""
        for test in self.tests:
            yield Aspect(test, "acceptance ratio", Ratio, partial(add_column, _column(test)))


class Weighted(_Counting):
    """Acceptance along one axis as one number, in which a set counts by its utilization.

    Args:
        tests: names of tests, at least one.
        over: the axis of the grid whose points are taken together.
    """

    kind = "weighted"

    over: Name = "utilization"

    def aspects(self) -> Iterator[Aspect]:
        """One ratio for each test."""
        for test in self.tests:
            yield Aspect(test, "weighted schedulability", _new_weighted, partial(_add_weighted, _column(test)))

    def place(self, point: Point) -> Point:
        """Take the points of that axis together."""
        return {key: value for key, value in point.items() if key != self.over}


def _new_weighted() -> WeightedRatio:
    """Make an empty summary."""
    return WeightedRatio(Ratio())


def _add_weighted(name: str, summary: WeightedRatio, columns: Mapping[str, Column]) -> None:
    """Add verdicts with the utilizations of their sets."""
    summary.add(columns[name], columns[UTILIZATION])
