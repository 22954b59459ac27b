# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tables of a system: what an author wrote, key by key.

Source: SPEC.md, 7.1 (the task-set file) and 7.4 (Python). Times stay as they were given, ticks or a text with a
unit; conversion.py says what they mean in ticks. Each class checks its own keys when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, PrivateAttr

from takt import _core
from takt.base.errors import show
from takt.model import catalogue, value_checks
from takt.model.bodies import Item, Op, items_of
from takt.model.catalogue import ArchitectureTraits
from takt.model.core_input import SPARE_TIME, TOP
from takt.model.distributions import Distribution
from takt.model.edges import NO_LINKS, Edge, Links, edges_of
from takt.model.input_table import Table
from takt.model.key import integer, word
from takt.model.key_types import (
    DEFAULT_KIND,
    DEFAULT_POLICY,
    DEFAULT_PROTOCOL,
    After,
    Arrivals,
    Body,
    ClassName,
    CostModel,
    DeadlineFrom,
    Demand,
    Events,
    Initially,
    Join,
    KindName,
    Name,
    Names,
    Offset,
    OnMiss,
    OnOverrun,
    OptionalClassName,
    OptionalName,
    OptionalNumber,
    OptionalOffset,
    OptionalPolicyName,
    OptionalPriority,
    OptionalTime,
    OptionalWeight,
    PointModel,
    PolicyName,
    Preemption,
    Priority,
    Processors,
    ProtocolName,
    Sections,
    Subjobs,
    Threshold,
    Time,
    TimerModel,
    Weight,
)
from takt.model.python_policy import name_of

_OWNERS: Mapping[str, Callable[[ArchitectureTraits], bool]] = {
    "interval": lambda traits: traits.is_entered,
    "timer": lambda traits: traits.is_entered,
    "latency": lambda traits: traits.has_latency,
}
"""Keys of [platform] that only some architectures have, and which."""
_PLACES = (SPARE_TIME, TOP)


