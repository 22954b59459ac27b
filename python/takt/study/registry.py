# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The schedulability tests that studies know by name.

Most are functions of matrices: many task sets at once, each row a set of plain tasks on one processor (sporadic or
periodic, any offsets, no blocking). One calls takt.analyse for systems of every kind, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from takt import _analysis
from takt.analysis.judge import EFFORT, judge
from takt.analysis.result import Verdict, worst_of
from takt.analysis.view import view_of
from takt.base import one_line
from takt.draw.draws import Ticks
from takt.draw.matrices import TaskColumns
from takt.model import catalogue
from takt.model.system import System
from takt.study.batch import Batch
from takt.study.statistics import ACCEPTED, UNDECIDED, Verdicts

REFUSED = 0


@dataclass(frozen=True)
class Test:
    """A schedulability test.

    Args:
        name: as in study files.
        summary: what it is, one line.
        source: where it is from.
        policy: the one that it is about, whose exact test has this name; "": each system's own.
        is_exact: whether some arrivals of a set that it refuses miss a deadline; else the test is only sufficient.
    """

    name: str
    summary: str
    source: str
    policy: str
    is_exact: bool

    def ask(self, batch: Batch) -> Verdicts:
        """Return for each set: schedulable (1), unschedulable (0) or undecided (2), as in takt._analysis."""
        raise NotImplementedError


@dataclass(frozen=True)
class MatrixTest(Test):
    """A test of many sets of plain tasks at once.

    Args:
        verdicts: answers for each row of some columns.
    """

    verdicts: Callable[[TaskColumns], Verdicts]

    __repr__ = one_line.of_fields

    def ask(self, batch: Batch) -> Verdicts:
        """Return the answers for all sets together."""
        return self.verdicts(batch.columns)


@dataclass(frozen=True)
class SystemTest(Test):
    """A test of one system.

    Args:
        verdict: answers for it.
    """

    verdict: Callable[[System], int]

    __repr__ = one_line.of_fields

    def ask(self, batch: Batch) -> Verdicts:
        """Return the answers for one set after the other."""
        return np.fromiter(map(self.verdict, batch.systems), dtype=np.uint8, count=batch.count)


# ---- how tests of matrices are made of functions of one set -----------------------------------------


def _by_rows(verdict: Callable[[_analysis.Tasks], int], columns: TaskColumns, **more: Ticks) -> Verdicts:
    """Return the answers of a test for one set after the other; `more` are further columns of the record."""
    given = {name: getattr(columns, name) for name in ("wcet", "period", "deadline", "jitter")} | more
    sets = (_analysis.Tasks(**dict(zip(given, row, strict=True))) for row in zip(*given.values(), strict=True))
    return np.fromiter(map(verdict, sets), dtype=np.uint8, count=len(columns.wcet))


def _ordered(key: str, verdicts: Callable[[TaskColumns], Verdicts], columns: TaskColumns) -> Verdicts:
    """Return the verdicts with priorities by a column, the least value first; equal ones in column order."""
    return verdicts(columns.ordered(np.argsort(getattr(columns, key), axis=1, kind="stable")))


# ---- fixed priorities -------------------------------------------------------------------------------


def _responses(columns: TaskColumns) -> Verdicts:
    """Compare response times with deadlines."""
    if columns.jitter.any():
        return _by_rows(_analysis.fp_verdict, columns)
    return _analysis.fp_verdicts_many(columns.wcet, columns.period, columns.deadline)


def _without_preemption(columns: TaskColumns) -> Verdicts:
    """Compare response times of non-preemptive jobs with deadlines: once started, they have the highest threshold."""
    return _by_rows(_analysis.fp_verdict, columns, threshold=np.zeros_like(columns.wcet))


def _harmonic(tasks: _analysis.Tasks) -> int:
    """Compare the utilization with the bound for chains; leaves out how many there are."""
    return _analysis.harmonic_chains(tasks)[0]


_RESPONSES = "Lehoczky 1990; Tindell, Burns, Wellings 1994"
_WITHOUT = "George, Rivierre, Spuri 1996; Bril, Lukkien, Verhaegh 2009"


