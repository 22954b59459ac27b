# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Edits of a task-set document: new values of single keys, as `--set` and remedies write them.

An edit is a text, `NAME.KEY=VALUE`: NAME is that of a task, a server or a resource, or a table of which there is one
(`system`, `platform`, `allocator`, `policy.share`); `task.NAME`, `server.NAME` and `resource.NAME` are never ambiguous.
VALUE is one as TOML has it, or a text without quotes; if it is empty, the key is left out. A document is any nested
mapping: what tomllib reads, or tomlkit, which keeps comments and layout.
Left out: keys of [[cluster]] and [[change]], which have no names.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from takt.base.errors import InputError, Problem, listed, show
from takt.model import catalogue, policy_options
from takt.model.input_table import Table
from takt.model.system import Header, System
from takt.model.tables import Allocator, Platform, Resource, Server, Task

NAMED: Mapping[str, type[Table]] = {kind.table: kind for kind in (Task, Server, Resource)}
"""Arrays of tables whose members have names."""

Document = MutableMapping[str, Any]

_EDIT = re.compile(r'(?P<place>(?:"(?:[^"\\]|\\.)*"|[^="])+?)\.(?P<key>[\w-]+) *= *(?P<value>.*)', re.DOTALL)
_HEADER = re.compile(r"[ \t]*\[[^.,\[\]]+\]|[ \t]*\[\[[^,\[\]]+\]\]")
_EXAMPLE = "sensor.wcet=2ms"


@dataclass(frozen=True, slots=True)
class Place:
    """A table of a document.

    Args:
        table: of which there is one, such as "system" or "policy.share", or one of NAMED.
        name: of the task, server or resource; "" if there is one table.
    """

    table: str
    name: str = ""

    @property
    def kind(self) -> type[Table]:
        """The keys that the table may have."""
        return NAMED[self.table] if self.table in NAMED else _singles()[self.table]

    @property
    def full(self) -> str:
        """The place as an edit names it, whatever other names there are."""
        is_plain = not set(self.name) & set('"=') and self.name == self.name.strip()
        name = self.name if is_plain else json.dumps(self.name, ensure_ascii=False)
        return f"{self.table}.{name}" if self.name else self.table


def _singles() -> dict[str, type[Table]]:
    """Return the tables of which there is one, by their names in edits."""
    kinds: list[type[Table]] = [Header, Platform, Allocator, *policy_options.by_policy().values()]
    return {kind.table: kind for kind in kinds}


# ---- applying -----------------------------------------------------------------------------------------


def apply(document: Document, edits: Sequence[str]) -> list[Place]:
    """Change the values of keys in a document; return the tables that they are in.

    Args:
        document: of a task-set file; tables that it lacks are added.
        edits: in order.

    Raises:
        InputError: an edit is no edit, or names nothing of the document, or more than one thing.
    """
    places = []
    for edit in edits:
        match = _EDIT.fullmatch(edit.strip())
        if match is None:
            raise _refused(edit, "syntax", f"expected NAME.KEY=VALUE such as {_EXAMPLE}")
        place, key = _place_of(document, match["place"].strip(), edit), match["key"]
        if key not in place.kind.keys():  # noqa: SIM118
            close = catalogue.alternatives(key, place.kind.keys())
            raise _refused(edit, "unknown-key", f"unknown key {show(key)} of {place.full}; {close}")
        text, value = match["value"], value_of(match["value"])
        if key in place.kind.text_keys() and not isinstance(value, str):
            value = text
        elif not text:
            value = None
        for table in _tables_at(document, place):
            _set(table, key, value)
        places.append(place)
    return places


def applied_to_text(text: str, edits: Sequence[str]) -> str:
    r"""Return the text of a task-set file after edits; comments, order and layout stay.

    Args:
        text: valid TOML.
        edits: in order.

    Raises:
        InputError: as apply.

    Example:
        >>> print(applied_to_text('[[task]]\nname = "A" # first\nperiod = 5 # fast\n', ["A.period=7ms"]), end="")
        [[task]]
        name = "A" # first
        period = "7ms" # fast
    """
    plain, blocks = tomllib.loads(text), _blocks(text)
    for edit in edits:
        place = apply(plain, [edit])[0]
        _edit_block(blocks, place, edit)
    changed = "".join(blocks)
    if _loaded(changed) != plain:
        raise _refused(", ".join(edits), "layout", "cannot be written into this layout; edit the file by hand")
    return changed


