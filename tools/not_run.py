#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints one line that names every check that did not run, and why: the last line of `make test`.

Usage: not_run.py REPORT... where a report is a JUnit file of pytest or ctest.

A report that is missing is a check that did not run, too. Exit status 0 whatever did not run, since a machine may lack
a tool; 1 if a report cannot be read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

EXPECTED_FAILURE = "pytest.xfail"
NAMED = 3  # tests of one reason that are named


def place(case: ElementTree.Element) -> str:
    """Return the file of a test of pytest, or the name of one of ctest."""
    names = case.get("classname", "").split(".")
    return f"{'/'.join(names[:3])}.py" if names[0] == "tests" else case.get("name", "?")


def reason(case: ElementTree.Element) -> str | None:
    """Return why a test did not run; None if it ran."""
    skipped = case.find("skipped")
    if skipped is None or skipped.get("type") == EXPECTED_FAILURE:
        return None
    return skipped.get("message") or "no reason given"


def cases(report: Path) -> Iterator[ElementTree.Element]:
    """Yield the tests of a report."""
    return ElementTree.parse(report).getroot().iter("testcase")


def summary(reports: list[Path]) -> str:
    """Return the line."""
    ran, missed = 0, Counter[tuple[str, str]]()
    for report in reports:
        if not report.exists():
            missed[f"there is no {report}", str(report)] += 1
            continue
        for case in cases(report):
            why = reason(case)
            ran += why is None
            if why is not None:
                missed[why, place(case)] += 1
    if not missed:
        return f"all {ran} checks ran"
    return f"NOT RUN: {missed.total()} of {ran + missed.total()} checks: {'; '.join(by_reason(missed))}"


def by_reason(missed: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield a part of the line for each reason."""
    for why in dict.fromkeys(why for why, _ in missed):
        places = [where for one, where in missed if one == why]
        more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
        count = sum(missed[why, where] for where in places)
        yield f"{count}: {why} ({', '.join(places[:NAMED])}{more})"


def main() -> int:
    """Print the line."""
    try:
        print(summary([Path(name) for name in sys.argv[1:]]))
    except (ElementTree.ParseError, OSError) as error:
        print(f"not_run: a report cannot be read: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
