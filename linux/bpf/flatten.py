# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Marks functions for inlining until no chain of calls is deeper than the verifier allows.

The verifier checks each function by itself. Its work grows faster than the function, most of all with branches in
a loop. So of the functions on a deepest chain, the one is marked whose inlining adds the least work; a line in a loop
counts as several. Core has no recursion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from lower import NAME

LOOP = 30  # lines that a line in a loop counts for
GROWTH = 1.5  # the verifier's work, as a power of a function's cost


@dataclass
class Function:
    """The size of a function and its calls, in loops and outside."""

    outside: int = 0  # lines
    inside: int = 0  # lines in loops
    calls: Counter[tuple[str, bool]] = field(default_factory=Counter)  # callee, in a loop: how often

    def cost(self) -> int:
        """Return how much the function counts for."""
        return self.outside + LOOP * self.inside

    def with_inlined(self, name: str, other: Function) -> Function:
        """Return the function with the calls of another one replaced by its body."""
        result = Function(self.outside, self.inside, self.calls.copy())
        for is_in_loop in (False, True):
            times = result.calls.pop((name, is_in_loop), 0)
            result.outside += 0 if is_in_loop else times * other.outside
            result.inside += times * (other.inside + (other.outside if is_in_loop else 0))
            for (callee, is_inner), count in other.calls.items():
                result.calls[callee, is_inner or is_in_loop] += times * count
        result.calls = +result.calls
        return result


def blocks_of(body: list[str]) -> dict[str, list[str]]:
    """Return the lines of each block by its label; that of the first one is empty."""
    blocks: dict[str, list[str]] = {"": []}
    label = ""
    for line in body:
        if match := re.match(rf"({NAME}):", line):
            label = match[1]
            blocks[label] = []
        else:
            blocks[label].append(line)
    return blocks


def in_loops(blocks: dict[str, list[str]]) -> set[str]:
    """Return the blocks that can be reached from themselves."""
    following = {
        label: {name for line in lines for name in re.findall(rf"label %({NAME})", line) if name in blocks}
        for label, lines in blocks.items()
    }
    found = set()
    for label in blocks:
        seen: set[str] = set()
        ahead = list(following[label])
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                ahead += following[name]
        if label in seen:
            found.add(label)
    return found


class Graph:
    """The calls of a module."""

    def __init__(self, text: str) -> None:
        """Read the functions."""
        bodies = re.findall(rf"^define [^@]*@({NAME})\([^\n]*\n(.*?)^}}", text, re.M | re.S)
        names = {name for name, _ in bodies}
        self.functions = {name: self.read(body.splitlines(), names) for name, body in bodies}

    @staticmethod
    def read(body: list[str], names: set[str]) -> Function:
        """Read a function."""
        blocks = blocks_of(body)
        loops = in_loops(blocks)
        function = Function()
        for label, lines in blocks.items():
            function.outside += 0 if label in loops else len(lines)
            function.inside += len(lines) if label in loops else 0
            for callee in re.findall(rf"\bcall [^@\n]*@({NAME})\(", "\n".join(lines)):
                if callee in names:
                    function.calls[callee, label in loops] += 1
        return function

    def deepest(self, entries: Sequence[str]) -> list[str]:
        """Return a longest chain of calls from an entry."""

        @cache
        def below(name: str) -> tuple[str, ...]:
            callees = sorted({callee for callee, _ in self.functions[name].calls})
            return (name, *max((below(one) for one in callees), key=len, default=()))

        longest = max((below(entry) for entry in entries), key=len)
        return list(longest)

    def callers(self, name: str) -> list[str]:
        """Return the functions that call a function."""
        return [one for one, function in self.functions.items() if any(callee == name for callee, _ in function.calls)]

    def work(self, name: str) -> float:
        """Return how much work inlining a function adds."""
        other = self.functions[name]
        added: float = -(other.cost() ** GROWTH)
        for caller in self.callers(name):
            function = self.functions[caller]
            added += function.with_inlined(name, other).cost() ** GROWTH - function.cost() ** GROWTH
        return added

    def inline(self, name: str) -> None:
        """Inline a function into its callers."""
        for caller in self.callers(name):
            self.functions[caller] = self.functions[caller].with_inlined(name, self.functions[name])
        del self.functions[name]


def choose(text: str, entries: Sequence[str], deepest: int) -> list[str]:
    """Return the functions to inline."""
    graph, chosen = Graph(text), []
    while len(chain := graph.deepest(entries)) > deepest:
        inner = [name for name in chain if name not in entries]
        name = min(inner, key=lambda one: (graph.work(one), one))
        chosen.append(name)
        graph.inline(name)
    return chosen


def flatten(text: str, entries: Sequence[str], deepest: int) -> str:
    """Return a module with functions marked for inlining.

    Args:
        text: The module.
        entries: The functions that programs call.
        deepest: Frames that a chain of calls from an entry may have, its own included.
    """
    for name in choose(text, entries, deepest):
        head = rf"^(define [^\n]*@{re.escape(name)}\([^\n]*?\))[^\n)]* {{$"
        text = re.sub(head, r"\1 alwaysinline {", text, flags=re.M)
    return text
