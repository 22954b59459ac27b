"""The binding of analysis/. Columns are numpy arrays of unsigned 64-bit integers, one value for each task."""

TIME_MAX: int
UNSCHEDULABLE: int
SCHEDULABLE: int
UNDECIDED: int

# ---- fixed priorities: fixed_priority.cpp ----------------------------------------------------------------

# ---- what is chosen: assignment.cpp ----------------------------------------------------------------------

# ---- earliest deadline first: edf.cpp --------------------------------------------------------------------

# ---- servers: servers.cpp --------------------------------------------------------------------------------

# ---- resources: blocking.cpp -----------------------------------------------------------------------------
