#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the structure of the project: the properties that may only get better.

Usage: measure.py [--check] [--record] [--list PROPERTY] [ROOT]

Prints one line per property: now, recorded in tools/measures.json, goal. Less is better in all of them. --check exits 1
if one is worse than recorded, though its goal be reached, or is not recorded; --record writes what is better; --list
prints what a property counts.

C is read as text in the project's format, without comments: a function begins in column 0 and ends with a brace there.
A branch is an `if`, a loop, a `case`, `?`, `&&` or `||`. What is reachable from a function is what calls reach within
core/, by name and through core's own tables: a call of a member reaches every function that a row of core has there, a
call of an element every function of that array. What other folders enter, such as policies, is not counted.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path("tools", "measures.json")
KINDS = frozenset({".c", ".h", ".cpp", ".hpp", ".py", ".pyi"})
BUILT = ("takt/model/records.py", "takt/_*.pyi")
"""What the build writes into the source tree, where git ignores it."""
NOT_PRODUCT = frozenset({"tests", "studies", "bench", "examples", "tools", "build", "docs", "cmake"})

Listing = list[str]


# ---- files -------------------------------------------------------------------------------------------------------


@cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


def line_count(path: Path) -> int:
    """Return the number of lines of a file."""
    return text_of(path).count("\n")


@cache
def files_in(folder: Path) -> tuple[Path, ...]:
    """Return the sources in a folder, without hidden and made ones."""
    found = (path for path in sorted(folder.rglob("*")) if path.suffix in KINDS and path.is_file())
    return tuple(
        path for path in found if not any(map(path.match, BUILT)) and not _is_outside(path.relative_to(folder))
    )


def _is_outside(path: Path) -> bool:
    """True if a file is installed or made."""
    return any(part.startswith(".") or part in ("build", "__pycache__") for part in path.parts)


def documents(root: Path) -> list[Path]:
    """Return the Markdown files of the project."""
    return [path for path in sorted(root.rglob("*.md")) if not _is_outside(path.relative_to(root))]


def product(root: Path) -> list[Path]:
    """Return the sources that users get."""
    return [path for path in files_in(root) if path.relative_to(root).parts[0] not in NOT_PRODUCT]


def without_tests(root: Path) -> list[Path]:
    """Return the sources but those of tests."""
    return [path for path in files_in(root) if path.relative_to(root).parts[0] != "tests"]


def longer_than(most: int, files: Iterable[Path]) -> Listing:
    """Return files with more lines than that."""
    return [f"{path}: {line_count(path)} lines" for path in files if line_count(path) > most]


# ---- C -----------------------------------------------------------------------------------------------------------

FUNCTION = re.compile(
    r"^(?!typedef|struct \w+ \{|enum|union|#|extern|namespace)[A-Za-z_][^\n;{}=]*?\b(?P<name>\w+)\([^;{}]*?\)\s*\{",
    re.MULTILINE,
)
END = re.compile(r"^\}|(?<=\S) \}$", re.MULTILINE)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|\?|&&|\|\|")
CALL = re.compile(r"(?<![\w.>])(\w+)\(")


@dataclass(frozen=True)
class Function:
    """A function of C: its file, its name, and its text from the name to the closing brace."""

    file: Path
    name: str
    text: str

    @property
    def lines(self) -> int:
        """Lines from the first of the signature to the closing brace."""
        return self.text.count("\n") + 1


