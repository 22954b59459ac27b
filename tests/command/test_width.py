# SPDX-License-Identifier: Apache-2.0 OR MIT
"""No line is longer than the terminal: commands in a terminal of 80 columns, and in narrower ones."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Sequence

import pytest
from places import CASES, EXAMPLE_FILES, EXAMPLES
from takt.show.text_tables import width_of

PEOPLE = sorted((CASES / "people").glob("*.toml"))
CALLS = """
import sys, typer
from takt.command.main import app
for arguments in sys.argv[1:]:
    print("$", arguments.split()[0])
    try:
        app(arguments.split(), standalone_mode=False)
    except typer.Exit:
        pass
"""


def lines_in_a_terminal(calls: Sequence[str], columns: int) -> list[str]:
    """Return what calls of the command write in a terminal, one after the other, without colours."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
        os.execve(sys.executable, [sys.executable, "-c", CALLS, *calls], environment)
    written = b""
    while True:
        try:
            part = os.read(terminal, 2**16)
        except OSError:
            break
        written += part
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, written.decode()
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written.decode()).replace("\r\n", "\n").split("\n")


def check(lines: Sequence[str], calls: int, columns: int) -> None:
    """Check the width of the lines that came from a number of calls; errors of files have lines of their own."""
    told = [line for line in lines if not re.match(r".*\.toml: ", line)]
    assert sum(line.startswith("$ ") for line in told) == calls
    assert len(told) > 3 * calls
    assert [line for line in told if width_of(line) > columns] == []


@pytest.mark.parametrize("columns", [80, 53])
@pytest.mark.parametrize("command", ["run", "compare --policy fp,edf,llf", "analyse --no-sensitivity --no-remedies"])
def test_no_line_of_the_examples_and_of_what_people_write_is_longer_than_the_terminal(
    command: str, columns: int
) -> None:
    extra = {"n50": " --horizon 100000"}
    files = [*EXAMPLE_FILES, *PEOPLE] if command == "run" else [EXAMPLES / "smallest.toml", *PEOPLE]
    calls = [
        f"{command} {path}{extra.get(path.stem, '') if command == 'run' else ''}"
        for path in files
        if path.stem != "sp2" and (command == "run" or path.stem not in extra)
    ]
    check(lines_in_a_terminal(calls, columns), len(calls), columns)


@pytest.mark.parametrize("columns", [80, 40])
def test_no_line_of_the_catalogue_is_longer_than_the_terminal(columns: int) -> None:
    check(lines_in_a_terminal(["policies"], columns), 1, columns)
