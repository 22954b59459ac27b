# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task.

All times are in ticks. A verdict is one of the first three numbers; `effort` is how many steps a test may take.
"""

import numpy as np
from numpy.typing import NDArray

UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

TIME_MAX: int
"""The longest time."""
UNBOUNDED: int
UNKNOWN: int
"""Of responses: none has a bound, or it is not known; both are greater than any deadline."""
FOR_GOOD: int
"""An end that never comes."""
MAX_RETURNS: int
"""So many returns a sporadic server keeps apart."""

TASK: int
PERIODIC: int
DEFERRABLE: int
SPORADIC: int
SEPARATED: int
BANDWIDTH: int
KERNEL: int
"""Kinds of children; a server has Q as wcet, P as period and as deadline, and no jitter."""

NPCS: int
CEILING: int
PIP: int
"""Ways in which sections delay others."""

REARMED: int
FIXED: int
COPROCESSOR: int
HARDWARE: int
"""Where the scheduler runs, and how."""

Column = NDArray[np.uint64]
Responses = tuple[Column, Column]
"""Worst-case responses, each with the index of its job in the active period, from 0."""
Supply = tuple[int, int, int, int]
"""Period, budget, gap and loss as in analysis/supply.h; (1, 1, 0, 0) is the processor itself."""
Costs = tuple[int, int, int, int, int, int]
"""Context switch, release, scheduling, point, tick, and the period of ticks."""
SchedulerTimes = tuple[int, int, int]
"""Context switch, interval and latency; a model reads only those that it has."""

class Tasks:
    """The tasks and servers of a dispatcher, the most urgent first where priorities order. Columns are checked here.

    Args:
        wcet, period, deadline, jitter: of each; without deadlines the periods, without jitter 0.
        supply: of the dispatcher; None: the processor.
        blocking: by less urgent ones; 0 unless given.
        last: the length of the last non-preemptive region; 1 unless given, which is full preemption.
        longest: the length of the longest one; with costs 0 for preemptive tasks.
        above: how many, the most urgent, interfere; else the own index. Among equals the index after the last of them.
        threshold: how many, the most urgent, preempt a started job, up to the own index; instead of blocking and last.
        regions: under deadlines the longest region without preemption: 1 for none, the wcets for non-preemptive EDF.
        step_from, step_ticks: under deadlines B(L) of sections: from that L on, ascending, so many ticks.
        points: how many points a job has.
        wanted: 1 if it must meet its deadline whatever changes, else 0; 1 unless given.
        kind: one of the six kinds; TASK unless given.
        inside: how many rows of inside_wcet, inside_period, inside_jitter are the tasks of each server.
        head_gap, head_delay, head_ticks: ways in which the supply may begin in place of its gap, of which the latest
            counts: the ticks after the delay, then the budgets after the gap.
        start, until: it releases jobs at `start` or later and before `until`.
        listed, arrivals: how many arrivals it has, which stand one list after the other; then its period is not read,
            and it has no end.
        rank: under deadlines which one goes first at equal deadlines, the smaller one; else all others go first.

    Raises:
        ValueError: a column has a value out of range, or does not fit the others. A test raises it for a column that it
            does not read.
    """

    def __init__(
        self,
        wcet: Column,
        period: Column,
        deadline: Column | None = None,
        jitter: Column | None = None,
        *,
        supply: Supply | None = None,
        **more: Column | None,
    ) -> None: ...

# ---- fixed priorities ------------------------------------------------------------------------------------

def fp_responses(tasks: Tasks, effort: int = 100_000_000) -> Responses:
    """Worst-case responses of tasks and servers. Not for BANDWIDTH."""

def fp_verdict(tasks: Tasks, effort: int = 100_000_000) -> int:
    """Whether all responses are within the deadlines; stops at the first that is not."""

def fp_growths(tasks: Tasks, effort: int = 100_000_000) -> Column:
    """The longest wcet of each task with which it and all wanted tasks meet their deadlines; 0: none.

    No wcet is beyond its period. Without meaning for tasks with a region; steps: `effort` for each task.
    """

def fp_blocking(longest: Column, above: Column | None = None, head_start: int = 1) -> Column:
    """Blocking by the longest regions of less urgent tasks: exact, or with head_start 0 a tick more."""

def fpts_blocking(tasks: Tasks) -> Column:
    """Blocking by less urgent tasks that have started and whose threshold bars the task."""

def graph_lengths(
    node_wcet: Column, task: Column, source: Column, target: Column, effort: int = 100_000_000
) -> tuple[Column, Column]:
    """The longest path and the longest node of each task; `task` has the task of each node, edges connect nodes.

    Raises:
        ValueError: a graph has a cycle, among others.
    """

def graph_responses(
    period: Column,
    node_wcet: Column,
    task: Column,
    source: Column,
    target: Column,
    jitter: Column | None = None,
    effort: int = 100_000_000,
) -> Responses:
    """As fp_responses, for tasks whose non-preemptive nodes form graphs, including blocking by less urgent tasks."""

def fp_responses_many(wcet: Column, period: Column, effort: int = 100_000_000) -> Column:
    """Responses under full preemption of many sets, one in each row; the effort is for each set."""

def fp_verdicts_many(wcet: Column, period: Column, deadline: Column, effort: int = 100_000_000) -> NDArray[np.uint8]:
    """Verdicts under full preemption of many sets, one in each row; the effort is for each set."""

# ---- assignments -----------------------------------------------------------------------------------------

def liu_layland(tasks: Tasks) -> int: ...
def hyperbolic(tasks: Tasks) -> int: ...
def harmonic_chains(tasks: Tasks) -> tuple[int, int]:
    """Give the verdict and the least number of harmonic chains."""

def blocking_tolerances(tasks: Tasks, effort: int = 100_000_000) -> tuple[NDArray[np.uint8], Column]:
    """Give a verdict and the blocking tolerance of each task; most urgent first, D <= T."""

def fp_regions(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, Column]:
    """Give the verdict and the longest non-preemptive region of each task; most urgent first, D <= T."""

def edf_regions(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, Column]:
    """Give the same under EDF. Precondition: the set is schedulable under preemptive EDF."""

def place_points(wcet: Column, cost: Column, longest: int) -> tuple[int, int, list[bool]]:
    """Give the verdict, the least cost, and whether a point is after each block; regions are at most `longest`."""

def assign_priorities(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, list[int]]:
    """Give the verdict and an order, most urgent first."""

def final_regions(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, Column]:
    """Give the verdict and the smallest final region of each task; most urgent first."""

def assign_final_regions(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, list[int], Column]:
    """Give the verdict, an order, most urgent first, and the final region of each task in the order of the columns."""

def assign_thresholds(tasks: Tasks, is_greatest: bool = False, effort: int = 100_000_000) -> tuple[int, list[int]]:
    """Give the verdict and, for each task, the number of most urgent tasks that may preempt its started job."""

# ---- where the kernel or the scheduler takes time ----------------------------------------------------------

def overhead_responses(tasks: Tasks, costs: Costs, effort: int = 100_000_000) -> Column:
    """Bounds of the responses on a kernel, most urgent first."""

def overhead_edf_verdict(tasks: Tasks, costs: Costs, effort: int = 100_000_000) -> int:
    """Sufficient test of EDF on a kernel."""

def scheduled_fp_responses(tasks: Tasks, model: int, times: SchedulerTimes, effort: int = 100_000_000) -> Column:
    """Bounds of the responses under fixed priorities and a scheduler that takes time, most urgent first."""

def scheduled_edf_responses(tasks: Tasks, model: int, times: SchedulerTimes, effort: int = 100_000_000) -> Column:
    """Bounds of the responses under EDF and a scheduler that takes time; each jitter is less than the deadline."""

# ---- earliest deadline first -----------------------------------------------------------------------------

def edf_demand(tasks: Tasks, effort: int = 100_000_000) -> tuple[int, int, int, int]:
    """Test by quick processor-demand analysis: verdict; if unschedulable an interval, the demand and the supply in it.

    Demand 0: the shares are more than that of the supply.
    """

def edf_growths(tasks: Tasks, effort: int = 100_000_000) -> Column:
    """The longest wcet of each task with which all meet their deadlines; 0: none. Precondition: C <= T of all tasks."""

def edf_verdicts_many(wcet: Column, period: Column, deadline: Column, effort: int = 100_000_000) -> NDArray[np.uint8]:
    """Give the verdict on each row, a task set, under preemptive EDF; `effort` is for each row."""

def edf_responses(tasks: Tasks, effort: int = 100_000_000) -> Responses:
    """Return worst-case responses; at equal deadlines all others go first, or the smaller rank."""

def edf_density(tasks: Tasks, effort: int = 100_000_000) -> int:
    """Density test: schedulable if the sum of C / min(D - J, T) is at most 1. Verdict."""

def rate_admission(
    task_class: Column,
    wcet: Column,
    window: Column,
    weight: Column | None = None,
    longest: Column | None = None,
    excess: Column | None = None,
    beta: int = 1_801_800,
    sigma: int = 0,
    grid: int = 1,
    has_formula: bool = False,
) -> tuple[NDArray[np.uint8], Column, Column, Column, tuple[int, int, int, int, int]]:
    """Admit tasks to the rate-based scheduler in their order, and give their grants while all are present.

    Rates are in units of 1 / 18,018,000. Classes are 0 hard, 1 soft, 2 none. The window of a hard task is its relative
    deadline, of others the period; `wcet` (not of best-effort tasks) is at most that. `longest` and `excess` are what
    sharing takes. Gives whether admitted, rate, budget, period; and capacity, hard, what soft ask for, soft, none. All
    zero but admitted: suspended.
    """

# ---- servers ---------------------------------------------------------------------------------------------

def make_supply(period: int, budget: int, response: int, is_polling: bool = False, loss: int = 0) -> Supply:
    """Make the supply of a server that has received its budget at most `response` ticks after a replenishment."""

def sporadic_supply(period: int, budget: int, response: int, returns: int = 18446744073709551615) -> Supply:
    """The same for a sporadic server, which merges some returns if more than MAX_RETURNS can be pending."""

def sirap_supply(period: int, budget: int, response: int, holding: int, is_polling: bool) -> Supply:
    """The same under sirap; `holding` is the longest holding time of its tasks, in ticks."""

def payback_supply(period: int, budget: int, response: int, holding: int, is_polling: bool) -> Supply:
    """The same under hsrp-payback."""

def supply_bound(supply: Supply, t: int) -> int:
    """Give sbf(t)."""

def supply_time(supply: Supply, demand: int) -> int | None:
    """Give the least t with sbf(t) >= demand; None if it does not fit."""

def sporadic_returns(
    tasks: Tasks, server_period: int, budget: int, is_strict: bool = False, effort: int = 100_000_000
) -> int | None:
    """Bound the pending returns of a sporadic server with these tasks; None if there may be more than MAX_RETURNS."""

def least_budget_fixed_priority(
    server_period: int, is_polling: bool, loss: int, tasks: Tasks, effort: int = 100_000_000
) -> tuple[int, int]:
    """Give a verdict, and the least budget with which a server of this period schedules its children; 0: none."""

def least_budget_edf(
    server_period: int, is_polling: bool, loss: int, tasks: Tasks, effort: int = 100_000_000
) -> tuple[int, int]:
    """The same under EDF."""

def cbs_response(
    wcet: int, period: int, jitter: int, server_period: int, budget: int, effort: int = 100_000_000
) -> int:
    """Give the longest response of the one task of a cbs or hard-cbs server that meets its deadlines."""

def cbs_busy_period(tasks: Tasks, server_period: int, budget: int, effort: int = 100_000_000) -> int:
    """Bound the time from release to finish of the jobs of any task in such a server, under any local policy."""

def total_bandwidth_busy_period(tasks: Tasks, server_period: int, budget: int, effort: int = 100_000_000) -> int:
    """The same in a tbs or cus server with the share budget / server_period."""

# ---- resources -------------------------------------------------------------------------------------------
# Sections are three columns of one length: which task, which resource (below the number of sections), ticks from lock
# to unlock. `late` and `early` have a value for each task: its rank under fixed priorities in both, equals alike, less
# is more urgent; under EDF its deadline, and its deadline less its jitter, 0 at least. Among servers a server is a
# task, X the ticks of its section.

def sharing_blocking(
    section_task: Column,
    section_resource: Column,
    section_ticks: Column,
    late: Column,
    early: Column,
    locking: int,
    at: Column,
) -> Column:
    """Give the blocking at each of some ranks, or in intervals of some lengths under EDF.

    Raises:
        OverflowError: a sum is too long.
    """

def sharing_steps(
    section_task: Column,
    section_resource: Column,
    section_ticks: Column,
    late: Column,
    early: Column,
    locking: int,
    regions: Column | None = None,
) -> tuple[Column, Column]:
    """Give B(L) as columns step_from and step_ticks; `regions` of tasks, if jobs wait for one and then for sections."""

# ---- any order -------------------------------------------------------------------------------------------

def busy_periods(tasks: Tasks, effort: int = 100_000_000) -> Column:
    """Give of each task the longest busy period in which it may release a job, under any order; or UNBOUNDED."""
