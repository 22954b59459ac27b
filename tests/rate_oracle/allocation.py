# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rates of tasks: the integer form of sections 2.2 to 2.4.

A pure function of the admitted tasks. Rates are integers in units of 1 / SCALE; reservations are rounded up, shares
that are handed out are rounded down, so the rates of all tasks together are never above SCALE.

What the specification leaves open:

- The rate that a soft task requests is rounded up, like that of a hard one, also in the sum of the requested rates.
- beta and sigma are rounded up.
- A rate of 0, whatever rounded to it, is a suspension: neither budget nor period exist then (both are given as 0).
- The grid is for stretched periods only; a period that is not stretched stays as requested.
- formula3 at an admission counts the candidate as admitted and at least one task of class none. Beyond a full
  processor it is 0, not less. So it never refuses what fits without it, and beta itself may become 0.
- With resources the capacity, what b leaves of the processor, stands for the whole of it in (3), (4), (5) and in the
  admission. A soft or none task is refused like a hard one if b rises with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .model import FORMULA3, SCALE, System


@dataclass(frozen=True)
class Request:
    """What an admitted task asks for: its class, budget and period (the window of a hard task), and weight."""

    class_: str
    budget: int
    period: int
    weight: int = 1

    @property
    def rate(self) -> int:
        """The requested rate."""
        return ceil_div(self.budget * SCALE, self.period)


@dataclass(frozen=True)
class Target:
    """What a task is to have: its rate, budget and period (that of a hard task is its window)."""

    rate: int
    budget: int
    period: int


NOTHING = Target(0, 0, 0)


def ceil_div(dividend: int, divisor: int) -> int:
    """Divide and round up."""
    return -(-dividend // divisor)


def allocate(system: System, requests: Sequence[Request], capacity: int = SCALE) -> list[Target]:
    """Return the target of every admitted task."""
    hard = rate_of("hard", requests)
    soft = soft_share(system, requests, capacity)
    return [_target(request, requests, soft, capacity - hard - soft, system.grid) for request in requests]


def soft_share(system: System, requests: Sequence[Request], capacity: int = SCALE) -> int:
    """Return the share of all soft tasks together, equation (4)."""
    has_none = any(request.class_ == "none" for request in requests)
    beta = beta_of(system, requests, capacity) if has_none else 0
    return max(0, min(rate_of("soft", requests), capacity - rate_of("hard", requests) - beta))


def is_admitted(
    system: System,
    admitted: Sequence[Request],
    candidate: Request,
    capacity: int = SCALE,
    *,
    raises_blocking: bool = False,
) -> bool:
    """True if a task may be admitted; one that is not hard may be refused only if b rises with it."""
    if candidate.class_ != "hard" and not raises_blocking:
        return True
    together = [*admitted, candidate]
    beta = beta_of(system, together, capacity)
    return rate_of("hard", together) + beta + _rounded_up(system.sigma) <= capacity


def beta_of(system: System, requests: Sequence[Request], capacity: int = SCALE) -> int:
    """Return the share reserved for class none: a constant, or by the corrected formula (3)."""
    if system.beta != FORMULA3:
        return _rounded_up(Fraction(system.beta))
    nones = max(1, _count("none", requests))
    softs = _count("soft", requests)
    soft_rate = Fraction(rate_of("soft", requests), SCALE)
    left = Fraction(max(0, capacity - rate_of("hard", requests)), SCALE)
    return _rounded_up(Fraction(nones) / (nones + softs * (1 + soft_rate) ** 2) * left)


def rate_of(class_: str, requests: Sequence[Request]) -> int:
    """Add up what the tasks of a class request."""
    return sum(request.rate for request in requests if request.class_ == class_)


def _target(request: Request, requests: Sequence[Request], soft: int, none: int, grid: int) -> Target:
    """Return the target of one task, from the shares of the soft tasks and of those of class none together."""
    if request.class_ == "hard":
        return Target(request.rate, request.budget, request.period)
    if request.class_ == "soft":
        return _soft_target(request, rate_of("soft", requests), soft, grid)
    weights = sum(other.weight for other in requests if other.class_ == "none")
    return _none_target(request, none * request.weight // weights)


def _soft_target(request: Request, requested: int, given: int, grid: int) -> Target:
    """Stretch the period of a soft task, equations (6) and (7)."""
    if given == requested:
        return Target(request.rate, request.budget, request.period)
    rate = request.rate * given // requested
    if rate == 0:
        return NOTHING
    period = ceil_div(request.budget * SCALE, rate)
    return Target(rate, request.budget, ceil_div(period, grid) * grid)


def _none_target(request: Request, rate: int) -> Target:
    """Compute the budget of a task of class none, equation (14); a budget below 1 lengthens the period instead."""
    if rate == 0:
        return NOTHING
    budget = rate * request.period // SCALE
    return Target(rate, budget, request.period) if budget else Target(rate, 1, ceil_div(SCALE, rate))


def _count(class_: str, requests: Sequence[Request]) -> int:
    """Count the tasks of a class."""
    return sum(request.class_ == class_ for request in requests)


def _rounded_up(share: Fraction) -> int:
    """Return a share of the processor in units of 1 / SCALE."""
    return ceil_div(share.numerator * SCALE, share.denominator)
