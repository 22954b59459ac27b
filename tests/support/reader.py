# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A new user at a terminal of 80 columns, by tmux: who types what README, help and earlier output printed, no guess.

What is typed is checked word by word: each is in a text that was read before, or is the user's own, such as the name of
a file of theirs. Of what is printed no line is of a traceback, and none of takt is longer than the terminal, but for
errors, which have one line each.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

COLUMNS = 80
LINES = 60
PROMPT = "$"
_PATIENCE_SECONDS = 240
_numbers = itertools.count()
"""Of terminals: each has a server of its own, because one that is ending refuses the next terminal."""


class Reader:
    """A user in an empty folder.

    Args:
        folder: where they work; empty.
        programs: folder of the command.
        own: words that are theirs.
    """

    def __init__(self, folder: Path, programs: Path, *own: str) -> None:
        """Open the terminal."""
        assert not list(folder.iterdir())
        self.folder = folder
        self.own = set(own)
        self.read = ""
        self._status = folder.with_name(f"{folder.name}.status")
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        kept = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME", "LANG") if name in os.environ}
        given = {"LC_ALL": "C.UTF-8", "PATH": path, "PS1": f"{PROMPT} ", "PROMPT_COMMAND": f"echo $? > {self._status}"}
        self._tmux = ["tmux", "-L", f"takt-{os.getpid()}-{next(_numbers)}", "-f", "/dev/null"]
        shell = shlex.join(["env", "-i", "TERM=screen", *(f"{n}={v}" for n, v in (kept | given).items())])
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        self._do(
            "start-server",
            ";",
            "set-option",
            "-g",
            "history-limit",
            "20000",
            ";",
            "new-session",
            "-d",
            *size,
            "-c",
            str(folder),
            f"{shell} bash --norc --noprofile",
        )
        self._wait()

    def close(self) -> None:
        """Close the terminal."""
        self._do("kill-server")

    def _do(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True, timeout=30).stdout

    def _wait(self) -> int:
        """Return the status of the command that ends next."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < end:
            has_ended = self._status.exists() and self._screen()[-1] == PROMPT
            if has_ended and (text := self._status.read_text()):
                self._status.unlink()
                return int(text)
            time.sleep(0.05)
        raise AssertionError(self._screen())

    def _screen(self) -> list[str]:
        """Return the lines of the terminal, those that were too long for it as one."""
        return self._do("capture-pane", "-p", "-J", "-S", "-").rstrip().split("\n")

    def reads(self, text: str) -> None:
        """Read a page."""
        self.read += text + "\n"

    def type(self, line: str, status: int = 0) -> str:
        """Type a command line, and return what it prints."""
        known = " ".join(self.read.split())
        unknown = [word for word in shlex.split(line) if word not in known and word not in self.own]
        assert unknown == [], f"{line}: nothing that was read has {unknown}"
        before = len(self._screen()) - 1
        self._do("send-keys", "-l", line)
        self._do("send-keys", "Enter")
        found = self._wait()
        screen = self._screen()[before:]
        typed = f"{PROMPT}{line}".replace(" ", "")
        starts = ("".join(screen[:rows]).replace(" ", "") for rows in range(1, len(screen)))
        rows = next((rows for rows, start in enumerate(starts, 1) if start == typed), None)
        assert rows is not None, screen
        printed = [each.rstrip() for each in screen[rows:-1]]
        assert found == status, "\n".join(printed)
        assert not any("Traceback" in each for each in printed), printed
        too_long = [each for each in printed if len(each) > COLUMNS]
        assert too_long == [] or status != 0 or not line.startswith("takt "), too_long
        text = "\n".join(printed)
        self.reads(re.sub(r"[\u2500-\u257f]", " ", text))
        return text

    def hint(self, pattern: str) -> str:
        """Return the last command that was printed and begins like a pattern, whole, though it be on two lines."""
        found = re.findall(pattern, " ".join(self.read.split()))
        assert found, f"nothing that was read has {pattern}"
        return str(found[-1])
