# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Simulation of a system. The simulator is C (sim/sim.h); this module passes it a system and keeps the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from takt import _core
from takt.base import forks
from takt.files import trace_file
from takt.files.task_set_reading import system_of
from takt.model import image as images
from takt.model.horizon import horizon_ticks
from takt.model.linked import targets_of
from takt.model.python_policy import Policy
from takt.model.system import System
from takt.run import frames, machine
from takt.run.architecture import figures_of
from takt.run.result import EdgeCount, RunResult


def simulate(
    system: System | str | Path,
    horizon: int | str | None = None,
    *,
    policy: str | Policy | None = None,
    seed: int | None = None,
    segments: bool = True,
    jobs: bool = True,
    budgets: bool = True,
    points: bool = True,
    locks: bool = True,
    rates: bool = True,
    trace: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> RunResult:
    """Simulate a system and return what happened. Unless its platform says otherwise, only jobs take time.

    Args:
        system: what to run, or the path of its task-set file.
        horizon: how long, in ticks or with a unit. Default: the system's; without one, the largest offset plus one
            hyperperiod, the time after which the pattern of releases repeats.
        policy: of the root; default: the system's.
        seed: of all random numbers; default: the system's.
        segments: whether to keep the segments of execution, the kernel included. A run that keeps nothing
            needs no memory that grows with the horizon.
        jobs: whether to keep all jobs.
        budgets: whether to keep the budgets of servers.
        points: whether to keep the points that jobs came to.
        locks: whether to keep what became of resources.
        rates: whether to keep what became of the tasks of a rate-based system.
        progress: called now and then with the instant that the run has reached.
        trace: a file to record inputs and decisions in, for takt.replay.

    Raises:
        InputError: the file, the policy, the seed or the horizon is not right, or the trace file cannot be written.
        ForkError: the process was forked after polars had started its threads; see takt.base.forks.

    Example:
        >>> simulate("examples/smallest.toml", policy="edf", horizon="1s").missed
        0
    """
    forks.check()
    system = system_of(system, policy=policy, seed=seed)
    asked = {"segments": segments, "jobs": jobs, "budgets": budgets, "points": points, "locks": locks, "rates": rates}
    ticks, kept = horizon_ticks(system, horizon), [name for name, option in frames.OPTIONS.items() if asked[option]]
    listener = progress if progress is not None or trace is None else _let_signals_in
    if targets := targets_of(system):
        return _run_linked(system, ticks, kept, trace, listener, targets)
    return (_run_domains if system.domains else _run_alone)(system, ticks, kept, trace, listener)


def _run_alone(
    system: System,
    ticks: int,
    kept: Sequence[str],
    trace: str | Path | None,
    progress: Callable[[int], None] | None,
) -> RunResult:
    """Simulate a system that is no machine of domains."""
    with _recorded(trace, system, ticks) as (path,):
        return _run(system, ticks, kept, path, progress)


def _run_domains(
    system: System,
    ticks: int,
    kept: Sequence[str],
    trace: str | Path | None,
    progress: Callable[[int], None] | None,
) -> RunResult:
    """Simulate the domains of a machine one after the other."""
    count, results = len(system.domains), list[RunResult]()
    with _recorded(trace, system, ticks) as paths:
        for number, (domain, path) in enumerate(zip(system.domains, paths, strict=True)):
            listener = machine.progress_of(progress, number, count, ticks)
            results.append(_run(domain.system, ticks, kept, path, listener))
    return machine.together(system, results)


def _run_linked(
    system: System,
    ticks: int,
    kept: Sequence[str],
    trace: str | Path | None,
    progress: Callable[[int], None] | None,
    targets: Sequence[tuple[Any, ...]],
) -> RunResult:
    """Simulate a system in which tasks release tasks: all its domains in step."""
    parts = [domain.system for domain in system.domains] or [system]
    copies = [dict[int, Any]() for _ in parts]
    programs = [
        images.program(part.resolved, images.pack(part.resolved, ticks), memo)
        for part, memo in zip(parts, copies, strict=True)
    ]
    with _recorded(trace, system, ticks) as paths:
        outcomes, lost = _core.simulate_linked(programs, targets, kept=kept, trace_paths=paths, progress=progress)
    results = [_result(*each, ticks, kept) for each in zip(parts, outcomes, copies, strict=True)]
    released = [task for task in system.tasks if task.after is not None]
    edges = tuple(
        EdgeCount(edge.task, task.name, count)
        for task, counts in zip(released, lost, strict=True)
        for edge, count in zip(task.edges, counts, strict=True)
    )
    return replace(machine.together(system, results) if system.domains else results[0], edges=edges)


@contextmanager
def _recorded(trace: str | Path | None, system: System, ticks: int) -> Iterator[Sequence[str | None]]:
    """Yield a file for each part of a system to append records to, or None for each."""
    if trace is None:
        yield [None] * (len(system.domains) or 1)
    elif system.domains:
        with machine.recorded(trace, system, ticks) as paths:
            yield paths
    else:
        image = images.pack(system.resolved, ticks)
        with trace_file.started(trace, system.resolved, image, trace_file.SIMULATOR) as path:
            yield [path]


def _run(
    system: System, ticks: int, kept: Sequence[str], path: str | None, progress: Callable[[int], None] | None
) -> RunResult:
    """Simulate a system of one dispatcher, and append its records to a file if there is one."""
    copies = dict[int, Any]()
    program = images.program(system.resolved, images.pack(system.resolved, ticks), copies)
    outcome = _core.simulate(program, kept=kept, trace_path=path, progress=progress)
    return _result(system, outcome, copies, ticks, kept)


def _result(
    system: System, outcome: _core.Outcome, copies: dict[int, Any], ticks: int, kept: Sequence[str]
) -> RunResult:
    """Return the result of a system of one dispatcher."""
    resolved = system.resolved
    statistics = frames.statistics(resolved, outcome["statistics"])
    places = {"": resolved.policy} | {server.name: server.policy for server in resolved.servers}
    return RunResult(
        system=system,
        horizon=ticks,
        decisions=outcome["decisions"],
        invocations=outcome["invocations"],
        switches=outcome["switches"],
        overhead=outcome["overhead"],
        statistics=statistics,
        architecture=figures_of(resolved, outcome["figures"], sum(statistics["missed"]), ticks),
        policies={
            name: copies.get(id(policy), policy) for name, policy in places.items() if isinstance(policy, Policy)
        },
        frames=frames.Recorded(resolved, {name: outcome["frames"][name] for name in kept}),
        first_late=min(outcome["first_late"], ticks) if any(statistics["missed"]) else None,
    )


def _let_signals_in(now: int) -> None:
    """Do nothing; the interpreter handles signals meanwhile, so that one that ends the process removes the trace."""
