"""The schedulability tests that studies know by name.

A test is a function of many task sets at once, columns in and a verdict for each set out: schedulable, unschedulable or
undecided. Priorities are not part of the columns: a test for fixed priorities says by which order it assigns them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takt.study.statistics import Verdicts

if TYPE_CHECKING:
    from takt.generators.columns import TaskColumns


@dataclass(frozen=True)
class Test:
    """A schedulability test.

    Args:
        name: as in study files.
        summary: what it is, one line.
        source: where it is from.
        is_exact: whether a set that it refuses can miss a deadline; else it is sufficient only.
        verdicts: answers for each row of some columns.
    """

    name: str
    summary: str
    source: str
    is_exact: bool
    verdicts: Callable[[TaskColumns], Verdicts]


_ALL: tuple[Test, ...] = ()

TESTS: dict[str, Test] = {test.name: test for test in _ALL}
"""All tests by name."""
