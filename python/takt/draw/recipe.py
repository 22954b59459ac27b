# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Recipes, drawn as matrices and as systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.base.errors import InputError, Problem, show
from takt.draw.recipe_keys import RecipeKeys
from takt.model.system import System

if TYPE_CHECKING:
    from takt.draw.matrices import TaskColumns

MAX_NUMBER = 2**48 - 1
"""The greatest number of a set."""


class Recipe(RecipeKeys):
    """How task sets are drawn at random: the same recipe, seed and number give the same set, everywhere.

    Args:
        tasks: how many tasks a set has, 1 to 10,000.
        utilization: what the shares (wcet / period) of its tasks add up to; above 1 is legal.
        shares: "uunifast" (uniform over all that add up to it, any of them may be above 1), with limits
            "uunifast-discard" or "fixed-sum" (both uniform within the limits) or "drs" (not quite uniform; to repeat
            studies), or "automotive" (execution times of runnables, scaled; with automotive periods).
        min_share: with limits: the least share; default: 0.
        max_share: with limits: the greatest share; default: 1.
        periods: "log-uniform", "uniform", "harmonic" (the shortest times powers of `period_ratio`), "automotive", or a
            list of which each is equally likely.
        period_min: the shortest period.
        period_max: the longest period.
        period_grid: what they are multiples of; default: one tick.
        period_ratio: of harmonic periods, 2 to 1000.
        engine_period: of automotive tasks in step with the engine; default: there are none.
        runnables: how many a task with automotive shares has.
        deadlines: "implicit" (the period), "constrained" (from wcet to period) or "arbitrary" (multiples of it).
        deadline_factors: a factor or two ends of a range: where between wcet (0) and period (1) a constrained deadline
            is, default [0, 1]; or what an arbitrary one is to the period, default [0.5, 2].
        jitter: the same for what the release jitter is to the period.
        offsets: "zero", or "random" from 0 to below the period.
        priorities: the order of priorities and of tasks, the most urgent first: "dm" (by deadline), "rm" (by
            period), among equals by period and then as drawn, or "random".
        demand: the same for what the execution times of jobs are to the wcet; default: jobs execute their wcet.
        subjobs: into how many subjobs a job is cut at random, 2 to 1000; of a wcet of fewer ticks, into ticks.
        longest_subjob: or into equal ones, as few as can be that are no longer than this.
        non_preemptive: or the probability that a task is not preemptive.
        resources: how many resources there are, 0 to 100.
        section_probability: that a task has a section with a resource, one for each of them.
        section_min: how long the shortest section is; where others leave less of the wcet than that, there is none.
        section_max: how long the longest is; none is longer than what others leave of the wcet.
        protocol: of the resources.
        servers: how many servers the tasks run in; 0: none, they run at the root.
        server_kind: of the servers, one that has a budget.
        server_policy: what orders the tasks of a server.
        server_period_min: the shortest period of a server; they are log-uniform, and the shorter is the more urgent.
        server_period_max: the longest.
        server_dealing: "least-loaded" (each task, the largest first, to the server with the least utilization) or
            "random".
        server_budget: what the budget is to what the tasks of the server need in a period of it, rounded up, one tick
            at least and the period at most.
        policy: what orders the root of the set.
        context_switch: what the kernel's own work takes, here and below as of takt.Platform.
        release: of one job.
        scheduling: one choice of the scheduler.
        point: one check at a preemption point.
        tick: the periodic timer interrupt.
        tick_period: distance of two ticks; needed with tick.
        wake_up: after the processor has idled.
        resolution: length of a tick.
        cpus: how many processors the set has.
        horizon: how long a simulation runs; default: see takt.simulate.

    Raises:
        InputError: a value is not right, or no task set satisfies the recipe.

    Example:
        >>> recipe = Recipe(tasks=3, utilization=0.5, periods=["10ms", "20ms"], resolution="1ms")
        >>> recipe.columns(seed=1, first=0, count=2).wcet.shape
        (2, 3)
    """

    def columns(self, seed: int, first: int, count: int) -> TaskColumns:
        """Draw many sets as matrices.

        Args:
            seed: 0 .. 2^64 - 1.
            first: number of the first set, from 0.
            count: how many sets.

        Returns:
            Sets first .. first + count - 1, a row for each; the same as `system` gives one by one. What jobs execute
            (`demand`) is no part of them.

        Raises:
            InputError: a number is out of range, or sets have subjobs, sections or servers.
        """
        from takt.draw import columns

        if not self.is_plain:
            message = "expected a recipe without subjobs, non-preemptive tasks, resources and servers for matrices"
            raise InputError([Problem(message, "conflict", table=self.table)])
        self._check_numbers(seed, first, count)
        return columns.draw(self, seed, first, count)

    def system(self, seed: int, number: int) -> System:
        """Draw one set.

        Args:
            seed: 0 .. 2^64 - 1.
            number: of the set, from 0.

        Returns:
            The system, with tasks T1, T2, ... in the order of their priorities.

        Raises:
            InputError: a number is out of range, or the policy does not take such a set.
        """
        from takt.draw import systems

        self._check_numbers(seed, number, 1)
        return systems.draw(self, seed, number)

    def _check_numbers(self, seed: int, first: int, count: int) -> None:
        """Check which sets are wanted."""
        limits = {"seed": (seed, 2**64 - 1), "first": (first, MAX_NUMBER), "count": (count, MAX_NUMBER)}
        for key, (value, most) in limits.items():
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
                message = f"expected a whole number from 0 to {most}, found {show(value)}"
                raise InputError([Problem(message, "out-of-range", key=key)])
