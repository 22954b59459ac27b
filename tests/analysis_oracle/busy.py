# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The longest busy period under any order: from every instant on, the densest arrivals, tick by tick.

Written from the definition: a busy period begins with nothing unfinished before it, and ends at the first instant by
which all that was released since is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple


class Source(NamedTuple):
    """A task while it is there: released at `begin` or later and before `end`, None for good; or with a list."""

    wcet: int
    period: int
    jitter: int = 0
    begin: int = 0
    end: int | None = None
    arrivals: tuple[int, ...] = ()


def load(sources: Sequence[Source]) -> Fraction:
    """Add up C / T of all that stay."""
    staying = [each for each in sources if each.end is None and not each.arrivals]
    return sum((Fraction(each.wcet, each.period) for each in staying), Fraction(0))


def longest(sources: Sequence[Source]) -> list[int | None]:
    """Return for each source the longest busy period in which it is present; all None if some may have no end."""
    if load(sources) > 1:
        return [None] * len(sources)
    worst = [0] * len(sources)
    for start in range(_last_change(sources) + 1):
        length = _length(sources, start)
        if length is None:
            return [None] * len(sources)
        for place, source in enumerate(sources):
            if _is_there(source, start, start + length):
                worst[place] = max(worst[place], length)
    return list(worst)


def _last_change(sources: Sequence[Source]) -> int:
    return max([0, *(each.begin for each in sources), *(each.end for each in sources if each.end is not None)])


def _is_there(source: Source, start: int, end: int) -> bool:
    return source.begin < end and (source.end is None or source.end > start)


def _limit(sources: Sequence[Source]) -> int:
    """Return a length beyond which no busy period ends, however full the processor is, or which none reaches."""
    spans = [each.arrivals[-1] - each.arrivals[0] for each in sources if each.arrivals]
    settled = _last_change(sources) + max(spans, default=0)
    common = lcm(*(each.period for each in sources))
    left = sum(each.wcet * (2 + len(each.arrivals) + (each.jitter + settled) // each.period) for each in sources)
    room = 1 - load(sources)
    return settled + 2 * common + (int(left / room) + 1 if room > 0 else 0)


def _length(sources: Sequence[Source], start: int) -> int | None:
    """Follow the backlog from an instant on; None if it never ends, 0 if it never begins."""
    released = [0] * len(sources)
    streams = [_releases(source, start) for source in sources]
    following = [next(stream, None) for stream in streams]
    for length in range(_limit(sources) + 1):
        if length > 0 and _work(sources, released, length) <= length:
            return length
        for place, source in enumerate(sources):
            while not source.arrivals and following[place] == start + length:
                released[place] += source.wcet
                following[place] = next(streams[place], None)
        if length == 0 and _work(sources, released, 1) == 0:
            return 0
    return None


def _work(sources: Sequence[Source], released: Sequence[int], length: int) -> int:
    """Add up what was released in [0, length) of a busy period; of a list the most that fits any such window."""
    return sum(released) + sum(each.wcet * _most(each.arrivals, length + each.jitter) for each in sources)


def _most(arrivals: Sequence[int], window: int) -> int:
    """Count the arrivals in each window of this length that begins with one."""
    return max((sum(first <= each < first + window for each in arrivals) for first in arrivals), default=0)


def _releases(source: Source, start: int) -> Iterator[int]:
    """Yield the releases of the densest arrivals: the first one as late as its jitter allows, all others at once."""
    first = max(start, source.begin)
    arrival = first - source.jitter
    while source.end is None or max(arrival, first) < source.end:
        yield max(arrival, first)
        arrival += source.period
