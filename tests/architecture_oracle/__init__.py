# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The reference for scheduler architectures: software, co-processor and hardware; independent of the rest of Takt."""

from .model import Architecture, JobRow, Outcome, Segment, Task
from .simulation import simulate

__all__ = ["Architecture", "JobRow", "Outcome", "Segment", "Task", "simulate"]
