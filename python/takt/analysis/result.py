# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The result of an analysis: a verdict with its reason, bounds of tasks, supplies of servers, and advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from takt.base import one_line, views
from takt.base.errors import show


class Verdict(Enum):
    """A verdict about deadlines."""

    SCHEDULABLE = "schedulable"
    """No job misses its deadline, whichever arrivals and demands the system allows."""
    NOT_SCHEDULABLE = "not schedulable"
    """With some arrivals that the system allows, a job misses its deadline."""
    NOT_GUARANTEED = "not guaranteed"
    """A sufficient test fails: deadlines may be met nevertheless."""
    NOT_KNOWN = "not known"
    """No test admits the system, or an answer exceeds the granted effort."""


@dataclass(frozen=True, slots=True)
class Test:
    """A schedulability test.

    Args:
        name: as in the literature, short.
        source: authors and year.
        is_exact: whether a failure means that some legal arrivals miss a deadline; refusals.py says where.
    """

    name: str
    source: str
    is_exact: bool = False

    __repr__ = one_line.of_fields

    def verdict(self, is_schedulable: bool) -> Verdict:
        """Return the verdict that follows from the test alone: a failure is definite where refusals.py says so."""
        return Verdict.SCHEDULABLE if is_schedulable else Verdict.NOT_GUARANTEED


class PartKind(Enum):
    """Kinds of parts of a response or a demand."""

    EXECUTION = "execution"
    """The job itself; in a demand the jobs of a task or the budgets of a server."""
    EARLIER = "earlier jobs"
    """Jobs of the same task that are released earlier in the busy period."""
    BEFORE = "before the release"
    """The time from the begin of the busy period to the release, which is no part of the response: negative."""
    JITTER = "jitter"
    """From the arrival to the release."""
    SUSPENSION = "suspension"
    """Counted as execution; of the job itself, or of what goes before it."""
    BLOCKING = "blocking"
    """A less urgent job that cannot be displaced, or holds a resource."""
    INTERFERENCE = "interference"
    """Jobs of a more urgent task, or budgets of a more urgent server."""
    KERNEL = "kernel"
    """The kernel's own work."""
    BUDGET = "budget"
    """Waiting until a server has budget again."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a response or a demand, with its author. Times in ticks.

    Args:
        kind: what it is.
        ticks: how long.
        name: the task or server that it is due to; "" if that is the task itself or the kernel.
        count: of how many jobs or budgets it consists; 0 if it is not counted in these.
        each: execution of one of them.
        why: of blocking: "non-preemptive", "region", "threshold" or "section".
        resource: what is held in a section.
    """

    kind: PartKind
    ticks: int
    name: str = ""
    count: int = 0
    each: int = 0
    why: str = ""
    resource: str = ""

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class Demand:
    """An interval in which a dispatcher may be requested to execute more than it is supplied with. Times in ticks.

    Args:
        server: whose tasks these are, "" for the root.
        interval: its length.
        supplied: the least supply in it.
        parts: what is due in it, and what blocks that.
        domain: of the machine that it is in, "" if there is but one.
    """

    server: str
    interval: int
    supplied: int
    parts: tuple[Part, ...]
    domain: str = ""

    __repr__ = one_line.of_fields

    @property
    def ticks(self) -> int:
        """The demand."""
        return sum(part.ticks for part in self.parts)


@dataclass(frozen=True, slots=True)
class TaskBound:
    """The result for a task. Times in ticks.

    Args:
        task, server: names, "" for the root.
        class_: "hard", "soft" or "none".
        wcet, period, deadline, jitter: as the test had them; a period of 0 is none.
        verdict: of this task.
        test: which one says so, None if none does.
        response: upper bound of the response times, None if nothing is known.
        is_tight: whether some arrivals attain this response.
        blocking: the longest delay by less urgent jobs that `response` includes.
        interference: the execution of more urgent tasks and servers in `response`, by name.
        reason: one line, empty for a task that is schedulable.
        growth: how much larger its wcet may be, exactly, so that it and all hard tasks meet their deadlines, and all
            others that do so now; negative: must be smaller; None if no wcet would do, or nothing is known. On a
            machine of domains: all of its domain.
        domain: of the machine that it is in, "" if there is but one.
        parts: what the response consists of: they add up to it; empty if the test has no parts.
    """

    task: str
    server: str
    class_: str
    wcet: int
    period: int
    deadline: int
    jitter: int
    verdict: Verdict
    test: Test | None = None
    response: int | None = None
    is_tight: bool = False
    blocking: int | None = None
    interference: tuple[tuple[str, int], ...] = ()
    reason: str = ""
    growth: int | None = None
    domain: str = ""
    parts: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        """Return the verdict, and the bound beside the deadline."""
        bound = "unknown" if self.response is None else f"{self.response:,}"
        facts = f"{self.verdict.value}, response {bound}, deadline {self.deadline:,} ticks"
        return one_line.sentence(self, f"{show(self.task)}: {facts}{'; ' * bool(self.reason)}{self.reason}")

    @property
    def slack(self) -> int | None:
        """Deadline - response; negative if a job can be late."""
        return None if self.response is None else self.deadline - self.response


