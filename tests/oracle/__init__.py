"""The reference scheduler of the tests: slow, obvious, independent of everything else in the project."""

from .oracle import Costs, JobRow, Outcome, Segment, Server, System, Task, simulate

__all__ = ["Costs", "JobRow", "Outcome", "Segment", "Server", "System", "Task", "simulate"]
