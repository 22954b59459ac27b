# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Notes which functions and tables each function names, so that the daemon finds those that a domain can call.

A domain can call a function through a pointer if its memory has the function's number or a table with it, or if code
that it calls names the function or such a table. Notes are words behind the tables, at their addresses in the arena:

    lists       for each number of a function, what its code and the code that it calls directly name; a list for the
                functions that programs call
    starts      of each table, of each list, and the end of the last one
    counts      of tables and of numbers

`linux/daemon/uses.c` reads them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence

from lower import NAME, Module, Tables

WORD = 8


def named_by(module: Module, starts: Iterable[str]) -> set[str]:
    """Returns the functions and constants that functions, and those that they call directly, name as addresses."""
    found: set[str] = set()
    seen: set[str] = set()
    ahead = list(starts)
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        seen.add(name)
        for line in module.functions[name].body:
            callees = set(re.findall(rf"\bcall [^@%]*@({NAME})\(", line)) & module.functions.keys()
            ahead += callees
            operands = re.sub(rf"\bcall [^@%]*@{NAME}\(", "call (", line)
            found |= set(re.findall(rf"@({NAME})", operands))
    return found


def note(module: Module, tables: Tables, entries: Sequence[str], base: int) -> bytes:
    """Returns what stands behind the tables.

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
    for functions in [*([name] for name in sorted(tables.numbers, key=tables.numbers.__getitem__)), entries]:
        starts.append(start + WORD * len(words))
        words += sorted(value[name] for name in named_by(module, functions) if name in value)
    starts.append(start + WORD * len(words))
    words += [*starts, count, len(tables.numbers)]
    return bytes(padding) + struct.pack(f"<{len(words)}Q", *words)