def written(system: System, table: str, name: str, key: str, value: object) -> str:
    """Return the edit that gives a key of a system another value.

    Args:
        system: it says which names are ambiguous.
        table: as of a Place.
        name: likewise.
        key: as files write it.
        value: ticks of a key that has times, texts, or a list of one of these; None: the key is left out.
    """
    place = Place(table, name)
    members: tuple[Any, ...] = (*system.tasks, *system.servers, *system.resources)
    is_plain = name and place.full == f"{table}.{name}" and "." not in name and name not in _singles()
    is_only = is_plain and sum(each.name == name for each in members) == 1
    text = "" if value is None else str(value)
    if isinstance(value, (list, tuple)):
        text = f"[{', '.join(json.dumps(each, ensure_ascii=False) for each in value)}]"
    elif isinstance(value, str) and value_of(value) != value:  # without quotes it is no text
        text = json.dumps(value)
    return f"{name if is_only else place.full}.{key}={text}"


def label(path: str | Path, edits: Sequence[str]) -> str:
    """Return what errors call a file after edits."""
    return f"{path} with {listed(edits)}" if edits else str(path)


def as_key(edits: Sequence[str]) -> dict[str, list[str]]:
    """Return the key that JSON of a file has after edits, if there are any."""
    return {"edits": list(edits)} if edits else {}


def value_of(text: str) -> object:
    """Read a value as a file would have it; texts need no quotes."""
    try:
        return text if "\n" in text else tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _set(table: Document, key: str, value: object) -> None:
    """Change, add or remove a key of a table."""
    if value is None:
        table.pop(key, None)
    elif type(table) is dict:
        table[key] = value
    else:
        import tomlkit

        if isinstance(value, dict):
            inline = tomlkit.inline_table()
            inline.update(value)
            value = inline
        if key in table:
            table[key] = value
        else:
            _add(table, key, value)


def _add(table: Any, key: str, value: object) -> None:
    """Add a key to a table of tomlkit, before the comments and blank lines at its end."""
    from tomlkit.items import SingleKey
    from tomlkit.items import Table as Block

    if not isinstance(table, Block):
        table[key] = value
        return
    body = table.value.body
    keys = [(name, item) for name, item in body if name is not None and not isinstance(item, Block)]
    last = next((at for at in reversed(range(len(body))) if body[at][0] is not None), -1)
    tail = [] if any(isinstance(item, Block) for _, item in body) else body[last + 1 :]
    del body[len(body) - len(tail) :]
    widths = {len(name.as_string() + name.sep) for name, _ in keys}
    width = widths.pop() if len(widths) == 1 else 0  # equals signs that are aligned stay so
    table.add(SingleKey(key, sep=f"{'=':>{max(2, width - len(key) - 1)}} "), value)
    if keys and not isinstance(body[-1][1], Block):
        before, own = keys[-1][1].trivia, body[-1][1].trivia
        own.indent, own.trail = before.indent, before.trail or own.trail
    body += tail


def completions(document: Mapping[str, Any], begun: str) -> list[str]:
    """Return how an edit of a document may continue up to its value: names of tables, then their keys.

    Args:
        document: of a task-set file; empty if there is none.
        begun: the beginning of an edit.
    """
    named = [Place(table, name) for table in NAMED for name in _names(document, table)]
    texts = Counter(place.name for place in named)
    places = {
        place.full if texts[place.name] > 1 or place.name in _singles() else place.full.partition(".")[2]: place
        for place in named
    } | {table: Place(table) for table in _singles()}
    found = [f"{text}." for text in places]
    for text, place in places.items():
        if begun.startswith(f"{text}."):
            found += [f"{text}.{key}=" for key in place.kind.keys()]  # noqa: SIM118
    return [text for text in found if text.startswith(begun) and text != begun]


