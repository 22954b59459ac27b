# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of a run: their columns are those of sim/frames.def, and those that were asked for are kept."""

from __future__ import annotations

import pytest
import takt
from places import EXAMPLES
from takt import _core
from takt.model import image as images

FRAMES = {name: (option, columns) for name, option, _, columns in _core.frames() if option}
OPTIONS = sorted({option for option, _ in FRAMES.values()})
SYSTEM = takt.load(EXAMPLES / "servers.toml")


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_keeps_its_frames_and_no_others(option: str) -> None:
    flags = {each: each == option for each in OPTIONS}
    result = takt.simulate(SYSTEM, 40, **flags)  # type: ignore[arg-type]
    assert set(result.frames) == {name for name, (of, _) in FRAMES.items() if of == option}
    for name in FRAMES.keys() - result.frames.keys():
        with pytest.raises(ValueError, match=f"call takt.simulate with {FRAMES[name][0]}=True"):
            result.kept(name)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_the_columns_of_the_table(name: str) -> None:
    made = {"server", "response"} if name in ("segments", "jobs") else set[str]()
    found = [column for column in takt.simulate(SYSTEM, 40).frames[name].columns if column not in made]
    assert found == [column for column, *_ in FRAMES[name][1]]
    assert "event; one row of deadlock" in (takt.Result.locks.__doc__ or "")


def test_a_frame_that_core_does_not_know_is_refused() -> None:
    program = images.program(SYSTEM.resolved, images.pack(SYSTEM.resolved, 1))
    with pytest.raises(ValueError, match=r"unknown frame segment$"):
        _core.simulate(program, kept=["segment"])
