# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Delays of messages between the processor and a scheduler at a distance: a time, or a distribution of times.

On a command line a distribution is its name and its parameters in their order, separated by colons, then its limits:
`uniform:0:50us`, `exponential:20us`, `normal:20us:5us:max=40us`, `weibull:20us:1.5`. The words, the parameters and what
they may be are those of distributions.py.
"""

from __future__ import annotations

from pydantic_core import PydanticCustomError

from takt.base import times
from takt.base.errors import InputError, Problem, show
from takt.model import value_checks
from takt.model.conversion import to_ticks
from takt.model.core_input import Stream
from takt.model.distributions import DISTRIBUTIONS, Distribution, check_distribution
from takt.model.streams import stream_of

Delay = int | str | Distribution
"""Ticks, a time with a unit, or a distribution."""

_KEY = "--remote"
_EXAMPLES = "20us, 0, uniform:0:50us or exponential:20us"
_check_time = value_checks.check_time(f"a delay such as {_EXAMPLES}", 0)


def parse(text: str) -> Delay:
    """Read a delay that stands on a command line.

    Raises:
        InputError: it is none.
    """
    name, *values = text.split(":")
    parameters = DISTRIBUTIONS[name].parameters if name in DISTRIBUTIONS else ()
    given: dict[str, int | float | str] = {}
    try:
        if not values and name not in DISTRIBUTIONS:
            return _check_time(_value(text))
        for place, value in enumerate(values if parameters else ()):
            key, is_named, written = value.rpartition("=")
            if not is_named and place >= len(parameters):
                form = ":".join((name, *(parameter.upper() for parameter in parameters)))
                found = f"expected {form} and then min=T or max=T, found {show(value)}"
                raise value_checks.refuse("out-of-range", found)
            key = key if is_named else parameters[place]  # those without a name are the parameters in their order
            if key in given:
                raise value_checks.refuse("conflict", f"expected {key} once; leave all but one out")
            given[key] = _value(written, is_time=key != "shape")
        return check_distribution({"distribution": name, **given})
    except PydanticCustomError as error:
        raise InputError([Problem(error.message(), error.type, key=_KEY)]) from None


def _value(text: str, *, is_time: bool = True) -> int | float | str:
    """Read a value: ticks, a number, or a text that is checked later."""
    if is_time:
        return times.written(text)
    try:
        return float(text)
    except ValueError:
        return text


def delays_of(delay: Delay, resolution: str) -> Stream:
    """Return the stream of delays, in ticks.

    Args:
        delay: one that was accepted, or that a program gives.
        resolution: length of a tick.

    Raises:
        InputError: a time is no whole number of ticks, or too long, or the limits of the distribution leave nothing.
    """
    if not isinstance(delay, Distribution):
        return Stream("listed", (_ticks(delay, resolution),), least=0)
    for limit in (delay.min, delay.max):
        if limit is not None:
            _ticks(limit, resolution)
    stream = stream_of(delay, 0, times.MAX_TICKS, resolution)
    if stream.least > stream.most:
        message = f"expected min <= max, found {stream.least} > {stream.most} ticks"
        raise InputError([Problem(message, "out-of-range", key=_KEY)])
    return stream


def _ticks(value: int | str, resolution: str) -> int:
    try:
        ticks = to_ticks(_check_time(value), resolution)
    except PydanticCustomError as error:
        raise InputError([Problem(error.message(), error.type, key=_KEY)]) from None
    if ticks != int(ticks):
        message = (
            f"expected a multiple of the resolution {show(resolution)}, found {show(value)}; write whole ticks, "
            "or give the file a finer resolution"
        )
        raise InputError([Problem(message, "resolution", key=_KEY)])
    if ticks > times.MAX_TICKS:
        raise InputError(
            [Problem(f"expected at most {times.MAX_TICKS} ticks, found {show(value)}", "out-of-range", key=_KEY)]
        )
    return int(ticks)
