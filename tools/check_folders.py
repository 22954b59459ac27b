#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks which folder uses which: the dependency table of DESIGN.md, from the includes and imports themselves.

Usage: check_folders.py [ROOT]. Prints one line per violation, `file:line: what`, and exits 1 if there is one.
`FOLDERS` is the only place where the table stands. What a build hands over besides (include paths, linked
libraries) is not checked; an include that names no file of the project is a violation, so that no header
can come in under another name.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FREESTANDING = frozenset({"stdint.h", "stdbool.h", "stddef.h"})
C_SUFFIXES = frozenset({".c", ".h", ".def", ".cpp", ".hpp", ".S"})
OUTSIDE = frozenset({"build", "node_modules", "__pycache__"})


@dataclass(frozen=True)
class Folder:
    """Headers and packages that the files of one folder may use.

    Attributes:
        includes: Folders (ending in "/") and headers of the project; None for all. The folder itself is always
            allowed.
        system: Headers in angle brackets; None for all.
        imports: Python packages of the project; None for all. The standard library and installed packages
            are always allowed, unless `only_stdlib`.
        only_stdlib: Python files use the standard library and `imports`, no installed package.
    """

    includes: frozenset[str] | None = frozenset()
    system: frozenset[str] | None = None
    imports: frozenset[str] | None = frozenset()
    only_stdlib: bool = False


EVERYTHING = Folder(includes=None, imports=None)
# What the kernel's programs and the daemon share.
LINUX_HEADERS = frozenset(
    f"linux/{name}.h" for name in ("shared", "domain", "foresight", "layout", "negotiation", "slot")
)

# The longest prefix of a file's path names its folder. "*" stands for one folder name.
FOLDERS: dict[str, Folder] = {
    "core": Folder(system=FREESTANDING),
    "policy": Folder(includes=frozenset({"core/"}), system=FREESTANDING),
    "analysis": Folder(includes=frozenset({"core/"}), system=FREESTANDING),
    "system": Folder(includes=frozenset({"core/", "policy/"}), system=FREESTANDING),
    "remote": Folder(includes=frozenset({"core/", "policy/", "system/"}), system=FREESTANDING),
    "linux": Folder(includes=frozenset({"core/", "policy/", "system/", "remote/"}), system=FREESTANDING),
    "sim": Folder(includes=frozenset({"core/", "policy/", "system/"})),
    "kernel": Folder(includes=frozenset({"core/", "policy/"}), system=FREESTANDING),
    # A port's header takt_port.h is found through the include path: choosing a port is choosing a folder.
    "kernel/port.h": Folder(includes=frozenset({"core/"}), system=FREESTANDING | {"takt_port.h"}),
    "kernel/units.h": Folder(includes=frozenset({"core/"}), system=FREESTANDING | {"takt_board.h"}),
    # A backend other than the direct one is found likewise.
    "kernel/backend.h": Folder(includes=frozenset({"core/"}), system=FREESTANDING | {"takt_backend.h"}),
    "port/*": Folder(includes=frozenset({"kernel/port.h"})),
    "port/soc": Folder(includes=frozenset({"kernel/port.h", "port/riscv/"})),
    "port/cortex_m0": Folder(includes=frozenset({"kernel/port.h", "port/cortex_m/"})),
    # Likewise a board's headers takt_board.h and takt_board_clock.h, which the port's header may include.
    "boards/*": Folder(includes=frozenset({"kernel/port.h", "port/", "boards/riscv/"})),
    # The program's configuration is found through the include path.
    "compat/freertos": Folder(
        includes=frozenset({"core/", "kernel/"}), system=FREESTANDING | {"stdlib.h", "FreeRTOSConfig.h"}
    ),
    # The model's headers are Verilator's.
    "hardware": Folder(),
    "firmware": Folder(includes=frozenset({"core/", "policy/", "system/", "remote/", "kernel/"})),
    "firmware/boards": Folder(includes=frozenset({"core/", "kernel/", "firmware/", "port/"})),
    "firmware/backends": Folder(
        includes=frozenset({"core/", "policy/", "system/", "remote/", "kernel/", "firmware/", "port/"})
    ),
    "linux/guest": Folder(imports=frozenset({"takt"})),
    "linux/bench": Folder(includes=frozenset({"linux/lib/"}), imports=frozenset({"takt"})),
    # Shared with a program in the kernel, which has no headers of the system.
    "linux/slot.h": Folder(system=frozenset({"stdint.h"})),
    "linux/lib": Folder(includes=frozenset({"linux/slot.h", "linux/protocol.h"})),
    "linux/program": Folder(includes=frozenset({"core/", "policy/", "system/", "linux/slot.h", "linux/lib/"})),
    # Programs of the kernel: the types are the kernel's own, and the helpers are libbpf's.
    "linux/bpf": Folder(
        includes=LINUX_HEADERS | {"core/"},
        system=FREESTANDING | {"vmlinux.h", "bpf/bpf_helpers.h", "bpf/bpf_tracing.h"},
        only_stdlib=True,
    ),
    "linux/daemon": Folder(includes=LINUX_HEADERS | {"linux/protocol.h", "linux/lib/", "linux/program/"}),
    "api": Folder(includes=frozenset({"kernel/"})),
    "python": Folder(
        includes=frozenset({"core/", "policy/", "system/", "sim/", "analysis/"}), imports=frozenset({"takt"})
    ),
    "python/linux": Folder(includes=frozenset({"linux/lib/"})),
    "tools": Folder(only_stdlib=True),
    # It parses documents with markdown-it-py.
    "tools/format_markdown.py": Folder(),
    # It builds the site with Sphinx, and asks the built package for what is on it.
    "tools/docs.py": Folder(),
    "tools/pages": Folder(imports=frozenset({"takt", "api"})),
    "tests": EVERYTHING,
    "tests/oracle": Folder(imports=frozenset({"oracle"})),
    "tests/rate_oracle": Folder(imports=frozenset({"rate_oracle"})),
    "tests/global_oracle": Folder(imports=frozenset({"global_oracle", "oracle"})),
    "tests/analysis_oracle": Folder(imports=frozenset({"analysis_oracle"})),
    "tests/framework_oracle": Folder(imports=frozenset({"framework_oracle"})),
    "bench": EVERYTHING,
    "examples": EVERYTHING,
    "studies": Folder(imports=frozenset({"takt", "studies"})),
    # The framework of Wang and Lin 1999 is in the tests alone.
    "studies/s3_general_framework/reference.py": Folder(imports=frozenset({"takt", "studies", "framework_oracle"})),
}


