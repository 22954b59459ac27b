"""The model: a task set as its author wrote it, checked, immutable.

Source: SPEC.md, 7.1 (the task-set file) and 7.4 (Python). Times stay as they were given, ticks or a text with a
unit; conversion.py says what they mean in ticks. Each class checks its own keys when it is made; System also
checks what lies between tables, so that a System that exists can be simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, PrivateAttr, WithJsonSchema

from takt import _core
from takt.base.errors import InputError, show
from takt.model import catalogue, changes, value_checks
from takt.model.allocator import Allocator, with_allocator
from takt.model.architectures import ARCHITECTURES, find_key_conflicts
from takt.model.bodies import Item, Op, check_body, check_runs, items_of
from takt.model.consistency import find_problems
from takt.model.conversion import resolve
from takt.model.core_input import CLASSES, DROP, ON_MISS, ResolvedSystem
from takt.model.distributions import Distribution, check_distribution
from takt.model.input_table import TIME_SCHEMA, Table
from takt.model.policy_options import PolicyOptions, check_options
from takt.model.python_policy import Policy, copied
from takt.model.reservations import with_windows
from takt.model.value_checks import MAX_PRIORITY, MAX_WEIGHT

SCHEMA = 1


_POLICY_NAMES = tuple(policy.name for policy in catalogue.policies())
_KIND_NAMES = tuple(kind.name for kind in catalogue.server_kinds())
_check_policy_name = value_checks.check_choice("policy", _POLICY_NAMES)
_check_demand_time = value_checks.check_time('a positive time such as "2ms"', 1)
_check_demands = value_checks.check_times(_check_demand_time, 'times such as ["2ms", "3ms"]')
_check_instants = value_checks.check_times(value_checks.TIME, 'instants such as [0, "3ms"]')


def check_policy(value: object) -> str | Policy:
    """Accept the name of a policy, or one that is written in Python."""
    return value if isinstance(value, Policy) else _check_policy_name(value)


def _check_demand(value: object) -> int | str | tuple[int | str, ...] | Distribution:
    """Accept a time, a list of times or a distribution."""
    if isinstance(value, (dict, Distribution)):
        return check_distribution(value)
    return _check_demands(value) if isinstance(value, (list, tuple)) else _check_demand_time(value)


def _check_arrivals(value: object) -> tuple[int | str, ...] | Distribution:
    """Accept a list of instants or a distribution of separations."""
    return check_distribution(value) if isinstance(value, (dict, Distribution)) else _check_instants(value)


def _word(*names: str) -> WithJsonSchema:
    """Make the JSON schema of a word out of a list."""
    return WithJsonSchema({"enum": list(names)})


def _integer(least: int, most: int) -> WithJsonSchema:
    """Make the JSON schema of a whole number."""
    return WithJsonSchema({"type": "integer", "minimum": least, "maximum": most})


_NAME = {"type": "string", "minLength": 1, "maxLength": value_checks.MAX_NAME_LENGTH}
_TIMES = {"type": "array", "items": TIME_SCHEMA, "minItems": 1}
_DISTRIBUTION = {
    "type": "object",
    "required": ["distribution"],
    "additionalProperties": False,
    "properties": {
        "distribution": {"enum": ["uniform", "normal", "weibull", "exponential"]},
        "shape": {"type": "number", "exclusiveMinimum": 0},
        **dict.fromkeys(("min", "max", "mean", "deviation", "scale"), TIME_SCHEMA),
    },
}
_ITEM = {"type": "string", "pattern": r"^ *(point|optional +point|(run|suspend) +[0-9].*|(un)?lock +.*) *$"}

Name = Annotated[str, PlainValidator(value_checks.check_name), WithJsonSchema(_NAME)]
OptionalName = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_name)), WithJsonSchema(_NAME)
]
Time = Annotated[int | str, PlainValidator(value_checks.POSITIVE_TIME), WithJsonSchema(TIME_SCHEMA)]
OptionalTime = Annotated[
    int | str | None, PlainValidator(value_checks.optional(value_checks.POSITIVE_TIME)), WithJsonSchema(TIME_SCHEMA)
]
Offset = Annotated[int | str, PlainValidator(value_checks.TIME), WithJsonSchema(TIME_SCHEMA)]
OptionalOffset = Annotated[
    int | str | None, PlainValidator(value_checks.optional(value_checks.TIME)), WithJsonSchema(TIME_SCHEMA)
]
Demand = Annotated[
    int | str | Sequence[int | str] | Distribution | None,
    PlainValidator(value_checks.optional(_check_demand)),
    WithJsonSchema({"anyOf": [*TIME_SCHEMA["anyOf"], _TIMES, _DISTRIBUTION]}),
]
Arrivals = Annotated[
    Sequence[int | str] | Distribution | None,
    PlainValidator(value_checks.optional(_check_arrivals)),
    WithJsonSchema({"anyOf": [_TIMES, _DISTRIBUTION]}),
]
Body = Annotated[
    Sequence[str] | None,
    PlainValidator(value_checks.optional(check_body)),
    WithJsonSchema({"type": "array", "items": _ITEM, "minItems": 1}),
]
Subjobs = Annotated[
    Sequence[int | str] | None, PlainValidator(value_checks.optional(_check_demands)), WithJsonSchema(_TIMES)
]
Sections = Annotated[
    Sequence[int | str] | None,
    PlainValidator(value_checks.optional(check_runs)),
    WithJsonSchema({"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 1}),
]
Names = Annotated[
    Sequence[str],
    PlainValidator(value_checks.check_names),
    WithJsonSchema({"type": "array", "items": _NAME, "minItems": 1, "uniqueItems": True}),
]
Resolution = Annotated[str, PlainValidator(value_checks.check_resolution), WithJsonSchema(TIME_SCHEMA["anyOf"][1])]
Priority = Annotated[
    int, PlainValidator(value_checks.check_integer("a priority", 0, MAX_PRIORITY)), _integer(0, MAX_PRIORITY)
]
Weight = Annotated[int, PlainValidator(value_checks.check_integer("a weight", 1, MAX_WEIGHT)), _integer(1, MAX_WEIGHT)]
OptionalWeight = Annotated[
    int | None,
    PlainValidator(value_checks.optional(value_checks.check_integer("a weight", 1, MAX_WEIGHT))),
    _integer(1, MAX_WEIGHT),
]
OptionalPriority = Annotated[
    int | None,
    PlainValidator(value_checks.optional(value_checks.check_integer("a priority", 0, MAX_PRIORITY))),
    _integer(0, MAX_PRIORITY),
]
Threshold = Annotated[
    int | str | None,
    PlainValidator(value_checks.optional(value_checks.check_threshold)),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_PRIORITY}, _NAME]}),
]
Seed = Annotated[
    int, PlainValidator(value_checks.check_integer("a whole number", 0, 2**64 - 1)), _integer(0, 2**64 - 1)
]
Cpus = Annotated[
    int,
    PlainValidator(value_checks.check_integer("a number of processors", 1, _core.CPU_LIMIT)),
    _integer(1, _core.CPU_LIMIT),
]
Events = Annotated[
    int,
    PlainValidator(value_checks.check_integer("a number of events", 1, _core.RBE_EVENTS)),
    _integer(1, _core.RBE_EVENTS),
]
PolicyName = Annotated[str | Policy, PlainValidator(check_policy), _word(*_POLICY_NAMES)]
OptionalPolicyName = Annotated[
    str | Policy | None, PlainValidator(value_checks.optional(check_policy)), _word(*_POLICY_NAMES)
]
KindName = Annotated[str, PlainValidator(value_checks.check_choice("kind", _KIND_NAMES)), _word(*_KIND_NAMES)]
ProtocolName = Annotated[
    str, PlainValidator(value_checks.check_choice("protocol", catalogue.PROTOCOLS)), _word(*catalogue.PROTOCOLS)
]
ClassName = Annotated[str, PlainValidator(value_checks.check_choice("class", CLASSES)), _word(*CLASSES)]
OptionalClassName = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("class", CLASSES))), _word(*CLASSES)
]
_INITIALLY = ("present", "absent")
Initially = Annotated[str, PlainValidator(value_checks.check_choice("word", _INITIALLY)), _word(*_INITIALLY)]
_PREEMPTION = ("preemptive", "non-preemptive")
Preemption = Annotated[
    str | None,
    PlainValidator(value_checks.optional(value_checks.check_choice("preemption", _PREEMPTION))),
    _word(*_PREEMPTION),
]
_ON_MISS = tuple(word for word in ON_MISS if word != DROP)
OnMiss = Annotated[str, PlainValidator(value_checks.check_choice("on_miss", _ON_MISS)), _word(*_ON_MISS)]
_ON_OVERRUN = ("continue", "abort", "suspend", "adapt")
OnOverrun = Annotated[str, PlainValidator(value_checks.check_choice("on_overrun", _ON_OVERRUN)), _word(*_ON_OVERRUN)]
_MODELS = ("ideal", "measured", *ARCHITECTURES)
CostModel = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("model", _MODELS))), _word(*_MODELS)
]
_TIMERS = ("rearm", "fixed")
TimerModel = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("timer", _TIMERS))), _word(*_TIMERS)
]
PointModel = Annotated[
    str, PlainValidator(value_checks.check_choice("points", ("push", "pull"))), _word("push", "pull")
]


class Task(Table):
    """A task: when its jobs come, and what each of them does.

    Args:
        name: unique among tasks.
        period: distance of two arrivals of a periodic task, >= 1 tick.
        min_separation: least distance of two arrivals of a sporadic task. Without `arrivals`, separations are
            uniform from it to twice as much.
        arrivals: instants, counted from the offset and not descending, or a distribution of separations.
        jitter: a job of a periodic task is released up to this after its arrival.
        wcet: worst-case execution time of a job, >= 1 tick; may exceed the period (overload is legal). Default:
            the runs of the body. Under rate-based, a task of class none without one uses what it is given.
        deadline: relative to the arrival, >= 1 tick; default: the period, or the least separation.
        offset: first arrival.
        priority: 0 and up; larger is more urgent. Used where the dispatcher's policy is fp.
        weight: how large its part is of what a policy shares out, 1 to 65535: under rate-based that of tasks of class
            none, under share of all.
        demand: what each job really executes, >= 1 tick: a time, a list that is repeated, or a distribution;
            default: the runs of the body, or the wcet.
        body: what a job does: "run 2ms", "point", "optional point", "suspend 1ms", "lock R", "unlock R".
        subjobs: lengths of runs with a preemption point between any two; short for a body.
        sections: lengths of runs and what is held in each, such as ["1ms", "2ms R", "1ms"]; short for a body.
        preemption: "preemptive", or "non-preemptive": a started job is not displaced in its dispatcher until its
            next point; default: non-preemptive if the body has a point.
        threshold: how urgent a started job is at least: a priority, or the name of a task in the same dispatcher.
        on_miss: "continue", "abort" (a job ends at its deadline) or "skip" (a release that finds the job before it
            unfinished is dropped).
        on_overrun: "continue"; or with the wcet as a budget "abort" (a job ends when it has had it) or "suspend" (it is
            the budget of a period, and what is unfinished waits for the next one); or under rate-based, for a soft
            task, "adapt": its wcet is an estimate that follows what its jobs execute.
        promotion: from the release, where the policy is dual-priority and the class hard; default: the deadline -
            worst-case response time among hard tasks.
        mandatory: how much of the wcet must be done, where the policy is imprecise; default: all.
        server: name of the server that it runs in; default: the root.
        class_: "hard", "soft" or "none" (key `class`): who goes first among equals of a computed key.
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
    examples: ClassVar[Mapping[str, str]] = {"name": '"sensor"'}

    name: Name
    period: OptionalTime = None
    min_separation: OptionalTime = None
    arrivals: Arrivals = None
    jitter: Offset = 0
    wcet: OptionalTime = None
    deadline: OptionalTime = None
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
    class_: ClassName = Field(default="hard", alias="class")
    initially: Initially = "present"
    events: Events = 1
    interval: OptionalTime = None

    @property
    def source_of_items(self) -> str:
        """The key that says what a job does."""
        return next((key for key in ("subjobs", "sections") if getattr(self, key) is not None), "body")

    @property
    def items(self) -> tuple[Item, ...]:
        """What a job does; empty if it just runs."""
        return items_of(self.body, self.subjobs, self.sections)

    @property
    def is_non_preemptive(self) -> bool:
        """Whether a started job is not displaced in its dispatcher until its next point."""
        if self.preemption is None:
            return self.subjobs is not None or any(item.op == Op.POINT for item in self.items)
        return self.preemption == "non-preemptive"

    @property
    def shortest_separation(self) -> int | str | None:
        """The period, or the least separation, None if there is neither."""
        return self.min_separation if self.period is None else self.period

    @property
    def shortest_interval(self) -> int | str | None:
        """The interval in which `events` are expected, None if nothing says it."""
        return self.shortest_separation if self.interval is None else self.interval

    @property
    def lacks_deadline(self) -> bool:
        """Whether its jobs have no deadline, unless its server gives them one."""
        return self.arrivals is not None and self.shortest_interval is None and self.deadline is None

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Find keys that do not go together."""
        yield from self._source_conflicts()
        is_greedy = self.class_ == "none" and self.demand is None
        if self.wcet is None and not self.items and not is_greedy:
            yield "missing", "wcet", 'missing; every task needs one, for instance wcet = "2ms"'
        given = [key for key in ("body", "subjobs", "sections") if getattr(self, key) is not None]
        for key in given[1:]:
            yield "conflict", key, f"expected either {given[0]} or {key}, found both"
        if self.threshold is not None and self.is_non_preemptive:
            message = f'expected none with preemption = "non-preemptive", found {show(self.threshold)}'
            yield "conflict", "threshold", message

    def _source_conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Find what does not fit in how jobs come."""
        if self.period is None and self.min_separation is None and self.arrivals is None:
            message = 'missing; every task needs one, for instance period = "10ms", or min_separation, or arrivals'
            yield "missing", "period", message
        for key in ("min_separation", "arrivals"):
            if self.period is not None and getattr(self, key) is not None:
                yield "conflict", key, f"expected none with a period, found {show(getattr(self, key))}"
        if self.period is None and self.jitter != 0:
            yield "conflict", "jitter", f"expected a period with jitter, found {show(self.jitter)} without one"
        if self.lacks_deadline and self.server is None:
            yield "missing", "deadline", value_checks.MISSING_DEADLINE


