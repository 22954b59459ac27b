"""The model: a task set as its author wrote it, checked, immutable.

Source: SPEC.md, 6.1 (the task-set file) and 6.4 (Python). Times stay as they were given, ticks or a text with a
unit; resolve.py says what they mean in ticks. Each class checks its own keys when it is made; System also
checks what lies between tables, so that a System that exists can be simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, PrivateAttr, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from takt import catalogue, times
from takt.errors import InputError, Problem, show
from takt.resolve import CLASSES, ResolvedSystem, find_problems, resolve

SCHEMA = 1
MAX_PRIORITY = 2**31 - 1
MAX_NAME_LENGTH = 64

_TIME_RULE = f"{times.UNIT_RULE} in quotes, or a whole number of ticks"

_Checked = TypeVar("_Checked")


def _refuse(code: str, message: str) -> PydanticCustomError:
    """Make the error that a check raises; the message arrives as it is."""
    return PydanticCustomError(code, "{message}", {"message": message})


def _check_name(value: object) -> str:
    """Accept a name: a printable text that is not empty."""
    if not isinstance(value, str):
        raise _refuse("wrong-type", f'expected a name such as "sensor", found {show(value)}')
    if not value.strip() or not value.isprintable():
        raise _refuse("out-of-range", f"expected a name of printable characters, found {show(value)}")
    if len(value) > MAX_NAME_LENGTH:
        raise _refuse("out-of-range", f"expected at most {MAX_NAME_LENGTH} characters, found {len(value)}")
    return value


def _check_time(what: str, least: int, later: tuple[type, ...] = ()) -> Callable[[object], int | str]:
    """Make the check of a time: ticks from `least` on, or a text with a unit.

    Args:
        what: what is expected, with an example.
        least: fewest ticks.
        later: types that the contract allows and this version does not support yet.
    """

    def check(value: object) -> int | str:
        if isinstance(value, later):
            raise _refuse("not-yet", f"{show(value)} is not supported by this version yet; {what} is")
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise _refuse("wrong-type", f"expected {what}, found {show(value)}; {_TIME_RULE}")
        amount = value if isinstance(value, int) else times.parse(value)
        if amount is None:
            raise _refuse("wrong-unit", f"expected {what}, found {show(value)}; {_TIME_RULE}")
        if amount < 0 or (amount == 0 and least > 0):
            raise _refuse("out-of-range", f"expected {what}, found {show(value)}")
        return value

    return check


def _check_resolution(value: object) -> str:
    """Accept the length of a tick: a text with a unit, a positive whole number of nanoseconds."""
    nanoseconds = times.parse(value) if isinstance(value, str) else None
    if nanoseconds is None:
        rule = f"{times.UNIT_RULE} in quotes"
        raise _refuse("wrong-unit", f'expected a positive time such as "1ms", found {show(value)}; {rule}')
    if nanoseconds <= 0 or nanoseconds.denominator != 1:
        raise _refuse("out-of-range", f"expected a positive whole number of nanoseconds, found {show(value)}")
    return str(value)


def _check_integer(what: str, least: int, most: int) -> Callable[[object], int]:
    """Make the check of a whole number in a range."""

    def check(value: object) -> int:
        expected = f"expected {what} from {least} to {most}, found {show(value)}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refuse("wrong-type", expected)
        if not least <= value <= most:
            raise _refuse("out-of-range", expected)
        return value

    return check


def _check_cpus(value: object) -> int:
    """Accept one processor."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 1:
        raise _refuse("not-yet", f"this version schedules one processor, found {show(value)}")
    return _check_integer("a number of processors", 1, 1)(value)


def _check_choice(what: str, names: tuple[str, ...], later: tuple[str, ...] = ()) -> Callable[[object], str]:
    """Make the check of a word out of a list; `later` are words of the contract that are not supported yet."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise _refuse("wrong-type", f"expected one of {', '.join(names)}, found {show(value)}")
        if value in later:
            raise _refuse("not-yet", f"{what} {show(value)} is not supported by this version yet; it has {_and(names)}")
        if value not in names:
            raise _refuse("unknown-word", f"unknown {what} {show(value)}; {catalogue.alternatives(value, names)}")
        return value

    return check


def _and(names: tuple[str, ...]) -> str:
    """Join words for a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _optional(check: Callable[[object], _Checked]) -> Callable[[object], _Checked | None]:
    """Make a check that also accepts None, the default of a key that may be left out."""
    return lambda value: None if value is None else check(value)


