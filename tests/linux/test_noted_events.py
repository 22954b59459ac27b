# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Events of threads that the domain gets later: none leaves a job blocked whose thread is awake.

The program is noted_events.c, the code of the kernel's programs compiled for the host. Each thread of a domain has room
for two events, so more threads than any number can wake while another class has the processor.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import takt
from recipes import compile_objects, found, link, recipe_of_linux
from sampling import count
from test_domain import FOLDERS, image_of

SYSTEM = '[system]\npolicy = "fp"\nresolution = "1us"\nhorizon = "1s"\n' + "".join(
    f'[[task]]\nname = "t{number}"\npriority = {number % 7}\nperiod = "{1 + number % 5}ms"\nwcet = "1us"\n'
    for number in range(200)
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    how = recipe_of_linux()
    objects = compile_objects(how, found(*(f"{folder}/*.c" for folder in FOLDERS)), tmp_path_factory)
    of_kernel = {**how, "cflags": ["-std=gnu11", "-O2", "-w", "-I."]}
    sources = ["linux/bpf/report.c", "tests/linux/noted_events.c"]
    return link(of_kernel, sources, objects, tmp_path_factory.mktemp("linux") / "noted_events")


@pytest.mark.parametrize("seed", range(1 + count(20)))
def test_only_jobs_whose_threads_sleep_are_blocked(seed: int, program: Path, tmp_path: Path) -> None:
    """With seed 0, 200 threads wake before the domain gets an event."""
    (tmp_path / "T.toml").write_text("schema = 1\n" + SYSTEM)
    (tmp_path / "I").write_bytes(image_of(takt.load(tmp_path / "T.toml")))
    done = subprocess.run([program, tmp_path / "I", str(seed)], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