@dataclass(frozen=True, slots=True)
class ServerBound:
    """The result for a server. Times in ticks.

    Args:
        server, parent: names, "" for the root.
        kind: as in the file.
        period, budget: as in the file.
        verdict: whether it gets its budget in every period.
        test: which one says so.
        response: the longest time from the start of a period until it has had its budget.
        gap: the longest time without supply while a task waits in it; None if nothing is known.
        reason: one line, empty for a server that gets its budget.
        least_budget: the smallest one with which its tasks meet their deadlines, whatever other servers do; None if
            none does, or nothing is known.
        domain: as of a task.
        parts: what the response consists of, as of a task.
    """

    server: str
    parent: str
    kind: str
    period: int
    budget: int
    verdict: Verdict
    test: Test | None = None
    response: int | None = None
    gap: int | None = None
    reason: str = ""
    least_budget: int | None = None
    domain: str = ""
    parts: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        """Return the verdict, and the budget beside the least one that would do."""
        least = "" if self.least_budget is None else f", least budget {self.least_budget:,}"
        facts = f"{self.verdict.value}, budget {self.budget:,}{least} in {self.period:,} ticks"
        return one_line.sentence(self, f"{show(self.server)}: {facts}{'; ' * bool(self.reason)}{self.reason}")


@dataclass(frozen=True, slots=True)
class Advice:
    """A change that makes an unschedulable system schedulable.

    Args:
        what: one line.
        changes: new values by table, name and key, as they stand in a file, times in ticks.
    """

    what: str
    changes: tuple[tuple[str, str, str, object], ...] = ()

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class Step:
    """A change of a remedy, and what it does after those before it.

    Args:
        what: one line for people.
        edits: as takt.load takes them.
        before, after: numbers of deadlines that are not proved, of the tasks that decide.
    """

    what: str
    edits: tuple[str, ...]
    before: int
    after: int

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes that together make a system schedulable, proved by the analysis.

    Args:
        steps: one after the other.
        processors: how many it adds.
        others: number of tasks that do not decide, and whose deadlines are not proved after it.
        weight: how much it changes: keys, or tasks and servers under another policy.
    """

    steps: tuple[Step, ...]
    processors: int = 0
    others: int = 0
    weight: int = 0

    __repr__ = one_line.of_fields

    @property
    def edits(self) -> tuple[str, ...]:
        """The edits of all steps."""
        return tuple(edit for step in self.steps for edit in step.edits)


@dataclass(frozen=True, slots=True)
class Remedies:
    """The result of a search for remedies.

    Args:
        found: those that change least first.
        tried: how many systems with one change were analysed, how many with two, and so on.
        nearest: if none is found, the changes that come nearest; empty if no change helps.
        late: with these, the task that is latest and by how many ticks, None: it has no bound; "" if nothing helps.
        is_limited: whether the search ended as its effort was used up, so that changes are left that were not tried.
    """

    found: tuple[Remedy, ...] = ()
    tried: tuple[int, ...] = ()
    nearest: tuple[Step, ...] = ()
    late: tuple[str, int | None] = ("", None)
    is_limited: bool = False

    __repr__ = one_line.of_fields

    def edits_of(self, number: int) -> tuple[str, ...]:
        """Return the edits up to a step.

        Args:
            number: of the step, counted from 1 through all remedies: those of its remedy up to it are made.
        """
        for remedy in self.found:
            if number <= len(remedy.steps):
                return tuple(edit for step in remedy.steps[:number] for edit in step.edits)
            number -= len(remedy.steps)
        raise ValueError(f"no step {number}")


@dataclass(frozen=True, slots=True)
class Curve:
    """A step function for charts. Times in ticks.

    Args:
        title: the task, server or dispatcher that it describes.
        kind: "demand" or "supply".
        points: where it changes, and to what; between two points a demand stays, a supply grows linearly.
    """

    title: str
    kind: str
    points: tuple[tuple[int, int], ...]

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class Chart:
    """Demand against supply of one dispatcher: where demand lies above supply, a deadline can be missed.

    Args:
        title: of the dispatcher, or the task.
        deadline: where the demand must have been supplied, None where every instant counts.
        curves: demand first.
    """

    title: str
    deadline: int | None
    curves: tuple[Curve, ...]

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A run of the file as it stands, where the verdict is about more runs than this one.

    Args:
        fixed: what the file says and the verdict leaves open: "arrivals", "demands".
        until: the instant up to which the file was simulated, in ticks; None: it was not.
        late: how many jobs of the tasks that count missed their deadlines up to then.
        is_drawn: whether the seed decides what jobs do, so that it is one run of many.
    """

    fixed: tuple[str, ...]
    until: int | None = None
    late: int = 0
    is_drawn: bool = False

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of `takt.analyse` for a system.

    Args:
        name, policy: of the system.
        resolution_ns: nanoseconds of a tick.
        verdict: of all hard tasks together, of all tasks if none is hard.
        reason: one line.
        utilization: of all tasks with a period that are there between two changes, at most; numerator and denominator.
        tasks, servers: in file order.
        remote: the longest time of a message to or from a remote scheduler, in ticks; 0: it stands where the jobs run.
        scaling: the largest number of thousandths by which all wcets together can be multiplied, rounded up to ticks,
            so that all hard tasks meet their deadlines, and all others that do so now; None if nothing is known.
        scaling_finer: the same with ticks a thousandth as long; None: it is not known, or no wcet is that short.
        unsearched: the number of tasks whose growth was not searched, as the effort was used up.
        advice: changes that make it schedulable, if it is not.
        remedies: chains of changes that do so, if they were searched.
        charts: demand against supply.
        demands: intervals in which a dispatcher under deadlines may have too much to do, one of each.
        warnings: what is probably not meant, one sentence each.
        as_written: what a run of the file shows, if it is not schedulable or not guaranteed, and the file fixes
            arrivals or demands or no job is late in the run; else None.
    """

    name: str
    policy: str
    resolution_ns: int
    verdict: Verdict
    reason: str
    utilization: tuple[int, int]
    tasks: tuple[TaskBound, ...]
    servers: tuple[ServerBound, ...] = ()
    remote: int = 0
    scaling: int | None = None
    scaling_finer: int | None = None
    unsearched: int = 0
    advice: tuple[Advice, ...] = ()
    charts: tuple[Chart, ...] = field(default=(), repr=False)
    as_written: AsWritten | None = None
    demands: tuple[Demand, ...] = ()
    warnings: tuple[str, ...] = ()
    remedies: Remedies | None = None

    def __repr__(self) -> str:
        """Return the verdict, how many deadlines are proved, and the reason."""
        proved = sum(row.verdict is Verdict.SCHEDULABLE for row in self.tasks)
        facts = f"{self.verdict.value}, {proved:,} of {len(self.tasks):,} deadlines proved"
        return one_line.sentence(self, f"of {show(self.name)}, policy {self.policy}: {facts}; {self.reason}")

    def _repr_html_(self) -> str | None:
        """Return the analysis as a notebook shows it."""
        return views.html_of(self)

    @property
    def is_schedulable(self) -> bool:
        """True if all hard tasks are proved to meet their deadlines."""
        return self.verdict is Verdict.SCHEDULABLE


def deciding(rows: Sequence[TaskBound]) -> list[TaskBound]:
    """Return the tasks that decide a verdict, in their order: the hard ones, or all if none is hard."""
    return [row for row in rows if row.class_ == "hard"] or list(rows)


_WORST_FIRST = (Verdict.NOT_SCHEDULABLE, Verdict.NOT_GUARANTEED, Verdict.NOT_KNOWN, Verdict.SCHEDULABLE)


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict of several together: not schedulable if one is, schedulable if all are."""
    return next((verdict for verdict in _WORST_FIRST if verdict in verdicts), Verdict.SCHEDULABLE)
