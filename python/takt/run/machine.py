# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of the domains of a machine, put together in the order of time.

Domains share nothing but time, so each runs by itself. Rows of one instant are in the order of the domains. Here
polars is asked queries, which start its threads; see base/forks.py.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from takt.base import output_files
from takt.files import trace_file
from takt.model import image as images
from takt.model.python_policy import Policy
from takt.model.system import Domain, System
from takt.run.result import RunResult

_LAST = pl.lit(2**64 - 1, pl.UInt64)


@contextmanager
def recorded(path: str | Path, system: System, horizon: int) -> Iterator[list[str]]:
    """Yield a file for each domain to append its records to; at the end they become the trace `path` of the machine.

    Args:
        path: the file; what is there is replaced.
        system: the machine.
        horizon: ticks that are to be run.

    Raises:
        InputError: the file cannot be written; what was there is still there.
    """
    from takt.files import machine_records

    systems = [domain.system.resolved for domain in system.domains]
    places = machine_records.places_of([domain.processors for domain in system.domains], systems)
    packed = [(each, images.pack(each, horizon)) for each in systems]
    with output_files.replacing(path) as file, tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(number) for number in range(len(systems))]
        yield list(map(str, paths))
        whole = [trace_file.without_closing(memoryview(each.read_bytes())) for each in paths]
        records = machine_records.merged(places, whole)
        file.write(trace_file.machine_header(system.name, [place.processors for place in places], packed))
        file.write(records)
        file.write(trace_file.closing(horizon, records))


def together(system: System, results: Sequence[RunResult]) -> RunResult:
    """Give the result of a machine.

    Args:
        system: the machine.
        results: of its domains, in their order; all have kept the same frames.
    """
    tasks = [task.name for task in system.tasks]
    jobs, windows = _jobs_and_windows(tasks, results)
    return RunResult(
        system=system,
        horizon=results[0].horizon,
        decisions=sum(result.decisions for result in results),
        invocations=sum(result.invocations for result in results),
        switches=sum(result.switches for result in results),
        overhead=sum(result.overhead for result in results),
        summary=_in_file_order(tasks, pl.concat([result.summary for result in results])),
        architecture=None,
        policies=_policies(system.domains, results),
        _segments=_segments(system, results),
        _jobs=jobs,
        _points=_merged("instant", [result._points for result in results]),
        _locks=_merged("instant", [result._locks for result in results]),
        _budget_changes=_merged("tick", [_of_servers(system, result) for result in results]),
        _kernel_segments=_merged("start", [result._kernel_segments for result in results]),
        _rates=_merged("instant", [result._rates for result in results]),
        _windows=windows,
        _ledger=_merged("instant", [result._ledger for result in results]),
    )


def _merged(time: str, frames_of: Sequence[pl.DataFrame | None]) -> pl.DataFrame | None:
    """Put frames together, which are in the order of a column."""
    kept = [frame for frame in frames_of if frame is not None]
    return pl.concat(kept).sort(time, maintain_order=True) if kept else None


def _segments(system: System, results: Sequence[RunResult]) -> pl.DataFrame | None:
    """Put segments together, if they were kept."""
    pairs = zip(system.domains, results, strict=True)
    kept = [(domain.processors, result._segments) for domain, result in pairs if result._segments is not None]
    return segments_together(kept) if kept else None


def segments_together(parts: Sequence[tuple[Sequence[int], pl.DataFrame]]) -> pl.DataFrame:
    """Put the segments of domains together, each with the processors of its domain: as the machine numbers them."""
    numbered = [
        found.with_columns(cpu=pl.Series(processors, dtype=found["cpu"].dtype)[found["cpu"]])
        for processors, found in parts
    ]
    return pl.concat(numbered).sort("start", "cpu", maintain_order=True)


def _of_servers(system: System, result: RunResult) -> pl.DataFrame | None:
    """Give the budgets of a domain the numbers of the servers of the machine."""
    found = result._budget_changes
    if found is None or not result.system.servers:
        return found
    names = [server.name for server in system.servers]
    places = [names.index(server.name) for server in result.system.servers]
    return found.with_columns(server=pl.Series(places, dtype=found["server"].dtype)[found["server"]])


def _in_file_order(tasks: Sequence[str], frame: pl.DataFrame) -> pl.DataFrame:
    """Order rows by their tasks."""
    return frame.sort(_places(tasks), maintain_order=True)


def _places(tasks: Sequence[str]) -> pl.Expr:
    """Give the places of tasks in the file."""
    return pl.col("task").replace_strict({name: number for number, name in enumerate(tasks)}, return_dtype=pl.UInt32)


def _jobs_and_windows(
    tasks: Sequence[str], results: Sequence[RunResult]
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Put jobs together: in the order of time those that ended, by their tasks those that did not; and the windows."""
    if any(result._jobs is None for result in results):
        return None, None
    rows = [_with_deadlines(result) for result in results]
    ordered = pl.concat(rows).sort("ended", pl.when(pl.col("ended") == _LAST).then(_places(tasks)), maintain_order=True)
    jobs = ordered.select(results[0].jobs.columns)
    windows = ordered.select("task", "job", "deadline", "missed_requested")
    has_given = any(len(result._windows) for result in results if result._windows is not None)
    return jobs, windows if has_given else windows.clear()


def _with_deadlines(result: RunResult) -> pl.DataFrame:
    """Give the jobs of a domain with their deadlines, and by when each had ended: at the latest known instant."""
    unfinished = int(
        result.summary.select(pl.col("released") - pl.col("finished") - pl.col("aborted") - pl.col("skipped"))
        .sum()
        .item()
    )
    ended = len(result.jobs) - unfinished
    known = pl.col("finish").forward_fill().fill_null(0)
    return result.jobs.with_columns(
        ended=pl.when(pl.int_range(pl.len()) < ended).then(known).otherwise(_LAST),
        deadline=result.deadlines["deadline"],
        missed_requested=pl.lit(False),
    )


def _policies(domains: Sequence[Domain], results: Sequence[RunResult]) -> dict[str, Policy]:
    """Name the policies in Python: those of roots by their domains."""
    return {
        name or domain.label: policy
        for domain, result in zip(domains, results, strict=True)
        for name, policy in result.policies.items()
    }


def progress_of(
    told: Callable[[int], None] | None, number: int, count: int, horizon: int
) -> Callable[[int], None] | None:
    """Make the function that domain `number` of `count` tells its progress to: domains run one after the other."""
    return None if told is None else lambda now: told((number * horizon + now) // count)
