# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where the tests find files of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TESTS = ROOT / "tests"
CASES = TESTS / "cases"
GOLDEN = TESTS / "golden"
EXAMPLE_FILES = sorted(EXAMPLES.glob("*.toml"))
ROBOTS = sorted((EXAMPLES / "formats").glob("robot.*"))
