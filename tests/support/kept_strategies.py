# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Strategies of Hypothesis that are made once: what is drawn is the same, and drawing takes half as long.

A composite strategy asks for others in each draw. Hypothesis makes most of them anew, lazily, validates each and finds
out whether it is empty, which takes longer than the draw. Here the same arguments give the same strategy, ready to
draw from, if they are plain values or such strategies themselves; and a composite strategy is neither lazy nor asked
what it is known to be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from hypothesis import strategies as st
from hypothesis.internal.conjecture.utils import calc_label_from_callable
from hypothesis.strategies._internal.core import CompositeStrategy
from hypothesis.strategies._internal.lazy import unwrap_strategies

KEPT = ("booleans", "integers", "just", "lists", "none", "one_of", "sampled_from", "sets", "tuples")
SAMPLED_FROM = st.sampled_from
MOST = 1 << 14

Strategy = st.SearchStrategy[Any]


class Composite(CompositeStrategy):
    """A composite strategy: never empty before it is drawn from, and its values are never drawn twice."""

    force_is_empty = False
    force_has_reusable_values = False
    force_is_cacheable = False

    @property
    def label(self) -> int:
        """What tells its draws from those of others."""
        return _label(self.definition)

    def validate(self) -> None:
        """Its draws are what validates."""


def keep() -> None:
    """Put the makers of kept strategies in the place of Hypothesis' own."""
    for name in KEPT:
        setattr(st, name, _kept(getattr(st, name)))
    st.composite = _composite  # type: ignore[assignment]


_label = lru_cache(MOST)(calc_label_from_callable)


def _composite(definition: Callable[..., Any]) -> Callable[..., Strategy]:
    """Return the maker of a composite strategy."""

    @wraps(definition)
    def make(*args: Any, **more: Any) -> Strategy:
        return Composite(definition, args, more)  # type: ignore[no-untyped-call]

    return make


def _kept(make: Callable[..., Strategy]) -> Callable[..., Strategy]:
    """Return a maker that keeps the strategies it makes, by arguments and their types, which tell True from 1."""

    @lru_cache(MOST)
    def keep(args: tuple[Any, ...], types: tuple[Any, ...], more: tuple[tuple[str, Any], ...]) -> Strategy:
        strategy: Strategy = unwrap_strategies(make(*args, **dict(more)))  # type: ignore[no-untyped-call]
        strategy.validate()
        vars(strategy).update(is_kept=True, validate=lambda: None)
        return strategy

    @wraps(make)
    def kept(*args: Any, **more: Any) -> Strategy:
        if make is SAMPLED_FROM:
            args = tuple(tuple(each) if isinstance(each, list) else each for each in args)
        try:
            types = tuple(map(_type_of, args)), tuple(map(_type_of, more.values()))
            return keep(args, types, tuple(more.items()))
        except TypeError:
            return make(*args, **more)

    return kept


def _type_of(argument: Any) -> Any:
    """Return the type of an argument, for values in a row those of the values.

    Raises:
        TypeError: A strategy that is not kept, so that what is made of it is not either.
    """
    if isinstance(argument, (list, tuple)):
        return tuple(map(_type_of, argument))
    if isinstance(argument, st.SearchStrategy) and "is_kept" not in vars(argument):
        raise TypeError
    return type(argument)
