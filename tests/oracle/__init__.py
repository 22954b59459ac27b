# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The reference scheduler of the tests: slow, obvious, independent of everything else in the project."""

from .model import Change, JobRow, Outcome, Platform, PointRow, Resource, Segment, Server, System, Task
from .oracle import simulate

__all__ = [
    "Change",
    "JobRow",
    "Outcome",
    "Platform",
    "PointRow",
    "Resource",
    "Segment",
    "Server",
    "System",
    "Task",
    "simulate",
]
