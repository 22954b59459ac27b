# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures that count accepted task sets: the acceptance ratio, and weighted schedulability.

Source of the latter: Bastoni, Brandenburg, Anderson, Cache-Related Preemption and Migration Delays: Empirical
Approximation and Impact on Schedulability (OSPERT 2010), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from takt.model.key_types import Name
from takt.study.batch import Batch
from takt.study.grid import Point
from takt.study.measures import UTILIZATION, Aspect, Column, OfTests, add_column
from takt.study.registry import TESTS
from takt.study.statistics import Ratio, WeightedRatio


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
    """Add verdicts with the utilizations of their sets."""
    summary.add(columns[name], columns[UTILIZATION])
