"""Task-set files that Takt writes: reading them gives the same system."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from test_examples import EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_was_read_is_what_was_written(path: Path, tmp_path: Path) -> None:
    system = takt.load(path)
    takt.save(system, tmp_path / "again.toml")
    assert takt.load(tmp_path / "again.toml") == system
