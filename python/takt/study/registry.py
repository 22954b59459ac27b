"""The schedulability tests that studies know by name.

A test is a function of many task sets at once, columns in and a verdict for each set out: schedulable, unschedulable or
undecided. All are for one processor, sporadic or periodic tasks that block nobody, and any offsets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from takt import _analysis
from takt.generators.columns import TaskColumns
from takt.study.statistics import Verdicts

if TYPE_CHECKING:
    from takt.generators.draws import Ticks

Verdict = Callable[[TaskColumns], Verdicts]


@dataclass(frozen=True)
class Test:
    """A schedulability test.

    Args:
        name: as in study files.
        summary: what it is, one line.
        source: where it is from.
        is_exact: whether a set that it refuses can miss a deadline; else the test is only sufficient.
        verdicts: answers for each row of some columns.
    """

    name: str
    summary: str
    source: str
    is_exact: bool
    verdicts: Verdict


# ---- how tests are made of functions of one set -----------------------------------------------------


def _by_rows(verdict: Callable[[Ticks, Ticks, Ticks, Ticks], int], columns: TaskColumns) -> Verdicts:
    """Ask about one set after the other."""
    rows = zip(columns.wcet, columns.period, columns.deadline, columns.jitter, strict=True)
    return np.fromiter((verdict(*row) for row in rows), dtype=np.uint8, count=len(columns.wcet))


def _ordered(key: str, verdicts: Verdict, columns: TaskColumns) -> Verdicts:
    """Give priorities by a column, the least value first; equal ones as they stand."""
    order = np.argsort(getattr(columns, key), axis=1, kind="stable")
    names = [field.name for field in fields(columns)]
    return verdicts(TaskColumns(*(np.take_along_axis(getattr(columns, name), order, axis=1) for name in names)))


# ---- fixed priorities -------------------------------------------------------------------------------


def _responses(columns: TaskColumns) -> Verdicts:
    """Compare response times with deadlines."""
    if columns.jitter.any():
        return _by_rows(_analysis.fp_verdict, columns)
    return _analysis.fp_verdicts_many(columns.wcet, columns.period, columns.deadline)


def _without_preemption(wcet: Ticks, period: Ticks, deadline: Ticks, jitter: Ticks) -> int:
    """Compare response times of jobs that nobody preempts with deadlines."""
    blocking = _analysis.fp_blocking(wcet)
    return _analysis.fp_verdict(wcet, period, deadline, jitter, blocking=blocking, last=wcet)


_RESPONSES = "Lehoczky 1990; Tindell, Burns, Wellings 1994"
_WITHOUT = "George, Rivierre, Spuri 1996; Bril, Lukkien, Verhaegh 2009"
_non_preemptive = partial(_by_rows, _without_preemption)

_FIXED_PRIORITY = (
    Test("fp", "response times, priorities as the recipe has them", _RESPONSES, True, _responses),
    Test("rm", "response times, rate monotonic", _RESPONSES, True, partial(_ordered, "period", _responses)),
    Test("dm", "response times, deadline monotonic", _RESPONSES, True, partial(_ordered, "deadline", _responses)),
    Test("np-fp", "the same as fp without preemption", _WITHOUT, True, _non_preemptive),
    Test("np-rm", "the same as rm without preemption", _WITHOUT, True, partial(_ordered, "period", _non_preemptive)),
    Test("np-dm", "the same as dm without preemption", _WITHOUT, True, partial(_ordered, "deadline", _non_preemptive)),
)

TESTS: dict[str, Test] = {test.name: test for test in _FIXED_PRIORITY}
"""All tests by name."""
