# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random scripts of tasks on FreeRTOS' interface against a model of what its public reference says."""

from __future__ import annotations

from pathlib import Path

import pytest
import sampling
from freertos_model import draw, predict, text
from recipes import run
from test_freertos import build

SCRIPTS = 80


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Return the command that executes a script."""
    return build("posix", "script", tmp_path_factory.mktemp("script"), tmp_path_factory)


def test_random_scripts_do_what_the_model_does(player: list[str | Path]) -> None:
    for seed in range(sampling.count(SCRIPTS)):
        script = draw(seed)
        done = run(player, text(script))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == predict(script), f"script {seed}"
