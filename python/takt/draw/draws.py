# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The random numbers of generated task sets: those of one set follow from seed and number of the set alone.

Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011 (Philox, as numpy has it). A
counter of 256 bits is enciphered under a key that follows from the seed: its low words count through the sets, each of
which has as many blocks as it needs, the others say what the numbers are for and which attempt they belong to. So a
chunk of neighbouring sets is one run of the counter, and where a chunk begins changes nothing.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Ticks = NDArray[np.uint64]

_BLOCK = 4
_MANTISSA = 53


class Purpose(IntEnum):
    """Purpose of random numbers. Each has its own, so that another choice of one changes no other."""

    SHARES = 0
    PERIODS = 1
    DEADLINES = 2
    JITTER = 3
    PRIORITIES = 4
    OFFSETS = 5
    BODIES = 6
    SERVERS = 7
    JOBS = 8


class Draws:
    """Random numbers under one seed.

    Args:
        seed: 0 .. 2^64 - 1.
    """

    def __init__(self, seed: int) -> None:
        """Start with the key of the recipe."""
        self._key = np.random.SeedSequence(seed).generate_state(2, np.uint64)

    def words(self, purpose: Purpose, first: int, count: int, width: int, attempt: int = 0) -> NDArray[np.uint64]:
        """Draw words of 64 bits.

        Args:
            purpose: what they are for.
            first: number of the first set, from 0.
            count: of sets.
            width: how many words each set has, >= 0.
            attempt: which of several draws of the same.

        Returns:
            A row for each set.
        """
        blocks = -(-width // _BLOCK)
        high, low = divmod(first * blocks, 2**64)
        source = np.random.Philox(key=self._key, counter=np.array([low, high, attempt, purpose], dtype=np.uint64))
        words = source.random_raw(count * blocks * _BLOCK)
        return words.reshape(count, blocks * _BLOCK)[:, :width]

    def uniform(self, purpose: Purpose, first: int, count: int, width: int, attempt: int = 0) -> Floats:
        """Draw numbers from 0 to below 1: multiples of 2^-53, so that they are equal on every machine."""
        words = self.words(purpose, first, count, width, attempt)
        return np.asarray((words >> np.uint64(64 - _MANTISSA)) * 2.0**-_MANTISSA, dtype=np.float64)
