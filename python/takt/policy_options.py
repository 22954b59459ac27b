"""Options of policies: the tables [policy.NAME] of a task-set file, one class for each policy that has some.

Options of a policy that is not used say nothing, so that one file can be compared under several policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import PlainValidator, WithJsonSchema

from takt import catalogue, checks
from takt.errors import InputError, Problem, show
from takt.tables import TIME_SCHEMA, Table

_Time = Annotated[int | str, PlainValidator(checks.POSITIVE_TIME), WithJsonSchema(TIME_SCHEMA)]
_Instant = Annotated[int | str, PlainValidator(checks.TIME), WithJsonSchema(TIME_SCHEMA)]
_TaskName = Annotated[
    str,
    PlainValidator(checks.check_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": checks.MAX_NAME_LENGTH}),
]


class PolicyOptions(Table):
    """Options of one policy."""

    def times(self) -> Iterable[tuple[str, int | str]]:
        """List the times with their keys: each must be a whole number of ticks."""
        return ()


class Slot(Table):
    """A slot of a time-driven table: only its task runs in it.

    Args:
        task: name of a task.
        start: from the begin of the cycle.
        length: >= 1 tick.

    Raises:
        InputError: a value is not right.
    """

    table = "policy.time-driven"
    examples: ClassVar[Mapping[str, str]] = {"task": '"A"', "start": "0", "length": '"4ms"'}

    task: _TaskName
    start: _Instant
    length: _Time


def _check_slots(value: object) -> tuple[Slot, ...]:
    """Accept a list of slots, or of tables that say the same."""
    if not isinstance(value, (list, tuple)) or not value:
        message = f'expected slots such as [{{ task = "A", start = 0, length = "4ms" }}], found {show(value)}'
        raise checks.refuse("wrong-type", message)
    return tuple(_check_slot(slot, number) for number, slot in enumerate(value, start=1))


def _check_slot(value: object, number: int) -> Slot:
    """Accept a slot, or a table that says the same."""
    if isinstance(value, Slot):
        return value
    if not isinstance(value, dict):
        raise checks.refuse("wrong-type", f"slot {number}: expected a table, found {show(value)}")
    try:
        return Slot(**value)
    except InputError as error:
        first = error.problems[0]
        raise checks.refuse(first.code, f"slot {number}: {first.key}: {first.message}") from None


_SLOT_SCHEMA = {
    "type": "object",
    "required": ["task", "start", "length"],
    "additionalProperties": False,
    "properties": {"task": {"type": "string"}, "start": TIME_SCHEMA, "length": TIME_SCHEMA},
}


class TimeDriven(PolicyOptions):
    """The table of a time-driven system, repeated from instant 0 on.

    Args:
        cycle: after this the table is repeated, >= 1 tick.
        slots: takt.Slot objects, or tables with `task`, `start` and `length`; none overlaps another, all end in the
            cycle, and every task has one. Gaps are idle.

    Raises:
        InputError: a value is not right.
    """

    table = "policy.time-driven"
    examples: ClassVar[Mapping[str, str]] = {
        "cycle": '"20ms"',
        "slots": '[{ task = "A", start = 0, length = "4ms" }]',
    }

    cycle: _Time
    slots: Annotated[
        tuple[Slot, ...],
        PlainValidator(_check_slots),
        WithJsonSchema({"type": "array", "items": _SLOT_SCHEMA, "minItems": 1}),
    ]

    def times(self) -> Iterator[tuple[str, int | str]]:
        """List cycle and slots."""
        yield "cycle", self.cycle
        for slot in self.slots:
            yield from (("slots", slot.start), ("slots", slot.length))


OPTIONS: Mapping[str, type[PolicyOptions]] = {"time-driven": TimeDriven}
"""The policies that have options."""


def check_policy_options(value: object) -> dict[str, PolicyOptions]:
    """Accept options by the names of their policies."""
    if not isinstance(value, Mapping):
        raise checks.refuse("wrong-type", f"expected a table for each policy, found {show(value)}")
    for name, options in value.items():
        kind = OPTIONS.get(name)
        if kind is None or not isinstance(options, kind):
            expected = "no options of this policy" if kind is None else f"a takt.{kind.__name__}"
            raise checks.refuse("wrong-type", f"{name}: expected {expected}, found {show(options)}")
    return dict(value)


def parse_policy_options(tables: object) -> tuple[dict[str, PolicyOptions], list[Problem]]:
    """Read the tables [policy.NAME] of a file: those that are right, and the problems of the others."""
    if not isinstance(tables, dict):
        message = f"expected a table for each policy, found {show(tables)}; write [policy.{next(iter(OPTIONS))}]"
        return {}, [Problem(message, "wrong-type", key="policy")]
    options: dict[str, PolicyOptions] = {}
    problems: list[Problem] = []
    for name, table in tables.items():
        try:
            options[name] = _parse(name, table)
        except InputError as error:
            problems += error.problems
    return options, problems


def _parse(name: str, table: Any) -> PolicyOptions:
    """Read one table."""
    kind = OPTIONS.get(name)
    if kind is None and name in catalogue.LATER_POLICIES:
        raise InputError(
            [Problem("this table is not supported by this version yet", "not-yet", table=f"policy.{name}")]
        )
    if kind is None:
        hint = catalogue.alternatives(name, OPTIONS)
        raise InputError(
            [Problem(f"no options of a policy {show(name)}; {hint}", "unknown-key", table="policy", key=name)]
        )
    if not isinstance(table, dict):
        message = f"expected a table, found {show(table)}; write [policy.{name}]"
        raise InputError([Problem(message, "wrong-type", table="policy", key=name)])
    return kind(**table)
