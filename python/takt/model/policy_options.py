# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Options of policies: the tables [policy.NAME] of a task-set file.

A table says how a policy works where it orders the root; other policies do not read it, so that one file can be
run under several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeVar

from takt import _core
from takt.base.errors import InputError, show
from takt.model import catalogue, value_checks
from takt.model.input_table import Table
from takt.model.key import NAME, POSITIVE_TIME, TIME, TIME_SCHEMA, Key, integer, list_of, word

FORMULA = "formula"
"""What beta is where it follows from the tasks that there are."""

RATE_RULES = ("boundary", "in-flight", "naive")
"""When a task gives up rate, in the order of core's numbers."""

_SHARE_SCHEMA = {"type": "number", "minimum": 0, "exclusiveMaximum": 1}


def _check_share(value: object) -> float:
    """Accept a share of the processor below the whole."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise value_checks.refuse("wrong-type", f"expected a share of the processor such as 0.1, found {show(value)}")
    if not 0 <= value < 1:
        raise value_checks.refuse("out-of-range", f"expected a share from 0 to below 1, found {show(value)}")
    return float(value)


def _check_beta(value: object) -> float | str:
    """Accept a share, or the word for what follows from the tasks."""
    if isinstance(value, str) and value == FORMULA:
        return value
    if isinstance(value, str):
        raise value_checks.refuse("unknown-word", f'expected a share such as 0.1, or "{FORMULA}", found {show(value)}')
    return _check_share(value)


def _check_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise value_checks.refuse("wrong-type", f"expected true or false, found {show(value)}")
    return value


Flag = Annotated[bool, Key(_check_flag, {"type": "boolean"})]


class PolicyOptions(Table):
    """The options of policies that share a trait; `policy` is the name of their table, one of these policies."""

    policy: ClassVar[str]


class RateBased(PolicyOptions):
    """Options of rate-based scheduling; SPEC.md, 10.

    Args:
        beta: share of the processor that is kept for best-effort tasks, 0 to below 1, or "formula": it follows from
            how many tasks of each class there are.
        sigma: least share of all soft tasks together, kept free when hard tasks are admitted.
        grid: stretched periods are multiples of it, >= 1 tick; default: 1 tick.
        changes: when a task gives up rate that others are to have: "boundary" (at the end of its window),
            "in-flight" (a soft one as soon as it is not ahead of its share) or "naive" (at once, which is unsafe).
        background: whether best-effort tasks run beyond their budgets while no other task is ready.
        compression: whether a soft task whose rate grows gets an earlier deadline at once, not at the end of its
            window.
        cuts: whether a best-effort task gives up rate at once, with a smaller budget, when it is not ahead of its
            share.
        estimate_jobs: number of past jobs that a lower wcet estimate covers, 1 to 16; on_overrun = "adapt" reads it.

    Raises:
        InputError: a value is not right.
    """

    policy = catalogue.RATES_OPTIONS
    table = f"policy.{policy}"

    beta: Annotated[float | str, Key(_check_beta, {"anyOf": [_SHARE_SCHEMA, {"const": FORMULA}]})] = 0.1
    sigma: Annotated[float, Key(_check_share, _SHARE_SCHEMA)] = 0.0
    grid: Annotated[int | str | None, POSITIVE_TIME.or_none] = None
    changes: Annotated[str, word("rule", RATE_RULES)] = "boundary"
    background: Flag = False
    compression: Flag = False
    cuts: Flag = False
    estimate_jobs: Annotated[int, integer("a number of jobs", 1, _core.RATE_JOBS)] = 8


_Options = TypeVar("_Options", bound=PolicyOptions)


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

    task: Annotated[str, NAME]
    start: Annotated[int | str, TIME]
    length: Annotated[int | str, POSITIVE_TIME]


def _check_slots(value: object) -> tuple[Slot, ...]:
    """Accept a list of slots, or of tables that say the same."""
    if not isinstance(value, (list, tuple)) or not value:
        message = f'expected slots such as [{{ task = "A", start = 0, length = "4ms" }}], found {show(value)}'
        raise value_checks.refuse("wrong-type", message)
    slots = []
    for number, slot in enumerate(value, start=1):
        if not isinstance(slot, (Slot, dict)):
            raise value_checks.refuse("wrong-type", f"slot {number}: expected a table, found {show(slot)}")
        try:
            slots.append(slot if isinstance(slot, Slot) else Slot(**slot))
        except InputError as error:
            first = error.problems[0]
            raise value_checks.refuse(first.code, f"slot {number}: {first.key}: {first.message}") from None
    return tuple(slots)


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

    policy = catalogue.SLOTS_OPTIONS
    table = f"policy.{policy}"
    examples: ClassVar[Mapping[str, str]] = {
        "cycle": '"20ms"',
        "slots": '[{ task = "A", start = 0, length = "4ms" }]',
    }

    cycle: Annotated[int | str, POSITIVE_TIME]
    slots: Annotated[Sequence[Slot], Key(_check_slots, list_of(_SLOT_SCHEMA))]

    def times(self) -> Iterator[tuple[str, int | str]]:
        """Yield cycle and slots."""
        yield "cycle", self.cycle
        for slot in self.slots:
            yield from (("slots", slot.start), ("slots", slot.length))


class Share(PolicyOptions):
    """Options of the policy share.

    Args:
        variant: "generic" (virtual deadlines), "wfq" (weighted fair queueing) or "wf2q" (no job starts before it would
            in the fluid system). Under the last two jobs are not preempted, unless `preemption` says so.

    Raises:
        InputError: a value is not right.
    """

    policy = catalogue.VIRTUAL_TIME_OPTIONS
    table = f"policy.{policy}"

    variant: Annotated[str, word("variant", catalogue.SHARE_VARIANTS)] = "generic"


OPTIONS: tuple[type[PolicyOptions], ...] = (RateBased, Share, TimeDriven)
"""All tables of options, by the names of their policies."""


def options_of(options: Sequence[PolicyOptions], kind: type[_Options]) -> _Options | None:
    """Return the table of one policy; None if there is none."""
    return next((one for one in options if isinstance(one, kind)), None)


def variant_of(options: Sequence[PolicyOptions]) -> str:
    """Return the variant of the policy share."""
    return (options_of(options, Share) or Share()).variant


def by_policy() -> dict[str, type[PolicyOptions]]:
    """Return the table of options of each policy that has some."""
    return {kind.policy: kind for kind in OPTIONS}


def check_options(value: object) -> tuple[Any, ...]:
    """Accept tables of options, at most one for each policy."""
    options = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    for one in options:
        if not isinstance(one, PolicyOptions):
            raise value_checks.refuse(
                "wrong-type", f"expected options of policies such as takt.RateBased, found {show(one)}"
            )
    if len({one.policy for one in options}) < len(options):
        raise value_checks.refuse("duplicate", "expected at most one table of options for each policy")
    return options
