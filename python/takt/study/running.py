# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run of a study: missing chunks are computed, kept when they are done, and summed up.

What workers compute depends on nothing but the chunk, and only this process writes: so how many workers there are,
which of them die, and how often the study is begun again makes no difference to the result.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, closing
from itertools import islice
from pathlib import Path

import polars as pl

from takt.base import forks
from takt.study.description import Study
from takt.study.folder import opened
from takt.study.measures import Columns
from takt.study.results import summarise
from takt.study.workers import GO_ON, Answer, StudyError, Tell, WorkerDied, Workers, cluster_workers, local_workers

ATTEMPTS = 3
"""How often a chunk is tried."""

_LOOK_SECONDS = 2.0
"""How often to check for new and lost workers while no chunk is done."""

Progress = Callable[[int], None]


def run(
    study: Study,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    output: str | Path | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> pl.DataFrame:
    """Run a study, or the chunks that are left of it.

    Args:
        study: which one.
        workers: how many processes of this machine compute; default: one for each processor.
        scheduler: address of a Dask scheduler whose workers compute instead, such as "tcp://10.0.0.1:8786".
        output: folder for what is found; default: the study's.
        fresh: whether to forget what is in that folder.
        progress: called with the number of task sets that are done, first with those that were there before.
        tell: called with a line when a worker died, or a chunk failed.

    Returns:
        What was found at each point; see summarise. It is in the folder, too, as result.parquet and result.csv, beside
        a file for each chunk with a row for each task set.

    Raises:
        InputError: the folder is another study's or cannot be written, or the scheduler does not answer.
        StudyError: a chunk failed every time, or the scheduler is gone.
    """
    forks.check()
    tell = tell or _ignore
    with opened(Path(output or study.output), study, fresh) as folder:
        done = folder.done()
        sets = sum(map(study.size_of, done))
        left = [number for number in range(study.chunks) if number not in done]
        (progress or _ignore)(sets)
        if scheduler is not None and left:
            hired = cluster_workers(scheduler, tell)
        else:  # no more processes than there are chunks
            hired = local_workers(max(1, min(workers or len(os.sched_getaffinity(0)), len(left))))
        with closing(_computed(study, left, hired, tell)) as computed:
            for number, columns in computed:
                folder.write(number, columns)
                sets += study.size_of(number)
                (progress or _ignore)(sets)
        result = summarise(study, map(folder.read, range(study.chunks)))
        folder.write_result(result)
    return result


def _ignore(_: object) -> None:
    """Ignore a report of progress."""


def _computed(
    study: Study, left: Iterable[int], hired: AbstractContextManager[Workers], tell: Tell
) -> Generator[tuple[int, Columns], None, None]:
    """Yield the computed chunks as they come."""
    failures: Counter[int] = Counter()
    numbers = iter(left)
    pending: dict[Future[Answer], int] = {}
    with hired as workers:
        while True:
            for number in islice(numbers, max(0, workers.room() - len(pending))):
                pending[workers.submit(study.document, number)] = number
            if not pending:
                return
            for future in wait(pending, _LOOK_SECONDS, FIRST_COMPLETED).done:
                number = pending.pop(future)
                answer = _answer_of(future, study.name_of(number))
                if isinstance(answer, str):
                    failures[number] += 1
                    if failures[number] == ATTEMPTS:
                        raise StudyError(f"{study.name_of(number)} failed {ATTEMPTS} times: {answer}")
                    tell(f"chunk {number} is done again: {answer}")
                    pending[workers.submit(study.document, number)] = number
                else:
                    yield number, answer


def _answer_of(future: Future[Answer], chunk: str) -> Answer:
    """Return the answer of a worker, or the cause of its death."""
    try:
        return future.result()
    except WorkerDied as error:
        return str(error)
    except CancelledError:
        raise StudyError(f"the scheduler is gone; {GO_ON}") from None
    except Exception as error:
        raise StudyError(f"{chunk} failed: {(str(error).splitlines() or [type(error).__name__])[0]}") from None
