# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Studies whose workers, or whose main process, are killed in the middle: the result is the same to the last bit.

A `sitecustomize.py` in front of the path makes workers slow, or makes them fail, as a busy or broken machine would.
"""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import takt
from distributed import Client
from takt.study import running
from takt.study.folder import opened
from takt.study.workers import local_workers
from test_terminal import HIDE_CURSOR, SHOW_CURSOR, read

TAKT = str(Path(sys.executable).parent / "takt")

STUDY = """
schema = 1
[study]
sets = 40
chunk = 4
[generate]
tasks = 5
[grid]
utilization = [0.7, 0.9]
[[measure]]
kind = "acceptance"
tests = ["rm", "np-rm"]
[[measure]]
kind = "breakdown"
tests = ["rm"]
"""
CHUNKS = 20

SLOWLY = "time.sleep(0.1)"
"""Before each chunk, so that there is a middle."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the study."""
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


Files = dict[str, bytes]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The result of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("expected")
    (folder / "study.toml").write_text(STUDY)
    assert started(folder, "--workers", "1").wait() == 0
    return result_in(folder)


def result_in(folder: Path) -> Files:
    """All files of the folder but the lock, by their paths in it."""
    found = folder / "study.study"
    chunks = sorted(path.name for path in found.glob("chunks/*"))
    assert chunks == [f"{number:08}.parquet" for number in range(CHUNKS)]
    paths = [path for path in found.glob("**/*") if path.is_file() and path.name != "lock"]
    return {path.relative_to(found).as_posix(): path.read_bytes() for path in paths}


def write_result(folder: Path, files: Files) -> None:
    """Make a folder of a study."""
    for name, content in files.items():
        path = folder / "study.study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def environment(folder: Path, before_chunk: str, before_all: str = "") -> dict[str, str]:
    """Return an environment in which Python runs code when it starts, and before each chunk that it computes."""
    (folder / "sitecustomize.py").write_text(
        "import os, time\n"
        "from takt.study import workers as chunks\n"
        "compute = chunks.compute\n"
        "def before(study, number):\n"
        f"    {before_chunk}\n"
        "    return compute(study, number)\n"
        "chunks.compute = before\n"
        f"{before_all}\n"
    )
    return {**os.environ, "PYTHONPATH": str(folder)}


def started(folder: Path, *options: str, before_chunk: str = "pass", before_all: str = "") -> subprocess.Popen[str]:
    """Start the study."""
    surroundings = environment(folder, before_chunk, before_all)
    command = [TAKT, "study", "study.toml", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=surroundings, stdout=subprocess.DEVNULL, stderr=pipe, text=True)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that comes soon."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def done_in(folder: Path) -> list[Path]:
    """Return the finished chunks."""
    return sorted(folder.glob("study.study/chunks/*.parquet"))


def children_of(main: int) -> list[int]:
    """Return the worker processes of a main process."""
    found: list[int] = []
    for path in Path(f"/proc/{main}/task").glob("*/children"):
        found += map(int, path.read_text().split())
    return found


def is_running(pid: int) -> bool:
    """True if a process is still there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def end_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end of a study; gives status and what it told."""
    _, told = process.communicate(timeout=100)
    return process.returncode, told


# ---- processes of this machine ----------------------------------------------------------------------


def test_neither_the_number_of_workers_nor_what_they_print_makes_a_difference(folder: Path, expected: Files) -> None:
    status, told = end_of(started(folder, "--workers", "3", before_chunk="print('noise', flush=True)"))
    assert (status, told.count("noise")) == (0, CHUNKS)
    assert result_in(folder) == expected


def test_a_worker_that_is_killed_is_replaced_and_its_chunk_computed_again(folder: Path, expected: Files) -> None:
    process = started(folder, "--workers", "2", before_chunk=SLOWLY)
    wait_until(lambda: len(done_in(folder)) >= 3)
    victim = children_of(process.pid)[0]
    os.kill(victim, signal.SIGKILL)
    status, told = end_of(process)
    assert status == 0
    assert f" is done again: worker process {victim} was killed by SIGKILL\n" in told
    assert told.count("\n") == 1
    assert result_in(folder) == expected


