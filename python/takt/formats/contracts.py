# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The interface of a format, and the results of reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from takt.base import one_line
from takt.base.errors import Problem
from takt.model.system import System


class Imported(NamedTuple):
    """A task set that was read.

    Args:
        system: the task set.
        warnings: what the file says and the system does not hold; none if it holds all.
    """

    system: System
    warnings: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        """Return the system, and how many warnings there are."""
        return one_line.sentence(self, f"of {self.system!r} with {len(self.warnings)} warnings")


class Written(NamedTuple):
    """A task set as the text of a file.

    Args:
        text: the file.
        names: tasks and resources that have another name in the file, by table and name.
    """

    text: str
    names: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Format:
    """A format.

    Args:
        name: as users write it.
        suffixes: of its files, with the dot, in lower case.
        recognizes: whether a file with one of the suffixes is in this format; cheap, and never an error.
        read: makes a system of a file's bytes and the name of the file without its suffix; problems name no file.
        write: makes the text of a system.
        keeps_units: whether a file says how long a tick is.
    """

    name: str
    suffixes: tuple[str, ...]
    recognizes: Callable[[bytes], bool]
    read: Callable[[bytes, str], Imported]
    write: Callable[[System], Written]
    keeps_units: bool = True
