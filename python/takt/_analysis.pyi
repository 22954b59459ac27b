"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task."""

import numpy as np
from numpy.typing import NDArray

TIME_MAX: int
UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

# ---- fixed priorities: fixed_priority.cpp ----------------------------------------------------------------

# ---- what is chosen: assignment.cpp ----------------------------------------------------------------------

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

# ---- earliest deadline first: edf.cpp --------------------------------------------------------------------

# ---- servers: servers.cpp --------------------------------------------------------------------------------

# ---- resources: blocking.cpp -----------------------------------------------------------------------------