def test_a_main_process_that_is_killed_loses_nothing(folder: Path, expected: Files) -> None:
    process = started(folder, "--workers", "2", before_chunk=SLOWLY)
    wait_until(lambda: len(done_in(folder)) >= 5)
    workers = children_of(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not any(map(is_running, workers)))
    kept = {path.name: path.stat().st_ino for path in done_in(folder)}
    assert (len(workers), len(kept) < CHUNKS) == (2, True)
    assert end_of(started(folder, "--workers", "2")) == (0, "")
    assert kept.items() <= {path.name: path.stat().st_ino for path in done_in(folder)}.items()
    assert result_in(folder) == expected


DIE_WRITING = """
from takt.base import output_files
def write(path, data, **options):
    if path.name == "00000007.parquet":
        with output_files.replacing(path) as file:
            file.write(b"PAR1 and no more")
            file.flush()
            os.kill(os.getpid(), 9)
    real(path, data, **options)
real, output_files.write = output_files.write, write
"""


def test_a_main_process_that_is_killed_while_it_writes_leaves_no_half_of_a_chunk(folder: Path, expected: Files) -> None:
    status, told = end_of(started(folder, "--workers", "1", before_all=DIE_WRITING))
    assert (status, told) == (-signal.SIGKILL, "")
    assert [path.name for path in done_in(folder)] == [f"{number:08}.parquet" for number in range(7)]
    chunks = folder / "study.study/chunks"
    assert [part.read_bytes() for part in chunks.glob(".takt-*.part")] == [b"PAR1 and no more"]
    assert end_of(started(folder, "--workers", "1")) == (0, "")
    assert not list(chunks.glob(".takt-*"))
    assert result_in(folder) == expected