# ---- blocks -------------------------------------------------------------------------------------------


def _blocks(text: str) -> list[str]:
    """Cut a file at the headers of its tables; comments right above a header are in its block.

    tomlkit alone would move tables of one array together that others stand between.
    """
    blocks: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line) and _loaded("".join(blocks[-1])) is not None:  # between two keys
            own = len(blocks[-1])
            while own > 0 and blocks[-1][own - 1].lstrip().startswith("#"):
                own -= 1
            blocks.append(blocks[-1][own:])
            del blocks[-2][own:]
        blocks[-1].append(line)
    return ["".join(lines) for lines in blocks]


def _loaded(text: str) -> dict[str, Any] | None:
    """Return what a text has, None if it is no TOML, such as one that ends within a value."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _edit_block(blocks: list[str], place: Place, edit: str) -> None:
    """Make an edit in the block that has its table; of a table that is not there, in a new one behind [system]."""
    import tomlkit

    found = [at for at, block in enumerate(blocks) if _has(_parsed(block), place)]
    if not found:
        headed = [at for at, block in enumerate(blocks) if "system" in _parsed(block)]
        found = [headed[0] + 1 if headed else 1]
        before = blocks[found[0] - 1]
        blocks[found[0] - 1] = before if not before or before.endswith("\n\n") else before.rstrip("\n") + "\n\n"
        blocks.insert(found[0], f"[{place.table}]\n" + "\n" * (found[0] < len(blocks)))
    document = tomlkit.parse(blocks[found[0]])
    apply(document, [edit])
    blocks[found[0]] = tomlkit.dumps(document)


@lru_cache(maxsize=4096)
def _parsed(block: str) -> Mapping[str, Any]:
    return tomllib.loads(block)


def _has(block: Mapping[str, Any], place: Place) -> bool:
    """True if a table stands in a block."""
    if place.name:
        return place.name in _names(block, place.table)
    table: Any = block
    for part in place.table.split("."):
        table = table.get(part) if isinstance(table, Mapping) else None
    return table is not None


# ---- places -------------------------------------------------------------------------------------------


def _place_of(document: Mapping[str, Any], text: str, edit: str) -> Place:
    """Return the table that an edit names."""
    if text in _singles():
        return Place(text)
    name = _unquoted(text)
    found = [Place(table, name) for table in NAMED if name in _names(document, table)]
    table, _, rest = text.partition(".")
    if table in NAMED and _unquoted(rest) in _names(document, table):
        found.append(Place(table, _unquoted(rest)))
    if len(found) == 1:
        return found[0]
    if found:
        things = " and ".join(f"a {place.table}" for place in found)
        key = edit[edit.index(text) + len(text) :]
        ways = " or ".join(f"{place.full}{key}" for place in found)
        raise _refused(edit, "conflict", f"{show(text)} is {things}; write {ways}")
    known = [*dict.fromkeys(name for table in NAMED for name in _names(document, table)), *_singles()]
    close = catalogue.alternatives(text, known)
    raise _refused(edit, "unknown-name", f"no task, server, resource or table {show(text)}; {close}")


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text)) if text.startswith('"') else text
    except ValueError:
        return text


def _members(document: Mapping[str, Any], table: str) -> Iterator[Document]:
    """Yield the members of an array of tables; of what is no such array reading tells."""
    members = document.get(table)
    yield from (each for each in (members if isinstance(members, list) else []) if isinstance(each, MutableMapping))


def _names(document: Mapping[str, Any], table: str) -> list[str]:
    names = (member.get("name") for member in _members(document, table))
    return [name for name in names if isinstance(name, str)]


def _tables_at(document: Document, place: Place) -> list[Document]:
    """Return the table at a place, which is added if there is one of its kind; none if something else stands there."""
    if place.name:
        return [member for member in _members(document, place.table) if member.get("name") == place.name][:1]
    table = document
    for part in place.table.split("."):
        inner = table.setdefault(part, {})
        if not isinstance(inner, MutableMapping):
            return []
        table = inner
    return [table]


def _refused(edit: str, code: str, message: str) -> InputError:
    return InputError([Problem(f"{show(edit)}: {message}", code)])
