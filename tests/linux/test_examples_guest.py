# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs of examples/linux in the guest, as clients of taktd: what they say, and traces that replay. One boot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from recipes import must_build
from takt.board import guest
from takt.linux import board, daemon
from test_taktd_guest import FOLDER, pytestmark

__all__ = ["pytestmark"]

SAYS = {
    "points": r"control began at most [0-2]\.\d ms after its release",
    "framework": r"player: 9 jobs, 3 late\ncontrol: \d\d jobs, 0 late",
    "allocator": r"left: 9 jobs, period 40 ms\nright: 9 jobs, period 20 ms",
    "negotiation": (
        "steering: rate 0.200, then 0.400: done\n"
        "map: rate 0.200, then 0.200: the allocator has no rate for these parameters; those before stay in force\n"
        "video: rate 0.400, then 0.200: done"
    ),
}
START = """
S=/run/takt/s
mkdir -p /run/takt
./taktd --socket $S --objects /work & D=$!
while [ ! -S $S ]; do sleep 0.1; kill -0 $D || exit 1; done
"""
EACH = """
./ask_taktd $S load load_{name} {tick} 100000 wait
./{name} $S > said_{name} 2>&1
./ask_taktd $S detach; ./ask_taktd $S trace trace_{name} > requests_{name}
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("examples")
    files: dict[str, Path | bytes] = {**board.products(FOLDER), "taktd": FOLDER / "takt" / "taktd"}
    must_build(["cc", "-O2", "-static", "-I.", "tests/linux/ask_taktd.c", "-o", folder / "ask_taktd"])
    objects = ["main", "socket", "takt_linux", "table", "calls"]
    for name in objects:
        source = f"examples/linux/{name}.c" if name == "main" else f"linux/lib/{name}.c"
        must_build(["cc", "-O2", "-I.", "-c", source, "-o", folder / f"{name}.o"])
    script = START
    for name in SAYS:
        (found,) = (path for path in (EXAMPLES / "linux").glob(f"{name}.c*"))
        compiler = ["g++", "-std=c++17"] if found.suffix == ".cpp" else ["cc"]
        warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
        made = [folder / f"{each}.o" for each in objects]
        must_build([*compiler, *warnings, "-O2", "-static", "-I.", found, *made, "-pthread", "-o", folder / name])
        (part,) = board.parts(daemon.without_end(takt.load(EXAMPLES / "linux" / f"{name}.toml")))
        files |= {f"load_{name}": daemon.contents(part), name: folder / name}
        script += EACH.format(name=name, tick=part.described.resolution_ns)
    files["ask_taktd"] = folder / "ask_taktd"
    results = [f"{what}_{name}" for what in ("said", "trace", "requests") for name in SAYS]
    done = guest.run(guest.Machine(FOLDER), f"{script}kill $D; wait $D; true", files, results, patience=600)
    assert done.status == 0, done.output.decode()
    return dict(done.files)


@pytest.mark.parametrize(("name", "text"), SAYS.items())
def test_an_example_does_in_the_guest_what_it_says(
    name: str, text: str, outcome: dict[str, bytes], tmp_path: Path
) -> None:
    said = outcome[f"said_{name}"].decode()
    assert re.fullmatch(text, said.strip()), said
    size = int(outcome[f"requests_{name}"].decode().split(" bytes of requests")[0].split()[-1])
    daemon.write_trace(tmp_path / "T.takt", {0: (outcome[f"trace_{name}"], size)})
    replayed = takt.replay(tmp_path / "T.takt")
    assert (replayed.is_identical, replayed.decisions > 10) == (True, True), replayed.text