@cache
def code_of(path: Path) -> str:
    """Return the text of a file of C with blanks for comments and strings."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text_of(path))


@cache
def functions_of(path: Path) -> tuple[Function, ...]:
    """Return the functions that a file defines."""
    return tuple(_functions(path, code_of(path)))


def _functions(path: Path, text: str) -> Iterator[Function]:
    for match in FUNCTION.finditer(text):
        end = END.search(text, match.end() - 1)
        yield Function(path, match["name"], text[match.start() : end.end() if end else len(text)])


def long_functions(files: Iterable[Path], most: int) -> Listing:
    """Return functions of C and C++ with more lines than that."""
    functions = (each for path in files if path.suffix in (".c", ".h", ".cpp", ".hpp") for each in functions_of(path))
    return [f"{each.file}: {each.name} has {each.lines} lines" for each in functions if each.lines > most]


MEMBER = re.compile(r"\.(\w+) = (\w+)\s*[,}]")
"""A member of a row, and the name that it has there."""
ARRAY = re.compile(r"\b(\w+)\[[^\]\n]*\]\)?(?:\([^;{}]*?\))? = \{(.*?)\}", re.DOTALL)
"""An array with its elements, which may be functions."""
INDIRECT = re.compile(r"(?:->|\.)(\w+)\(|\b(\w+)\[[^\]\n]*\]\(")
"""A call of a member or of an element."""

ByName = Mapping[str, list[Function]]


def branches_from(root: Path, name: str) -> Listing:
    """Return the branches in what a function of core reaches by calls, through core's tables too."""
    files = files_of_core(root)
    by_name = functions_by_name(files)
    reached = _reached(by_name, tables_of(files, by_name), name)
    return [f"{each.file}: {each.name}: {found}" for each in reached for found in BRANCH.findall(each.text)]


def files_of_core(root: Path) -> list[Path]:
    """Return the files of core."""
    return [path for path in files_in(root / "core") if path.suffix in (".c", ".h")]


def functions_by_name(files: Iterable[Path]) -> dict[str, list[Function]]:
    """Return the functions of files by their names."""
    by_name: dict[str, list[Function]] = {}
    for each in (each for path in files for each in functions_of(path)):
        by_name.setdefault(each.name, []).append(each)
    return by_name


def tables_of(files: Iterable[Path], by_name: ByName) -> ByName:
    """Return the functions that rows have under the name of a member, and those of an array."""
    tables: dict[str, list[Function]] = {}
    for path in files:
        pairs = MEMBER.findall(code_of(path))
        pairs += [
            (array, name) for array, inside in ARRAY.findall(code_of(path)) for name in re.findall(r"\w+", inside)
        ]
        for table, name in pairs:
            tables.setdefault(table, []).extend(_named(by_name, name, path))
    return tables


def _named(by_name: ByName, name: str, file: Path) -> list[Function]:
    """Return the functions that a name in a file stands for; a function of the same file comes first."""
    named = by_name.get(name, [])
    return [each for each in named if each.file == file] or named[:1]


def _reached(by_name: ByName, tables: ByName, start: str) -> list[Function]:
    """Return the functions that calls reach, by name and through tables."""
    waiting = list(by_name.get(start, []))
    seen = set(waiting)
    for function in waiting:
        called = [each for name in CALL.findall(function.text) for each in _named(by_name, name, function.file)]
        called += [each for pair in INDIRECT.findall(function.text) for each in tables.get(pair[0] or pair[1], [])]
        for each in called:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return waiting


INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def bodies_of_one_unit(root: Path) -> Listing:
    """Return the lines of headers with functions that one compiled file of the product includes, directly or not."""
    files = {str(path.relative_to(root)): path for path in product(root) if path.suffix in (".c", ".h", ".cpp", ".hpp")}
    units = [path for path in files.values() if path.suffix in (".c", ".cpp")]
    users = Counter(header for unit in units for header in _included(files, unit))
    return each_line(path for path, count in users.items() if count == 1 and functions_of(path))


def _included(files: Mapping[str, Path], unit: Path) -> list[Path]:
    """Return the headers that a file includes, directly or not."""
    waiting = [unit]
    for file in waiting:
        named = [files[name] for name in INCLUDE.findall(text_of(file)) if name in files]
        waiting += [each for each in dict.fromkeys(named) if each not in waiting]
    return waiting[1:]


CUT = re.compile(
    r"^ +(?:[A-Za-z_]\w* )*[A-Za-z_]\w*\n +\**\w+(?:\[[^\n]*\])?;|^ +[^\n/*(]+;[ ]*/\*(?:(?!\*/)[^\n])*\n", re.MULTILINE
)
"""A type alone in a line, its name in the next; or a comment behind a member that needs a second line."""


