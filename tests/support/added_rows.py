# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Copies of all policies, kinds of servers and protocols, before and behind the rows of a copy of the sources.

Each row is copied with every subset of the traits by which it promises something, so that what is taken from the first,
the last or the only row with a trait is taken from another row than before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path

FIRST, LAST = "aa-", "zz-"
"""What the names begin with; the whole subset of traits has the number 0."""

ROW = re.compile(r"^const takt_(\w+)_t takt_(\w+) = \{\n.*?^\};\n", re.MULTILINE | re.DOTALL)
TRAITS = re.compile(r"^    \.traits = (.*?),\n", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^    \.is_bounded = true,\n", re.MULTILINE)


def copy_of(name: str, place: str = LAST) -> str:
    """Return the name of the copy with all traits."""
    return f"{place}0-{name}"


def add_copies(sources: Path) -> None:
    """Add the copies to a copy of the sources."""
    policies = list(_copied(sorted((sources / "policy").glob("*.c")), "policy"))
    _declare(sources / "policy/table.h", "extern const takt_policy_t *const takt_policies[];", "policy", policies)
    _enter(sources / "policy/table.c", "takt_policies", policies)
    rules = list(_copied(sorted((sources / "policy").glob("*.c")), "bandwidth_kind"))
    _declare(sources / "policy/bandwidth.h", "/* The table of kinds,", "bandwidth_kind", rules)
    _enter(sources / "policy/bandwidth.c", "takt_bandwidth_kinds", rules)
    kinds = list(_copied(sorted((sources / "core").glob("server_*.c")), "server_kind"))
    _declare(sources / "core/server.h", "extern const takt_server_kind_t *const", "server_kind", kinds)
    _enter(sources / "core/server_kinds.c", "takt_server_kinds", kinds)
    _add_protocols(sources)


def _subsets(traits: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the subsets of some traits, all of them first."""
    return chain.from_iterable(combinations(traits, size) for size in range(len(traits), -1, -1))


def _versions(row: str) -> Iterator[str]:
    """Yield a row with each subset of its traits."""
    found = TRAITS.search(row)
    if found is None:
        yield from dict.fromkeys((row, PROMISE.sub("", row)))
        return
    for some in _subsets(re.split(r"\s*\|\s*", found[1])):
        yield row.replace(found[0], f"    .traits = {' | '.join(some)},\n" if some else "")


def _copied(files: list[Path], what: str) -> Iterator[tuple[str, str]]:
    """Add copies of the rows of some files behind them; give a place and a C name for each."""
    for file in files:
        text = file.read_text()
        for row in [each for each in ROW.finditer(text) if each[1] in (what, what.removesuffix("_kind"))]:
            for number, version in enumerate(_versions(row[0])):
                for place in (FIRST, LAST):
                    name = f"{row[2]}_{place[:2]}{number}"
                    copied = version.replace(f"takt_{row[2]} =", f"takt_{name} =")
                    text += re.sub(r'\.name = "', f'.name = "{place}{number}-', copied)
                    yield place, f"takt_{name}"
        file.write_text(text)


def _declare(header: Path, before: str, what: str, rows: list[tuple[str, str]]) -> None:
    """Declare rows in a header."""
    text = header.read_text()
    assert text.count(before) == 1, (header, before)
    declared = "".join(f"extern const takt_{what}_t {name};\n" for _, name in rows)
    header.write_text(text.replace(before, declared + before))


def _at(place: str, rows: list[tuple[str, str]], form: str) -> str:
    """Write the rows of one place."""
    return "".join(form.format(name) for where, name in rows if where == place)


def _enter(file: Path, table: str, rows: list[tuple[str, str]]) -> None:
    """Enter rows into a table, before and behind those that it has."""
    text = file.read_text()
    head, begin, tail = text.partition(f"{table}[] = {{\n")
    inside, end, rest = tail.partition("\n};\n")
    assert begin, (file, table)
    assert end, (file, table)
    entered = _at(FIRST, rows, "    &{},\n") + inside + "\n" + _at(LAST, rows, "    &{},\n")
    file.write_text(head + begin + entered + end.lstrip("\n") + rest)


NUMBER = re.compile(r"\b(TAKT_PROTOCOL(?:S|_(?!NONE)\w+)) = \d+")
"""A number of a protocol, and their number; none keeps the first one, which stands for no protocol."""


def _add_protocols(sources: Path) -> None:
    """Add protocols; the first stand behind none, and all numbers move."""
    rows = list(_copied(sorted((sources / "core").glob("protocol_*.c")), "protocol_kind"))
    constants = [(place, name.upper()) for place, name in rows]
    header = sources / "core/resource.h"
    text = NUMBER.sub(r"\1", header.read_text())
    text = re.sub(r"(TAKT_PROTOCOL_NONE = 0,.*\n)", lambda none: none[1] + _at(FIRST, constants, "    {},\n"), text)
    text = re.sub(r"\bTAKT_PROTOCOLS\b", _at(LAST, constants, "{}, ") + "TAKT_PROTOCOLS", text)
    header.write_text(text)
    _declare(sources / "core/protocol.h", "/* The table of protocols,", "protocol_kind", rows)
    table = sources / "core/protocols.c"
    entered = "".join(f"    [{name.upper()}] = &{name},\n" for _, name in rows)
    table.write_text(table.read_text().replace("\n};\n", f"\n{entered}}};\n"))
