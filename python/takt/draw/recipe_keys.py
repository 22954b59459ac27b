# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Recipes: how task sets are drawn at random.

Source: SPEC.md, 7.5. A recipe is the table [generate] of a file of its own. It is checked when it is made, so that what
cannot be drawn is known before anything is.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, ClassVar

from takt.base import extras
from takt.base.errors import InputError, show
from takt.model import catalogue, value_checks
from takt.model.conversion import to_ticks
from takt.model.input_table import Table
from takt.model.key import TIME_SCHEMA, Key, integer, list_of, word
from takt.model.key_types import (
    DEFAULT_KIND,
    DEFAULT_POLICY,
    DEFAULT_PROTOCOL,
    Cpus,
    Offset,
    OptionalTime,
    ProtocolName,
    Resolution,
    Time,
)
from takt.model.tables import Platform

MAX_TASKS = 10_000
MAX_FIXED_SUM = 1000
"""Tasks up to which the volumes of fixed-sum, a table of their square, fit memory and a double's range."""

MAX_SUBJOBS = 1000
MAX_RESOURCES = 100
LEAST_ACCEPTED = Fraction(1, 1000)
"""Where fewer draws of UUniFast keep to the limits, uunifast-discard is refused."""

_MAX_TICKS = 2**52
"""Up to this a period and a wcet are exact in the arithmetic of shares."""

COSTS = tuple(Platform().costs())

SHARES = ("uunifast", "uunifast-discard", "fixed-sum", "drs", "automotive")
PERIODS = ("log-uniform", "uniform", "harmonic", "automotive")
DEADLINES = ("implicit", "constrained", "arbitrary")
PRIORITIES = (catalogue.DEADLINE_POLICY, catalogue.PERIOD_POLICY, "random")
OFFSETS = ("zero", "random")
_BY_DEADLINE = catalogue.policies_that(lambda policy: policy.has_deadline_keys)
POLICY_NAMES = catalogue.policies_that(lambda policy: not policy.has_slots)
"""Policies that need no more than what a recipe says; others need a table of slots."""

SERVER_KINDS = tuple(kind.name for kind in catalogue.server_kinds() if not kind.is_rule)
DEALINGS = ("least-loaded", "random")
_LIMITED = ("uunifast-discard", "fixed-sum", "drs")
_RANGED = ("log-uniform", "uniform", "harmonic")


def _real(what: str, least: float, most: float) -> Key:
    """Describe a number in a range."""

    def check(value: object) -> float:
        expected = f"expected {what} from {least:g} to {most:g}, found {show(value)}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise value_checks.refuse("wrong-type", expected)
        if not least <= value <= most:
            raise value_checks.refuse("out-of-range", expected)
        return float(value)

    return Key(check, {"type": "number", "minimum": least, "maximum": most})


_FACTOR = _real("a factor", 0, 1000)


def _check_factors(value: object) -> tuple[float, float]:
    """Accept a factor, or the least and the greatest of a range."""
    ends = tuple(value) if isinstance(value, (list, tuple)) else (value, value)
    if len(ends) != 2:
        raise value_checks.refuse("wrong-type", "expected a factor, or the two ends of a range such as [0.5, 1.0]")
    least, most = map(_FACTOR.check, ends)
    if least > most:
        raise value_checks.refuse("out-of-range", f"expected a range that ascends, found {least:g} before {most:g}")
    return least, most


_SHARES = word("distribution of shares", SHARES)


def _check_shares(value: object) -> str:
    """Accept the name of a distribution of shares, and the one of a package if that is installed."""
    name: str = _SHARES.check(value)
    if name == "drs" and importlib.util.find_spec(name) is None:
        raise value_checks.refuse("missing", extras.missing(show(name), name, name))
    return name


_PERIOD_NAME = word("distribution of periods", PERIODS)
_check_period_list = value_checks.check_times(value_checks.POSITIVE_TIME, 'times such as ["10ms", "20ms"]')


def _check_periods(value: object) -> str | tuple[int | str, ...]:
    """Accept the name of a distribution, or a list of times."""
    return _check_period_list(value) if isinstance(value, (list, tuple)) else _PERIOD_NAME.check(value)


