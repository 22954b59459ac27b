# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The framework itself, with dispatcher and allocator, as the tests have it; nothing else here knows it.

Takt has what the framework is for, its policies, and allocators of windows, but no dispatcher that takes jobs of any
attributes. What the paper says about those is asked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from framework_oracle import Budget, Job, Outcome, System, Task, simulate
from framework_oracle.allocator import Allocator, AllocatorView
from framework_oracle.periodic import (
    EFFECTIVE,
    Aperiodic,
    DualPriority,
    InServer,
    Periodic,
    Pinwheel,
    ServerRefill,
    Subjobs,
    TimeTable,
    edf,
    llf,
    rm,
)
from framework_oracle.shares import (
    Chunks,
    ConstantBandwidth,
    ConstantUtilization,
    FairQueue,
    TotalBandwidth,
    WorstCaseFairQueue,
)
from framework_oracle.virtual_time import FluidClock

from studies.s3_general_framework.systems import HORIZON, Drawn, Ticks

__all__ = [
    "EFFECTIVE",
    "Aperiodic",
    "Budget",
    "Chunks",
    "ConstantBandwidth",
    "ConstantUtilization",
    "DualPriority",
    "FairQueue",
    "FluidClock",
    "InServer",
    "Job",
    "Outcome",
    "Pinwheel",
    "ServerRefill",
    "Subjobs",
    "System",
    "Task",
    "TimeTable",
    "TotalBandwidth",
    "WorstCaseFairQueue",
    "edf",
    "executed",
    "llf",
    "mapped",
    "rm",
    "simulate",
]


def mapped(policy: str, tasks: Sequence[Drawn], on_finish: str = "end") -> System:
    """Map periodic tasks as Table 2 does: rm, edf, fp or llf."""
    works = [Task(task.name, _allocator(policy, task, on_finish), task.work()) for task in tasks]
    return System(tuple(works), EFFECTIVE[policy])


def _allocator(policy: str, task: Drawn, on_finish: str) -> Allocator:
    """Return the allocator of a task; the priority is not read where the effective one is another attribute."""
    priority = task.rank if policy == "fp" else task.period
    return Periodic(task.period, task.wcet, priority, None, task.offset, on_finish)


def executed(outcome: Outcome) -> Ticks:
    """Return "task#unit of work" in each tick, or nothing."""
    return ["" if tick is None or tick.unit < 0 else f"{tick.task}#{tick.unit}" for tick in outcome.ticks]


def run(system: System, horizon: int = HORIZON) -> Ticks:
    """Run the framework, and list the job that executes in each tick."""
    return executed(simulate(system, horizon))


def keyed(system: System, effective: tuple[str, ...]) -> System:
    """Choose another effective priority."""
    return replace(system, effective=effective)


def second_chunk(share: Fraction, chunk: int) -> Job:
    """Return the second chunk of a share-driven task that has work for ever, if the first one has just run."""
    view, allocator = AllocatorView(Task("F", None), 0), Chunks(share, chunk)
    for now in (0, chunk):
        allocator.call(now, view)
    return view.jobs[-1]
