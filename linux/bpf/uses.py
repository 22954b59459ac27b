# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Notes which functions and tables each function names, so that the daemon finds those that a domain can call.

A domain can call a function through a pointer if its memory has the function's number or a table with it, or if code
that it calls names the function or such a table. Notes are words behind the tables, at their addresses in the arena:

    lists       for each number of a function, what its code and the code that it calls directly name; an empty list for
                each kind of table; a list for the functions that programs call
    starts      of each table, of each list, and the end of the last one
    counts      of tables and of numbers

`linux/daemon/uses.c` reads them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection, Iterable, Sequence

from lower import NAME, NUMBERS, Module, Tables

WORD = 8
# What an object of a family has: these and their needs, unless they need a kind that it leaves out.
ROOTS = ("takt_policy", "takt_job_source", "takt_locks", "takt_server_kind", "takt_bandwidth_kind", "takt_allocator")
FAMILIES = {
    "plain": ("takt_allocator", "takt_bandwidth_kind", "takt_locks", "takt_server_kind"),
    "resources": ("takt_allocator", "takt_bandwidth_kind", "takt_server_kind"),
    "servers": ("takt_allocator", "takt_locks"),
    "rates": ("takt_locks", "takt_server_kind"),
}
"""The kinds of tables that the objects of families leave out. One that leaves out none has all functions."""


def reached(starts: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """Return the names that can be reached from some, these included."""
    found: set[str] = set()
    ahead = list(starts)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += following(name)
    return found


def named_by(module: Module, starts: Iterable[str]) -> set[str]:
    """Return the functions and constants that functions, and those that they call directly, name as addresses."""
    call = re.compile(rf"\bcall [^@%]*@({NAME})\(")

    def callees(name: str) -> list[str]:
        lines = module.functions[name].body
        return [callee for line in lines for callee in call.findall(line) if callee in module.functions]

    lines = (line for name in reached(starts, callees) for line in module.functions[name].body)
    return {name for line in lines for name in re.findall(rf"@({NAME})", call.sub("call (", line))}


def note(module: Module, tables: Tables, entries: Sequence[str], base: int) -> bytes:
    """Return what stands behind the tables.

    Args:
        module: The module before it is lowered.
        tables: Its constants, laid out from `base` on.
        entries: The functions that programs call.
        base: The address of the first one.
    """
    value = {**tables.addresses, **tables.numbers}
    padding = -len(tables.content) % WORD
    start = base + len(tables.content) + padding
    starts = sorted(set(tables.addresses.values()))
    words: list[int] = []
    count = len(starts)
    of_numbers = ([name] for name in sorted(tables.numbers, key=tables.numbers.__getitem__))
    for functions in [*of_numbers, *([] for _ in tables.kinds), entries]:
        starts.append(start + WORD * len(words))
        words += sorted(value[name] for name in named_by(module, functions) if name in value)
    starts.append(start + WORD * len(words))
    words += [*starts, count, len(tables.numbers) + len(tables.kinds)]
    return bytes(padding) + struct.pack(f"<{len(words)}Q", *words)


def closure(module: Module, starts: Iterable[str]) -> set[str]:
    """Return the functions and constants that functions and constants name, and those that these name."""

    def named(name: str) -> Iterable[str]:
        if name in module.functions:
            return named_by(module, [name])
        return re.findall(rf"@({NAME})", module.constants.get(name, ""))

    return reached(starts, named)


def left_out(module: Module, tables: Tables, entries: Sequence[str], kinds: Collection[str]) -> set[int]:
    """Return the indices of functions, and of kinds of tables, that an object without some kinds has not."""

    def has_room_for(name: str) -> bool:
        return not any(tables.structures.get(other) in kinds for other in closure(module, [name]))

    roots = [name for name, structure in tables.structures.items() if structure in ROOTS and has_room_for(name)]
    in_tables = set().union(*tables.members.values())
    kept = closure(module, [*entries, *roots, *(tables.numbers.keys() - in_tables)])
    numbers = [number for name, number in tables.numbers.items() if name not in kept]
    return {number - NUMBERS for number in [*numbers, *(tables.kinds[kind] for kind in kinds)]}


def decide(text: str, indices: Iterable[int], is_used: bool) -> str:
    """Return a lowered module that knows of some functions and kinds whether they are used."""
    known = set(indices)

    def replace(match: re.Match[str]) -> str:
        return f"{match[1]} = freeze i1 {str(is_used).lower()}" if int(match[2]) in known else match[0]

    return re.sub(r"(%\S+) = call i1 @takt_is_used\(i64 (\d+)\)", replace, text)
