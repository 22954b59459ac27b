# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the documents: links and paths lead somewhere, folders are described, and what is shown is what happens.

In every Markdown file, a `console` block is run if it begins with `$ takt`, and must print what it shows (a line
`...` stands for any lines); a `python` block is run; a `toml` block that is a task-set file is run by `takt run`. A
block with a path behind its language is a change that a guide makes.
The blocks of one document run in order in one folder, which has the examples and starts without anything else.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT
from takt.command import main
from typer.testing import CliRunner

FOLDERS = re.findall(
    r"^- \[(\w+)/\]\(\1/README\.md\): ", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)
"""The folders, as the map in README.md lists them."""
NO_FOLDERS = {"build", "LICENSES"}

TAKT = str(Path(sys.executable).parent / "takt")
RUNNERS = {"python": [sys.executable], "toml": [TAKT, "run"]}
FENCE = re.compile(r"^```(\w*)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]\[]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")


def documents() -> list[str]:
    """Return the Markdown files of the project, as paths from the root."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(
        path.as_posix() for path in found if not any(part.startswith(".") or part in NO_FOLDERS for part in path.parts)
    )


def prose(document: str) -> str:
    """Read a document without its code blocks."""
    return FENCE.sub("", (ROOT / document).read_text(encoding="utf-8"))


# ---- links and paths ------------------------------------------------------------------------------------


def anchors(document: Path) -> set[str]:
    """Return the anchors that the headings of a document make."""
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(document: str, target: str) -> bool:
    """True if a link within the project leads nowhere."""
    if re.match(r"[a-z]+:", target):
        return False
    path, _, anchor = target.partition("#")
    file = (ROOT / document).parent / path if path else ROOT / document
    return not file.exists() or bool(anchor and anchor not in anchors(file))


@pytest.mark.parametrize("document", documents())
def test_every_link_leads_somewhere(document: str) -> None:
    dead = [target for target in LINK.findall(prose(document)) if is_dead(document, target)]
    assert dead == []


def is_path(code: str) -> bool:
    """True if code in prose is the path of one file or folder of the project's folders: no pattern, no command."""
    return re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]*", code) is not None


@pytest.mark.parametrize("document", documents())
def test_every_path_that_is_named_exists(document: str) -> None:
    paths = [code for code in CODE.findall(prose(document)) if is_path(code)]
    assert [path for path in paths if not (ROOT / path).exists()] == []


# ---- tables ---------------------------------------------------------------------------------------------

ROW = re.compile(r" {0,3}\|")
RULE = re.compile(r" {0,3}\|(?: *:?-+:? *\|)+ *")
BAR = re.compile(r"(?<!\\)\|")


def faults_of_tables(text: str) -> list[str]:
    """Return why rows of a Markdown text are no table: a rule is missing, other numbers of cells, no blank line.

    Bars in code count as well, as Markdown has it: they need a backslash.
    """
    faults, lines = [], ["", *text.splitlines(), ""]
    starts = (
        number for number in range(1, len(lines)) if ROW.match(lines[number]) and not ROW.match(lines[number - 1])
    )
    for start in starts:
        end = next(number for number in range(start, len(lines)) if not ROW.match(lines[number]))
        rows, place = lines[start:end], f"line {start}: {lines[start][:40]}"
        if len(rows) < 2 or not RULE.fullmatch(rows[1]):
            faults.append(f"{place}: no heading with a rule below it; is a blank line before it?")
        if len({len(BAR.findall(row)) for row in rows}) > 1:
            faults.append(f"{place}: not as many cells in every row")
        if lines[start - 1].strip() or lines[end].strip():
            faults.append(f"{place}: text follows or precedes without a blank line")
    return faults


@pytest.mark.parametrize("document", documents())
def test_every_table_is_one(document: str) -> None:
    assert faults_of_tables(prose(document)) == []


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n",
        "| a | b |\n| 1 | 2 |\n",
        "| a | b |\n|---|---|\n| 1 | `2 | 3` |\n",
        "| a | b |\n|---|---|\n| 1 |\n",
        "text\n| a | b |\n|---|---|\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\ntext\n",
    ],
)
def test_a_broken_table_is_found(text: str) -> None:
    assert faults_of_tables(text) != []
    assert faults_of_tables("text\n\n| a | b |\n|:--|--:|\n| 1 | 2 \\| 3 |\n\ntext\n") == []


# ---- folders ----------------------------------------------------------------------------------------------


def test_the_rooms_are_all_there_is() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert folders - NO_FOLDERS == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_says_what_it_is(folder: str) -> None:
    readme = ROOT / folder / "README.md"
    assert readme.exists()
    assert readme.read_text(encoding="utf-8").startswith(f"# {folder}\n\n")


# ---- code -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A code block: its language, the path that it is to have in the project if any, its text, and its first line."""

    language: str
    path: str
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    """Return the code blocks of a document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = FENCE.finditer(text)
    return [Block(match[1], match[2] or "", match[3], text.count("\n", 0, match.start()) + 2) for match in found]


def is_run(block: Block) -> bool:
    """True if a block is run."""
    if block.language == "console":
        return block.text.startswith("$ takt ")
    is_task_set = block.language == "toml" and re.search(r"^schema = 1$", block.text, re.MULTILINE) is not None
    return (block.language == "python" or is_task_set) and not block.path


def runnable_documents() -> list[str]:
    """Return the documents that have something to run."""
    return [document for document in documents() if any(map(is_run, blocks(document)))]


TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a terminal of 80 columns would show it."""
    environment = {**os.environ, **TERMINAL}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def run_takt(words: list[str], folder: Path, document: str) -> tuple[int, str]:
    """Run takt; return its status and what it prints: what README.md shows is shown by the command itself."""
    if document == "README.md":
        done = run([TAKT, *words], folder)
        return done.returncode, done.stdout + done.stderr
    with contextlib.chdir(folder):
        found = CliRunner(env=TERMINAL).invoke(main.app, words)
    return found.exit_code, found.stdout + found.stderr


def trimmed(text: str) -> str:
    """Drop spaces at the ends of lines and empty lines at both ends."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def check_console(block: Block, folder: Path, document: str) -> None:
    """Run each command of a block and compare what it prints with what the block shows."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        status, text = run_takt(shlex.split(command)[1:], folder, document)
        printed = trimmed(text)
        is_as_shown = doctest.OutputChecker().check_output(trimmed(shown), printed, doctest.ELLIPSIS)
        assert shown.strip() == "" or is_as_shown, f"line {block.line}: {command} printed\n{printed}"
        assert shown.strip() != "" or status == 0, f"line {block.line}: {command} failed\n{printed}"


def check_block(block: Block, folder: Path, document: str) -> None:
    """Run a block."""
    if block.language == "console":
        check_console(block, folder, document)
        return
    file = folder / f"block_{block.line}.{block.language}"
    file.write_text(block.text, encoding="utf-8")
    done = run([*RUNNERS[block.language], str(file)], folder)
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"


@pytest.mark.parametrize("document", runnable_documents())
def test_what_a_document_shows_is_what_happens(document: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for block in filter(is_run, blocks(document)):
        check_block(block, tmp_path, document)


def test_the_readme_shows_a_run() -> None:
    assert any(block.language == "console" and is_run(block) for block in blocks("README.md"))
