# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An estimated task set for people and programs: a file with comments, a table, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.base.errors import printable
from takt.files.task_set_writing import to_toml
from takt.run.activations import end_of
from takt.run.estimation import LEAST, Estimate, Estimation, system_of
from takt.show.text_tables import Clock, Column, Terminal

_LIMITS = (
    "wcet is the longest execution that was seen: a longer one may come.",
    "A least distance (min_separation) and a jitter may be exceeded, too.",
)


# ---- sentences ----------------------------------------------------------------------------------------------


def kind_of(estimate: Estimate) -> str:
    """Return how the activations come, in two words at most."""
    return "not periodic" if estimate.arrivals.period is None else "periodic"


def certainty_of(estimate: Estimate) -> str:
    """Return how sure the arrivals are, in a few words."""
    arrivals = estimate.arrivals
    sure = "each distance is the period"
    if arrivals.skipped:
        sure = "guess: some releases are missing"
    elif arrivals.period is None:
        sure = "guess: the least distance seen"
    elif arrivals.jitter:
        sure = "guess: period and jitter fit"
    return f"{sure}; few activations" if estimate.is_of_few else sure


def notes_of(estimate: Estimate, clock: Clock) -> Iterator[str]:
    """Yield what a reader should know of an estimate, a sentence each."""
    arrivals = estimate.arrivals
    yield f"{clock.count(estimate.activations)} activations seen; {certainty_of(estimate)}."
    if arrivals.skipped:
        yield f"{clock.count(arrivals.skipped)} periods had no release: the task did not wait, or no event came."
    mean = "not known: no activation has ended" if estimate.mean is None else clock.write(estimate.mean)
    yield f"Mean execution: {mean}."
    if estimate.merged:
        yield f"{clock.count(estimate.merged)} activations lasted through a release: their execution is not counted."
    if estimate.start is not None:
        yield f"Its start, {clock.write(estimate.start)} up to the first wait, is not counted."
    if estimate.deadline is None:
        yield "Its deadline is not known: the period or least distance stands for it."
    if estimate.priorities:
        yield f"Its priority changed {clock.count(estimate.priorities)} times; that of its creation is taken."
    for name, longest in estimate.held.items():
        yield f"It held {printable(name)} for {clock.write(longest)} at most, others' execution included."


def remarks_of(estimation: Estimation) -> Iterator[str]:
    """Yield what holds for the whole set."""
    trace = estimation.trace
    yield from _LIMITS
    if any(estimate.held for estimate in estimation.estimates):
        yield "Resources are not in the file: an analysis of it knows no blocking."
    else:
        yield "Mutexes and queues that are no resources of the trace are not known: an analysis knows no blocking."
    if trace.full_at is not None:
        yield "The trace is incomplete: its memory was full."


# ---- the file -----------------------------------------------------------------------------------------------


def to_file(estimation: Estimation) -> str:
    """Return the task set as a file, with what is a guess in its comments.

    Raises:
        InputError: the policy of the trace needs what no estimate has.
    """
    trace = estimation.trace
    clock = Clock(trace.system.resolution_ns)
    seen = f"{len(trace):,} records up to {clock.write(end_of(trace))}, recorded on {trace.platform}"
    lines = [f"Estimated from a trace of {trace.system.name}: {seen}.", *remarks_of(estimation)]
    if estimation.omissions:
        lines += ["", "Not in the set:"]
        lines += [f"  {each.name}: {each.reason}" for each in estimation.omissions]
    head, *tables = to_toml(system_of(estimation), "\n".join(lines)).split("[[task]]\n")
    parts = [head.replace("\n# \n", "\n#\n")]
    for estimate, table in zip(estimation.estimates, tables, strict=True):
        parts += [f"# {sentence}\n" for sentence in notes_of(estimate, clock)]
        parts.append(f"[[task]]\n{table}")
    return "".join(parts)


# ---- a terminal ---------------------------------------------------------------------------------------------


def print_estimation(estimation: Estimation, terminal: Terminal) -> None:
    """Print a row for each task, what is a guess, and what is not in the set."""
    of, clock = estimation.estimates, terminal.clock(estimation.trace.system.resolution_ns)
    terminal.print(f"{estimation.trace.system.name}: {len(of)} tasks estimated", "title")
    columns = [
        Column("task", [each.name for each in of], kind="name"),
        Column("server", [each.server for each in of], kind="name", importance=1),
        Column("arrivals", [kind_of(each) for each in of], kind="name", importance=5),
        Column("seen", [clock.count(each.activations) for each in of], importance=4),
        Column(
            "distance", [clock.exactly(each.arrivals.period or each.arrivals.separation) for each in of], importance=7
        ),
        Column("jitter", [clock.write(each.arrivals.jitter) for each in of], importance=3),
        Column("longest", [clock.write(each.longest) for each in of], importance=6),
        Column("mean", [clock.write(each.mean) for each in of], importance=0),
        Column("priority", ["-" if each.priority is None else str(each.priority) for each in of], importance=2),
    ]
    shown = [column for column in columns if any(column.cells)]
    terminal.print_table(shown)
    for each in of:
        terminal.print(f"{each.name}: {certainty_of(each)}")
    for omission in estimation.omissions:
        terminal.print(f"{omission.name}: not in the set: {omission.reason}", "open")
    for remark in remarks_of(estimation):
        terminal.print(remark)


# ---- JSON ---------------------------------------------------------------------------------------------------


def to_json(estimation: Estimation) -> dict[str, Any]:
    """Return all that was estimated; times in ticks."""
    trace = estimation.trace
    return {
        "system": trace.system.name,
        "platform": trace.platform,
        "resolution_ns": trace.system.resolution_ns,
        "until": end_of(trace),
        "is_complete": trace.full_at is None,
        "least_activations": LEAST,
        "tasks": [_task(each) for each in estimation.estimates],
        "not_estimated": [
            {"name": each.name, "activations": each.activations, "reason": each.reason} for each in estimation.omissions
        ],
    }


def _task(estimate: Estimate) -> dict[str, Any]:
    arrivals = estimate.arrivals
    return {
        "task": estimate.name,
        "server": estimate.server or None,
        "activations": estimate.activations,
        "period": arrivals.period,
        "min_separation": arrivals.separation,
        "jitter": arrivals.jitter,
        "offset": arrivals.offset,
        "skipped": arrivals.skipped,
        "is_exact": arrivals.is_exact,
        "execution_max": estimate.longest,
        "execution_mean": None if estimate.mean is None else float(estimate.mean),
        "priority": estimate.priority,
        "priority_changes": estimate.priorities,
        "deadline": estimate.deadline,
        "execution_of_start": estimate.start,
        "merged": estimate.merged,
        "held": dict(estimate.held),
        "certainty": certainty_of(estimate),
    }
