# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Faults of the programs in the kernel, each found in a run whose trace replays.

One guest runs the same task set once for each fault of faulty_glue.py, and once without one. It has what the checks of
plain sets do not see: points, a protocol, a server whose budget is exhausted.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import faulty_glue
import pytest
import takt
from recipes import must_build
from takt.linux import board
from takt.run import linux_checks

TOOLS = ("busybox", "cc", "clang-19", "llc-19", "opt-19", "llvm-link-19")
can_run = (faulty_glue.FOLDER / "packages").exists() and all(map(shutil.which, TOOLS))
needs_linux = pytest.mark.skipif(not can_run, reason="no guest with Linux here: make linux fetches it")

HORIZON_US = 150_000
THEFT_NS = 23_900_000
"""From one theft of the processor to the next one."""

SET = """schema = 1
[system]
resolution = "1us"
policy = "fp"
horizon = "{horizon}us"
[[resource]]
name = "bus"
protocol = "pip"
[[server]]
name = "server"
kind = "deferrable"
period = "10ms"
budget = "2ms"
priority = 4
[[task]]
name = "fast"
period = "5ms"
offset = "1500us"
wcet = "600us"
priority = 5
[[task]]
name = "served"
server = "server"
period = "20ms"
wcet = "5ms"
priority = 1
[[task]]
name = "points"
period = "30ms"
subjobs = ["1ms", "1ms", "1ms", "1ms", "1ms", "1ms"]
priority = 3
[[task]]
name = "writer"
period = "25ms"
priority = 2
body = ["run 500us", "lock bus", "run 1ms", "unlock bus", "run 500us"]
[[task]]
name = "reader"
period = "40ms"
priority = 1
body = ["run 500us", "lock bus", "run 3ms", "unlock bus", "run 2ms"]
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, board.Run]:
    """Run the set with each fault, after one boot."""
    folder, systems = tmp_path_factory.mktemp("faulty"), dict[str, takt.System]()
    for name, number in {"none": 0, **faulty_glue.NUMBERS}.items():
        path = folder / f"{number}.toml"
        path.write_text(SET.format(horizon=HORIZON_US + number))
        systems[name] = takt.load(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(board.FOLDER_VARIABLE, str(faulty_glue.FOLDER))
        built = faulty_glue.build_products(board.products(board.folder())["takt.bpf.o"].parent, folder)
        built["thief"] = folder / "thief"
        must_build(["cc", "-O2", "-static", "tests/linux/thief.c", "-o", str(built["thief"])])
        patch.setattr(board, "products", lambda place: built)
        patch.setattr(board, "_COMMAND", f"{board._COMMAND} & run=$!; ./thief {THEFT_NS} & wait $run")
        found = board.run_all(list(systems.values()), [folder / f"{name}.takt" for name in systems])
    return dict(zip(systems, found, strict=True))


@needs_linux
def test_without_a_fault_nothing_is_found(runs: dict[str, board.Run]) -> None:
    assert linux_checks.check(runs["none"]).findings == ()


@needs_linux
@pytest.mark.parametrize("fault", faulty_glue.FAULTS)
def test_each_fault_is_found_though_its_trace_replays(fault: str, runs: dict[str, board.Run]) -> None:
    run, finding = runs[fault], faulty_glue.FAULTS[fault].finding
    assert takt.replay(run.trace.path).is_identical
    found = linux_checks.check(run).findings
    assert any(re.search(finding, line) for line in found), found


def test_each_text_that_a_fault_replaces_stands_in_the_sources_once(tmp_path: Path) -> None:
    faulty_glue.write_sources(tmp_path)
    texts = "".join((tmp_path / "linux" / "bpf" / name).read_text() for name in faulty_glue.SOURCES)
    for number in faulty_glue.NUMBERS.values():
        assert re.search(rf"HAS_FAULT\([^;{{]*, {number}\)", texts)
