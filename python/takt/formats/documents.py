# SPDX-License-Identifier: Apache-2.0 OR MIT
"""XML of unknown origin: parsed without entities and without external files, problems with their lines.

A file that declares entities is refused: task sets need none, and entities can expand a short file into a huge one.
Each element has its line. Names of tags are case-sensitive, unless the format says otherwise. The namespace of the
first element is left out of all names, as no format has names of two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from lxml import etree

from takt.base import input_files
from takt.base.errors import InputError, Problem, printable, show

Element = etree._Element

_REFERENCES = {"id", "ref"}
_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
"""Attributes that say where the schema of a file is; they are removed."""

_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]*\?>")
_NEUTRAL = re.compile(r"|[+-]?0+(\.0*)?|false|no_\w+", re.IGNORECASE)


def parse(data: bytes) -> Element:
    """Read XML.

    Raises:
        InputError: it is not well-formed, declares entities, or is beyond the limits of takt.base.input_files.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    if input_files.has_mark(data):  # which holds, whatever the declaration of the file says
        data = _DECLARATION.sub(lambda found: "\n" * found[0].count("\n"), input_files.decoded(data)).encode()
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = re.sub(r", line \d+, column \d+$", "", str(error.msg))
        message = f"line {max(1, error.lineno or 1)}: not valid XML: {printable(reason)[:120]}"
        raise InputError([Problem(message, "syntax")]) from None
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise InputError([Problem("expected XML without entities of its own, found a declaration", "syntax")])
    for element in root.iter():
        input_files.check_count(len(element.attrib), input_files.MAX_COLUMNS, "attributes of an element")
    namespace = f"{{{etree.QName(root).namespace or ''}}}"
    for element in root.iter(etree.Element):
        element.tag = str(element.tag).removeprefix(namespace)
        for key in [key for key in map(str, element.attrib) if key.startswith(_INSTANCE)]:
            del element.attrib[key]
    return root


def first_tag(data: bytes) -> str:
    """Return the name of the first element of a file that is probably XML, empty if it is none; without parsing it."""
    text = re.sub(r"<!--.*?-->", "", input_files.beginning(data), flags=re.DOTALL).lstrip()
    found = re.search(r"<([A-Za-z_][\w.:-]*)", text) if text.startswith("<") else None
    return found[1] if found else ""


def begins_with(data: bytes, tag: str) -> bool:
    """True if a file is probably XML whose first element has this name; case is ignored."""
    return first_tag(data).lower() == tag


def line_of(element: Element) -> int:
    """Return the line on which an element begins."""
    line: Any = element.sourceline
    return int(line or 0)


def text_of(element: Element, tag: str, default: str = "") -> str:
    """Return the text of a child, without spaces around it."""
    child = element.find(tag)
    return default if child is None else (child.text or "").strip() or default


def children_of(element: Element, tag: str) -> list[Element]:
    """Return the elements inside a child; none if there is no such child."""
    child = element.find(tag)
    return [] if child is None else list(child)


def refuse(element: Element, what: str, message: str, code: str = "wrong-type") -> InputError:
    """Return the error about an element."""
    return InputError([Problem(f"line {line_of(element)}: {what}: {message}", code)])


def is_neutral(element: Element) -> bool:
    """True if an element has no effect: it and all inside are empty, zero, false or NO_SOMETHING."""
    texts = ((one.text or "").strip() for one in element.iter() if len(one) == 0)
    return all(_NEUTRAL.fullmatch(text) for text in texts)


def unread(element: Element, known: Collection[str], table: str, entity: str | None) -> Iterator[Problem]:
    """Yield the unknown children of an element that have an effect."""
    for child in element:
        if child.tag not in known and not is_neutral(child):
            said = show((child.text or "").strip()) if len(child) == 0 else f"{len(child)} elements"
            yield lost(child, table, entity, str(child.tag), said)
        for key in set(map(str, child.attrib)) - _REFERENCES:
            yield lost(child, table, entity, str(child.tag), f"{key} {show(child.get(key))}")


def lost(element: Element, table: str | None, entity: str | None, key: str | None, what: str) -> Problem:
    """Return the warning about content that Takt does not have."""
    return Problem(f"not read: {what} (line {line_of(element)})", "lost", table=table, entity=entity, key=key)


class Reader:
    """A document, and its contents that Takt cannot represent.

    Args:
        root: of the document.
    """

    def __init__(self, root: Element) -> None:
        """Begin without warnings."""
        self.root = root
        self.warnings: list[Problem] = []

    def lose(self, element: Element, table: str | None, entity: str | None, key: str | None, what: str) -> None:
        """Warn of something."""
        self.warnings.append(lost(element, table, entity, key, what))


def as_text(root: Element) -> str:
    """Write a document."""
    etree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + etree.tostring(root, encoding="unicode") + "\n"
