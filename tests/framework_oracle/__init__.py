# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The reference of the general scheduling framework: slow, obvious, independent of everything else in the project."""

from .dispatcher import simulate
from .model import AllocatorCost, Budget, Job, Outcome, Record, System, Task, UnitRow
from .segments import merge

__all__ = ["AllocatorCost", "Budget", "Job", "Outcome", "Record", "System", "Task", "UnitRow", "merge", "simulate"]