def cut_members(files: Iterable[Path]) -> Listing:
    """Return members of structures that stand in more than one line: their comments belong above them."""
    sources = [path for path in files if path.suffix in (".h", ".c", ".hpp", ".cpp")]
    return [f"{path}: {cut[0].strip()}" for path in sources for cut in CUT.finditer(text_of(path))]


def users_in_kernel(root: Path, calls: str) -> Listing:
    """Return functions of the kernel that call the scheduler by such names."""
    files = files_in(root / "kernel")
    call = re.compile(rf"\btakt_(?:backend|direct|dispatcher)_(?:{calls})\(")
    return [f"{each.file}: {each.name}" for path in files for each in functions_of(path) if call.search(each.text)]


def object_circles(root: Path) -> Listing:
    """Return circles of core's objects: of files that call one another, each with the header of its name."""
    files = [path for path in files_in(root / "core") if path.suffix == ".c"]
    owners = {each.name: path.stem for path in files for each in functions_of(path)}
    uses = {
        path.stem: {owners[name] for name in CALL.findall(text_of(path)) if owners.get(name, path.stem) != path.stem}
        for path in files
    }
    return circles(uses)


# ---- Python ------------------------------------------------------------------------------------------------------


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file of Python."""
    return ast.parse(text_of(path))


def package(root: Path) -> list[Path]:
    """Return the modules of the package."""
    return [path for path in files_in(root / "python" / "takt") if path.suffix == ".py"]


def long_python_functions(files: Iterable[Path], most: int) -> Listing:
    """Return functions of Python with more lines than that, from the first decorator on."""
    return [
        f"{path}: {node.name} has {_lines(node)} lines"
        for path in files
        if path.suffix == ".py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and _lines(node) > most
    ]


def _lines(node: ast.FunctionDef) -> int:
    return (node.end_lineno or node.lineno) - min([node.lineno, *(each.lineno for each in node.decorator_list)]) + 1


VERB = re.compile(r"(?:Give|Say|Tell|Make|Take|List|Put|Let|Look|Come)s?\b")
"""First words that name an act; the docstring of a function with a result begins with Return, Yield or True if."""


def docstrings_of_acts(files: Iterable[Path]) -> Listing:
    """Return functions with a result whose docstring begins with a verb of acting."""
    return [
        f"{path}:{node.lineno}: {node.name}"
        for path in files
        if path.suffix == ".py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and _has_result(node) and VERB.match(ast.get_docstring(node) or "")
    ]


def _has_result(node: ast.FunctionDef) -> bool:
    return node.returns is not None and ast.unparse(node.returns) not in ("None", "NoReturn")


def import_circles(root: Path) -> Listing:
    """Return circles of modules, imports in functions and for types included, the lazy names of the package not."""
    return circles({name: used for name, used in _imports(root).items() if name != "takt"})


def with_one_importer(root: Path) -> Listing:
    """Return modules that exactly one other module imports."""
    uses = _imports(root)
    count = Counter(used for name in uses for used in uses[name] - {name})
    return [name for name in uses if count[name] == 1]


def with_one_caller(files: Iterable[Path]) -> Listing:
    """Return private functions and methods that are named in one place."""
    return [f"{path}: {name}" for path in files for name in _named_once(tree_of(path))]


def _named_once(tree: ast.Module) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    uses = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    uses += Counter(node.attr for node in nodes if isinstance(node, ast.Attribute))
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and re.match("_(?!_)", node.name) and uses[node.name] == 1:
            yield node.name


def _imports(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module of the package imports."""
    modules = {_module(root, path): path for path in package(root)}
    return {name: set(_imported(name, path, modules)) for name, path in modules.items()}


def _module(root: Path, path: Path) -> str:
    parts = path.relative_to(root / "python").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules that a module imports anywhere in it."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (each if each in modules else node.module for each in whole if node.module in modules)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules and alias.name != name)


