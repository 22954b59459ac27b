# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Simulations in process pools: nothing hangs, however processes start and whatever was simulated before.

Every program runs by itself with a limit on its time, so that a hang is a failure.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from places import EXAMPLES

PATIENCE_SECONDS = 90

PROGRAM = f"""
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import takt

EXAMPLES = Path({str(EXAMPLES)!r})


def simulate(name, horizon=None):
    return takt.simulate(takt.load(EXAMPLES / f"{{name}}.toml"), horizon)


def missed(name):
    result = simulate(name, "100ms")
    assert result.jobs["missed"].sum() >= 0
    return int(result.summary["missed"].sum())


def late_jobs(name):
    return simulate(name).jobs.filter(missed=True).select("job").height


def refused(_):
    takt.System(tasks=[takt.Task(name="A", period=5, wcet=2, server="S"), takt.Task(name="A", period=5, wcet=2)])


def pool(method):
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method))


def main():
%s


if __name__ == "__main__":
    main()
"""


def run(folder: Path, body: str) -> str:
    """Run a program; gives what it prints."""
    program = folder / "program.py"
    program.write_text(PROGRAM % textwrap.indent(textwrap.dedent(body), "    "))
    return start([sys.executable, str(program)]).strip()


def start(command: list[str]) -> str:
    """Run a command; gives what it prints. Where it hangs, its children are ended with it."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            output, errors = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert (process.returncode, errors) == (0, "")
    return output


NAMES = ["smallest", "servers", "resources", "mode_change", "iot_110", "dhall", "architectures", "fpds", "allocator"]
"""Examples that fill every frame of a result."""


def test_a_simulation_starts_no_thread_and_nor_does_who_reads_it(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        f"""
        from takt.base import forks

        frames = ["summary", "segments", "kernel_segments", "jobs", "points", "locks", "rates", "windows", "ledger",
                  "changes", "budget_changes"]
        filled = set()
        for name in {NAMES}:
            result = simulate(name, "100ms")
            filled |= {{frame for frame in frames if len(getattr(result, frame).rows())}}
            str(result.summary), result.missed, result.migrations, result.summary["response_max"].max()
        assert filled == set(frames), set(frames) - filled
        print(forks.has_pool_started())
        result.jobs.filter(task="A")
        print(forks.has_pool_started())
        """,
    )
    assert said.split() == ["False", "True"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_after_a_simulation_works(method: str, tmp_path: Path) -> None:
    said = run(
        tmp_path,
        f"""
        alone = [missed(name) for name in {NAMES}]
        with pool({method!r}) as workers:
            assert list(workers.map(missed, {NAMES})) == alone
            (result,) = workers.map(simulate, ["smallest"])
        assert result.summary.equals(simulate("smallest").summary)
        print(len(alone), result.summary.filter(task="A")["task"].item())
        """,
    )
    assert said == f"{len(NAMES)} A"


def test_a_child_may_query_what_it_simulates(tmp_path: Path) -> None:
    """The parent has started no thread, so that the child can start its own."""
    said = run(
        tmp_path,
        """
        simulate("smallest")
        with pool("fork") as workers:
            print(*workers.map(late_jobs, ["smallest"]))
        """,
    )
    assert int(said) > 0


def test_a_fork_after_a_query_is_an_error_that_says_use_spawn(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        """
        simulate("smallest").jobs.filter(task="A")
        with pool("fork") as workers:
            try:
                list(workers.map(missed, ["smallest"]))
            except takt.ForkError as error:
                print(error)
        with pool("spawn") as workers:
            print(*workers.map(missed, ["smallest"]))
        print(missed("smallest"))
        """,
    )
    line, spawned, here = said.splitlines()
    assert line.startswith("this process was forked after polars had started its threads")
    assert line.endswith('use spawn: ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))')
    assert spawned == here


def test_what_was_read_before_a_fork_is_refused_in_the_child_after_a_query(tmp_path: Path) -> None:
    """Frames that the child has of its parent would hang at the next query."""
    said = run(
        tmp_path,
        """
        import os
        result = simulate("smallest")
        result.jobs.filter(task="A")
        child = os.fork()
        if child == 0:
            for read in (lambda: result.jobs, lambda: result.deadlines, lambda: result.to_html("r.html")):
                try:
                    read()
                except takt.ForkError:
                    continue
                os._exit(1)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
    )
    assert said == "0"


def test_problems_of_an_input_come_back_from_a_process_whole(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        """
        with pool("fork") as workers:
            try:
                list(workers.map(refused, [0]))
            except takt.InputError as error:
                print(error)
                print(len(error.problems), error.problems[0].table)
        """,
    )
    *lines, counted = said.splitlines()
    assert counted == f"{len(lines)} task"
    assert any("S" in line for line in lines)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_example_simulates_a_thousand_systems_in_a_pool(method: str) -> None:
    said = start([sys.executable, str(EXAMPLES / "process_pool.py"), method])
    assert said.splitlines() == [
        "seed 0: [60, 32, 17, 14]",
        "1000 runs: 3 to 188 late jobs, 103.1 on average",
    ]
