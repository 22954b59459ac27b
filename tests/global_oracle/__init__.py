"""A slow, obvious scheduler for plain tasks on several processors; see README.md."""

from .simulation import Outcome, simulate

__all__ = ["Outcome", "simulate"]
