# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of the domains of a machine, put together in the order of time.

Domains share nothing but time, so each runs by itself. Rows of one instant are in the order of the domains. Here
queries start the threads of polars; see base/forks.py.
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
from takt.model.system import Domain, System
from takt.run.result import RunResult

_LAST = 2**64 - 1


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
    """Return the result of a machine.

    Args:
        system: the machine.
        results: of its domains, in their order; all have kept the same frames.
    """
    order = {task.name: number for number, task in enumerate(system.tasks)}
    columns = {name: [value for each in results for value in each.statistics[name]] for name in results[0].statistics}
    rows = sorted(range(len(order)), key=[order[name] for name in columns["task"]].__getitem__)
    place = pl.col("task").replace_strict(order, return_dtype=pl.UInt32)
    numbered = [_numbered(system, domain, result) for domain, result in zip(system.domains, results, strict=True)]
    whole = {name: pl.concat([each[name] for each in numbered]) for name in results[0].frames}
    merged = {name: frame.sort(_instants(frame), maintain_order=True) for name, frame in whole.items()}
    if "jobs" in merged:
        merged |= _jobs_and_windows(place, results, is_linked=any(task.after is not None for task in system.tasks))
    return RunResult(
        system=system,
        horizon=results[0].horizon,
        decisions=sum(result.decisions for result in results),
        invocations=sum(result.invocations for result in results),
        switches=sum(result.switches for result in results),
        overhead=sum(result.overhead for result in results),
        statistics={name: [values[row] for row in rows] for name, values in columns.items()},
        architecture=None,
        policies={
            name or domain.label: policy
            for domain, result in zip(system.domains, results, strict=True)
            for name, policy in result.policies.items()
        },
        frames=merged,
        first_late=min((each.first_late for each in results if each.first_late is not None), default=None),
    )


def _instants(frame: pl.DataFrame) -> list[str]:
    """Return the columns by which the rows of a frame are ordered: the first one is their instant."""
    return [frame.columns[0]] + ["cpu"] * ("cpu" in frame.columns)


def _numbered(system: System, domain: Domain, result: RunResult) -> dict[str, pl.DataFrame]:
    """Return the frames of a domain with the numbers of the machine's processors and servers."""
    found = dict(result.frames)
    if "segments" in found:
        found["segments"] = _renumbered(found["segments"], "cpu", domain.processors)
    if "budgets" in found:
        names = {server.name: number for number, server in enumerate(system.servers)}
        places = [names[server.name] for server in domain.system.servers]
        found["budgets"] = _renumbered(found["budgets"], "server", places)
    return found


def _renumbered(frame: pl.DataFrame, column: str, numbers: Sequence[int]) -> pl.DataFrame:
    """Replace the numbers in a column."""
    of = frame[column]
    return frame.with_columns(pl.Series(column, numbers, dtype=of.dtype)[of]) if len(of) else frame


def segments_together(parts: Sequence[tuple[Sequence[int], pl.DataFrame]]) -> pl.DataFrame:
    """Return the segments of all domains, each with the processors of its domain as the machine numbers them."""
    whole = pl.concat([_renumbered(found, "cpu", processors) for processors, found in parts])
    return whole.sort(_instants(whole), maintain_order=True)


def _jobs_and_windows(place: pl.Expr, results: Sequence[RunResult], *, is_linked: bool) -> dict[str, pl.DataFrame]:
    """Return the jobs of all domains: finished ones in the order of time, others by their tasks; and the windows."""
    of_domains = list[pl.DataFrame]()
    for result in results:  # each job had ended at the latest known instant
        count = sum(sum(result.statistics[name]) for name in ("finished", "aborted", "skipped", "cut"))
        known = _ends_of(result) if is_linked else pl.col("finish").forward_fill().fill_null(0)
        with_deadlines = result.jobs.with_columns(
            ended=pl.when(pl.int_range(pl.len()) < count).then(known).otherwise(pl.lit(_LAST, pl.UInt64)),
            deadline=result.deadlines["deadline"],
            missed_requested=pl.lit(False),
        )
        of_domains.append(with_deadlines)
    ended = pl.col("ended")
    rows = pl.concat(of_domains).sort(
        ended, pl.when(ended == pl.lit(_LAST, pl.UInt64)).then(place), maintain_order=True
    )
    windows = rows.select(results[0].frames["windows"].columns)
    has_given = any(len(result.frames["windows"]) for result in results)
    return {"jobs": rows.select(results[0].jobs.columns), "windows": windows if has_given else windows.clear()}


def _ends_of(result: RunResult) -> pl.Expr:
    """Return the instants at which jobs have ended: of an aborted one its deadline, of a skipped one its release."""
    aborting = [task.name for task in result.system.tasks if task.on_miss == "abort"]
    cut = pl.when(pl.col("task").is_in(aborting)).then(result.deadlines["deadline"]).otherwise(pl.col("release"))
    return pl.col("finish").fill_null(cut).cum_max()


def progress_of(
    progress: Callable[[int], None] | None, number: int, count: int, horizon: int
) -> Callable[[int], None] | None:
    """Return the function to which domain `number` of `count` reports progress: domains run one after the other."""
    return None if progress is None else lambda now: progress((number * horizon + now) // count)