def circles(uses: Mapping[str, set[str]]) -> Listing:
    """Return groups of more than one member that reach one another."""
    reach = {start: _closure(uses, start) for start in uses}
    groups = {frozenset(end for end in reach[start] if start in reach.get(end, ())) for start in uses}
    return [" <-> ".join(sorted(group)) for group in groups if len(group) > 1]


def _closure(uses: Mapping[str, set[str]], start: str) -> set[str]:
    waiting, seen = [start], set[str]()
    for each in waiting:
        new = uses.get(each, set()) - seen
        seen |= new
        waiting += sorted(new)
    return seen


# ---- names that core knows -----------------------------------------------------------------------------------------

ROW_NAME = re.compile(
    r'const takt_(?:policy|server_kind|bandwidth_kind|protocol_kind)_t \w+ = \{.*?\.name = "([a-z0-9-]+)"', re.DOTALL
)
"""The name in a row of policies, kinds of servers or protocols; those of allocators are words of a key of tasks."""
ARCHITECTURE_NAME = re.compile(r'^    X\([A-Z_]+, "([a-z0-9-]+)"', re.MULTILINE)
"""The name in a row of architectures."""
READERS = ("formats", "files")
"""Packages that read and write files of others, whose words they have to spell."""


def known_names(root: Path) -> set[str]:
    """Return the names of policies, kinds of servers, protocols and architectures, as their rows spell them."""
    rows = [path for room in ("core", "policy") for path in files_in(root / room)]
    architectures = ARCHITECTURE_NAME.findall(text_of(root / "system" / "architectures.h"))
    return {*architectures, *(name for path in rows for name in ROW_NAME.findall(text_of(path)))}


def spelled_names(root: Path) -> Listing:
    """Return strings of the package that are a name of core, outside readers of files and formats."""
    names = known_names(root) - {"none"}
    return [
        f"{path}:{node.lineno}: {node.value}"
        for path in package(root)
        if path.relative_to(root / "python" / "takt").parts[0] not in READERS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    ]


# ---- texts ---------------------------------------------------------------------------------------------------------


MARKDOWN_COLUMNS = 120
"""Columns of a line of Markdown outside tables, at most."""


def wide_lines(root: Path) -> Listing:
    """Return the lines of documents outside tables that have too many columns."""
    lines = ((path, number, line) for path in documents(root) for number, line in _numbered(path))
    wide = ((path, number, line) for path, number, line in lines if len(line) > MARKDOWN_COLUMNS)
    return [f"{path}:{number}: {len(line)} columns" for path, number, line in wide if not line.lstrip().startswith("|")]


def private_words(root: Path) -> Listing:
    """Return lines of sources but tests, and of documents, that have a private word, by tools/words.txt."""
    rows = [line for line in text_of(root / "tools" / "words.txt").splitlines() if not line.startswith("#")]
    word = re.compile("|".join(rf"\b{line.partition(chr(9))[0]}\b" for line in rows))
    sources = [path for path in files_in(root) if path.relative_to(root).parts[0] != "tests"]
    lines = ((path, number, line) for path in [*sources, *documents(root)] for number, line in _numbered(path))
    return [f"{path}:{number}: {line.strip()}" for path, number, line in lines if word.search(line)]


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    return enumerate(text_of(path).split("\n"), 1)


LICENCE = "SPDX-License-Identifier: Apache-2.0 OR MIT"


def without_licence(root: Path) -> Listing:
    """Return sources whose first lines do not name the licence."""
    return [str(path) for path in files_in(root) if text_of(path).strip() and LICENCE not in text_of(path)[:200]]


def found_in(files: Iterable[Path], text: str) -> Listing:
    """Return the places of a text."""
    return [
        f"{path}:{number}" for path in files for number, line in enumerate(text_of(path).split("\n"), 1) if text in line
    ]


