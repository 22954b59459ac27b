# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A program is linked with what it needs and nothing else, and nothing that it needs is missing.

Each feature alone, beside two plain threads under fixed priorities, so that no other feature brings the pass.
A forgotten one ends in takt_port_fault, which fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from places import ROOT
from recipes import PORTS, compile_kernel, emulator, link, recipe, run

from bench.kernel.rows import FEATURES, Feature

PROGRAM = "bench/kernel/features.c"
BEHIND = {
    "pass": "takt_kernel_dispatch",
    "plain": "takt_kernel_expect_plain_pass",
    "time": "takt_kernel_come_to",
    "mutexes": "takt_mutex_abandon",
    "tree": "insert_by_key",
    "table": "takt_protocols",
}
"""What stands behind each pointer of kernel/pass.h, the tree of kernel/order.h, and the table of all protocols."""


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_a_feature_alone_works_and_brings_what_it_needs(
    port: str, feature: Feature, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    how = recipe(port)
    objects = compile_kernel(how, port, tmp_path_factory)
    flags = [*how["cflags"], "-DFEATURES_RUN=1", f"-DFEATURE_{feature.name.upper()}=1"]
    program = link({**how, "cflags": flags}, [PROGRAM], objects, tmp_path / "program")
    done = run([*emulator(how), program])
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    if port != "posix":  # its recipe has no sections for functions
        nm = how["cc"].removesuffix("gcc") + "nm"
        symbols = {line.split()[-1] for line in run([nm, program]).stdout.splitlines()}
        assert {need for need, symbol in BEHIND.items() if symbol in symbols} == set(feature.needs)


def test_every_feature_of_the_program_has_a_row() -> None:
    text = (ROOT / PROGRAM).read_text(encoding="utf-8")
    named = {word.strip(" ()\\") for part in text.split("defined(FEATURE_")[1:] for word in [part.split(")")[0]]}
    assert named == {feature.name.upper() for feature in FEATURES} - {"NONE"}
