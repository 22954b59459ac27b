# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Distributions of random demands and separations, as authors write them.

Source: SPEC.md, 7.1. In a file a distribution is an inline table, such as
{ distribution = "normal", mean = "2ms", deviation = "500us" }; in Python it is one of the classes here. Values are
drawn by the simulator, rounded to the nearest tick and limited to `min` .. `max`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from takt.base.errors import InputError, show
from takt.model import catalogue, value_checks
from takt.model.input_table import Table
from takt.model.key import POSITIVE_TIME, TIME, Key

_POSITIVE = Annotated[int | str, POSITIVE_TIME]
_TIME = Annotated[int | str, TIME]
_LIMIT = Annotated[int | str | None, TIME.or_none]
_CHECK_SHAPE = value_checks.check_number("a positive number such as 1.5")
_SHAPE = Annotated[float, Key(_CHECK_SHAPE, {"type": "number", "exclusiveMinimum": 0})]


class Distribution(Table):
    """Common base of all distributions.

    Args:
        min: what is drawn below counts as this; default: 1 tick for demands, 0 for separations.
        max: what is drawn above counts as this; default: the wcet for demands, no limit for separations.
    """

    table = "distribution"
    kind: ClassVar[str]
    parameters: ClassVar[tuple[str, ...]]
    examples: ClassVar[Mapping[str, str]] = {
        "min": '"1ms"',
        "max": '"5ms"',
        "mean": '"2ms"',
        "deviation": '"500us"',
        "scale": '"2ms"',
        "shape": "1.5",
    }

    min: _LIMIT = None
    max: _LIMIT = None


class Uniform(Distribution):
    """Every whole tick from `min` to `max` is equally likely.

    Example:
        >>> Uniform(min="1ms", max="3ms").max
        '3ms'
    """

    kind = "uniform"
    parameters = ("min", "max")

    min: _TIME
    max: _POSITIVE


class Normal(Distribution):
    """Normal with a mean and a standard deviation."""

    kind = "normal"
    parameters = ("mean", "deviation")

    mean: _POSITIVE
    deviation: _TIME


class Weibull(Distribution):
    """Weibull with a scale (a time) and a shape (a positive number)."""

    kind = "weibull"
    parameters = ("scale", "shape")

    scale: _POSITIVE
    shape: _SHAPE


class Exponential(Distribution):
    """Exponential with a mean: the separations of a Poisson process."""

    kind = "exponential"
    parameters = ("mean",)

    mean: _POSITIVE


DISTRIBUTIONS: dict[str, type[Distribution]] = {kind.kind: kind for kind in (Uniform, Normal, Weibull, Exponential)}


def check_distribution(value: Mapping[str, Any] | Distribution) -> Distribution:
    """Accept a distribution, or the inline table of one; a PydanticCustomError says what is wrong with it."""
    if isinstance(value, Distribution):
        return value
    name = value.get("distribution")
    if name not in DISTRIBUTIONS:
        found = 'missing "distribution"' if name is None else f"unknown distribution {show(name)}"
        raise value_checks.refuse("unknown-word", f"{found}; {catalogue.alternatives(str(name), DISTRIBUTIONS)}")
    try:
        return DISTRIBUTIONS[name](**{str(key): item for key, item in value.items() if key != "distribution"})
    except InputError as error:
        problem = error.problems[0]
        raise value_checks.refuse(problem.code, f"{problem.key}: {problem.message}") from None
