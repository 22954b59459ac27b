# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Breakdown utilization: the largest utilization to which a task set can be scaled so that a test still accepts it.

All wcets are multiplied by a factor k / steps, rounded down to whole ticks and not below one; the periods stay. The
largest k that is accepted is found by bisection in integers, for all sets of a chunk at once. It is bounded by
utilization 1 before rounding, which no test for one processor accepts more than. The test must be monotone, as every
test here is: it accepts shorter wcets, too.

Source: Lehoczky, Sha, Ding, The Rate Monotonic Scheduling Algorithm: Exact Characterization and Average Case Behavior
(RTSS 1989), section 5.

What is left out: where not even the least wcets, all of one tick, are accepted, or a test stays undecided on the way,
there is no breakdown utilization: NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
import numpy.typing as npt

from takt.base.errors import InputError, Problem, show
from takt.draw.matrices import TaskColumns
from takt.model.key import integer
from takt.study.batch import Batch
from takt.study.measures import Aspect, OfTests, add_column
from takt.study.registry import TESTS, MatrixTest
from takt.study.statistics import ACCEPTED, UNDECIDED, Mean, Numbers

MAX_STEPS = 1_000_000

Integers = npt.NDArray[np.uint64]


class Breakdown(OfTests):
    """The mean breakdown utilization.

    Args:
        tests: names of tests, at least one.
        steps: into how many steps a factor of 1 is divided.
    """

    kind = "breakdown"
    column = "breakdown"

    steps: Annotated[int, integer("a number of steps", 1, MAX_STEPS)] = 1000

    def check(self, batch: Batch) -> None:
        """Refuse task sets that no test is about, and tests of which wcets cannot be scaled."""
        super().check(batch)
        others = [test for test in self.tests if not isinstance(TESTS[test], MatrixTest)]
        if others:
            message = f"expected tests of which wcets can be scaled, found {show(others[0])}"
            raise InputError([Problem(message, "conflict", table=self.table, entity=self.kind, key="tests")])

    def aspects(self) -> Iterator[Aspect]:
        """One mean for each test."""
        for test in self.tests:
            yield Aspect(test, "breakdown utilization", Mean, partial(add_column, self.column_of(test)))

    def answer(self, test: str, batch: Batch) -> Numbers:
        """Search for the breakdown utilization of each set."""
        found = TESTS[test]
        assert isinstance(found, MatrixTest)
        return breakdown_utilizations(found, batch.columns, self.steps)


def breakdown_utilizations(test: MatrixTest, columns: TaskColumns, steps: int) -> Numbers:
    """Return the breakdown utilization of each set.

    Args:
        test: a test that accepts with a set all with shorter wcets.
        columns: the sets.
        steps: into how many steps a factor of 1 is divided.

    Returns:
        The utilization of each set with the largest wcets that are accepted; NaN where there are none.
    """
    is_decided = np.ones(len(columns.wcet), dtype=bool)
    low = np.zeros(len(columns.wcet), dtype=np.uint64)
    high = (steps / columns.utilization).astype(np.uint64) + np.uint64(2)
    while (high - low > 1).any():
        middle = low + (high - low) // np.uint64(2)
        verdicts = test.verdicts(_scaled(columns, middle, steps))
        is_decided &= verdicts != UNDECIDED
        low, high = np.where(verdicts == ACCEPTED, middle, low), np.where(verdicts == ACCEPTED, high, middle)
    best = _scaled(columns, low, steps)
    is_known = is_decided & (test.verdicts(best) == ACCEPTED)
    return np.where(is_known, best.utilization, np.nan)


def _scaled(columns: TaskColumns, factors: Integers, steps: int) -> TaskColumns:
    """Scale the wcets of each set by its factor / steps."""
    if int(columns.wcet.max()) * int(factors.max()) >= 2**64:
        raise OverflowError("a scaled wcet does not fit 64 bits; take fewer steps, or a coarser resolution")
    scaled = columns.wcet * factors[:, np.newaxis] // np.uint64(steps)
    return replace(columns, wcet=np.maximum(scaled, np.uint64(1)))
