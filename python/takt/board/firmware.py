# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs of boards: compiled once for each state of their sources, and kept.

A program is named by what it is made of: the compiler, the recipe and the text of all sources. It is compiled into the
user's cache, beside its place, and moved there when it is whole, so that any number of runs may use it at once. It is
sealed behind its end, which no loader reads; a damaged one is compiled again.

When not to use it: for programs other than that of task sets.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from takt.base import output_files, seals
from takt.base.errors import BoardError

_FOLDERS = ("core", "policy", "system", "remote", "kernel", "port", "boards", "firmware")
_SUFFIXES = frozenset({".c", ".def", ".h", ".S", ".ld"})


class BuildError(Exception):
    """The compiler refuses; the text is its first complaint."""


def source_folder() -> Path:
    """Return the C sources: in the installed package, or around it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "source"
    return installed if installed.is_dir() else package.parents[1]


def tool(name: str, packages: Mapping[str, str]) -> str:
    """Return the path of a tool.

    Args:
        name: of the command.
        packages: of Debian, by commands; others have the name of theirs.

    Raises:
        BoardError: it is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise BoardError(f"{name} is not installed; on Debian: apt-get install {packages.get(name, name)}")
    return found


def program(name: str, recipe: Mapping[str, Any], compiler: str, source: Path) -> Path:
    """Return the program of task sets for a board.

    Args:
        name: of the port.
        recipe: how programs for a board are built, see firmware/build_cortex_m.json.
        compiler: path of the compiler.
        source: folder of the sources.

    Returns:
        The program, in the cache; it stays there.

    Raises:
        BuildError: it cannot be compiled.
    """
    folder = cache_folder()
    found = (path for folder in _FOLDERS for path in sorted((source / folder).rglob("*")))
    files = [path for path in found if path.suffix in _SUFFIXES]
    wanted = folder / f"{name}-{fingerprint(recipe, [compiler], files)}.elf"
    try:
        is_whole = seals.label_of(wanted.read_bytes()) == wanted.name  # as it was compiled
    except (OSError, ValueError):
        is_whole = False
    if not is_whole:
        with tempfile.TemporaryDirectory(prefix=".takt-", dir=folder) as beside:
            built = Path(beside, wanted.name)
            _compile(recipe, compiler, source, built)
            output_files.write(built, seals.sealed(built.read_bytes() + f"\n{seals.blank(wanted.name)}\n".encode()))
            built.replace(wanted)
    return wanted


def cache_folder() -> Path:
    """Return a folder for cached programs: the user's, or one for temporary files."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    for folder in (Path(home, "takt"), Path(tempfile.gettempdir(), f"takt-{os.getuid()}")):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    return Path(tempfile.gettempdir())


def fingerprint(words: Any, tools: Iterable[str], files: Iterable[Path]) -> str:
    """Return a name for what is made of these words by these tools, as they are installed, and of these files."""
    states = [(state.st_size, state.st_mtime_ns) for state in (Path(tool).resolve().stat() for tool in tools)]
    digest = hashlib.sha256(json.dumps([words, states]).encode())
    for path in files:
        text = path.read_bytes()
        digest.update(f"{path.name} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()[:24]


def _compile(recipe: Mapping[str, Any], compiler: str, source: Path, target: Path) -> None:
    def found(key: str) -> list[str]:
        return [str(path) for pattern in recipe[key] for path in sorted(source.glob(pattern))]

    own = found("sources")
    if "own_cflags" in recipe:
        joined = str(target.with_suffix(".o"))
        _call([compiler, *recipe["cflags"], *recipe["own_cflags"], "-r", "-nostdlib", *own, "-o", joined], source)
        own = [joined]
    sources = [*own, *found("taskset_sources")]
    _call([compiler, *recipe["cflags"], *recipe["ldflags"], *sources, *recipe["libs"], "-o", str(target)], source)


def _call(command: Sequence[str], source: Path) -> None:
    """Run a compiler; its complaint is the error."""
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise BuildError(next((line for line in lines if "error" in line), lines[-1] if lines else "no word"))