_POLICY_NAMES = tuple(policy.name for policy in catalogue.policies())
_KIND_NAMES = tuple(kind.name for kind in catalogue.server_kinds())
_POSITIVE_TIME = _check_time('a positive time such as "10ms"', 1)

check_policy = _check_choice("policy", _POLICY_NAMES, catalogue.LATER_POLICIES)

Name = Annotated[str, PlainValidator(_check_name)]
OptionalName = Annotated[str | None, PlainValidator(_optional(_check_name))]
Time = Annotated[int | str, PlainValidator(_POSITIVE_TIME)]
OptionalTime = Annotated[int | str | None, PlainValidator(_optional(_POSITIVE_TIME))]
Offset = Annotated[int | str, PlainValidator(_check_time('a time of 0 or more such as "5ms"', 0))]
Demand = Annotated[
    int | str | None, PlainValidator(_optional(_check_time('a positive time such as "2ms"', 1, (list, tuple, dict))))
]
Resolution = Annotated[str, PlainValidator(_check_resolution)]
Priority = Annotated[int, PlainValidator(_check_integer("a priority", 0, MAX_PRIORITY))]
Threshold = Annotated[int | None, PlainValidator(_optional(_check_integer("a priority", 0, MAX_PRIORITY)))]
Seed = Annotated[int | None, PlainValidator(_optional(_check_integer("a whole number", 0, 2**64 - 1)))]
Cpus = Annotated[int, PlainValidator(_check_cpus)]
PolicyName = Annotated[str, PlainValidator(check_policy)]
KindName = Annotated[str, PlainValidator(_check_choice("kind", _KIND_NAMES, catalogue.LATER_KINDS))]
ClassName = Annotated[str, PlainValidator(_check_choice("class", CLASSES))]
Preemption = Annotated[str, PlainValidator(_check_choice("preemption", ("preemptive", "non-preemptive")))]


class _Table(BaseModel):
    """A table of a task-set file: immutable, no unknown keys, all problems in one InputError."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    table: ClassVar[str]
    later_keys: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None:
            """Check the keys and keep them."""
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise InputError([self._problem(details, values) for details in error.errors()]) from None

    def replace(self, **changes: Any) -> Self:
        """Make a copy with other values of some keys.

        Args:
            changes: keys with their new values.

        Returns:
            The copy, checked like any new one.

        Raises:
            InputError: the changed values are not right.
        """
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**(values | changes))

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """List the keys that the table may have, as files write them."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def _problem(cls, details: ErrorDetails, values: Mapping[str, Any]) -> Problem:
        """Say in one line what pydantic found."""
        key = str(details["loc"][0])
        name = values.get("name")
        code, message = cls._explain(key, details)
        entity = name if isinstance(name, str) and cls.table != "system" else None
        return Problem(message, code, table=cls.table, entity=entity, key=key)

    @classmethod
    def _explain(cls, key: str, details: ErrorDetails) -> tuple[str, str]:
        """Give code and message for one error of one key."""
        if details["type"] == "missing":
            return "missing", f"missing; every {cls.table} needs one, for instance {key} = {cls.examples[key]}"
        if details["type"] != "extra_forbidden":
            return details["type"], str(details["ctx"]["message"])
        if key in cls.later_keys:
            return "not-yet", "this key is not supported by this version yet"
        return "unknown-key", f"unknown key; {catalogue.alternatives(key, cls.keys())}"