def test_in_a_terminal_a_bar_says_how_far_a_study_is_and_an_interrupt_ends_all(folder: Path) -> None:
    surroundings = environment(folder, SLOWLY) | {"TERM": "xterm", "COLUMNS": "100"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(TAKT, [TAKT, "study", "study.toml", "--workers", "1"], surroundings)
    written, workers = "", list[int]()
    while part := read(terminal):
        written += part
        if not workers and "40%" in written:
            workers = children_of(child)
            os.write(terminal, b"\x03")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGINT
    assert "study \x1b" in written
    assert re.search(r"\d:\d\d:\d\d", written)
    assert "finished chunks are kept; run the same command to continue" in written
    assert written.endswith("interrupted\r\n")
    assert "Traceback" not in written
    assert written.rfind(SHOW_CURSOR) > written.rfind(HIDE_CURSOR)
    assert len(workers) == 1
    assert not any(map(is_running, workers))
    assert len(done_in(folder)) >= 8


def test_a_worker_that_is_killed_at_every_try_ends_the_study_with_one_line(folder: Path) -> None:
    process = started(folder, "--workers", "1", before_chunk="number == 13 and os.kill(os.getpid(), 9)")
    status, told = end_of(process)
    lines = told.splitlines()
    assert status == 1
    assert len(lines) == 3
    assert all(line.startswith("chunk 13 is done again: worker process ") for line in lines[:2])
    assert lines[2].startswith("chunk 13 (utilization = 0.9; sets 12 to 15) failed 3 times: worker process ")
    assert lines[2].endswith(" was killed by SIGKILL")


def test_a_chunk_that_raises_at_every_try_ends_the_study_with_one_line(folder: Path) -> None:
    process = started(folder, "--workers", "1", before_chunk="number == 2 and 1 // 0")
    status, told = end_of(process)
    assert status == 1
    cause = "ZeroDivisionError: integer division or modulo by zero"
    assert told.splitlines()[-1] == f"chunk 2 (utilization = 0.7; sets 8 to 11) failed 3 times: {cause}"


def test_two_studies_do_not_write_into_one_folder_at_once(folder: Path, expected: Files) -> None:
    write_result(folder, expected)
    study = takt.study.load(folder / "study.toml")
    with opened(folder / "study.study", study, fresh=False):
        status, told = end_of(started(folder))
    assert (status, told) == (2, "study.study: another process works here; give another --output\n")


def test_a_damaged_chunk_is_named(folder: Path, expected: Files) -> None:
    write_result(folder, expected)
    path = folder / "study.study/chunks/00000003.parquet"
    path.write_bytes(b"PAR1")
    status, told = end_of(started(folder))
    assert status == 2
    assert told == "study.study/chunks/00000003.parquet: damaged chunk: it has no checksum; delete it and run again\n"


def test_a_script_without_a_guard_can_run_a_study(folder: Path, expected: Files) -> None:
    script = (
        "import takt\nprint(takt.study.run(takt.study.load('study.toml'), workers=2, output='study.study').height)\n"
    )
    (folder / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "6\n"
    assert result_in(folder) == expected


# ---- a cluster --------------------------------------------------------------------------------------


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """Start a Dask scheduler and some workers, each a process of its own; gives the address and the workers."""
    surroundings = environment(folder, SLOWLY)
    found = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"env": surroundings, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(found)]
    processes = [subprocess.Popen([*dask, "scheduler", "--port", "0", *options], text=True, **quiet)]  # type: ignore[call-overload]
    try:
        wait_until(found.exists)
        worker = [*dask, "worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", str(found)]
        processes += [subprocess.Popen(worker, text=True, **quiet) for _ in range(workers)]  # type: ignore[call-overload]
        wait_until(lambda: bool(found.read_text()))
        address = str(json.loads(found.read_text())["address"])
        with Client(address) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker_gives_the_same_result(folder: Path, expected: Files) -> None:
    with cluster(folder, 2) as (address, workers):
        process = started(folder, "--scheduler", address)
        wait_until(lambda: len(done_in(folder)) >= 3)
        workers[0].kill()
        status, told = end_of(process)
    assert status == 0
    assert re.fullmatch(r"worker tcp://127\.0\.0\.1:\d+ is gone; others compute its chunks\n", told)
    assert result_in(folder) == expected


DIE_IDLE = """
import os, pathlib, signal, time
from takt.study.workers import WorkerDied, local_workers
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
with local_workers(1) as workers:
    workers.submit("no document", 0).result()
    paths = pathlib.Path("/proc/self/task").glob("*/children")
    (child,) = [int(pid) for path in paths for pid in path.read_text().split()]
    os.kill(child, signal.SIGKILL)
    time.sleep(0.2)
    try:
        workers.submit("no document", 1).result()
    except WorkerDied as error:
        print(error, flush=True)
    print(workers.submit("no document", 1).result()[:5], flush=True)
"""


def test_a_worker_that_is_killed_between_two_chunks_is_replaced_like_any_other() -> None:
    done = subprocess.run([sys.executable, "-c", DIE_IDLE], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert re.fullmatch(r"worker process \d+ was killed by SIGKILL\nJSOND\n", done.stdout)


@pytest.mark.parametrize("delay", [0.0, 0.01])
def test_workers_that_are_just_about_to_start_end_too(delay: float) -> None:
    threads = threading.active_count()
    with local_workers(2) as workers:
        futures = [workers.submit("no document", number) for number in range(6)]
        time.sleep(delay)
    assert threading.active_count() == threads
    assert all(future.done() for future in futures)


class KillingWorkers:
    """A cluster that has given up a chunk, because it killed the workers that it was given to one after the other."""

    def room(self) -> int:
        return 2

    def submit(self, document: str, number: int) -> Future[str]:
        future: Future[str] = Future()
        future.set_exception(RuntimeError("Attempted to run it on 4 workers, but all died\nand more"))
        return future


def test_a_chunk_that_dask_gives_up_ends_the_study_with_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "cluster_workers", lambda address, tell: nullcontext(KillingWorkers()))
    study = takt.study.load(folder / "study.toml")
    with pytest.raises(takt.study.StudyError) as raised:
        takt.study.run(study, scheduler="tcp://127.0.0.1:1", output=folder / "out")
    assert re.fullmatch(r"chunk \d .* failed: Attempted to run it on 4 workers, but all died", str(raised.value))


def test_a_scheduler_that_does_not_answer_is_told_in_one_line(folder: Path) -> None:
    status, told = end_of(started(folder, "--scheduler", "tcp://127.0.0.1:9"))
    assert status == 2
    assert told.startswith("--scheduler: expected the address of a Dask scheduler such as tcp://10.0.0.1:8786, found")
    assert told.count("\n") == 1
