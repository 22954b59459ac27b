# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Small programs as users write them against FreeRTOS' interface: each includes FreeRTOS.h and has a main."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipes import PORTS, compile_kernel, compile_objects, emulator, found, link, run
from test_freertos import recipe

HERE = "tests/compat/programs"
PRINTED = {
    "producer_consumer": "sum 55 after 100 ticks\n",
    "timer_blink": "on off on off at 450 ms\n",
    "gatekeeper": "two one two one two one \n",
    "console": "heap: some\nunknown command\ntasks: 4\nbye\n",
    "sensor_node": "4 readings, 4 sleeps, asleep nearly always\n",
}
FLAGS = {"sensor_node": ["-DPROGRAM_SLEEPS=1"]}


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("program", PRINTED)
def test_an_unchanged_program_runs(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, port: str, program: str
) -> None:
    how = recipe(port, "-Icompat/freertos/include", f"-I{HERE}", *FLAGS.get(program, []))
    library = compile_objects(how, [*found("compat/freertos/*.c"), f"{HERE}/machine.c"], tmp_path_factory)
    kernel = compile_kernel(recipe(port), port, tmp_path_factory)
    done = run([*emulator(how), link(how, [f"{HERE}/{program}.c"], [*library, *kernel], tmp_path / program)])
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED[program], "")