class Task(_Table):
    """A periodic task.

    Args:
        name: unique among tasks.
        period: distance of two releases, >= 1 tick.
        wcet: worst-case execution time of a job, >= 1 tick; may exceed the period (overload is legal).
        deadline: relative to the release, >= 1 tick; default: the period.
        offset: first release.
        priority: 0 and up; larger is more urgent. Used where the dispatcher's policy is fp.
        demand: what each job really executes, >= 1 tick; default: wcet.
        preemption: "preemptive", or "non-preemptive": a started job is not displaced in its dispatcher.
        threshold: priority of a started job, not below its priority.
        server: name of the server that it runs in; default: the root.
        class_: "hard", "soft" or "none" (key `class`): who goes first among equal deadlines under edf.

    Raises:
        InputError: a value is not right; it names the key, what was expected and what was found.

    Example:
        >>> Task(name="sensor", period="10ms", wcet="2ms").replace(priority=5).priority
        5
    """

    table = "task"
    later_keys = (
        "affinity",
        "arrivals",
        "body",
        "events",
        "initially",
        "interval",
        "jitter",
        "min_separation",
        "on_miss",
        "on_overrun",
        "sections",
        "subjobs",
        "weight",
    )
    examples = {"name": '"sensor"', "period": '"10ms"', "wcet": '"2ms"'}

    name: Name
    period: Time
    wcet: Time
    deadline: OptionalTime = None
    offset: Offset = 0
    priority: Priority = 0
    demand: Demand = None
    preemption: Preemption = "preemptive"
    threshold: Threshold = None
    server: OptionalName = None
    class_: ClassName = Field(default="hard", alias="class")

    @property
    def is_non_preemptive(self) -> bool:
        """Whether a started job is not displaced in its dispatcher."""
        return self.preemption == "non-preemptive"


class Server(_Table):
    """A server: a share of the processor with its own dispatcher.

    Args:
        name: unique among servers.
        period: distance of two replenishments, >= 1 tick.
        budget: how long it may run in a period, 1 tick to the period.
        kind: "deferrable".
        priority: 0 and up; larger is more urgent. Used where the parent's policy is fp.
        policy: what orders its tasks and servers.
        offset: first replenishment; before it there is no budget.
        parent: name of the server that it runs in; default: the root.

    Raises:
        InputError: a value is not right.
    """

    table = "server"
    examples = {"name": '"S1"', "period": '"20ms"', "budget": '"10ms"'}

    name: Name
    period: Time
    budget: Time
    kind: KindName = "deferrable"
    priority: Priority = 0
    policy: PolicyName = "fp"
    offset: Offset = 0
    parent: OptionalName = None


def _check_members(kind: type[_Table]) -> Callable[[object], tuple[Any, ...]]:
    """Make the check of the tasks or the servers of a system."""

    def check(value: object) -> tuple[Any, ...]:
        members = tuple(value) if isinstance(value, (list, tuple)) else (value,)
        for member in members:
            if not isinstance(member, kind):
                raise _refuse("wrong-type", f"expected takt.{kind.__name__} objects, found {show(member)}")
        return members

    return check


class Header(_Table):
    """The table [system] of a task-set file; System says what its keys mean."""

    table = "system"

    name: Name = "system"
    resolution: Resolution = "1ms"
    policy: PolicyName = "fp"
    horizon: OptionalTime = None
    seed: Seed = None
    cpus: Cpus = 1


class System(Header):
    """A task set: what there is to schedule and how the root orders it.

    Args:
        tasks: takt.Task objects, at least one; their order is the file order that breaks ties.
        servers: takt.Server objects.
        name: for people.
        resolution: length of a tick; every time with a unit must be a multiple of it.
        policy: what orders the tasks and servers that sit directly at the root.
        horizon: how long a simulation runs; default: see takt.simulate.
        seed: for random demands, which come later; no effect in this version.
        cpus: 1.

    Raises:
        InputError: a value is not right, or tables do not fit together.

    Example:
        >>> tasks = [Task(name="A", period=5, wcet=2), Task(name="B", period=7, wcet=4)]
        >>> System(tasks=tasks).replace(policy="edf").policy
        'edf'
    """

    tasks: Annotated[tuple[Task, ...], PlainValidator(_check_members(Task))] = ()
    servers: Annotated[tuple[Server, ...], PlainValidator(_check_members(Server))] = ()

    _resolved: ResolvedSystem = PrivateAttr()

    if not TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None:
            """Check the keys, then what lies between the tables."""
            super().__init__(**values)
            problems = find_problems(self)
            if problems:
                raise InputError(problems)
            self._resolved = resolve(self)

    @property
    def resolved(self) -> ResolvedSystem:
        """The system in ticks and levels."""
        return self._resolved

    @property
    def resolution_ns(self) -> int:
        """Nanoseconds of a tick."""
        return self._resolved.resolution_ns
