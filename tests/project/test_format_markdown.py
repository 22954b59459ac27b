# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/format_markdown.py: one sentence per line, no word changed, and what is no sentence stays."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

STAYS = {
    "a block of code": "```text\nOne. Two. Three.\n```\n",
    "indented code": "Run:\n\n    cc a.c. b.c.\n",
    "a table": f"| a | b |\n|---|---|\n| One. Two. | {'x ' * 80}|\n",
    "a heading": "# One. Two.\n",
    "HTML": "<!-- tables: made. By hand. -->\n",
    "a hard line break": "One. Two.\\\nThree.\n",
    "code": "Run `takt a. b` now.\n",
    "a link": "[One. Two](a.md) is there.\n",
    "an abbreviation": "A policy, e.g. one of the literature (cf. Liu et al. 1973), orders jobs.\n",
    "an ellipsis": "Jobs 1, 2 ... n cover the ticks 0 .. n.\n",
    "a numbered list": "1. Add a file.\n2. Add a row.\n",
    "an emphasized sentence that begins a paragraph": "**Decision.** One timer.\n",
    "what would become a list item": "There are 2. - 1 is less.\n",
    "a word that cannot be broken": f"{'x' * 150}\n",
}


@pytest.fixture(scope="module")
def tool() -> Any:
    """Import the tool, which is a program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        return importlib.import_module("format_markdown")


def test_a_sentence_has_a_line_with_the_margin_of_its_block(tool: Any) -> None:
    text = "- One. Is\n  it two? (Three!)\n  1. Four. **Five.** Six.\n\n> Seven.\n> Eight. Nine.\n"
    first = ["- One.", "  Is it two?", "  (Three!)", "  1. Four.", "     **Five.** Six.", ""]
    assert tool.formatted(text).splitlines() == [*first, "> Seven.", "> Eight.", "> Nine."]


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_what_is_no_sentence_stays(tool: Any, text: str) -> None:
    assert tool.formatted(text) == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("after a semicolon rather than a comma;", "here, or anywhere in this part"),
        ("after a colon rather than a comma:", "here, or anywhere in this part"),
        ("after a comma rather than before a conjunction,", "here or anywhere in this part"),
        ("before a conjunction rather than at", "and at any space in this part"),
        ("before a parenthesis rather than at", "(here) any space in this part"),
        ("outside of parentheses rather than within,", "here (anywhere; or there) within"),
    ],
)
def test_a_long_sentence_is_broken(tool: Any, first: str, second: str) -> None:
    assert tool.clauses(f"{first} {second}", len(f"{first} {second}") - 1) == [first, second]


def test_a_sentence_of_120_columns_is_not_broken(tool: Any) -> None:
    text = f"- {'a, bcd ' * 16}a, bc.\n"
    assert len(text.rstrip()) == 120
    assert tool.formatted(text) == text
    assert tool.formatted(text.replace("- ", "-  ")) != text


PIECES = ["one", "Two.", "three;", "four,", "and", "(five", "six)", "`a. b`", "[c. d](e)", "**f.**", "e.g.", "...", "-"]
PIECES += ["+", "*", "1.", "2)", "#", ">", "|", "```", "---", "===", "<b>", "<!--", "-->", "`", "[", "w" * 40, "\\"]


@settings(max_examples=300, deadline=None)
@given(
    pieces=st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", "\n", "\n\n"]))),
    margin=st.sampled_from(["", "- ", "1. ", "> ", "- > 10. "]),
)
def test_no_text_renders_to_another_and_what_is_formatted_stays(
    tool: Any, pieces: list[tuple[str, str]], margin: str
) -> None:
    text = margin + "".join(word + space for word, space in pieces)
    once = tool.formatted(text)
    assert tool.rendered(once) == tool.rendered(text)
    assert tool.formatted(once) == once


def test_check_names_file_and_line_and_writes_nothing(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nOne. Two.\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["format_markdown.py", "--check", str(page)])
    assert tool.main() == 1
    assert capsys.readouterr().out == f"{page}:3: not one sentence per line; make format mends it\n"
    assert page.read_text(encoding="utf-8") == "# Page\n\nOne. Two.\n"
    monkeypatch.setattr("sys.argv", ["format_markdown.py", str(page)])
    assert (tool.main(), page.read_text(encoding="utf-8")) == (0, "# Page\n\nOne.\nTwo.\n")
    monkeypatch.setattr("sys.argv", ["format_markdown.py", "--check", str(page)])
    assert tool.main() == 0
