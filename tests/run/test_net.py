# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems that were drawn once: decisions, figures and verdicts are those that were recorded; see tests/net.

`make test` asks about a sample of each paradigm, `make soak` about all.
"""

from __future__ import annotations

from pathlib import Path

import net
import pytest
from sampling import count

SAMPLE = 20
"""Systems of each paradigm in `make test`."""


def sampled(paradigm: str) -> list[tuple[tuple[str, str], net.Row]]:
    """Return systems of a paradigm, evenly spread, with their records."""
    pairs = list(zip(net.systems(paradigm), net.recorded(paradigm), strict=True))
    return pairs[:: max(1, len(pairs) // count(SAMPLE))]


@pytest.mark.parametrize("paradigm", net.paradigms())
def test_answers_are_those_that_were_recorded(paradigm: str, tmp_path: Path) -> None:
    found = [(net.row_of(name, text, tmp_path), row) for (name, text), row in sampled(paradigm)]
    assert [(now, before) for now, before in found if now != before] == []


def test_there_are_2060_drawn_systems_and_every_command_answers_most_of_them() -> None:
    rows = [row for paradigm in net.paradigms() if paradigm != "examples" for row in net.recorded(paradigm)]
    assert len(rows) == 2060
    for column in ("records", "run", "analysis"):
        assert all(getattr(row, column) != "-" for row in rows), column
    assert sum(row.board != "-" for row in rows) > 1400
