# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The order of files: what took longest in the last `make test` comes first, so that no processor idles at its end.

`build/pytest.xml` has the times; without it, and for a file that it does not know, the order is pytest's. Besides,
the same values give the same strategy `sampled_from` of Hypothesis, see keep_samples.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import strategies as st
from places import ROOT

TIMES = ROOT / "build" / "pytest.xml"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes more than a second of a processor; not a part of `make check`")
    keep_samples()


def keep_samples() -> None:
    """Make each strategy that samples from values once.

    Hypothesis keeps strategies of numbers and of one another, but not these. A composite strategy would have new ones
    in each draw, which are validated and labelled before it; that takes longer than the draw.
    """
    make = st.sampled_from
    keep = lru_cache(1 << 14)(lambda values, types: make(values))

    def kept(values: Any) -> Any:
        try:
            return keep(tuple(values), tuple(map(type, values)))  # the types tell True from 1
        except TypeError:
            return make(values)

    st.sampled_from = kept  # type: ignore[assignment]


def seconds_of_files() -> defaultdict[str, float]:
    """Read how long each file took, by its path without suffix; nothing if the times cannot be read."""
    seconds: defaultdict[str, float] = defaultdict(float)
    try:
        cases = ElementTree.parse(TIMES).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return seconds
    for case in cases:
        seconds[case.get("classname", "").replace(".", "/")] += float(case.get("time", 0))
    return seconds


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seconds = seconds_of_files()
    items.sort(key=lambda item: -seconds[item.location[0].removesuffix(".py")])
