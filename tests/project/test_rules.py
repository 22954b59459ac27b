# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test of tools/rules.py: every numbered rule of the specification has a case, and every case a rule."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from places import ROOT

SPEC = importlib.util.spec_from_file_location("rules", ROOT / "tools" / "rules.py")
assert SPEC is not None
assert SPEC.loader is not None
rules = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rules)


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert rules.rules_without_case() == []
    assert rules.cases_without_rule() == []


def test_a_rule_leads_to_its_cases() -> None:
    for page in (ROOT / "docs/reference").glob("*.md"):
        for rule, folder in re.findall(r"\(\[(R[\d.]+)\]\(([^)]*)\)", page.read_text()):
            assert (page.parent / folder).resolve().name.startswith(f"{rule}-")


def test_a_rule_has_one_number() -> None:
    assert len(rules.rules()) == len({*rules.rules()}) > 60


def test_a_rule_without_a_case_and_a_folder_without_a_rule_are_listed(tmp_path: Path) -> None:
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / "docs" / "reference" / "order.md").write_text("Most urgent first ([R3.1](a)), in turn ([R3.2](b)).\n")
    for name in ("R3.1-fp/a.toml", "R3.9-lifo/b.toml"):
        (tmp_path / "tests" / "cases" / name).parent.mkdir(parents=True)
        (tmp_path / "tests" / "cases" / name).touch()
    (tmp_path / "tests" / "cases" / "R3.2-fifo").mkdir()
    assert rules.rules_without_case(tmp_path) == ["R3.2"]
    assert rules.cases_without_rule(tmp_path) == ["R3.9"]
