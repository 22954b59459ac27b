# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The recipes of docs/how-to/recipes.md are files that run, miss nothing, and have the bounds that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
import takt
from places import ROOT

PAGE = (ROOT / "docs" / "how-to" / "recipes.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'```toml\n(?=schema = 1\n\n\[system\]\nname = "([\w-]+)")(.*?)```', PAGE, re.DOTALL))

BOUNDS = {
    "interrupt": {"can_rx": 15, "control": 330},
    "deferred": {"uart_isr": 10, "uart_thread": 210, "control": 510},
    "callbacks": {"sample": 270},
    "dma": {"adc_block": 480, "control": 780},
    "polling": {"main_loop": 3000, "keys": 400},
    "flash": {"control": 4999},
    "flash-parts": {"control": 1999},
}
"""Bounds of responses in microseconds."""
RUNS = {"dma": {"control": 320}}
"""Largest responses of a run that are less than their bounds."""


def test_each_recipe_has_bounds() -> None:
    assert set(FILES) == set(BOUNDS)


@pytest.mark.parametrize("name", FILES)
def test_a_recipe_runs_and_is_proved(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text(FILES[name], encoding="utf-8")
    system = takt.load(path)
    found = {row.task: row.response for row in takt.analyse(system).tasks}
    result = takt.simulate(system)
    assert {task: found[task] for task in BOUNDS[name]} == BOUNDS[name]
    assert result.summary["missed"].sum() == 0
    for task, worst in result.summary.select("task", "response_max").rows():
        bound = found[task]
        assert bound is not None
        assert worst <= bound
    for task, response in RUNS.get(name, {}).items():
        assert result.summary.filter(task=task)["response_max"].item() == response
    for response in (*BOUNDS[name].values(), *RUNS.get(name, {}).values()):
        assert re.search(rf"\b{response}us\b|\b{response / 1000:g}ms\b|wcet = \"{response}us\"", PAGE), response


def test_the_thread_of_an_interrupt_begins_when_the_handler_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "deferred.toml"
    path.write_text(FILES["deferred"], encoding="utf-8")
    segments = takt.simulate(takt.load(path)).segments
    ends = segments.filter(task="uart_isr")["end"].to_list()
    starts = (
        segments.filter(task="uart_thread").group_by("job").agg(pl.col("start").min()).sort("job")["start"].to_list()
    )
    assert ends == starts
