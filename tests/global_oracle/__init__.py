# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A slow, obvious scheduler for plain tasks on several processors; see README.md."""

from .simulation import Outcome, Segment, simulate

__all__ = ["Outcome", "Segment", "simulate"]
