# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task."""

import numpy as np
from numpy.typing import NDArray

TIME_MAX: int
UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

# ---- fixed priorities: fixed_priority.cpp ----------------------------------------------------------------
# Tasks are ordered most urgent first. All times are in ticks. `blocking` is by less urgent tasks. `last` is the length
# of the last non-preemptive region; default: 1 for all, full preemption. `above` is the number of tasks, the most
# urgent, that interfere; default: the task's own index; among equals it is the index after the last of them.
# A response without a bound is UNBOUNDED or UNKNOWN: both are greater than any deadline.
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
    """Worst-case responses, each with the index of its job in the active period, from 0."""

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

def fp_growths(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    wanted: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """The longest wcet of each task with which it and all wanted tasks (1, else 0) meet their deadlines; 0: none.

    No wcet is beyond its period. Without meaning for tasks with a region; steps: `effort` for each task.
    """

def fp_blocking(
    longest: NDArray[np.uint64], above: NDArray[np.uint64] | None = None, head_start: int = 1
) -> NDArray[np.uint64]:
    """Blocking by the longest non-preemptive regions of less urgent tasks: exact, or with head_start 0 a tick more."""

def fpts_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    threshold: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """As fp_responses, with preemption thresholds: indices up to the task's own, 0 the most urgent."""

def fpts_verdict(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    threshold: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """As fp_verdict, with preemption thresholds."""

def fpts_blocking(wcet: NDArray[np.uint64], threshold: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Blocking by less urgent tasks that have started and whose threshold bars the task."""

def graph_lengths(
    node_wcet: NDArray[np.uint64],
    task: NDArray[np.uint64],
    source: NDArray[np.uint64],
    target: NDArray[np.uint64],
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The longest path and the longest node of each task; `task` has the task of each node, edges connect nodes.

    Raises:
        ValueError: a graph has a cycle, among others.
    """

def graph_responses(
    period: NDArray[np.uint64],
    node_wcet: NDArray[np.uint64],
    task: NDArray[np.uint64],
    source: NDArray[np.uint64],
    target: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """As fp_responses, for tasks whose non-preemptive nodes form graphs, including blocking by less urgent tasks."""

def fp_responses_many(
    wcet: NDArray[np.uint64], period: NDArray[np.uint64], effort: int = 100_000_000
) -> NDArray[np.uint64]:
    """Responses under full preemption of many sets, one in each row; the effort is for each set."""

def fp_verdicts_many(
    wcet: NDArray[np.uint64], period: NDArray[np.uint64], deadline: NDArray[np.uint64], effort: int = 100_000_000
) -> NDArray[np.uint8]:
    """Verdicts under full preemption of many sets, one in each row; the effort is for each set."""

# ---- assignments: assignment.cpp -------------------------------------------------------------------------

def liu_layland(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
) -> int: ...
def hyperbolic(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
) -> int: ...
def harmonic_chains(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
) -> tuple[int, int]:
    """Give the verdict and the least number of harmonic chains."""

def blocking_tolerances(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Give a verdict and the blocking tolerance of each task; most urgent first, D <= T."""

def fp_regions(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, NDArray[np.uint64]]:
    """Give the verdict and the longest non-preemptive region of each task; most urgent first, D <= T."""

def edf_regions(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, NDArray[np.uint64]]:
    """Give the same under EDF. Precondition: the set is schedulable under preemptive EDF."""

def place_points(wcet: NDArray[np.uint64], cost: NDArray[np.uint64], longest: int) -> tuple[int, int, list[bool]]:
    """Give the verdict, the least cost, and whether a point is after each block; regions are at most `longest`."""

def assign_priorities(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    longest: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, list[int]]:
    """Give the verdict and an order, most urgent first; `longest` and `last` regions are 1 unless given."""

def final_regions(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, NDArray[np.uint64]]:
    """Give the verdict and the smallest final region of each task; most urgent first."""

def assign_final_regions(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, list[int], NDArray[np.uint64]]:
    """Give the verdict, an order, most urgent first, and the final region of each task in the order of the columns."""

def assign_thresholds(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    is_greatest: bool = False,
    effort: int = 100_000_000,
) -> tuple[int, list[int]]:
    """Give the verdict and, for each task, the number of most urgent tasks that may preempt its started job."""

Costs = tuple[int, int, int, int, int, int]
"""Context switch, release, scheduling, point, tick, and the period of ticks."""

def overhead_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    costs: Costs,
    jitter: NDArray[np.uint64] | None = None,
    longest: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    points: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """Bounds of the responses on a kernel, most urgent first; `longest` is 0 for preemptive tasks."""

def overhead_edf_verdict(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    costs: Costs,
    jitter: NDArray[np.uint64] | None = None,
    longest: NDArray[np.uint64] | None = None,
    points: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Sufficient test of EDF on a kernel."""

# ---- where the scheduler runs: architectures.cpp ----------------------------------------------------------

REARMED: int
FIXED: int
COPROCESSOR: int
HARDWARE: int

SchedulerTimes = tuple[int, int, int]
"""Context switch, interval and latency; a model reads only those that it has."""

def scheduled_fp_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    model: int,
    times: SchedulerTimes,
    jitter: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """Bounds of the responses under fixed priorities and a scheduler that takes time, most urgent first."""

def scheduled_edf_responses(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    model: int,
    times: SchedulerTimes,
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """Bounds of the responses under EDF and a scheduler that takes time; each jitter is less than the deadline."""

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
    """Test by quick processor-demand analysis: verdict; if unschedulable, a too short interval, and its demand.

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
    """Test deadline by deadline: as edf_demand, but the interval is the shortest one. Slow where it is long."""

def edf_growths(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """The longest wcet of each task with which all meet their deadlines; 0: none. Precondition: C <= T of all tasks."""

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
    last: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Give worst-case responses, each with the index of its job in the busy period, from 0.

    `last` is the region at the end of a job in which it is not preempted, 1 up to the wcet; None: 1.
    """

def edf_density(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Density test: schedulable if the sum of C / min(D - J, T) is at most 1. Verdict."""

def edf_baker(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    blocking: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> int:
    """Baker's test, for tasks ordered by D - J, `blocking` from 0: schedulable if it holds. Verdict."""

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
    """Admit tasks to the rate-based scheduler in their order, and give their grants while all are present.

    Rates are in units of 1 / 18,018,000. Classes are 0 hard, 1 soft, 2 none. The window of a hard task is its relative
    deadline, of others the period; `wcet` (not of best-effort tasks) is at most that. `longest` and `excess` are what
    sharing takes. Gives whether admitted, rate, budget, period; and capacity, hard, what soft ask for, soft, none. All
    zero but admitted: suspended.
    """

# ---- servers: servers.cpp --------------------------------------------------------------------------------
# A supply is (period, budget, gap, loss) as in analysis/supply.h; (1, 1, 0, 0) is the processor itself. `kind` has one
# of the six kinds for each child; a server has Q as wcet, P as period and as deadline, and no jitter. `blocking`,
# `last` and `above` are as under fixed priorities; `regions`, `step_from` and `step_ticks` as under EDF.
TASK: int
PERIODIC: int
DEFERRABLE: int
SPORADIC: int
BANDWIDTH: int
KERNEL: int

def make_supply(
    period: int, budget: int, response: int, is_polling: bool = False, loss: int = 0
) -> tuple[int, int, int, int]:
    """Make the supply of a server that has received its budget at most `response` ticks after a replenishment."""

def sporadic_supply(
    period: int, budget: int, response: int, returns: int = 18446744073709551615
) -> tuple[int, int, int, int]:
    """The same for a sporadic server, which merges some returns if more than 32 can be pending."""

def sporadic_returns(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None,
    server_period: int,
    budget: int,
    effort: int = 100_000_000,
) -> int | None:
    """Bound the pending returns of a sporadic server with these tasks; None if there may be more than 32."""

def supply_bound(supply: tuple[int, int, int, int], t: int) -> int:
    """Give sbf(t)."""

def supply_time(supply: tuple[int, int, int, int], demand: int) -> int | None:
    """Give the least t with sbf(t) >= demand; None if it does not fit."""

def children_responses(
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    supply: tuple[int, int, int, int] = (1, 1, 0, 0),
    inside: NDArray[np.uint64] | None = None,
    inside_wcet: NDArray[np.uint64] | None = None,
    inside_period: NDArray[np.uint64] | None = None,
    inside_jitter: NDArray[np.uint64] | None = None,
    head_gap: NDArray[np.uint64] | None = None,
    head_delay: NDArray[np.uint64] | None = None,
    head_ticks: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Give worst-case responses under fixed priorities, and the index of the job. Not for BANDWIDTH.

    `inside` says of each child how many rows of `inside_wcet`, `inside_period` and `inside_jitter` are its tasks.
    Of heads, ways in which the supply may begin in place of its gap, the latest counts: `head_ticks` after
    `head_delay`, then the budgets after `head_gap`.
    """

def children_demand(
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    regions: NDArray[np.uint64] | None = None,
    step_from: NDArray[np.uint64] | None = None,
    step_ticks: NDArray[np.uint64] | None = None,
    supply: tuple[int, int, int, int] = (1, 1, 0, 0),
    effort: int = 100_000_000,
) -> tuple[int, int, int, int]:
    """Test under EDF: verdict; if unschedulable an interval, the demand and the supply in it.

    It is the longest such interval in a busy period: children with longer deadlines meet them. Demand 0 means: the
    shares alone are more than that of the supply.
    """

def children_demand_in(
    interval: int,
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
) -> int | None:
    """Give the demand in an interval, without blocking; None if it does not fit."""

def least_budget_fixed_priority(
    server_period: int,
    is_polling: bool,
    loss: int,
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, int]:
    """Give a verdict, and the least budget with which a server of this period schedules its children; 0: none."""

def least_budget_edf(
    server_period: int,
    is_polling: bool,
    loss: int,
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    regions: NDArray[np.uint64] | None = None,
    step_from: NDArray[np.uint64] | None = None,
    step_ticks: NDArray[np.uint64] | None = None,
    effort: int = 100_000_000,
) -> tuple[int, int]:
    """The same under EDF."""

def cbs_response(
    wcet: int, period: int, jitter: int, server_period: int, budget: int, effort: int = 100_000_000
) -> int:
    """Give the longest response of the one task of a cbs or hard-cbs server that meets its deadlines."""

def cbs_busy_period(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None,
    server_period: int,
    budget: int,
    effort: int = 100_000_000,
) -> int:
    """Bound the time from release to finish of the jobs of any task in such a server, under any local policy."""

def total_bandwidth_busy_period(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None,
    server_period: int,
    budget: int,
    effort: int = 100_000_000,
) -> int:
    """The same in a tbs or cus server with the share budget / server_period."""

# ---- resources: blocking.cpp -----------------------------------------------------------------------------
# Sections are three columns of one length: which task, which resource (below the number of sections), ticks from lock
# to unlock. `late` and `early` have a value for each task: its rank under fixed priorities in both, equals alike, less
# is more urgent; under EDF its deadline, and its deadline less its jitter, 0 at least. Among servers a server is a
# task, X the ticks of its section.
NPCS: int
CEILING: int
PIP: int
MIXED: int

def sharing_blocking(
    section_task: NDArray[np.uint64],
    section_resource: NDArray[np.uint64],
    section_ticks: NDArray[np.uint64],
    late: NDArray[np.uint64],
    early: NDArray[np.uint64],
    locking: int,
    at: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """Give the blocking at each of some ranks, or in intervals of some lengths under EDF."""

def sharing_steps(
    section_task: NDArray[np.uint64],
    section_resource: NDArray[np.uint64],
    section_ticks: NDArray[np.uint64],
    late: NDArray[np.uint64],
    early: NDArray[np.uint64],
    locking: int,
    regions: NDArray[np.uint64] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Give B(L) as columns step_from and step_ticks; `regions` of tasks, if jobs wait for one and then for sections."""

def sirap_supply(period: int, budget: int, response: int, holding: int, is_polling: bool) -> tuple[int, int, int, int]:
    """Make the supply of a server under sirap; `holding` is the longest holding time of its tasks, in ticks."""

def payback_supply(
    period: int, budget: int, response: int, holding: int, is_polling: bool
) -> tuple[int, int, int, int]:
    """The same under hsrp-payback."""

# ---- any order: any_order.cpp ----------------------------------------------------------------------------
# A source is a task while it is there: its jobs are released at `start` or later and before `until`. One with a list
# has `listed` arrivals, which stand one list after the other in `arrivals`; its period is not read, and it has no end.
FOR_GOOD: int

def busy_periods(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64],
    start: NDArray[np.uint64],
    until: NDArray[np.uint64],
    listed: NDArray[np.uint64],
    arrivals: NDArray[np.uint64],
    effort: int = 100_000_000,
) -> NDArray[np.uint64]:
    """Give of each source the longest busy period in which it may release a job, under any order; or UNBOUNDED."""
