# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The reference of the rate-based policies: RBE and the rate-based scheduler, slow, obvious, independent."""

from .model import SCALE, JobRow, LogRow, Outcome, Segment, System, Task
from .scheduler import simulate

__all__ = ["SCALE", "JobRow", "LogRow", "Outcome", "Segment", "System", "Task", "simulate"]
