# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Workers, which compute chunks: processes of this machine, or a Dask cluster.

Both take a document and the number of a chunk and give a future of its answer. A process of this machine that dies is
replaced, and its future fails with WorkerDied. Dask gives a dead worker's chunk to another one by itself, and the
future fails only if that has happened some times.

Processes of this machine are programs of their own that are handed one chunk at a time through a pipe, each by a thread
of its own. So it is known which worker died and on which chunk; an interrupt of the terminal does not reach them; and
when the main process is killed their pipes close, and they end. The process pool of concurrent.futures has none of the
three: it gives up all workers when one dies, runs the user's script again in each, and leaves workers running.
"""

from __future__ import annotations

import logging
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np

from takt.base import extras
from takt.base.errors import InputError, Problem
from takt.study.description import Study, of_document
from takt.study.measures import UTILIZATION, Columns

if TYPE_CHECKING:
    from distributed import Client

# ---- a chunk: a pure function of the study and of its number ------------------------------------------


POINT, SET = "point", "set"
"""Columns that say which task set a row is about: number of the point, and of the set within it."""


def answer(document: str, number: int) -> Columns | str:
    """Compute a chunk in another process or on another machine.

    Args:
        document: of the study.
        number: of the chunk.

    Returns:
        The columns of the chunk, a row for each task set; or in one line why there are none.
    """
    try:
        return compute(of_document(document), number)
    except Exception as error:
        lines = str(error).splitlines() or ["no message"]
        return f"{type(error).__name__}: {lines[0]}"


def compute(study: Study, number: int) -> Columns:
    """Compute a chunk.

    Args:
        study: which one.
        number: of the chunk.
    """
    batch = study.batch_of(number)
    columns: Columns = {
        POINT: np.full(batch.count, study.point_of(number), dtype=np.uint32),
        SET: np.arange(batch.first, batch.first + batch.count, dtype=np.uint32),
        UTILIZATION: batch.utilization,
    }
    for quantity in study.quantities.values():
        columns |= quantity(batch)
    return columns


Answer = Columns | str
Tell = Callable[[str], None]

_CONNECT_SECONDS = 5
GO_ON = "finished chunks are kept; run the same command to continue"
_IN_FLIGHT_PER_THREAD = 3


class StudyError(Exception):
    """A study that cannot be finished, in one line."""


class WorkerDied(Exception):  # noqa: N818 (what happened, not what is wrong)
    """A worker ended before its chunk did."""


class Workers(Protocol):
    """Workers that compute chunks."""

    def room(self) -> int:
        """Return the number of chunks that may be in progress, so that no worker waits."""

    def submit(self, document: str, number: int) -> Future[Answer]:
        """Return the future answer of a chunk."""


# ---- processes of this machine ----------------------------------------------------------------------


class _Local:
    """Some worker processes.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        """Start the threads; processes start with their first chunk."""
        self._count = count
        mute = (signal.SIG_BLOCK, {signal.SIGPIPE})  # a worker that died between two chunks is an error, not our end
        self._threads = ThreadPoolExecutor(count, initializer=signal.pthread_sigmask, initargs=mute)
        self._own = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._is_closed = False

    def room(self) -> int:
        """One chunk waits for each worker."""
        return 2 * self._count

    def submit(self, document: str, number: int) -> Future[Answer]:
        """Return the future answer of a chunk, which the next idle thread takes."""
        return self._threads.submit(self._ask, document, number)

    def close(self) -> None:
        """End all processes, also busy ones and those that a thread is about to start."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.wait()

    def _ask(self, document: str, number: int) -> Answer:
        process = getattr(self._own, "process", None) or self._start()
        try:
            return _ask(process, document, number)
        except (OSError, EOFError, pickle.UnpicklingError):
            del self._own.process
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            status = process.wait()
            fate = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
            raise WorkerDied(f"worker process {process.pid} {fate}") from None

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a process for this thread, out of reach of the terminal."""
        command = [sys.executable, "-m", "takt.study.worker"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._own.process = process
        self._processes.append(process)
        if self._is_closed:
            process.kill()
        return process


def _ask(process: subprocess.Popen[bytes], document: str, number: int) -> Answer:
    """Send a chunk's number, and wait for the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump((document, number), process.stdin)
    process.stdin.flush()
    found: Answer = pickle.load(process.stdout)
    return found


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Compute the requested chunks, until the pipe of requests is closed."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            document, number = pickle.load(requests)
            pickle.dump(answer(document, number), answers)
            answers.flush()


@contextmanager
def local_workers(count: int) -> Iterator[Workers]:
    """Yield workers that are processes of this machine.

    Args:
        count: how many, at least 1.
    """
    workers = _Local(count)
    try:
        yield workers
    finally:
        workers.close()


# ---- a cluster --------------------------------------------------------------------------------------


class _Cluster:
    """The workers of a Dask scheduler.

    Args:
        client: the client that is connected to it.
        tell: called with a line about workers that are gone.
    """

    def __init__(self, client: Client, tell: Tell) -> None:
        self._client = client
        self._tell = tell
        self._known: set[str] = set()
        self._executor = client.get_executor(pure=False)  # a chunk that failed is computed again

    def room(self) -> int:
        """Some chunks wait for each thread; workers may come and go."""
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError:
            raise StudyError(f"the scheduler is gone; {GO_ON}") from None
        for address in sorted(self._known - threads.keys()):
            self._tell(f"worker {address} is gone; others compute its chunks")
        self._known = set(threads)
        return max(1, _IN_FLIGHT_PER_THREAD * sum(threads.values()))

    def submit(self, document: str, number: int) -> Future[Answer]:
        """Return the future answer of a chunk, sent to the scheduler."""
        future: Future[Answer] = self._executor.submit(answer, document, number)
        return future


@contextmanager
def cluster_workers(address: str, tell: Tell) -> Iterator[Workers]:
    """Yield the workers of a running Dask scheduler, each of which has Takt installed.

    Args:
        address: of the scheduler, such as "tcp://10.0.0.1:8786".
        tell: called with a line about workers that are gone.

    Raises:
        InputError: Dask is not installed, or no scheduler answers at that address.
    """
    try:
        from distributed import Client
    except ImportError:
        message = extras.missing("a study on a cluster", "distributed", "cluster")
        raise InputError([Problem(message, "missing", key="--scheduler")]) from None
    try:
        client = Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        found = f"found {address}: {' '.join(str(error).split())}"
        message = f"expected the address of a Dask scheduler such as tcp://10.0.0.1:8786, {found}"
        raise InputError([Problem(message, "cannot-connect", key="--scheduler")]) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost scheduler is reported in one line
    with client:
        yield _Cluster(client, tell)
