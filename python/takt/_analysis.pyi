"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task."""

import numpy as np
from numpy.typing import NDArray

TIME_MAX: int
UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

# ---- fixed priorities: fixed_priority.cpp ----------------------------------------------------------------
# Tasks stand most urgent first. All times are in ticks. `blocking` is by less urgent tasks. `last` is the length of the
# last non-preemptive region; 1 for all, which is full preemption, if it is not given. `above` is how many tasks, the
# most urgent, interfere; the task's own place if it is not given, and among equals the place behind the last of them.
# A response that is no number of ticks is UNBOUNDED or UNKNOWN: both are greater than any deadline.
UNBOUNDED: int
UNKNOWN: int

def fp_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Worst-case responses, and which job of the active period, counted from 0, has it."""

def fp_verdict(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Whether all responses are within the deadlines; stops at the first that is not."""

def fp_blocking(
    longest: NDArray[np.uint64], above: NDArray[np.uint64] | None = None, head_start: int = 1
) -> NDArray[np.uint64]:
    """Blocking by the longest non-preemptive regions of less urgent tasks: exact, or with head_start 0 a tick more."""

def fp_responses_many(
    wcet: NDArray[np.uint64], period: NDArray[np.uint64], effort: int = 100_000_000
) -> NDArray[np.uint64]:
    """Responses under full preemption of many sets, one in a row; the effort is for each set."""

def fp_verdicts_many(
    wcet: NDArray[np.uint64], period: NDArray[np.uint64], deadline: NDArray[np.uint64], effort: int = 100_000_000
) -> NDArray[np.uint8]:
    """Verdicts under full preemption of many sets, one in a row; the effort is for each set."""

# ---- what is chosen: assignment.cpp ----------------------------------------------------------------------

# ---- earliest deadline first: edf.cpp --------------------------------------------------------------------

def edf_demand(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    regions: NDArray[np.uint64] | None = None,
    step_from: NDArray[np.uint64] | None = None,
    step_ticks: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, int, int]:
    """Test by quick processor-demand analysis: verdict; if unschedulable, an interval and its demand.

    `regions` are the longest regions without preemption (1: none; the wcets: non-preemptive EDF). `step_from`
    (ascending) and `step_ticks` are B(L) of sections under srp: from that L on, so many ticks. Demand 0: U is above 1.
    """

def edf_first_excess(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    regions: NDArray[np.uint64] | None = None,
    step_from: NDArray[np.uint64] | None = None,
    step_ticks: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, int, int]:
    """Test deadline by deadline: as edf_demand, but the interval is the shortest one. Slow where that is long."""

def edf_verdicts_many(
    wcet: NDArray[np.uint64], period: NDArray[np.uint64], deadline: NDArray[np.uint64], effort: int = 100_000_000
) -> NDArray[np.uint8]:
    """Give the verdict on each row, a task set, under preemptive EDF; `effort` is for each row."""

def edf_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    regions: NDArray[np.uint64] | None = None,
    step_from: NDArray[np.uint64] | None = None,
    step_ticks: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Give worst-case responses, and which job of the busy period, counted from 0, has it."""

def edf_nonpreemptive_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Likewise where a job that has begun is never preempted."""

def edf_density(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Test whether C / min(D - J, T) add up to 1 at most: schedulable if so. Verdict."""

def edf_baker(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    blocking: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Test by Baker's sums, of tasks ordered by D - J, `blocking` from 0: schedulable if it holds. Verdict."""

def rbe_demand(
    events: NDArray[np.uint64],
    interval: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    cost: NDArray[np.uint64],
    is_preemptive: bool = True,
    effort: int = 100_000_000,
) -> tuple[int, int, int]:
    """Test rate-based execution (x, y, d, c): as edf_demand. Necessary and sufficient, preemptive and not."""

def rate_admission(
    task_class: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    window: NDArray[np.uint64],
    weight: NDArray[np.uint64] | None = None,
    longest: NDArray[np.uint64] | None = None,
    excess: NDArray[np.uint64] | None = None,
    beta: int = 1_801_800,
    sigma: int = 0,
    grid: int = 1,
    has_formula: bool = False,
) -> tuple[
    NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], tuple[int, int, int, int, int]
]:
    """Admit tasks to the rate-based scheduler in their order, and say what they have when all are there.

    Rates are in units of 1 / 18,018,000. Classes are 0 hard, 1 soft, 2 none. The window of a hard task is its relative
    deadline, of others the period; `wcet` (not read of class none) is at most that. `longest` and `excess` are what
    sharing takes. Gives whether admitted, rate, budget, period; and capacity, hard, what soft ask for, soft, none. All
    zero but admitted: suspended.
    """

# ---- servers: servers.cpp --------------------------------------------------------------------------------

# ---- resources: blocking.cpp -----------------------------------------------------------------------------
