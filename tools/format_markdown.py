#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Formatter of Markdown: one sentence per line, so that a diff shows the sentences that changed.

Usage: format_markdown.py [--check] [FILE...]. Without files it formats all documents of the project. --check writes
nothing, prints `file:line: what` for each document that is not formatted, and exits 1 if there is one.

A sentence with more than 120 columns is broken at a clause: after a semicolon or colon, else after a comma, else before
a conjunction or parenthesis, else at any space. An emphasized sentence that begins a paragraph, such as a heading in
the text, stays with the next one. Blocks of code, tables, headings, HTML and paragraphs with hard line breaks stay as
they are. The words do not change: a document that would render to other HTML is not written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from measure import MARKDOWN_COLUMNS as COLUMNS
from measure import ROOT, documents

LEAST = 30
"""Columns that a part of a broken sentence has at least, where the sentence has such a break."""
ABBREVIATIONS = frozenset({"al.", "approx.", "cf.", "e.g.", "Eq.", "Fig.", "i.e.", "no.", "No.", "pp.", "Sec.", "vs."})
INSEPARABLE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|!?\[[^\]\[]*\]\([^)]*\)|<[^ >][^>]*>")
END = re.compile(r"(?<!\.)[.?!][\"')\]*_]*(?= )")
LABEL = re.compile(r"(?:^|[.?!] )(\*+)[^*]+\1$")
BLOCK = re.compile(r"[-+=#>|~]|```|[*_]+(?: |$)|<[a-zA-Z!?/]|\d{1,9}[.)]")
"""What can begin a block at the start of a line."""
CONJUNCTION = re.compile(
    r"(?:and|as|because|but|if|nor|or|since|so|than|that|unless|until|when|where|which|while)\b|\("
)
PARSER = MarkdownIt("commonmark").enable("table")


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph, which is one line."""
    masked = _masked(text)
    ends = [match.end() for match in END.finditer(masked)]
    return _cut(text, [end for end in ends if not _continues(masked[:end]) and not BLOCK.match(text, end + 1)])


def clauses(sentence: str, columns: int) -> list[str]:
    """Return the parts of a sentence, of at most so many columns each if it has such breaks."""
    parts, breaks = [], _breaks(sentence)
    start = 0
    while len(sentence) - start > columns and breaks:
        end = min(breaks, key=lambda place: _cost(place - start, len(sentence) - place, columns, breaks[place]))
        parts.append(sentence[start:end])
        start = end + 1
        breaks = {place: rank for place, rank in breaks.items() if place > end}
    return [*parts, sentence[start:]]


def formatted(text: str) -> str:
    """Return a document with one sentence per line."""
    lines = text.split("\n")
    tokens = PARSER.parse(text)
    paragraphs = [inline for opening, inline in pairwise(tokens) if opening.type == "paragraph_open"]
    for paragraph in reversed(paragraphs):
        if paragraph.map is None or any(child.type == "hardbreak" for child in paragraph.children or ()):
            continue
        first, last = paragraph.map
        words = " ".join(paragraph.content.split())
        margin = lines[first][: len(lines[first].rstrip()) - len(paragraph.content.split("\n")[0].rstrip())]
        parts = [part for each in sentences(words) for part in clauses(each, COLUMNS - len(margin))]
        others = re.sub(r"[^>\s]", " ", margin)
        lines[first:last] = [margin + parts[0], *(others + part for part in parts[1:])]
    return "\n".join(lines)


def rendered(text: str) -> str:
    """Return the HTML of a document, with one space for all white space."""
    return " ".join(str(PARSER.render(text)).split())


def _continues(text: str) -> bool:
    """True if a full stop at the end of the text is not the end of a sentence on a line of its own."""
    return text.split(" ")[-1].lstrip("(") in ABBREVIATIONS or LABEL.search(text) is not None


def _masked(text: str) -> str:
    """Return the text with a letter for each sign of code, links and HTML; spaces stay in what fills a line."""
    return INSEPARABLE.sub(lambda match: re.sub("." if len(match[0]) < COLUMNS else r"\S", "x", match[0]), text)


def _cut(text: str, ends: Iterable[int]) -> list[str]:
    places = [-1, *ends, len(text)]
    return [text[start + 1 : end] for start, end in pairwise(places)]


def _breaks(sentence: str) -> dict[int, int]:
    """Return where a sentence may be broken, each place with a rank: 0 is best."""
    masked, depth, found = _masked(sentence), 0, {}
    for place, sign in enumerate(masked):
        depth += (sign == "(") - (sign == ")")
        if sign == " " and masked[place - 1] != "\\" and not BLOCK.match(sentence, place + 1):
            found[place] = _rank(masked[place - 1], masked[place + 1 :], is_inside=depth > 0)
    return found


def _rank(before: str, after: str, *, is_inside: bool) -> int:
    rank = 0 if before in ";:" else 1 if before == "," else 2 if CONJUNCTION.match(after) else 4
    return max(rank, 3) if is_inside else rank


def _cost(length: int, rest: int, columns: int, rank: int) -> tuple[int, ...]:
    """Return what orders breaks: parts that fit, then no short part, then the rank, then the longest part."""
    if length > columns:
        return (1, length)
    return (0, int(length < LEAST or rest < LEAST), rank, -length)


def change(path: Path, *, is_check: bool) -> str:
    """Format a document; return what is wrong with it afterwards, or nothing."""
    old = path.read_text(encoding="utf-8")
    new = formatted(old)
    if new == old:
        return ""
    pairs = zip(old.split("\n"), new.split("\n"), strict=False)
    line = next(number for number, (before, after) in enumerate(pairs, 1) if before != after)
    if rendered(new) != rendered(old):
        return f"{path}:{line}: would render to other text; write the paragraph otherwise"
    if is_check:
        return f"{path}:{line}: not one sentence per line; make format mends it"
    path.write_text(new, encoding="utf-8")
    return ""


def main() -> int:
    """Format, or check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path, help="documents; without any: all of the project")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a document is not formatted")
    arguments = parser.parse_args()
    found = [change(path, is_check=arguments.check) for path in arguments.files or documents(ROOT)]
    print("".join(f"{problem}\n" for problem in found if problem), end="")
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main())