class Task(Table):
    """A task: when its jobs come, and what each of them does.

    Args:
        name: unique among tasks.
        period: distance of two arrivals of a periodic task, >= 1 tick.
        min_separation: least distance of two arrivals of a sporadic task. Without `arrivals`, separations are
            uniform from it to twice as much.
        arrivals: instants, counted from the offset and not descending, or a distribution of separations.
        after: the tasks that release it: a name, a takt.Edge, or a list of these. A job comes when one of theirs
            completes, or where their bodies have "release" and its name.
        join: "all": a job comes for an event of each of them, or "any": for each event.
        jitter: a job of a task with a period, or with `after`, is released up to this after its arrival.
        wcet: worst-case execution time of a job, >= 1 tick; may exceed the period (overload is legal). Default:
            the runs of the body. Under rate-based, a best-effort task without one consumes whole budgets.
        deadline: relative to the arrival, >= 1 tick; default: the period, or the least separation.
        deadline_from: what the deadline counts from: the "arrival", or the "origin", the first arrival on the way to
            a job of a task with `after`.
        offset: first arrival; with `after`, least time from the origin to the arrival.
        priority: 0 and up; larger is more urgent. Used where the dispatcher's policy is fp.
        weight: how large its part is of what a policy shares out, 1 to 65535: under rate-based that of tasks of class
            none, under share of all.
        demand: what each job really executes, >= 1 tick: a time, a list that is repeated, or a distribution;
            default: the runs of the body, or the wcet.
        body: what a job does: "run 2ms", "point", "optional point", "suspend 1ms", "lock R",
            "unlock R", "release T".
        subjobs: lengths of runs with a preemption point between any two; short for a body.
        sections: lengths of runs and what is held in each, such as ["1ms", "2ms R", "1ms"]; short for a body.
        preemption: "preemptive", or "non-preemptive": a started job is not displaced in its dispatcher until its
            next point; default: non-preemptive if the body has a point.
        threshold: how urgent a started job is at least: a priority, or the name of a task in the same dispatcher.
        on_miss: "continue", "abort" (a job ends at its deadline) or "skip" (a release that finds the job before it
            unfinished is dropped).
        on_overrun: "continue"; or with the wcet as a budget "abort" (a job ends when it is used) or "suspend" (it is
            the budget of a period, and what is unfinished waits for the next one); or under rate-based, for a soft
            task, "adapt": its wcet is an estimate that follows what its jobs execute.
        promotion: from the release, where the policy is dual-priority and the class hard; default: the deadline -
            worst-case response time among hard tasks.
        mandatory: how much of the wcet must be done, where the policy is imprecise; default: all.
        server: name of the server that it runs in; default: the root.
        cpu: number of its processor, from 0, where each processor has a scheduler of its own; default: its server's.
        cluster: place of its table [[cluster]] in the file, from 0; default: its server's.
        class_: "hard", "soft" or "none" (key `class`): which task goes first among equal computed keys.
        initially: "present", or "absent": none of its jobs comes before a change adds it.
        events: how many jobs are expected in each interval, used where the dispatcher's policy is rbe.
        interval: used likewise; default: the period, or the least separation.

    Raises:
        InputError: a value is not right; it names the key, what was expected and what was found.

    Example:
        >>> Task(name="sensor", period="10ms", wcet="2ms").replace(priority=5).priority
        5
        >>> Task(name="log", arrivals=[0, 3, 9], deadline=20, subjobs=[2, 3]).is_non_preemptive
        True
    """

    table = "task"
    later_keys = ("affinity",)
    other_words: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("chain", "precedence", "predecessor", "release", "trigger"), "after"
    )
    examples: ClassVar[Mapping[str, str]] = {"name": '"sensor"'}

    name: Name
    period: OptionalTime = None
    min_separation: OptionalTime = None
    arrivals: Arrivals = None
    after: After = None
    join: Join = "all"
    jitter: Offset = 0
    wcet: OptionalTime = None
    deadline: OptionalTime = None
    deadline_from: DeadlineFrom = "arrival"
    offset: Offset = 0
    priority: Priority = 0
    weight: Weight = 1
    demand: Demand = None
    body: Body = None
    subjobs: Subjobs = None
    sections: Sections = None
    preemption: Preemption = None
    threshold: Threshold = None
    on_miss: OnMiss = "continue"
    on_overrun: OnOverrun = "continue"
    promotion: OptionalOffset = None
    mandatory: OptionalOffset = None
    server: OptionalName = None
    cpu: OptionalNumber = None
    cluster: OptionalNumber = None
    class_: ClassName = Field(default="hard", alias="class")
    initially: Initially = "present"
    events: Events = 1
    interval: OptionalTime = None

    _links: Links = PrivateAttr(default=NO_LINKS)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges that release it."""
        return edges_of(self.after)

    @property
    def links(self) -> Links:
        """What follows from the edges of its system."""
        return self._links

    def linked(self, links: Links) -> Task:
        """Return a copy with what follows from the edges of its system."""
        copy = self.model_copy()
        copy._links = links
        return copy

    @property
    def is_released(self) -> bool:
        """True if other tasks release it."""
        return self.after is not None or self._links.is_released

    @property
    def source_of_items(self) -> str:
        """The key that says what a job does."""
        return next((key for key in ("subjobs", "sections") if getattr(self, key) is not None), "body")

    @property
    def items(self) -> tuple[Item, ...]:
        """Items of a job; empty if it only executes."""
        return items_of(self.body, self.subjobs, self.sections)

    @property
    def is_non_preemptive(self) -> bool:
        """True if a started job is not displaced in its dispatcher until its next point."""
        if self.preemption is None:
            return self.subjobs is not None or any(item.op == Op.POINT for item in self.items)
        return self.preemption == "non-preemptive"

    @property
    def shortest_separation(self) -> int | str | None:
        """The period, or the least separation, None if there is neither."""
        if self.is_released:
            return self._links.period
        return self.min_separation if self.period is None else self.period

    @property
    def shortest_interval(self) -> int | str | None:
        """The interval in which `events` are expected, None if nothing says it."""
        return self.shortest_separation if self.interval is None else self.interval

    @property
    def lacks_deadline(self) -> bool:
        """True if its jobs have no deadline, unless its server assigns one."""
        if self.is_released:
            return self.deadline is None and not (self._links.period is not None and self._links.is_whole)
        return self.arrivals is not None and self.shortest_interval is None and self.deadline is None

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        if self.period is None and self.min_separation is None and self.arrivals is None and self.after is None:
            message = (
                'missing; every task needs one, for instance period = "10ms", or min_separation, arrivals or after'
            )
            yield "missing", "period", message
        yield from self._link_conflicts()
        for key in ("min_separation", "arrivals"):
            if self.period is not None and getattr(self, key) is not None:
                yield "conflict", key, f"expected none with a period, found {show(getattr(self, key))}"
        if self.period is None and self.after is None and self.jitter != 0:
            yield "conflict", "jitter", f"expected a period with jitter, found {show(self.jitter)} without one"
        if self.after is None and self.lacks_deadline and self.server is None:
            yield "missing", "deadline", value_checks.MISSING_DEADLINE
        is_greedy = self.class_ == "none" and self.demand is None
        if self.wcet is None and not self.items and not is_greedy:
            yield "missing", "wcet", 'missing; every task needs one, for instance wcet = "2ms"'
        given = [key for key in ("body", "subjobs", "sections") if getattr(self, key) is not None]
        for key in given[1:]:
            yield "conflict", key, f"expected either {given[0]} or {key}, found both"
        if self.threshold is not None and self.is_non_preemptive:
            message = f'expected none with preemption = "non-preemptive", found {show(self.threshold)}'
            yield "conflict", "threshold", message

    def _link_conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Yield the problems between `after` and other keys."""
        if self.after is None:
            for key in ("join", "deadline_from"):
                if getattr(self, key) != type(self).model_fields[key].default:
                    yield "conflict", key, f"expected none without after, found {show(getattr(self, key))}"
            return
        for key in ("period", "min_separation", "arrivals"):
            if getattr(self, key) is not None:
                yield "conflict", key, f"expected none with after, found {show(getattr(self, key))}"
        if self.join == "all" and len(self.edges) > 1 and any(edge.limit == 0 for edge in self.edges):
            message = 'expected limit = 1 or more where join = "all" of several tasks, found limit = 0'
            yield "conflict", "after", message


