# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The order of files: what took longest in the last `make test` comes first, so that no processor idles at its end.

`build/pytest.xml` has the times; without it, and for a file that it does not know, the order is pytest's. Besides,
strategies of Hypothesis are kept, see support/kept_strategies.py.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from xml.etree import ElementTree

import kept_strategies
import pytest
from places import ROOT

TIMES = ROOT / "build" / "pytest.xml"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes more than a second of a processor; not a part of `make check`")
    kept_strategies.keep()


def pytest_collection_finish() -> None:
    """Leave what is there now to no garbage collection: it stays, and it is much."""
    gc.collect()
    gc.freeze()


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
