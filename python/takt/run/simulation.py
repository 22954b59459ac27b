"""Simulation of a system. The simulator is C (sim/sim.h); this module hands it a system and keeps what it tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from takt import _core
from takt.base import forks
from takt.files import trace_file
from takt.model import image as images
from takt.model.core_input import ResolvedSystem
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import Policy
from takt.model.system import System
from takt.run import frames
from takt.run.architecture import figures_of
from takt.run.result import RunResult


def simulate(
    system: System,
    horizon: int | str | None = None,
    *,
    segments: bool = True,
    jobs: bool = True,
    budgets: bool = True,
    points: bool = True,
    locks: bool = True,
    rates: bool = True,
    trace: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> RunResult:
    """Simulate a system. Unless its platform says otherwise, nothing but the jobs takes time.

    Args:
        system: what to run.
        horizon: how long, in ticks or with a unit. Default: the system's; without one, the largest offset plus
            one hyperperiod, the time after which the pattern of releases repeats.
        segments: whether to keep who ran when, the kernel included. A run that keeps nothing needs no memory that
            grows with the horizon.
        jobs: whether to keep all jobs.
        budgets: whether to keep the budgets of servers.
        points: whether to keep the points that jobs came to.
        locks: whether to keep what became of resources.
        rates: whether to keep what became of the tasks of a rate-based system.
        progress: called now and then with the instant that the run has come to.
        trace: a file to record inputs and decisions in, for takt.replay.

    Returns:
        What happened.

    Raises:
        InputError: the horizon is not right, or the trace file cannot be written.
        ForkError: the process was forked after polars had started its threads; see takt.base.forks.

    Example:
        A(T=5, C=2) and B(T=7, C=4) have U = 0.97. Under EDF, B's first job keeps the processor when A is
        released again at 5, because its deadline 7 comes before 10; under rate-monotonic priorities A
        preempts it, and B misses.

        >>> import takt
        >>> system = takt.System(
        ...     tasks=[
        ...         takt.Task(name="A", period=5, wcet=2, priority=2),
        ...         takt.Task(name="B", period=7, wcet=4, priority=1),
        ...     ]
        ... )
        >>> edf = takt.simulate(system.replace(policy="edf"), horizon=12)
        >>> edf.segments.select("start", "end", "task", "job").rows()
        [(0, 2, 'A', 0), (2, 6, 'B', 0), (6, 8, 'A', 1), (8, 12, 'B', 1)]
        >>> fp = takt.simulate(system, horizon=12)
        >>> fp.jobs.filter(missed=True).rows()
        [('B', 0, 0, 8, 8, True)]
    """
    forks.check()
    ticks = horizon_ticks(system, horizon)
    copies: dict[int, Any] = {}
    image = images.pack(system.resolved, ticks)
    program = images.program(system.resolved, image, copies)
    with nullcontext() if trace is None else _recorded(trace, system, image) as trace_path:
        outcome = _core.simulate(
            program,
            segments=segments,
            jobs=jobs,
            budgets=budgets and bool(system.servers),
            points=points,
            locks=locks,
            rates=rates,
            trace_path=trace_path,
            progress=progress if progress is not None or trace is None else _let_signals_in,
        )
    summary = frames.summary(system.resolved, outcome["statistics"])
    return RunResult(
        system=system,
        horizon=ticks,
        decisions=outcome["decisions"],
        invocations=outcome["invocations"],
        switches=outcome["switches"],
        overhead=outcome["overhead"],
        summary=summary,
        architecture=figures_of(system.resolved, outcome["figures"], int(summary["missed"].sum()), ticks),
        policies=_policies(system.resolved, copies),
        _segments=frames.segments(system.resolved, outcome["segments"]) if segments else None,
        _jobs=frames.jobs(system.resolved, outcome["jobs"]) if jobs else None,
        _points=frames.points(system.resolved, outcome["points"]) if points else None,
        _locks=frames.locks(system.resolved, outcome["locks"]) if locks else None,
        _budget_changes=frames.frame(outcome["budgets"]) if budgets else None,
        _kernel_segments=frames.kernel_segments(outcome["kernel_segments"]) if segments else None,
        _rates=frames.rates(system.resolved, outcome["rates"]) if rates else None,
        _windows=frames.windows(system.resolved, outcome) if jobs else None,
        _ledger=frames.ledger(outcome["ledger"]) if rates else None,
    )


def _policies(resolved: ResolvedSystem, copies: Mapping[int, Any]) -> dict[str, Policy]:
    """Find the copies of the policies in Python that a run has asked."""
    places = {"": resolved.policy} | {server.name: server.policy for server in resolved.servers}
    return {name: copies.get(id(policy), policy) for name, policy in places.items() if isinstance(policy, Policy)}


def _recorded(trace: str | Path, system: System, image: bytes) -> AbstractContextManager[str]:
    """Give the name of a file to append the records of a simulation to; at the end it becomes `trace`."""
    return trace_file.started(trace, system.resolved, image, trace_file.SIMULATOR)


def _let_signals_in(now: int) -> None:
    """Do nothing; the interpreter handles signals meanwhile, so that one that ends the process removes the trace."""
