# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures of an architecture: the cost of a scheduler in software, on a co-processor or in hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from takt.base import one_line
from takt.model.core_input import ResolvedSystem


@dataclass(frozen=True)
class Architecture:
    """The cost of a scheduler in software, on a co-processor or in hardware.

    Args:
        switch_steps: savings and restorings of contexts.
        dispatches: in software, entries of the scheduler that chose another task than was chosen last; else completed
            switches to a task.
        fails: jobs that were late, dropped at their deadlines, or released while the job before was pending.
        scheduler_time: ticks that the scheduler took from the processor of the tasks.
        switch_time: ticks of switches that are not part of that.
        avail_sched: the share of the time that the scheduler leaves to the tasks.
        avail_net: the share that the scheduler and the switches leave to them.
        max_start_jitter: the longest time from a release to the first tick of its job, 0 if no job started.
    """

    switch_steps: int
    dispatches: int
    fails: int
    scheduler_time: int
    switch_time: int
    avail_sched: Fraction
    avail_net: Fraction
    max_start_jitter: int

    __repr__ = one_line.of_fields


def figures_of(resolved: ResolvedSystem, figures: Mapping[str, int], fails: int, horizon: int) -> Architecture | None:
    """Return the figures of an architecture, None if the platform has none."""
    if resolved.architecture is None:
        return None
    avail_sched = 1 - Fraction(figures["scheduler_time"], horizon)
    avail_net = avail_sched - Fraction(figures["switch_time"], horizon)
    return Architecture(**figures, fails=fails, avail_sched=avail_sched, avail_net=avail_net)