_FP, _RM, _DM = catalogue.LEVEL_POLICY, catalogue.PERIOD_POLICY, catalogue.DEADLINE_POLICY
_EARLIEST = catalogue.EARLIEST_DEADLINE
_BY_PERIOD, _BY_DEADLINE = partial(_ordered, "period"), partial(_ordered, "deadline")
_FIXED_PRIORITY = (
    MatrixTest(_FP, "response times, priorities as the recipe has them", _RESPONSES, _FP, True, _responses),
    MatrixTest(_RM, "response times, rate monotonic", _RESPONSES, _RM, True, partial(_BY_PERIOD, _responses)),
    MatrixTest(_DM, "response times, deadline monotonic", _RESPONSES, _DM, True, partial(_BY_DEADLINE, _responses)),
    MatrixTest(f"np-{_FP}", f"{_FP} without preemption", _WITHOUT, _FP, True, _without_preemption),
    MatrixTest(f"np-{_RM}", f"{_RM} without preemption", _WITHOUT, _RM, True, partial(_BY_PERIOD, _without_preemption)),
    MatrixTest(
        f"np-{_DM}", f"{_DM} without preemption", _WITHOUT, _DM, True, partial(_BY_DEADLINE, _without_preemption)
    ),
    MatrixTest(
        "liu-layland",
        "utilization bound of rate monotonic, n (2^(1/n) - 1)",
        "Liu, Layland 1973",
        _RM,
        False,
        partial(_BY_PERIOD, partial(_by_rows, _analysis.liu_layland)),
    ),
    MatrixTest(
        "hyperbolic",
        "product of all utilizations + 1 at most 2",
        "Bini, Buttazzo, Buttazzo 2003",
        _RM,
        False,
        partial(_BY_PERIOD, partial(_by_rows, _analysis.hyperbolic)),
    ),
    MatrixTest(
        "harmonic-chains",
        "utilization bound with harmonic chains in place of tasks",
        "Kuo, Mok 1991",
        _RM,
        False,
        partial(_BY_PERIOD, partial(_by_rows, _harmonic)),
    ),
)

# ---- earliest deadline first ------------------------------------------------------------------------


def _demand(columns: TaskColumns) -> Verdicts:
    if columns.jitter.any():
        return _by_rows(_demand_of_one, columns)
    return _analysis.edf_verdicts_many(columns.wcet, columns.period, columns.deadline)


def _demand_of_one(tasks: _analysis.Tasks) -> int:
    """Compare the demand with the time there is, of one set."""
    return _analysis.edf_demand(tasks)[0]


def _demand_without_preemption(columns: TaskColumns) -> Verdicts:
    """Compare the demand, with one blocking job, with the available time."""
    return _by_rows(_demand_of_one, columns, regions=columns.wcet)


_EDF = (
    MatrixTest(
        _EARLIEST,
        "quick processor-demand analysis",
        "Zhang, Burns 2009; Baruah and others 1990",
        _EARLIEST,
        True,
        _demand,
    ),
    MatrixTest(
        f"np-{_EARLIEST}",
        "processor demand without preemption",
        "Jeffay, Stanat, Martel 1991; George, Rivierre, Spuri 1996",
        _EARLIEST,
        True,
        _demand_without_preemption,
    ),
    MatrixTest(
        "density",
        "sum of wcet / min(deadline, period) at most 1",
        "Liu 2000",
        _EARLIEST,
        False,
        partial(_by_rows, _analysis.edf_density),
    ),
)

# ---- everything that takt analyse knows -------------------------------------------------------------

_VERDICTS = {
    Verdict.SCHEDULABLE: ACCEPTED,
    Verdict.NOT_SCHEDULABLE: REFUSED,
    Verdict.NOT_GUARANTEED: REFUSED,
    Verdict.NOT_KNOWN: UNDECIDED,
}


def _analysed(system: System) -> int:
    """Judge a system as takt analyse does, without advice."""
    return _VERDICTS[worst_of([row.verdict for row in judge(view_of(system), EFFORT).that_count()])]


_SYSTEMS = (
    SystemTest(
        "analyse", "what takt analyse says of the whole system, under its own policy", "SPEC.md", "", False, _analysed
    ),
)

TESTS: dict[str, Test] = {test.name: test for test in (*_FIXED_PRIORITY, *_EDF, *_SYSTEMS)}
"""All tests by name."""