def bits_short(root: Path, prefix: str, least: int = 4) -> Listing:
    """Return the bits by which a field of the entity's word has fewer than `least` free."""
    text = text_of(root / "core" / "entity.h")
    used = len(re.findall(rf"^\s*TAKT_{prefix}_\w+ = 1u << \d+", text, re.MULTILINE))
    width = re.search(rf"uint(\d+)_t \w+;\s*/\* TAKT_{prefix}_", text)
    free = int(width[1]) - used if width is not None else 0
    return [f"bit {number} of TAKT_{prefix}_" for number in range(least - free)]


MADE = re.compile(r'^(?:<!-- [\w ]+: made by |"""[^"]* made of \S+ by )', re.MULTILINE)
"""How a file says that a program made it, or a part of it."""


def made_files(root: Path) -> Listing:
    """Return sources and documents that a program of the project makes, and JSON schemas of `takt schema`."""
    documents = [path for path in sorted((root / "docs").rglob("*")) if path.suffix in (".md", ".json")]
    schemas = [str(path) for path in documents if path.name.endswith(".schema.json")]
    written = [*product(root), *(path for path in documents if path.suffix == ".md")]
    return schemas + [str(path) for path in written if MADE.search(text_of(path))]


NO_CODE = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def lines_without_code(files: Iterable[Path]) -> Listing:
    """Return lines of Python that are empty, a comment, or of a string that stands for itself: a docstring."""
    return [f"{path}:{number}" for path in files for number in _without_code(path)]


