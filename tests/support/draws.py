# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The random numbers of the simulator (SPEC.md, 5), written again: number k of a task for a use, from a seed.

Source of the bits: SplitMix64 over a counter (Steele, Lea, Flood 2014); of normal deviates: Box and Muller 1958; of the
others: inversion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WORD = 2**64
DEMAND, SEPARATION, JITTER = 1, 2, 3


@dataclass(frozen=True)
class Draw:
    """Random numbers of one task for one use.

    Args:
        seed: of the run, 0 .. 2^64 - 1.
        task: place of the task in the file, counted from 0.
        use: DEMAND, SEPARATION or JITTER.
    """

    seed: int
    task: int
    use: int

    def bits(self, number: int) -> int:
        """Return 64 random bits."""
        stream = _mix(_mix(self.seed + _GAMMA) + (self.task * 256 | self.use))
        return _mix(stream + (number + 1) * _GAMMA)

    def unit(self, number: int) -> float:
        """Return a number in (0, 1]."""
        return (self.bits(number) // 2**11 + 1) / 2**53

    def uniform(self, number: int, first: int, last: int) -> int:
        """Return a whole number from first to last, both included."""
        return first + self.bits(number) * (last - first + 1) // WORD

    def normal(self, number: int, mean: float, deviation: float) -> float:
        """Return a normal deviate."""
        turn = 2 * math.pi * self.unit(2 * number + 1)
        return mean + deviation * math.sqrt(-2 * math.log(self.unit(2 * number))) * math.cos(turn)

    def weibull(self, number: int, scale: float, shape: float) -> float:
        """Return a Weibull deviate."""
        return float(scale * (-math.log(self.unit(number))) ** (1 / shape))

    def exponential(self, number: int, mean: float) -> float:
        """Return an exponential deviate."""
        return -mean * math.log(self.unit(number))


_GAMMA = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    """Return the output function of SplitMix64."""
    z %= WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def to_ticks(value: float, least: int, most: int) -> int:
    """Round half up to ticks and limit."""
    return min(max(least, math.floor(value + 0.5)), most)