class Server(Table):
    """A server: a share of the processor with its own dispatcher.

    Args:
        name: unique among servers.
        period: distance of two replenishments, >= 1 tick; of a sporadic server from its use to its return.
        budget: how long it may run in a period, 1 tick to the period.
        kind: what becomes of the budget: "deferrable", "idling", "polling", "sporadic", "cbs" or "hard-cbs"; or
            "tbs" or "cus", which have none: budget / period is the share by which tasks get their deadlines.
        priority: 0 and up; larger is more urgent. Used where the parent's policy is fp.
        policy: what orders its tasks and servers.
        offset: first replenishment; before it there is no budget.
        parent: name of the server that it runs in; default: the root.

    Raises:
        InputError: a value is not right.
    """

    table = "server"
    examples: ClassVar[Mapping[str, str]] = {"name": '"S1"', "period": '"20ms"', "budget": '"10ms"'}

    name: Name
    period: Time
    budget: Time
    kind: KindName = "deferrable"
    priority: Priority = 0
    policy: PolicyName = "fp"
    offset: Offset = 0
    parent: OptionalName = None


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
    protocol: ProtocolName = "pip"


class Change(Table):
    """A change of a running system: who comes and goes, new parameters of a task, another policy of the root.

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
        weight: as of a task of class none under rate-based.

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
        keys = ("period", "wcet", "deadline", "priority", "demand", "class_", "weight")
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}

    @property
    def parameters_text(self) -> str:
        """The new parameters, on one line."""
        return changes.parameters_text(self)

    @property
    def text(self) -> str:
        """What changes, on one line."""
        return changes.text_of(self)

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Find keys that do not go together."""
        yield from changes.find_key_conflicts(self)