def _without_code(path: Path) -> list[int]:
    texts = {
        number
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    with path.open("rb") as file:
        code = {
            number
            for token in tokenize.tokenize(file.readline)
            if token.type not in NO_CODE
            for number in range(token.start[0], token.end[0] + 1)
        }
    return [number for number in range(1, line_count(path) + 1) if number not in code - texts]


def tracked_lines(root: Path) -> Listing:
    """Return the files of text that git tracks, each as often as it has lines; none outside a clone."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=False)
    paths = [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    contents = ((path, path.read_bytes()) for path in paths)
    return [str(path) for path, content in contents if b"\0" not in content for _ in range(content.count(b"\n"))]


DIFF = re.compile(r"^```diff (\S+)$", re.MULTILINE)


def files_of_guide(root: Path, page: str) -> Listing:
    """Return the files that a guide changes, as tests apply it to a copy of the project."""
    return sorted(set(DIFF.findall(text_of(root / "docs" / "how-to" / f"{page}.md"))))


# ---- properties ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Property:
    """Something to count.

    Attributes:
        name: For people and for the record.
        goal: Its value in the end.
        listing: What is counted.
    """

    name: str
    goal: int
    listing: Callable[[Path], Listing]


def sources_of_tests(root: Path) -> tuple[Path, ...]:
    """Return the sources of the tests."""
    return files_in(root / "tests")


def each_line(files: Iterable[Path]) -> Listing:
    """Return files, each as often as it has lines, so that a count is that of lines."""
    return [str(path) for path in files for _ in range(line_count(path))]


def bindings(root: Path) -> list[Path]:
    """Return the sources of the bindings."""
    return [path for path in files_in(root / "python") if path.suffix in (".cpp", ".hpp")]


PROPERTIES = (
    Property("files of core above 400 lines", 0, lambda root: longer_than(400, files_in(root / "core"))),
    Property("files of the product above 700 lines", 0, lambda root: longer_than(700, product(root))),
    Property("C functions above 40 lines", 0, lambda root: long_functions(product(root), 40)),
    Property("Python functions above 50 lines", 0, lambda root: long_python_functions(product(root), 50)),
    Property("members of structures that are cut", 0, lambda root: cut_members(files_in(root))),
    Property("branches reachable from take", 220, lambda root: branches_from(root, "takt_dispatcher_take")),
    Property("branches reachable from post", 320, lambda root: branches_from(root, "takt_dispatcher_post")),
    Property("lines of headers of one unit", 0, bodies_of_one_unit),
    Property("files that a program makes", 0, made_files),
    Property("places of the kernel that post", 1, lambda root: users_in_kernel(root, "post")),
    Property("places of the kernel that settle", 1, lambda root: users_in_kernel(root, "settle|step")),
    Property("places of the kernel that ask", 1, lambda root: users_in_kernel(root, "choose|take|take_next")),
    Property("circles of core's objects", 0, object_circles),
    Property("circles of Python imports", 0, import_circles),
    Property("modules of Python with one importer", 25, with_one_importer),
    Property("private functions with one caller", 320, lambda root: with_one_caller(package(root))),
    Property("names of core spelled in Python", 0, spelled_names),
    Property("docstrings of results that name an act", 0, lambda root: docstrings_of_acts(without_tests(root))),
    Property("files that a new key touches", 2, lambda root: files_of_guide(root, "add-a-key")),
    Property("files that a new key of core touches", 4, lambda root: files_of_guide(root, "add-a-key-that-core-uses")),
    Property("require( in bindings", 0, lambda root: found_in(bindings(root), "require(")),
    Property("cpus[0]", 0, lambda root: found_in(product(root), "cpus[0]")),
    Property("attribute bits short of 4 free", 0, lambda root: bits_short(root, "ATTRIBUTE")),
    Property("state bits short of 4 free", 0, lambda root: bits_short(root, "STATE")),
    Property("lines of the binding", 600, lambda root: each_line([root / "python" / "binding.cpp"])),
    Property("lines with a private word", 0, private_words),
    Property("Markdown lines above 120 columns", 0, wide_lines),
    Property("sources without a licence line", 0, without_licence),
    Property("rules of SPEC without a case", 0, rules.rules_without_case),
    Property("tracked lines", 185_000, tracked_lines),
    Property("lines of python/takt", 25_500, lambda root: each_line(package(root))),
    Property("lines of python/takt without code", 9_690, lambda root: lines_without_code(package(root))),
    Property("lines of the product", 45_000, lambda root: each_line(product(root))),
    Property("lines of tests", 46_000, lambda root: each_line(sources_of_tests(root))),
)


def main() -> int:
    """Measure, and compare with the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    parser.add_argument(
        "--check", action="store_true", help="exit 1 if a property is worse than recorded, or not recorded"
    )
    parser.add_argument("--record", action="store_true", help="record what is better")
    parser.add_argument("--list", metavar="PROPERTY", help="print what a property counts")
    arguments = parser.parse_args()
    if arguments.list is not None:
        return _list(arguments.root, arguments.list)
    return _compare(arguments.root, check=arguments.check, record=arguments.record)


def _list(root: Path, name: str) -> int:
    """Print the items that a property counts."""
    found = [each for each in PROPERTIES if each.name == name]
    if not found:
        print(f"measure: no property {name!r}; there are: {', '.join(each.name for each in PROPERTIES)}")
        return 2
    print("\n".join(found[0].listing(root)))
    return 0


def _compare(root: Path, *, check: bool, record: bool) -> int:
    """Print a line per property; 1 if one is worse than recorded, or is not recorded."""
    path = root / RECORD
    recorded: dict[str, int] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {each.name: len(each.listing(root)) for each in PROPERTIES}
    worse = [each.name for each in PROPERTIES if now[each.name] > recorded.get(each.name, now[each.name])]
    missing = [each.name for each in PROPERTIES if each.name not in recorded]
    for each in PROPERTIES:
        mark = "  WORSE" if each.name in worse else ""
        print(f"{each.name:40} {now[each.name]:7,} recorded {recorded.get(each.name, 0):7,} goal {each.goal:7,}{mark}")
    if record and not worse:
        path.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    if worse and check:
        print(f"measure: worse than {RECORD}: {', '.join(worse)}; mend it, or say in the commit why the record changes")
    if missing and check:
        print(f"measure: not in {RECORD}: {', '.join(missing)}; measure.py --record writes them")
    return 1 if check and (worse or missing) else 0


if __name__ == "__main__":
    sys.exit(main())
