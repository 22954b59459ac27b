# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Engine control software in numbers: periods and execution times of its runnables.

Source: Kramer, Ziegenbein, Hamann, "Real World Automotive Benchmarks for Free", WATERS 2015: table III (how many of 100
runnables have which period), table IV (least, mean and greatest average execution time in us), table V (between which
factors a runnable's worst case lies above its average). The paper says that average execution times follow a Weibull
distribution, and gives none: here it begins at the least, is cut at the greatest, which lies where a thousandth would
be above, and its shape is the one that gives the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

ABOVE_MAX = 0.001
"""The part of the uncut distribution above the greatest average execution time."""


@dataclass(frozen=True)
class Runnables:
    """The runnables of one period.

    Args:
        period_ms: None: in step with the engine.
        percent: how many of 100 runnables are of this kind.
        acet_us: least, mean and greatest average execution time.
        wcet_factors: least and greatest factor from a runnable's average to its worst case.
        shape: of the Weibull distribution of average execution times.
    """

    period_ms: int | None
    percent: int
    acet_us: tuple[float, float, float]
    wcet_factors: tuple[float, float]
    shape: float

    @property
    def scale_us(self) -> float:
        """The scale of that distribution, counted from the least time."""
        least, _, greatest = self.acet_us
        return (greatest - least) / math.pow(-math.log(ABOVE_MAX), 1 / self.shape)


RUNNABLES: tuple[Runnables, ...] = (
    Runnables(1, 3, (0.34, 5.00, 30.11), (1.30, 29.11), 1.0585),
    Runnables(2, 2, (0.32, 4.20, 40.69), (1.54, 19.04), 0.7815),
    Runnables(5, 2, (0.36, 11.04, 83.38), (1.13, 18.44), 0.931),
    Runnables(10, 25, (0.21, 10.09, 309.87), (1.06, 30.03), 0.4464),
    Runnables(20, 25, (0.25, 8.74, 291.42), (1.06, 15.61), 0.4283),
    Runnables(50, 3, (0.29, 17.56, 92.98), (1.13, 7.76), 1.1968),
    Runnables(100, 20, (0.21, 10.53, 420.43), (1.02, 8.88), 0.3962),
    Runnables(200, 1, (0.22, 2.56, 21.95), (1.03, 4.90), 0.8351),
    Runnables(1000, 4, (0.37, 0.43, 0.46), (1.84, 4.75), 5.8784),
    Runnables(None, 15, (0.45, 6.52, 88.58), (1.20, 28.17), 0.6509),
)
"""Tables III to V, one row each."""