class Platform(Table):
    """What the kernel's own work takes; SPEC.md, 5 says when each cost is paid. All zero: ideal hardware.

    Args:
        model: "ideal" or "measured"; default: measured if there is any cost. Or where the scheduler runs: "software",
            "coprocessor" or "hardware".
        context_switch: to the job of another task than the one that ran last. Where the model says where the
            scheduler runs: of a whole sequence of four steps.
        release: of one job.
        scheduling: one choice of the scheduler.
        point: one look at a preemption point of a non-preemptive job.
        tick: the periodic timer interrupt.
        tick_period: distance of two ticks; needed with tick.
        points: "push": releases are handled when they happen; "pull": while a non-preemptive job at the root
            runs they wait for its next point.
        interval: of two ticks of a scheduler in software, >= 1 tick of the resolution.
        timer: "rearm" (the default): that interval counts from the end of an entry; "fixed": ticks come at its
            multiples.
        latency: from an event to the decision of a co-processor; default: 20us.

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

    def costs(self) -> dict[str, int | str]:
        """List the costs by their keys."""
        keys = ("context_switch", "release", "scheduling", "point", "tick")
        return {key: getattr(self, key) for key in keys}

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Find keys that do not go together."""
        for key, cost in self.costs().items():
            if self.model == "ideal" and cost != 0:
                yield "conflict", key, f'expected none with model = "ideal", found {show(cost)}'
        if self.tick != 0 and self.tick_period is None:
            yield "missing", "tick_period", 'missing; a tick needs one, for instance tick_period = "1ms"'
        if self.tick != 0 and self.points == "pull":
            yield "conflict", "points", 'expected "push" with a tick, found "pull"; leave one of them out'
        yield from find_key_conflicts(self)


