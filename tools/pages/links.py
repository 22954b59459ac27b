#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check of a built site: each link within it leads to a file and an anchor, and no page loads anything from outside.

Usage: links.py FOLDER. Prints each fault as `page: link`; exits 1 if there is one.

Sphinx checks what documents link to. This checks what is on the pages, those of the theme and of raw HTML too. Checkers
of web sites ask a server, or do not see anchors in files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

is_file = cache(os.path.isfile)


@cache
def page(path: str) -> html.HtmlElement:
    """Return a page."""
    return html.parse(path).getroot()


@cache
def anchors(path: str) -> frozenset[str]:
    """Return what a link to a page may name in it."""
    return frozenset(map(str, page(path).xpath("//@id | //a/@name")))


def faults(folder: Path) -> list[str]:
    """Return the links of a site that lead nowhere, and what its pages load from outside, as `page: link`."""
    for cached in (is_file, page, anchors):
        cached.cache_clear()
    return [f"{path.relative_to(folder)}: {link}" for path in sorted(folder.rglob("*.html")) for link in broken(path)]


def broken(path: Path) -> Iterator[str]:
    """Yield the broken links of a page."""
    for element, _, link, _ in page(str(path)).iterlinks():
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if element.tag != "a" and parts.scheme != "data":
                yield f"{link} is loaded from outside"
            continue
        target = os.path.normpath(path.parent / unquote(parts.path)) if parts.path else str(path)
        if not is_file(target):
            yield f"{link} is not there"
        elif parts.fragment and target.endswith(".html") and unquote(parts.fragment) not in anchors(target):
            yield f"{link}: no such place on the page"


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]))
    print("".join(f"{fault}\n" for fault in found), end="")
    sys.exit(bool(found))
