"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TIME_MAX: int
UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

# ---- fixed priorities: fixed_priority.cpp ----------------------------------------------------------------

# ---- what is chosen: assignment.cpp ----------------------------------------------------------------------

# ---- earliest deadline first: edf.cpp --------------------------------------------------------------------

# ---- servers: servers.cpp --------------------------------------------------------------------------------

# Period, budget, gap and loss of a supply (analysis/supply.h); FULL = (1, 1, 0, 0) is the processor itself.
_Supply = tuple[int, int, int, int]

# Kinds of children (analysis/children.h). A server has Q as wcet, P as period and as deadline, and no jitter.
TASK: int
PERIODIC: int
DEFERRABLE: int
SPORADIC: int
BANDWIDTH: int

def make_supply(period: int, budget: int, response: int, is_polling: bool = False, loss: int = 0) -> _Supply: ...
def supply_bound(supply: _Supply, t: int) -> int: ...
def supply_time(supply: _Supply, demand: int) -> int | None: ...

# A verdict, and for each child (SCHEDULABLE if bounded, UNSCHEDULABLE if not, UNDECIDED; ticks; which job).
def children_responses(
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: NDArray[np.uint64] | None = None,
    last: NDArray[np.uint64] | None = None,
    above: NDArray[np.uint64] | None = None,
    supply: _Supply = (1, 1, 0, 0),
    effort: int = 100_000_000,
) -> tuple[int, list[tuple[int, int, int]]]: ...

# A verdict; of the longest window in a busy period that fails length, demand, supply. Blocking: steps (begin, ticks).
def children_demand(
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: Sequence[tuple[int, int]] = (),
    supply: _Supply = (1, 1, 0, 0),
    effort: int = 100_000_000,
) -> tuple[int, int, int, int]: ...
def children_demand_in(
    window: int,
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
) -> int | None: ...

# A verdict and the least budget, 0 if there is none.
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
) -> tuple[int, int]: ...
def least_budget_edf(
    server_period: int,
    is_polling: bool,
    loss: int,
    kind: NDArray[np.uint64],
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    deadline: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None = None,
    blocking: Sequence[tuple[int, int]] = (),
    effort: int = 100_000_000,
) -> tuple[int, int]: ...

# As a row of children_responses.
def cbs_response(
    wcet: int, period: int, jitter: int, server_period: int, budget: int, effort: int = 100_000_000
) -> tuple[int, int, int]: ...
def cbs_busy_period(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None,
    server_period: int,
    budget: int,
    effort: int = 100_000_000,
) -> tuple[int, int, int]: ...
def total_bandwidth_busy_period(
    wcet: NDArray[np.uint64],
    period: NDArray[np.uint64],
    jitter: NDArray[np.uint64] | None,
    server_period: int,
    budget: int,
    effort: int = 100_000_000,
) -> tuple[int, int, int]: ...

# ---- resources: blocking.cpp -----------------------------------------------------------------------------