def _check_members(kind: type[Table]) -> Callable[[object], tuple[Any, ...]]:
    """Make the check of the tasks or the servers of a system."""

    def check(value: object) -> tuple[Any, ...]:
        members = tuple(value) if isinstance(value, (list, tuple)) else (value,)
        for member in members:
            if not isinstance(member, kind):
                raise value_checks.refuse("wrong-type", f"expected takt.{kind.__name__} objects, found {show(member)}")
        return members

    return check


def _check_platform(value: object) -> Platform:
    """Accept a platform."""
    if not isinstance(value, Platform):
        raise value_checks.refuse("wrong-type", f"expected a takt.Platform, found {show(value)}")
    return value


def _check_allocator(value: object) -> Allocator | None:
    """Accept an allocator, or none."""
    if value is not None and not isinstance(value, Allocator):
        raise value_checks.refuse("wrong-type", f"expected a takt.Allocator, found {show(value)}")
    return value


class Header(Table):
    """The table [system] of a task-set file; System says what its keys mean."""

    table = "system"

    name: Name = "system"
    resolution: Resolution = "1ms"
    policy: PolicyName = "fp"
    horizon: OptionalTime = None
    seed: Seed = 0
    cpus: Cpus = 1


class System(Header):
    """A task set: what there is to schedule and how the root orders it.

    Args:
        tasks: takt.Task objects, at least one; their order is the file order that breaks ties.
        servers: takt.Server objects.
        resources: takt.Resource objects.
        options: options of policies, such as takt.RateBased; at most one for each policy, others have their defaults.
        name: for people.
        resolution: length of a tick; every time with a unit must be a multiple of it.
        policy: what orders the tasks and servers that sit directly at the root.
        horizon: how long a simulation runs; default: see takt.simulate.
        seed: all random numbers follow from it: the same seed gives the same jobs under every policy.
        cpus: how many processors there are; with several, tasks are plain: see SPEC.md, 11.
        platform: what the kernel's own work takes; default: nothing.
        allocator: a takt.Allocator: who hands over windows, how many at a time, at what cost; default: one, at none.
        changes: takt.Change objects: what becomes different while it runs, in any order.

    Raises:
        InputError: a value is not right, or tables do not fit together.

    Example:
        >>> tasks = [Task(name="A", period=5, wcet=2), Task(name="B", period=7, wcet=4)]
        >>> System(tasks=tasks).replace(policy="edf").policy
        'edf'
    """

    tasks: Annotated[Sequence[Task], PlainValidator(_check_members(Task))] = ()
    servers: Annotated[Sequence[Server], PlainValidator(_check_members(Server))] = ()
    resources: Annotated[Sequence[Resource], PlainValidator(_check_members(Resource))] = ()
    platform: Annotated[Platform, PlainValidator(_check_platform)] = Platform()
    options: Annotated[Sequence[PolicyOptions], PlainValidator(check_options)] = ()
    allocator: Annotated[Allocator | None, PlainValidator(_check_allocator)] = None
    changes: Annotated[Sequence[Change], PlainValidator(_check_members(Change))] = ()

    _resolved: ResolvedSystem = PrivateAttr()

    if not TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None:
            """Check the keys, then what lies between the tables."""
            super().__init__(**values)
            self._copy_policies()
            problems = find_problems(self)
            if problems:
                raise InputError(problems)
            self._resolved = with_allocator(with_windows(resolve(self), self), self)

    def _copy_policies(self) -> None:
        """Keep policies in Python as they are now: who made one may go on with it, and runs copy what is kept."""
        memo: dict[int, Any] = {}

        def own(policy: str | Policy) -> str | Policy:
            return copied(policy, memo) if isinstance(policy, Policy) else policy

        self.__dict__["policy"] = own(self.policy)
        self.__dict__["servers"] = tuple(
            server.model_copy(update={"policy": own(server.policy)}) for server in self.servers
        )

    @property
    def resolved(self) -> ResolvedSystem:
        """The system in ticks and levels."""
        return self._resolved

    @property
    def resolution_ns(self) -> int:
        """Nanoseconds of a tick."""
        return self._resolved.resolution_ns
