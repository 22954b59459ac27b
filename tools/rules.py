#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rules of the specification that no case tests, and cases of no rule.

A rule is numbered where a page of docs/reference says it: "([R3.1](...))". Its cases are the files of
`tests/cases/R3.1-<word>/`. Exit status 1 if a rule has no case, or a folder no rule.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULE = re.compile(r"\(\[(R\d+\.\d+)\]")


def rules(root: Path = ROOT) -> list[str]:
    """Return the rules in the order of the pages."""
    pages = sorted((root / "docs" / "reference").glob("*.md"))
    return [rule for page in pages for rule in RULE.findall(page.read_text(encoding="utf-8"))]


def cases(root: Path = ROOT) -> dict[str, int]:
    """Return the number of cases in each folder, by rule."""
    folders = (root / "tests" / "cases").glob("R*")
    return {folder.name.partition("-")[0]: len(list(folder.glob("*.toml"))) for folder in folders}


def rules_without_case(root: Path = ROOT) -> list[str]:
    """Return the rules that no case tests."""
    found = cases(root)
    return [rule for rule in rules(root) if not found.get(rule)]


def cases_without_rule(root: Path = ROOT) -> list[str]:
    """Return the rules that folders name and no page has."""
    return sorted({*cases(root)} - {*rules(root)})


def main() -> int:
    """Print both lists."""
    missing, unknown = rules_without_case(), cases_without_rule()
    for rule in missing:
        print(f"{rule}: no case in tests/cases")
    for rule in unknown:
        print(f"{rule}: no rule of docs/reference")
    print(f"rules: {len(rules())} rules, {sum(cases().values())} cases, {len(missing)} rules without a case")
    return 1 if missing or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