@dataclass(frozen=True)
class Violation:
    """One use that the table does not allow."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return the line that is printed."""
        return f"{self.path}:{self.line}: {self.message}"


def folder_of(path: str) -> str | None:
    """Return the folder of a file, given its path from the root; None if there is none."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        starred = "/".join([*parts[: length - 1], "*"])
        if name in FOLDERS:
            return name
        if starred in FOLDERS and 1 < length < len(parts):
            return starred
    return None


def place_of(path: str, folder: str) -> str:
    """Return the folder of a file's folder in the tree: port/cortex_m/ for the folder port/*."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: folder.count("/") + 1]) + "/"


# ---- C and C++ ------------------------------------------------------------------------------------------

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import)\b[ \t]*(.*)$", re.MULTILINE)


def without_comments(text: str) -> str:
    """Return the text with blanks for comments and with continued lines joined; every line keeps its number."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.startswith('"') else " " + "\n" * found.count("\n")

    joined = re.sub(r"((?:[^\n]*\\\n)+)([^\n]*)", _join_lines, text)
    return COMMENT_OR_STRING.sub(blank, joined)


def _join_lines(match: re.Match[str]) -> str:
    continued = match.group(1)
    return continued.replace("\\\n", "") + match.group(2) + "\n" * continued.count("\n")


def includes_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and operand of every include, also in branches that no build takes."""
    code = without_comments(text)
    for match in INCLUDE.finditer(code):
        yield code.count("\n", 0, match.start()) + 1, match.group(1).strip()


def resolve(root: Path, path: str, name: str) -> str | None:
    """Return an included file of the project as the compiler finds it; None if it is none of the project's."""
    base = root.resolve()
    for candidate in (base / path).parent / name, base / name:
        found = Path(candidate).resolve()
        if found.is_file() and found.is_relative_to(base):
            return found.relative_to(base).as_posix()
    return None


