# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The longest busy period: against the definition, followed tick by tick from every instant on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from analysis_oracle.busy import Source, load, longest
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks


def ask(columns: Sequence[Column], effort: int = 10**6) -> list[int]:
    """Return the binding's answer for wcet, period, jitter, start, until, how many are listed, arrivals."""
    wcet, period, jitter, start, until, listed, arrivals = columns
    ticks = _analysis.busy_periods(
        Tasks(wcet, period, jitter=jitter, start=start, until=until, listed=listed, arrivals=arrivals), effort
    )
    return [int(tick) for tick in ticks]


def columns_of(sources: Sequence[Source]) -> list[Column]:
    """Return the columns of sources."""
    return [
        column([each.wcet for each in sources]),
        column([each.period for each in sources]),
        column([each.jitter for each in sources]),
        column([each.begin for each in sources]),
        column([_analysis.FOR_GOOD if each.end is None else each.end for each in sources]),
        column([len(each.arrivals) for each in sources]),
        column([instant for each in sources for instant in each.arrivals]),
    ]


def found(sources: Sequence[Source], effort: int = 10**6) -> list[int]:
    """Return the binding's answer for sources."""
    return ask(columns_of(sources), effort)


@st.composite
def source_sets(draw: st.DrawFn) -> list[Source]:
    """Draw tasks that come and go, of which those that stay often use all of the processor, or more."""
    sources: list[Source] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["stays", "stays", "goes", "listed"]))
        wcet, period = draw(st.integers(1, 3)), draw(st.sampled_from([2, 3, 4, 6, 8, 12]))
        jitter = draw(st.sampled_from([0, 0, 1, 5]))
        begin = draw(st.sampled_from([0, 0, 7, 20]))
        if kind == "listed":
            instants = tuple(sorted(draw(st.lists(st.integers(0, 15), min_size=1, max_size=4))))
            sources.append(Source(wcet, 1, jitter, arrivals=instants))
        else:
            end = None if kind == "stays" else begin + draw(st.integers(1, 25))
            sources.append(Source(wcet, period, jitter, begin, end))
    return sources


def test_the_longest_busy_period_is_that_of_the_backlog_from_every_instant_on() -> None:
    seen: Counter[str] = Counter()

    @tries(400)
    @given(source_sets())
    def compare(sources: list[Source]) -> None:
        expected = longest(sources)
        assert found(sources) == [_analysis.UNBOUNDED if each is None else each for each in expected]
        seen["over" if load(sources) > 1 else "endless" if None in expected else "full"] += load(sources) >= 1
        seen["ends"] += None not in expected
        seen["several"] += len(set(expected)) > 1

    compare()
    expect_cases(min(seen[kind] for kind in ("over", "endless", "full", "ends", "several")) > 0, seen)


@dataclass
class Example:
    """Sources, and what is known of them."""

    sources: list[Source]
    expected: list[int]


@pytest.mark.parametrize(
    "example",
    [
        Example([Source(2, 5), Source(4, 7)], [14]),
        Example([Source(1, 2), Source(1, 2)], [2]),
        Example([Source(1, 2), Source(1, 2, jitter=1)], [_analysis.UNBOUNDED]),
        Example([Source(1, 1, arrivals=(0,) * 11)], [11]),
        Example([Source(3, 10, end=10), Source(4, 10, begin=10)], [7]),
        Example([Source(3, 10, end=10), Source(4, 10, begin=20)], [3, 4]),
        Example([Source(7, 8, end=10), Source(7, 8, end=10), Source(1, 1, begin=30)], [28, 28, 1]),
    ],
    ids=["two tasks", "full", "full with jitter", "burst", "one after the other", "apart", "full later"],
)
def test_busy_periods_worked_out_by_hand(example: Example) -> None:
    answer = found(example.sources)
    assert answer == (example.expected * len(answer))[: len(answer)]


def test_without_effort_nothing_is_known() -> None:
    assert found([Source(2, 5), Source(2, 5)], effort=1) == [_analysis.UNKNOWN] * 2


def test_columns_that_are_no_sources_are_refused() -> None:
    one = column([1])
    good = columns_of([Source(1, 1, end=9)])
    assert ask(good) == [1]
    for place, bad in [(0, column([0])), (3, column([9])), (4, column([2**63])), (5, one), (6, one)]:
        with pytest.raises(ValueError, match=r"expected|out of range"):
            ask([*good[:place], bad, *good[place + 1 :]])
    listed = column([2])
    with pytest.raises(ValueError, match="ascend"):
        ask([*good[:4], column([_analysis.FOR_GOOD]), listed, column([3, 2])])
    with pytest.raises(ValueError, match="until"):
        ask([*good[:5], listed, column([2, 3])])
