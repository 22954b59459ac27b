# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where C sources can be damaged, and how: the mutation operators.

The scanner knows no grammar. It relies on the format that `make lint` enforces: binary operators have a space on both
sides, pointers in declarations have none behind the star, a statement ends its line, bodies are indented. Comments,
texts and lines of the preprocessor are left alone.

Operators: relational, logical, arithmetic and bitwise operators are exchanged; an integer literal is raised by 1; a
condition is negated; what is returned becomes 0, or the other truth value; a statement is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

EXCHANGES = {
    "&&": ("||",),
    "||": ("&&",),
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=", ">"),
    "<=": ("<", ">"),
    ">": (">=", "<"),
    ">=": (">", "<"),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "+=": ("-=",),
    "-=": ("+=",),
    "|=": ("&=",),
    "&=": ("|=",),
}
OPERATOR = re.compile(r"(?<=[\w)\]] )(?:" + "|".join(map(re.escape, sorted(EXCHANGES, key=len)[::-1])) + r")(?= )")
STEP = re.compile(r"\+\+|--")
LITERAL = re.compile(r"(?<![\w.\"])(\d+)(?=u?\b(?![\w.\"(]))")
CONDITION = re.compile(r"^(\s*(?:} else )?(?:if|while) \()(.*)(\) \{)$")
RETURN = re.compile(r"^(\s+return )(.+);$")
NOT_ALONE = re.compile(
    r"^(?:return|else|case|default|break|continue|goto|static|const|typedef|struct|enum|union)\b|^[#{}]"
)
BEGINS = re.compile(r"[A-Za-z_*+(-]")
DECLARATION = re.compile(r"^(?:\w+ )+\**\w+(?:\[[^]]*\])*(?: =|;)")
UNSEEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True)
class Mutant:
    """One damage.

    Attributes:
        file: Path from the root.
        line: The line where it is, from 1 on.
        start: First character of the file that is replaced.
        end: The character behind the last one.
        instead: What stands there.
        change: What is done, in the words of equivalent.toml.
        code: The line, without what surrounds it.
    """

    file: str
    line: int
    start: int
    end: int
    instead: str
    change: str
    code: str

    def __str__(self) -> str:
        """Return its name as in a report."""
        return f"{self.file}:{self.line}: {self.change}: {self.code}"

    def apply(self, text: str) -> str:
        """Return the damaged source."""
        return text[: self.start] + self.instead + text[self.end :]


def mask(text: str) -> str:
    """Blank out comments, texts and the preprocessor, without moving anything else."""
    return UNSEEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _in_line(line: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, replacement and name of changes inside a line."""
    for found in OPERATOR.finditer(line):
        for instead in EXCHANGES[found[0]]:
            yield found.start(), found.end(), instead, f"{found[0]} to {instead}"
    for found in STEP.finditer(line):
        yield found.start(), found.end(), "--" if found[0] == "++" else "++", f"{found[0]} turned"
    for found in LITERAL.finditer(line):
        yield found.start(), found.end(), str(int(found[1]) + 1), f"{found[1]} to {int(found[1]) + 1}"
    if condition := CONDITION.match(line):
        yield condition.start(2), condition.end(2), f"!({condition[2]})", "negated"
    if (result := RETURN.match(line)) and result[2] not in ("0", "NULL"):
        instead = {"true": "false", "false": "true"}.get(result[2], "0")
        yield result.start(2), result.end(2), instead, f"returns {instead}"


def _statement_end(lines: list[str], first: int) -> int | None:
    """Return the last line of the statement that begins at a line; None if no statement there can be dropped."""
    text = lines[first].strip()
    if not BEGINS.match(text) or NOT_ALONE.match(text) or DECLARATION.match(text):
        return None
    before = next((line.strip() for line in reversed(lines[:first]) if line.strip()), "")
    if not before.endswith((";", "{", "}", ":")):
        return None
    for last in range(first, min(first + 6, len(lines))):
        if lines[last].rstrip().endswith(("{", "}")):
            return None
        if lines[last].rstrip().endswith(";"):
            return last
    return None


def mutants(file: str, text: str) -> list[Mutant]:
    """Return all mutants of a source."""
    found = []
    lines, originals = mask(text).split("\n"), text.split("\n")
    starts = [0]
    for line in originals:
        starts.append(starts[-1] + len(line) + 1)
    for index, line in enumerate(lines):
        if not line.startswith("    "):
            continue
        code = originals[index].strip()
        for start, end, instead, change in _in_line(line):
            at = starts[index]
            found.append(Mutant(file, index + 1, at + start, at + end, instead, change, code))
        last = _statement_end(lines, index)
        if last is not None:
            start = starts[index] + len(line) - len(line.lstrip())
            end = starts[last] + len(lines[last].rstrip())
            found.append(Mutant(file, index + 1, start, end, ";", "dropped", code))
    return found