class Server(Table):
    """A server: a share of the processor with its own dispatcher.

    Args:
        name: unique among servers.
        period: distance of two replenishments, >= 1 tick; of a sporadic server from its use to its return.
        budget: how long it may run in a period, 1 tick to the period.
        kind: what becomes of the budget: "deferrable", "idling", "polling", "sporadic", "sporadic-strict", "cbs" or
            "hard-cbs"; or "tbs" or "cus", which have none: budget / period is the share by which tasks get their
            deadlines.
        priority: 0 and up; larger is more urgent. Used where the parent's policy is fp.
        policy: what orders its tasks and servers.
        offset: first replenishment; before it there is no budget.
        parent: name of the server that it runs in; default: the root.
        cpu, cluster: as of a task; default: its parent's.

    Raises:
        InputError: a value is not right.
    """

    table = "server"
    examples: ClassVar[Mapping[str, str]] = {"name": '"S1"', "period": '"20ms"', "budget": '"10ms"'}

    name: Name
    period: Time
    budget: Time
    kind: KindName = DEFAULT_KIND
    priority: Priority = 0
    policy: PolicyName = DEFAULT_POLICY
    offset: Offset = 0
    parent: OptionalName = None
    cpu: OptionalNumber = None
    cluster: OptionalNumber = None


class Resource(Table):
    """A resource: one job at a time holds it, from "lock" to "unlock" in its body.

    Args:
        name: unique among resources.
        protocol: what bounds how long others wait: "none", "npcs", "pip", "pcp", "icpp" or "srp";
            where servers share it, "global-srp", "hsrp", "hsrp-payback" or "sirap".

    Raises:
        InputError: a value is not right.
    """

    table = "resource"
    examples: ClassVar[Mapping[str, str]] = {"name": '"R"'}

    name: Name
    protocol: ProtocolName = DEFAULT_PROTOCOL


