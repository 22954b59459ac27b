# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs of the fuzzers in tests/fuzz: what they try must neither crash, hang, nor break a promise.

Each of them tries a fixed number of inputs from a fixed seed, so that a change passes or fails for what it changes.
With TAKT_FUZZ_SECONDS, as in `make soak`, each goes on from where it was for that long, with another seed every time:
what it found interesting stays in build/fuzz/corpus. An input that failed is left in build/fuzz/crashes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT

SOURCES = Path("tests/fuzz")
BUILD = Path("build/fuzz")
SECONDS = os.environ.get("TAKT_FUZZ_SECONDS")
STEADY = ["-seed=1", "-shuffle=0", "-use_cmp=0", "-use_counters=0", "-reduce_inputs=0"]
"""What makes two runs the same: neither the order of a folder nor addresses steer them.

Comparisons do not steer them either, so that they are built without seeing any, which makes them four times as fast.
"""
LIMITS = ["-timeout=20", "-rss_limit_mb=2048"]
SHOWN_LINES = 40


@dataclass(frozen=True)
class Fuzzer:
    """How one fuzzer is run, from the root of the project.

    Attributes:
        command: The program.
        seeds: The folder with what it begins with.
        runs: How many inputs it tries, about 20 s of them.
        options: libFuzzer's, beside those that all have.
    """

    command: list[str]
    seeds: Path
    runs: int
    options: list[str]


FUZZERS = {
    "dispatcher": Fuzzer([str(BUILD / "fuzz_dispatcher")], SOURCES / "corpus/dispatcher", 20_000, ["-max_len=600"]),
    "replay": Fuzzer([str(BUILD / "fuzz_replay")], SOURCES / "corpus/replay", 60_000, ["-max_len=600"]),
    "taskset": Fuzzer(
        [sys.executable, str(SOURCES / "fuzz_taskset.py")],
        BUILD / "seeds/taskset",
        25_000,
        ["-max_len=2000", f"-dict={SOURCES / 'taskset.dict'}"],
    ),
    "trace": Fuzzer(
        [sys.executable, str(SOURCES / "fuzz_trace.py")], BUILD / "seeds/trace", 100_000, ["-max_len=8000"]
    ),
}


def call(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command at the root of the project, with its error output in its output.

    A process begins with the largest memory that its parent has had, which libFuzzer takes for its own. So its parent
    is a shell.
    """
    return subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def must_run(command: list[str]) -> None:
    """Run a command that must succeed."""
    done = call(command)
    assert done.returncode == 0, done.stdout


def seeds_in_order(folder: Path) -> str:
    """Return the seeds one by one: a folder lists them in an order of its own."""
    return "-seed_inputs=" + ",".join(str(folder / path.name) for path in sorted((ROOT / folder).iterdir()))


def run(name: str, found: Path) -> str:
    """Run one fuzzer; give what there is to say if it found something, else nothing.

    Args:
        name: which one.
        found: an empty folder for what it finds interesting, unless that is kept.
    """
    fuzzer = FUZZERS[name]
    crashes = BUILD / "crashes"
    (ROOT / crashes).mkdir(parents=True, exist_ok=True)
    if SECONDS is None:
        effort, corpus = [*STEADY, f"-runs={fuzzer.runs}", seeds_in_order(fuzzer.seeds)], [found]
    else:
        effort, corpus = [f"-max_total_time={SECONDS}"], [BUILD / "corpus" / name, fuzzer.seeds]
        (ROOT / corpus[0]).mkdir(parents=True, exist_ok=True)
    command = [*fuzzer.command, *effort, *LIMITS, *fuzzer.options, f"-artifact_prefix={crashes / name}-"]
    done = call([*command, *map(str, corpus)])
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if "\tNEW " not in line and "\tREDUCE " not in line]
    written = re.search(r"Test unit written to (\S+)", done.stdout)
    repeat = f"repeat with: {' '.join(fuzzer.command)} {written[1]}" if written else "it left no input"
    return "\n".join([*lines[-SHOWN_LINES:], "", repeat])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[str]]]:
    """All fuzzers, as many at a time as there are processors."""
    must_run(["cmake", "--preset", "fuzz", f"-DTAKT_FUZZ_COMPARISONS={'OFF' if SECONDS is None else 'ON'}"])
    must_run(["cmake", "--build", "--preset", "fuzz"])
    for name in ("taskset", "trace"):
        must_run([sys.executable, str(SOURCES / "seeds.py"), name, str(FUZZERS[name].seeds)])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {name: pool.submit(run, name, tmp_path_factory.mktemp(name)) for name in FUZZERS}


@pytest.mark.parametrize(
    ("name", "tested"), [("taskset", "analysis.judge"), ("taskset", "run.simulation"), ("trace", "run.replay")]
)
def test_what_is_tested_is_instrumented(name: str, tested: str, tmp_path: Path) -> None:
    done = call([*FUZZERS[name].command, "-runs=1", str(tmp_path)])
    assert f"INFO: Instrumenting takt.{tested}\n" in done.stdout


@pytest.mark.parametrize("name", FUZZERS)
def test_fuzzer_finds_nothing(runs: dict[str, Future[str]], name: str) -> None:
    found = runs[name].result()
    if found:
        pytest.fail(found, pytrace=False)