def may_include(includes: frozenset[str], own: str, target: str) -> bool:
    """True if a file of the project may be included."""
    allowed = includes | {own}
    is_in_allowed = any(target.startswith(entry) if entry.endswith("/") else target == entry for entry in allowed)
    return is_in_allowed and target.endswith((".h", ".hpp", ".def"))


def check_include(root: Path, path: str, folder_name: str, operand: str) -> str | None:
    """Return the complaint about one include, or None."""
    folder, own = FOLDERS[folder_name], place_of(path, folder_name)
    if folder.includes is None:
        return None
    match = re.fullmatch(r'"([^"]+)"|<([^>]+)>', operand)
    if match is None:
        return f"include of {operand!r}: only a name in quotes or angle brackets can be checked"
    quoted, bracketed = match.groups()
    target = resolve(root, path, quoted or bracketed)
    if target is not None:
        if may_include(folder.includes, own, target):
            return None
        return f"{own} may not include {target}"
    if quoted:
        return f'"{quoted}" is no file of the project'
    if folder.system is not None and bracketed not in folder.system:
        return f"{own} may not include <{bracketed}>"
    return None


def check_c(root: Path, path: str, folder_name: str) -> Iterator[Violation]:
    """Check one C or C++ file."""
    text = (root / path).read_text(encoding="utf-8")
    for line, operand in includes_of(text):
        complaint = check_include(root, path, folder_name, operand)
        if complaint is not None:
            yield Violation(path, line, complaint)


# ---- Python ---------------------------------------------------------------------------------------------


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and first name of every absolute import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            yield node.lineno, node.module.split(".")[0]


def project_packages(root: Path) -> frozenset[str]:
    """Return the names under which Python code of the project can be imported."""
    folders = {name.split("/")[0] for name in FOLDERS}
    modules = {path.stem for path in root.glob("tools/*.py")} | {path.stem for path in root.glob("tests/support/*.py")}
    return frozenset(folders | modules | {"takt"} | {name.split("/")[1] for name in FOLDERS if name.endswith("oracle")})


def check_python(root: Path, path: str, folder_name: str) -> Iterator[Violation]:
    """Check one Python file."""
    folder, own = FOLDERS[folder_name], place_of(path, folder_name)
    if folder.imports is None:
        return
    neighbours = {entry.stem for entry in (root / path).parent.iterdir()}
    of_project = project_packages(root) - neighbours
    text = (root / path).read_text(encoding="utf-8")
    for line, name in imports_of(ast.parse(text, filename=path)):
        is_stdlib = name in sys.stdlib_module_names
        is_own = name in folder.imports or (name in neighbours and not is_stdlib)
        if name in of_project and name not in folder.imports and not is_stdlib:
            yield Violation(path, line, f"{own} may not import {name}")
        elif folder.only_stdlib and not (is_own or is_stdlib):
            yield Violation(path, line, f"{own} may import the standard library only, not {name}")


# ---- the tree -------------------------------------------------------------------------------------------


def is_outside(path: Path) -> bool:
    """True if a path has no source of the project: hidden folders and build products."""
    return any(part.startswith((".", "build")) or part in OUTSIDE for part in path.parts[:-1])


def source_files(root: Path) -> list[str]:
    """Return all sources below `root`, as paths from there, sorted."""
    suffixes = C_SUFFIXES | {".py"}
    found = (path.relative_to(root) for path in root.rglob("*") if path.suffix in suffixes and path.is_file())
    return sorted(path.as_posix() for path in found if not is_outside(path))


def check_file(root: Path, path: str) -> list[Violation]:
    """Check one file, given by its path from `root`."""
    folder_name = folder_of(path)
    if folder_name is None:
        return [Violation(path, 1, "stands in no folder of the table")]
    check = check_python if path.endswith(".py") else check_c
    return list(check(root, path, folder_name))


def check_tree(root: Path) -> list[Violation]:
    """Check all sources below `root`."""
    return [violation for path in source_files(root) for violation in check_file(root, path)]


def main(arguments: list[str]) -> int:
    """Print the violations; 1 if there are any."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    violations = check_tree(root)
    for violation in violations:
        print(violation)
    if not violations:
        print(f"check_folders: {len(source_files(root))} files keep to the table")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