class Cluster(Table):
    """A cluster: processors with one scheduler, whose tasks run on all of them and on no other.

    Args:
        cpus: numbers of its processors, from 0; no two clusters have one.
        policy: what orders its tasks and servers; default: the policy of the system.

    Raises:
        InputError: a value is not right.
    """

    table = "cluster"
    examples: ClassVar[Mapping[str, str]] = {"cpus": "[0, 1]"}

    cpus: Processors
    policy: OptionalPolicyName = None


class Change(Table):
    """A change of a running system: added and removed tasks, new parameters of a task, another policy of the root.

    At one instant tasks are removed, then added, then parameters change, then the policy does.

    Args:
        at: when, >= 0.
        add: names of tasks that are absent until then. They enter: their offsets and listed arrivals count from then.
        remove: names of tasks that are present until then. No job of theirs is released from then on; those that were
            finish.
        policy: what orders the tasks and servers that sit directly at the root from then on.
        task: name of a task whose parameters change with its first job that is released from then on; those below.
        period: of a periodic task: distance of that job and the next one, and so on.
        wcet, deadline, priority, demand: as of a task.
        class_: as of a task (key `class`).
        weight: as of a best-effort task under rate-based.

    Under rate-based a task asks for its new parameters: Result.changes says what was answered, and from when on they
    are in force.

    Raises:
        InputError: a value is not right.

    Example:
        >>> Change(at="40ms", remove=["A"], add=["X", "Y"], policy="edf").text
        'removed A; added X, Y; policy edf'
        >>> Change(at=7, task="B", period="20ms", priority=3).text
        'B: period = 20ms, priority = 3'
    """

    table = "change"
    examples: ClassVar[Mapping[str, str]] = {"at": '"40ms"'}

    at: Offset
    add: Names = ()
    remove: Names = ()
    policy: OptionalPolicyName = None
    task: OptionalName = None
    period: OptionalTime = None
    wcet: OptionalTime = None
    deadline: OptionalTime = None
    priority: OptionalPriority = None
    demand: Demand = None
    class_: OptionalClassName = Field(default=None, alias="class")
    weight: OptionalWeight = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The new parameters by their names in takt.Task."""
        return {key: getattr(self, key) for key in PARAMETERS if getattr(self, key) is not None}

    @property
    def parameters_text(self) -> str:
        """The new parameters, on one line."""
        return ", ".join(f"{PARAMETERS[key]} = {_written(value)}" for key, value in self.parameters.items())

    @property
    def text(self) -> str:
        """Text of the change, on one line."""
        return self.text_with("")

    def text_with(self, answer: str) -> str:
        """Return the text of the change, on one line, with the answer to the task that has new parameters."""
        note = f" ({answer})" if answer else ""
        parts = [
            f"removed {', '.join(self.remove)}" if self.remove else "",
            f"added {', '.join(self.add)}" if self.add else "",
            f"{self.task}: {self.parameters_text}{note}" if self.task is not None else "",
            f"policy {name_of(self.policy)}" if self.policy is not None else "",
        ]
        return "; ".join(filter(None, parts))

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        if not (self.add or self.remove or self.policy is not None or self.task is not None or self.parameters):
            yield "missing", "at", "expected add, remove, policy, or task with new parameters besides it, found none"
        for name in self.add:
            if name in self.remove:
                yield "conflict", "add", f"expected other tasks than in remove, found {show(name)} in both"
        if self.task is None:
            for key in self.parameters:
                message = f"expected task = NAME with new parameters, found {PARAMETERS[key]} alone"
                yield "conflict", PARAMETERS[key], message
        elif not self.parameters:
            yield "missing", "task", 'expected new parameters of it, for instance period = "20ms", found none'


PARAMETERS = {name: field.alias or name for name, field in Change.model_fields.items() if name in Task.model_fields}
"""What a change may give a task, as takt.Task and as files write it."""


def _written(value: int | str | tuple[int | str, ...] | Distribution) -> str:
    if isinstance(value, Distribution):
        return value.kind
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value)


class Platform(Table):
    """What the kernel's own work takes; SPEC.md, 5 says when each cost is paid. All zero: ideal hardware.

    Args:
        model: "ideal" or "measured"; default: measured if there is any cost. Or where the scheduler runs: "software",
            "coprocessor" or "hardware".
        context_switch: to the job of another task than the one that ran last. Where the model says where the
            scheduler runs: of a whole sequence of four steps.
        release: of one job.
        scheduling: one choice of the scheduler.
        point: one check at a preemption point of a non-preemptive job.
        tick: the periodic timer interrupt.
        tick_period: distance of two ticks; needed with tick.
        points: "push": releases are handled when they happen; "pull": while a non-preemptive job at the root
            runs they wait for its next point.
        interval: of two ticks of a scheduler in software, >= 1 tick of the resolution.
        timer: "rearm" (the default): that interval counts from the end of an entry; "fixed": ticks come at its
            multiples.
        latency: from an event to the decision of a co-processor; default: 20us.
        wake_up: before a job that is chosen after the processor has idled.

    Raises:
        InputError: a value is not right.
    """

    table = "platform"

    model: CostModel = None
    context_switch: Offset = 0
    release: Offset = 0
    scheduling: Offset = 0
    point: Offset = 0
    tick: Offset = 0
    tick_period: OptionalTime = None
    points: PointModel = "push"
    interval: OptionalTime = None
    timer: TimerModel = None
    latency: OptionalOffset = None
    wake_up: Offset = 0

    @property
    def model_text(self) -> str:
        """The model as its file has it."""
        return "no model" if self.model is None else f"model = {show(self.model)}"

    def costs(self) -> dict[str, int | str]:
        """Return the costs by their keys. A context switch of an architecture is a part of it."""
        keys = ("context_switch", "release", "scheduling", "point", "tick", "wake_up")
        return {key: getattr(self, key) for key in keys[self.model in catalogue.ARCHITECTURES :]}

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        for key, cost in self.costs().items():
            if self.model == "ideal" and cost != 0:
                yield "conflict", key, f'expected none with model = "ideal", found {show(cost)}'
        if self.tick != 0 and self.tick_period is None:
            yield "missing", "tick_period", 'missing; a tick needs one, for instance tick_period = "1ms"'
        if self.tick != 0 and self.points == "pull":
            yield "conflict", "points", 'expected "push" with a tick, found "pull"; leave one of them out'
        traits = catalogue.architecture_traits(self.model)
        for key, has in _OWNERS.items():
            if getattr(self, key) is not None and not has(traits):
                owners = " or ".join(map(show, catalogue.architectures_that(has)))
                yield "conflict", key, f"expected model = {owners} with it, found {self.model_text}"


class Allocator(Table):
    """The allocator of windows: each call hands over the next ones of a task.

    Args:
        bulk: how many windows a call hands over, 1 to 65535.
        cost: how long a call takes; default: no time. With a cost the calls are the jobs of a task named allocator.
        runs: when that task runs: "spare-time" (the default: when no other task has work, and before all others from
            the last safe instant on) or "top" (before all others, with a budget in every period).
        period: with "top": of its budget, from 0 on, >= 1 tick.
        budget: with "top": 1 tick to the period.

    Raises:
        InputError: a value is not right.
    """

    table = "allocator"

    bulk: Annotated[int, integer("a number of windows", 1, _core.CALLS_BULK)] = 1
    cost: Offset = 0
    runs: Annotated[str | None, word("word", _PLACES).or_none] = None
    period: OptionalTime = None
    budget: OptionalTime = None

    @property
    def takes_time(self) -> bool:
        """True if calls are jobs."""
        return self.cost != 0

    def _conflicts(self) -> Iterator[tuple[str, str, str]]:
        if self.runs is not None and not self.takes_time:
            yield "conflict", "runs", f"expected none where calls take no time, found {show(self.runs)}; give a cost"
        for key, value in (("period", self.period), ("budget", self.budget)):
            if self.runs == TOP and value is None:
                yield "missing", key, f'missing; runs = "top" needs one, for instance {key} = "10ms"'
            if self.runs != TOP and value is not None:
                yield "conflict", key, f'expected none without runs = "top", found {show(value)}'