_FACTORS_SCHEMA = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2},
    ]
}
_FACTORS = Key(_check_factors, _FACTORS_SCHEMA)
_PERIODS = Key(_check_periods, {"anyOf": [_PERIOD_NAME.schema, list_of(TIME_SCHEMA)]})
_POLICY = word("policy", POLICY_NAMES)


class RecipeKeys(Table):
    """The keys of a recipe; Recipe says what they mean."""

    table = "generate"
    noun = "recipe"
    examples: ClassVar[Mapping[str, str]] = {"tasks": "10", "utilization": "0.8"}

    tasks: Annotated[int, integer("a number of tasks", 1, MAX_TASKS)]
    utilization: Annotated[float, _real("a utilization above 0, such as 0.8,", 1e-6, 1000)]
    shares: Annotated[str, Key(_check_shares, _SHARES.schema)] = "uunifast"
    min_share: Annotated[float | None, _real("a share", 0, 1000).or_none] = None
    max_share: Annotated[float | None, _real("a share", 0, 1000).or_none] = None
    periods: Annotated[str | Sequence[int | str], _PERIODS] = "log-uniform"
    period_min: Time = "10ms"
    period_max: Time = "1s"
    period_grid: OptionalTime = None
    period_ratio: Annotated[int, integer("a ratio", 2, 1000)] = 2
    engine_period: OptionalTime = None
    runnables: Annotated[int, integer("a number of runnables", 1, 10_000)] = 1
    deadlines: Annotated[str, word("distribution of deadlines", DEADLINES)] = "implicit"
    deadline_factors: Annotated[tuple[float, float] | None, _FACTORS.or_none] = None
    jitter: Annotated[tuple[float, float], _FACTORS] = (0.0, 0.0)
    offsets: Annotated[str, word("word", OFFSETS)] = "zero"
    priorities: Annotated[str, word("order", PRIORITIES)] = catalogue.DEADLINE_POLICY
    demand: Annotated[tuple[float, float] | None, _FACTORS.or_none] = None
    subjobs: Annotated[int | None, integer("a number of subjobs", 2, MAX_SUBJOBS).or_none] = None
    longest_subjob: OptionalTime = None
    non_preemptive: Annotated[float, _real("a probability", 0, 1)] = 0.0
    resources: Annotated[int, integer("a number of resources", 0, MAX_RESOURCES)] = 0
    section_probability: Annotated[float, _real("a probability", 0, 1)] = 0.5
    section_min: OptionalTime = None
    section_max: OptionalTime = None
    protocol: ProtocolName = DEFAULT_PROTOCOL
    servers: Annotated[int, integer("a number of servers", 0, MAX_TASKS)] = 0
    server_kind: Annotated[str, word("kind", SERVER_KINDS)] = DEFAULT_KIND
    server_policy: Annotated[str, _POLICY] = DEFAULT_POLICY
    server_period_min: Time = "10ms"
    server_period_max: Time = "50ms"
    server_dealing: Annotated[str, word("way to deal", DEALINGS)] = "least-loaded"
    server_budget: Annotated[float, _FACTOR] = 1.25
    policy: Annotated[str, _POLICY] = DEFAULT_POLICY
    context_switch: Offset = 0
    release: Offset = 0
    scheduling: Offset = 0
    point: Offset = 0
    tick: Offset = 0
    tick_period: OptionalTime = None
    wake_up: Offset = 0
    resolution: Resolution = "1us"
    cpus: Cpus = 1
    horizon: OptionalTime = None

    @property
    def share_limits(self) -> tuple[float, float]:
        """The least and the greatest share that a task may have."""
        if self.shares not in _LIMITED:
            return 0.0, math.inf
        return self.min_share or 0.0, 1.0 if self.max_share is None else self.max_share

    @property
    def deadline_range(self) -> tuple[float, float]:
        """Between which factors deadlines are."""
        default = (0.0, 1.0) if self.deadlines == "constrained" else (0.5, 2.0)
        return default if self.deadline_factors is None else self.deadline_factors

    @property
    def period_range(self) -> tuple[int, int, int]:
        """The shortest and the longest period on the grid, and the grid, in ticks."""
        grid = 1 if self.period_grid is None else self.ticks_of(self.period_grid)
        shortest, longest = self.ticks_of(self.period_min), self.ticks_of(self.period_max)
        return -(-shortest // grid) * grid, longest // grid * grid, grid

    @property
    def section_range(self) -> tuple[int, int]:
        """The shortest and the longest section, in ticks."""
        return self.ticks_of(self.section_min or 1), self.ticks_of(self.section_max or 1)

    @property
    def is_plain(self) -> bool:
        """True if columns describe sets completely: tasks without subjobs, sections and servers."""
        has_points = self.subjobs is not None or self.longest_subjob is not None
        return not (has_points or self.non_preemptive or self.resources or self.servers)

    @property
    def platform(self) -> Platform:
        """Times of the kernel's own work."""
        return Platform(**{key: getattr(self, key) for key in (*COSTS, "tick_period")})

    @property
    def is_ideal(self) -> bool:
        """True if the kernel's own work takes no time."""
        return not any(map(self.ticks_of, self.platform.costs().values()))

    @property
    def orders_by_deadlines(self) -> bool:
        """True if the root orders by deadlines."""
        return catalogue.traits_of(self.policy).has_deadline_keys

    def ticks_of(self, time: int | str) -> int:
        """Convert a time of the recipe to ticks."""
        return int(to_ticks(time, self.resolution))

    def _conflicts(self) -> Iterator[tuple[str, str, str]]:
        problems = list(self._time_conflicts())
        yield from problems
        yield from self._key_conflicts()
        if self.deadline_factors is not None and self.deadlines == "implicit":
            yield "conflict", "deadline_factors", "expected none where the deadline is the period"
        if self.deadlines == "constrained" and self.deadline_range[1] > 1:
            yield "out-of-range", "deadline_factors", f"expected at most 1, found {self.deadline_range[1]:g}"
        yield from self._body_conflicts()
        for key in ("section_min", "section_max"):
            if self.resources and getattr(self, key) is None:
                yield "missing", key, f'missing; sections need one, for instance {key} = "100us"'
            if not self.resources and getattr(self, key) is not None:
                yield "conflict", key, "expected none without resources"
        yield from self._place_conflicts()
        if not problems:
            yield from self._range_conflicts()
            if self.shares in _LIMITED:
                yield from self._share_conflicts()

    def _range_conflicts(self) -> Iterator[tuple[str, str, str]]:
        for what in ("period", "section", "server_period"):
            least, most = getattr(self, f"{what}_min"), getattr(self, f"{what}_max")
            if least is not None and most is not None and self.ticks_of(least) > self.ticks_of(most):
                message = f"expected at least {what}_min, {show(least)}, found {show(most)}"
                yield "out-of-range", f"{what}_max", message
        shortest, longest, _ = self.period_range
        is_range = self.periods in _RANGED and self.ticks_of(self.period_min) <= self.ticks_of(self.period_max)
        if is_range and shortest > longest:
            grid = show(self.period_grid or self.resolution)
            found = f"found none from {show(self.period_min)} to {show(self.period_max)}"
            yield "out-of-range", "period_max", f"expected a multiple of {grid} between the limits, {found}"

    def _time_conflicts(self) -> Iterator[tuple[str, str, str]]:
        """Yield times that are not whole ticks, or too long."""
        times = [(key, value) for key, value in self.times() if value is not None]
        if self.periods == "automotive":
            times.append(("periods", "1ms"))
        elif not isinstance(self.periods, str):
            times += [("periods", period) for period in self.periods]
        for key, value in times:
            ticks = Fraction(to_ticks(value, self.resolution))
            if ticks.denominator != 1:
                message = f"expected a multiple of the resolution {show(self.resolution)}, found {show(value)}"
                yield "not-a-multiple", key, message
            elif key != "horizon" and ticks * max(Fraction(1), Fraction(self.utilization)) > _MAX_TICKS:
                yield "out-of-range", key, f"expected at most 2^52 ticks with its wcet, found {show(value)}"

    def _key_conflicts(self) -> Iterator[tuple[str, str, str]]:
        for key in ("min_share", "max_share"):
            if getattr(self, key) is not None and self.shares not in _LIMITED:
                found = f"found {getattr(self, key):g} with shares = {show(self.shares)}"
                yield "conflict", key, f"expected none, {found}; limits need {_one_of(_LIMITED)}"
        if self.shares == "automotive" and self.periods != "automotive":
            yield "conflict", "shares", 'expected periods = "automotive" with automotive shares'
        if self.engine_period is not None and self.periods != "automotive":
            yield "conflict", "engine_period", 'expected periods = "automotive" with a period of the engine'

    def _body_conflicts(self) -> Iterator[tuple[str, str, str]]:
        ways = {"subjobs": self.subjobs, "longest_subjob": self.longest_subjob, "resources": self.resources or None}
        given = [key for key, value in ways.items() if value is not None]
        for key in given[1:]:
            yield "conflict", key, f"expected either {given[0]} or {key}, found both"
        if self.non_preemptive and given and given[0] != "resources":
            yield "conflict", "non_preemptive", f"expected none with {given[0]}, whose tasks are not preemptive at all"

    def _place_conflicts(self) -> Iterator[tuple[str, str, str]]:
        """Yield conflicts with several processors, with servers and with costs."""
        if self.cpus > 1 and not self.is_plain:
            message = f"expected 1 with subjobs, non-preemptive tasks, resources or servers, found {self.cpus}"
            yield "conflict", "cpus", message
        if self.servers and catalogue.server_kind(self.server_kind).wants_deadline and not self.orders_by_deadlines:
            message = f"expected {_one_of(_BY_DEADLINE)} with servers of kind {show(self.server_kind)}"
            yield "conflict", "policy", f"{message}, found {show(self.policy)}"
        if self.resources and self.servers and self.protocol not in catalogue.AMONG_PROTOCOLS:
            among = f"expected {_one_of(catalogue.AMONG_PROTOCOLS)} where servers share"
            yield "conflict", "protocol", f"{among}, found {show(self.protocol)}"
        try:
            if not self.is_ideal and self.cpus > 1:
                yield "conflict", "cpus", f"expected 1 where the kernel's own work takes time, found {self.cpus}"
        except InputError as error:
            yield from ((problem.code, str(problem.key), problem.message) for problem in error.problems)

    def _share_conflicts(self) -> Iterator[tuple[str, str, str]]:
        """Yield limits that no shares satisfy, or too few draws."""
        least, most = self.share_limits
        lowest, highest = (self.tasks * Fraction(limit) for limit in self.share_limits)
        if not lowest <= Fraction(self.utilization) <= highest:
            between = f"{self.tasks} tasks with shares from {least:g} to {most:g} have {float(lowest):g}"
            message = f"{between} to {float(highest):g}, found {self.utilization:g}"
            yield "out-of-range", "utilization", message
        elif self.shares == "fixed-sum" and self.tasks > MAX_FIXED_SUM:
            message = f'expected at most {MAX_FIXED_SUM} with shares = "fixed-sum", found {self.tasks}'
            yield "out-of-range", "tasks", message
        elif self.shares == "uunifast-discard":
            part = accepted_part(self.tasks, self.utilization, least, most)
            if part < LEAST_ACCEPTED:
                kept = f"expected limits that one draw of {round(1 / LEAST_ACCEPTED)} keeps to"
                message = f'{kept}, found one of {float(1 / part):.3g}; shares = "fixed-sum" draws the same'
                yield "out-of-range", "shares", message


def accepted_part(tasks: int, total: float, least: float, most: float) -> Fraction:
    """Return the probability that no share of UUniFast, drawn above the least ones, is above the most.

    It is the volume of a simplex without its corners, by inclusion and exclusion.
    """
    above = Fraction(total) - tasks * Fraction(least)
    if above == 0:
        return Fraction(1)
    limit = (Fraction(most) - Fraction(least)) / above
    terms = (
        (-1) ** corner * math.comb(tasks, corner) * (1 - corner * limit) ** (tasks - 1)
        for corner in range(tasks + 1)
        if corner * limit <= 1
    )
    return sum(terms, Fraction(0))


def _one_of(names: tuple[str, ...]) -> str:
    return "one of " + ", ".join(map(show, names))
