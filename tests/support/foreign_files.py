# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files of other tools in tests: read, warned of, refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from takt import formats


def read(text: str, folder: Path, suffix: str = ".xml") -> formats.Imported:
    """Read a text."""
    path = folder / f"set{suffix}"
    path.write_text(text, encoding="utf-8")
    return formats.read(path)


def lines(imported: formats.Imported) -> list[str]:
    """The warnings without the file."""
    return [str(warning).partition(": ")[2] for warning in imported.warnings]


def refusal(text: str, folder: Path, suffix: str = ".xml") -> list[str]:
    """The lines with which a text is refused, without the file."""
    with pytest.raises(takt.InputError) as caught:
        read(text, folder, suffix)
    found = [str(problem).partition(": ") for problem in caught.value.problems]
    assert {file for file, _, _ in found} == {str(folder / f"set{suffix}")}
    return [line for _, _, line in found]
