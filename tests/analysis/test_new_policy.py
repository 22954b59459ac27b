"""A policy that is new to this build: what the analysis does not know it does not prove, and nothing crashes.

The policies are added to a copy of the sources as CONTRIBUTING says: one file and two lines for each. FIFO looks like
any other policy of job-level keys. The other one is edf, letter by letter, under another name.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import takt
from places import ROOT
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

ROOMS = ("core", "policy", "system", "sim", "analysis", "cmake")

FIFO = """
#include "policy/table.h"

static void fifo_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->release + 1u;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_fifo = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "fifo",
    .summary = "first in, first out",
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = fifo_release,
};
"""

REFUSED_BY_FIFO = '[[task]] "A" threshold: expected none under "fifo", which gives tasks no levels, found "B"'


def add_policies(sources: Path) -> None:
    """Add FIFO and a copy of edf to a copy of the sources."""
    room = sources / "policy"
    (room / "fifo.c").write_text(FIFO)
    copied = (room / "edf.c").read_text().replace("takt_policy_edf", "takt_policy_copy").replace('"edf"', '"copy"')
    (room / "copy.c").write_text(copied)
    header, table = room / "table.h", room / "table.c"
    extern = "extern const takt_policy_t takt_policy_"
    header.write_text(header.read_text().replace(f"{extern}dm;", f"{extern}fifo;\n{extern}copy;\n{extern}dm;", 1))
    table.write_text(table.read_text().replace("&takt_policy_dm,", "&takt_policy_copy, &takt_policy_dm,", 1))
    table.write_text(table.read_text().replace("&takt_policy_fp,", "&takt_policy_fifo, &takt_policy_fp,", 1))


def must_run(command: list[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the extension with the new policies, unoptimised, and give a folder with the package."""
    sources = tmp_path_factory.mktemp("sources")
    for room in ROOMS:
        shutil.copytree(ROOT / room, sources / room)
    shutil.copy(ROOT / "CMakeLists.txt", sources)
    shutil.copytree(ROOT / "python", sources / "python", ignore=shutil.ignore_patterns("__pycache__"))
    add_policies(sources)
    build, folder = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("package")
    options = ["-DTAKT_PYTHON=ON", "-DCMAKE_BUILD_TYPE=Plain", f"-DPython_EXECUTABLE={sys.executable}"]
    must_run(["cmake", "-G", "Ninja", "-S", sources, "-B", build, *options])
    must_run(["cmake", "--build", build, "--target", "_core"])
    shutil.copytree(sources / "python" / "takt", folder / "takt")
    analysis = importlib.util.find_spec("takt._analysis")
    assert analysis is not None
    assert analysis.origin is not None
    for extension in [*build.glob("_core.*"), Path(analysis.origin)]:
        shutil.copy(extension, folder / "takt")
    return folder


ANSWER = """
import json, sys, takt
policy, more = sys.argv[1], json.loads(sys.argv[2])
tasks = [
    takt.Task(name="A", period=5, wcet=1, deadline=2, offset=1, **more),
    takt.Task(name="B", period=20, wcet=6),
]
try:
    system = takt.System(tasks=tasks, policy=policy)
except takt.InputError as error:
    print(json.dumps({"error": str(error)}))
else:
    found, seen = takt.analyse(system), takt.simulate(system, 100)
    told = {"verdict": found.verdict.value, "reason": found.reason, "missed": seen.missed}
    print(json.dumps(told | {"segments": seen.segments.select("start", "end", "task").rows()}))
"""


def answer(package: Path, policy: str, **more: object) -> dict[str, Any]:
    """Analyse and simulate two tasks with the package that was built; `more` are keys of A."""
    command = [sys.executable, "-c", ANSWER, policy, json.dumps(more)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_policy_without_a_test_is_not_proved_by_that_of_another_one(package: Path) -> None:
    told = answer(package, "fifo")
    assert told["missed"] == 5
    assert (told["verdict"], told["reason"]) == ("not known", "there is no test of fifo")


def test_a_policy_without_levels_refuses_a_task_as_threshold(package: Path) -> None:
    assert answer(package, "fifo", threshold="B") == {"error": REFUSED_BY_FIFO}


def test_a_copy_of_edf_schedules_as_edf_does(package: Path) -> None:
    for more in ({}, {"threshold": "B"}, {"threshold": "A"}):
        copied, own = answer(package, "copy", **more), answer(package, "edf", **more)
        assert copied["segments"] == own["segments"]
        assert copied["verdict"] in ("not known", own["verdict"])


def test_an_unknown_policy_has_no_test() -> None:
    view = view_of(takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy="edf"))
    root = replace(view.dispatchers[0], policy="unheard-of")
    unknown = replace(view, resolved=replace(view.resolved, policy="unheard-of"), dispatchers=(root,))
    assert [row.verdict for row in judge(unknown).rows()] == [Verdict.NOT_KNOWN]


@pytest.mark.parametrize("kind", ["idling", "cbs"])
def test_an_unknown_policy_of_a_server_has_no_test(kind: str) -> None:
    task, server = takt.Task(name="A", period=20, wcet=1, server="S"), takt.Server(name="S", period=5, budget=2)
    view = view_of(takt.System(tasks=[task], servers=[server.replace(kind=kind, policy="edf")], policy="edf"))
    inside = replace(view.dispatchers[1], policy="unheard-of")
    found = judge(replace(view, dispatchers=(view.dispatchers[0], inside)))
    assert [row.verdict for row in found.rows()] == [Verdict.NOT_KNOWN]
