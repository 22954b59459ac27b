# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trials: systems with other values of some keys, judged, within a budget of rows that does not depend on a machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import TaskBound, Verdict, deciding
from takt.analysis.view import SystemView, view_of
from takt.base.errors import InputError

if TYPE_CHECKING:
    from takt.model.system import System

SMALL = 5
"""So many tasks, or fewer, are assigned with all of the effort."""

Changes = dict[tuple[str, str], dict[str, Any]]
"""New values of keys, by table and name."""

Progress = Callable[[int], None]
"""Called with how far a search is; its result does not depend on it."""


def changed(system: System, changes: Changes) -> System:
    """Return a system with other values of keys.

    Raises:
        InputError: it may not have them.
    """

    def member(each: Any) -> Any:
        keys = changes.get((each.table, each.name))
        return each.replace(**keys) if keys else each

    return system.replace(
        **changes.get(("system", ""), {}),
        tasks=[member(task) for task in system.tasks],
        servers=[member(server) for server in system.servers],
        resources=[member(each) for each in system.resources],
    )


def merged(first: Changes, then: Changes) -> Changes:
    """Return changes that are made one after the other."""
    both = {place: dict(keys) for place, keys in first.items()}
    for place, keys in then.items():
        both[place] = both.get(place, {}) | keys
    return both


class Budget:
    """Budget of task rows that all trials of a search may compute, and how many systems were tried.

    Args:
        rows: in all.
        progress: called with the number of systems that were tried; None: nothing is.
    """

    def __init__(self, rows: int, progress: Progress | None = None) -> None:
        """Start with a number of rows."""
        self.rows = rows
        self.progress = progress
        self.step = 1
        self.tried = Counter[int]()

    @property
    def is_empty(self) -> bool:
        """True if no further trial is made."""
        return self.rows <= 0

    def pay(self, rows: int) -> bool:
        """Subtract the rows of a trial; False if nothing was left before."""
        if self.is_empty:
            return False
        self.rows -= rows
        self.tried[self.step] += 1
        if self.progress is not None:
            self.progress(self.tried.total())
        return True


@dataclass(frozen=True, slots=True)
class Trial:
    """A system that is not known to be schedulable, and tests of changed versions of it.

    Args:
        system: as it is, in one domain.
        view: of it.
        effort: steps that the tests of each dispatcher may take.
        budget: pays for each changed version.
    """

    system: System
    view: SystemView
    effort: int
    budget: Budget | None = None

    @property
    def steps(self) -> int:
        """Steps that one assignment may take: the effort, divided by a factor that grows with the task count."""
        return self.effort // max(1, len(self.system.tasks) // SMALL)

    def judged(self, changes: Changes) -> Judgement | None:
        """Judge the system with other values, None if it may not have them or the budget is used up."""
        if self.budget is not None and not self.budget.pay(len(self.system.tasks)):
            return None
        try:
            view = view_of(changed(self.system, changes), self.view.latency)
            return judge(replace(view, has_reasons=False), self.effort)
        except InputError:
            return None

    def fits(self, changes: Changes) -> bool:
        """True if all tasks that decide the verdict are proved to meet their deadlines with other values."""
        found = self.judged(changes)
        return found is not None and found.is_schedulable


class Score(NamedTuple):
    """Distance of a system from one that fits; smaller is nearer.

    Args:
        open: number of deadlines that are not proved, of the tasks that decide.
        unbounded: how many of their tasks have no bound.
        lateness: sum of bound - deadline of the others, in ticks.
    """

    open: int
    unbounded: int
    lateness: int


@dataclass(frozen=True, slots=True)
class State:
    """A system that a search has reached, judged.

    Args:
        system: with the changes so far.
        parts: its domains, or the system itself.
        rows: of its tasks.
        effort: steps that the tests of each dispatcher may take.
        budget: pays for trials.
    """

    system: System
    parts: tuple[Trial, ...]
    rows: tuple[TaskBound, ...]
    effort: int
    budget: Budget

    @property
    def deciding(self) -> list[TaskBound]:
        """The tasks that decide the verdict."""
        return deciding(self.rows)

    @property
    def late(self) -> list[TaskBound]:
        """Those of them whose deadlines are not proved."""
        return [row for row in self.deciding if row.verdict is not Verdict.SCHEDULABLE]

    @property
    def score(self) -> Score:
        """How far the system is from one that fits."""
        slacks = [row.slack for row in self.late]
        return Score(len(slacks), slacks.count(None), sum(-min(slack, 0) for slack in slacks if slack is not None))

    @property
    def others(self) -> int:
        """Number of tasks that do not decide, and whose deadlines are not proved."""
        return sum(row.verdict is not Verdict.SCHEDULABLE for row in self.rows) - len(self.late)

    @property
    def is_overloaded(self) -> bool:
        """True if the tasks demand more than all processors."""
        demand = sum(Fraction(row.wcet, row.period) for row in self.deciding if row.period)
        return demand > self.system.cpus

    def after(self, changes: Changes) -> State | None:
        """Return the state after changes, None if the system may not have them or the budget is used up."""
        if not self.budget.pay(len(self.system.tasks)):
            return None
        try:
            return state_of(changed(self.system, changes), self.parts[0].view.latency, self.effort, self.budget)
        except InputError:
            return None


def state_of(system: System, latency: int, effort: int, budget: Budget) -> State:
    """Judge a system, or each domain of a machine.

    Args:
        system: to be judged.
        latency: of messages to and from its scheduler, at most.
        effort: steps that the tests of each dispatcher may take.
        budget: pays for further trials.
    """
    systems = [domain.system for domain in system.domains] or [system]
    parts = tuple(Trial(each, view_of(each, latency), effort, budget) for each in systems)
    found = [judge(part.view, effort) for part in parts]
    rows = [replace(row, domain=str(at)) for at, judgement in enumerate(found) for row in judgement.rows()]
    return State(system, parts, tuple(rows), effort, budget)
