# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Applies a guide of docs/how-to to a copy of the sources.

A code block with a path behind its language is a change: ```c PATH is a new file, ```diff PATH has lines that stay
(" "), go ("-") and come ("+"); the lines that stay and go stand once in the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from places import ROOT

BLOCK = re.compile(r"^```(\w+) (\S+/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def changes(page: str) -> list[tuple[str, str, str]]:
    """Return language, path and text of each change of a page, by its name without folder and suffix."""
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    return [(language, path, block) for language, path, block in BLOCK.findall(text)]


def apply(page: str, sources: Path) -> None:
    """Make the changes of a page in `sources`."""
    for language, path, text in changes(page):
        file = sources / path
        if language != "diff":
            assert not file.exists(), f"{page}: {path} exists"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            continue
        before, after = (_lines(text, kept) for kept in (" -", " +"))
        old = file.read_text(encoding="utf-8")
        assert old.count(before) == 1, f"{page}: these lines do not stand once in {path}:\n{before}"
        file.write_text(old.replace(before, after), encoding="utf-8")


def _lines(text: str, kept: str) -> str:
    """Return the lines that begin with one of two signs, without the sign; an empty line stays."""
    return "".join(line[1:] or "\n" for line in text.splitlines(keepends=True) if line[0] in kept + "\n")
