# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Statistics over many task sets: ratios with their intervals, means, weighted ratios.

Sums are made in the order of the chunks, so that the same chunks give the same bits. Nothing here grows with the number
of task sets.

Source of the interval of a ratio: Wilson, Probable Inference, the Law of Succession, and Statistical Inference (Journal
of the American Statistical Association 22, 1927). That of a mean is the normal one, mean +- z s / sqrt(n).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum, inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

ACCEPTED, UNDECIDED = 1, 2
"""Of the three verdicts, those that are counted; as in takt._analysis."""

Verdicts = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.float64]


def wilson(accepted: int, sets: int) -> tuple[float, float]:
    """Return the interval in which a ratio lies with the confidence of 95 percent.

    Args:
        accepted: how many of them, 0 to sets.
        sets: how many there are, at least 1.

    Example:
        >>> low, high = wilson(90, 100)
        >>> f"{low:.4f} {high:.4f}"
        '0.8256 0.9448'
    """
    ratio, share = accepted / sets, _Z * _Z / sets
    middle = ratio + share / 2
    width = _Z * sqrt(ratio * (1 - ratio) / sets + share / sets / 4)
    low = 0.0 if accepted == 0 else (middle - width) / (1 + share)
    high = 1.0 if accepted == sets else (middle + width) / (1 + share)
    return low, high


@dataclass
class Ratio:
    """Ratio of task sets that a test accepts; an undecided one is not accepted."""

    sets: int = 0
    accepted: int = 0
    undecided: int = 0

    def add(self, verdicts: Verdicts) -> None:
        """Count the verdicts of a chunk."""
        self.sets += len(verdicts)
        self.accepted += int(np.count_nonzero(verdicts == ACCEPTED))
        self.undecided += int(np.count_nonzero(verdicts == UNDECIDED))

    def row(self) -> dict[str, Any]:
        """Return the row of the result."""
        low, high = wilson(self.accepted, self.sets)
        counted = {"sets": self.sets, "accepted": self.accepted, "undecided": self.undecided}
        return counted | {"value": self.accepted / self.sets, "low": low, "high": high}


@dataclass
class WeightedRatio:
    """The sum of the utilizations of the task sets that a test accepts, per sum of all utilizations."""

    counts: Ratio = field(default_factory=Ratio)
    accepted: float = 0.0
    total: float = 0.0

    def add(self, verdicts: Verdicts, utilizations: Numbers) -> None:
        """Add those of a chunk."""
        self.counts.add(verdicts)
        self.accepted += fsum(utilizations[verdicts == ACCEPTED])
        self.total += fsum(utilizations)

    def row(self) -> dict[str, Any]:
        """Return the row of the result; a weighted sum has no interval."""
        return self.counts.row() | {"value": self.accepted / self.total, "low": None, "high": None}


@dataclass
class Mean:
    """Mean, least and largest of a number that each task set has; NaN is one that has none."""

    sets: int = 0
    total: float = 0.0
    squares: float = 0.0
    least: float = inf
    largest: float = -inf

    def add(self, numbers: Numbers) -> None:
        """Add those of a chunk."""
        known = numbers[~np.isnan(numbers)]
        if len(known) == 0:
            return
        self.sets += len(known)
        self.total += fsum(known)
        self.squares += fsum(known * known)
        self.least = min(self.least, float(known.min()))
        self.largest = max(self.largest, float(known.max()))

    def row(self) -> dict[str, Any]:
        """Return the row of the result; only the number of task sets if that is 0."""
        if self.sets == 0:
            return {"sets": 0}
        mean = self.total / self.sets
        variance = max(0.0, self.squares - self.sets * mean * mean) / max(1, self.sets - 1)  # of one number 0
        half = _Z * sqrt(variance / self.sets)
        interval = {"value": mean, "low": mean - half, "high": mean + half}
        return {"sets": self.sets, "least": self.least, "largest": self.largest} | interval
