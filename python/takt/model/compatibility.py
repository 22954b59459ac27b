# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Combinations of traits that a task set excludes: core's matrix, as keys of files and sentences.

Source: system/matrix.def has the pairs. Here stand the keys by which an author requests a trait, and the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from takt import _core
from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.catalogue import PolicyTraits
from takt.model.core_input import ABORT, MANDATORY, PROMOTED, SLOTS, SUSPEND
from takt.model.domains import Part
from takt.model.input_table import given
from takt.model.policy_options import variant_of
from takt.model.python_policy import Policy, name_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Platform, Task


class Asked(NamedTuple):
    """A place where an author requests a trait.

    Args:
        table: of the file.
        entity: name of what the table describes, None where there is one table of its kind.
        key: None for the whole table.
        found: the value of the key.
    """

    table: str
    entity: str | None = None
    key: str | None = None
    found: Any = None


# ---- windows --------------------------------------------------------------------------------------------------


def windows_of(task: Task, policy: str | Policy | None) -> str | None:
    """Return the windows of a task at the root under a policy, or under any that assigns some; None if it has none."""
    traits = catalogue.traits_of(policy)
    if traits.promotes:
        return PROMOTED if task.class_ == "hard" else None
    if traits.specialises_periods:
        return SUSPEND
    if traits.has_windows:
        return SLOTS if traits.has_slots else MANDATORY
    enforces = task.on_overrun in (SUSPEND, ABORT) and not traits.allocates_rates
    return task.on_overrun if enforces else None


def windowed_tasks(system: SystemTables) -> list[Task]:
    """Return the tasks with windows. Promotions are those of tasks at the root."""
    promotes = catalogue.traits_of(system.policy).promotes
    return [
        task
        for task in system.tasks
        if windows_of(task, system.policy) is not None and not (promotes and task.server is not None)
    ]


def text_of_windows(task: Task, policy: str | Policy) -> str:
    """Write why a task has windows, as its file has it."""
    has_windows = catalogue.traits_of(policy).has_windows
    return f"policy = {show(name_of(policy))}" if has_windows else f"on_overrun = {show(task.on_overrun)}"


# ---- the traits of a system -----------------------------------------------------------------------------------


def _text_of_windows(system: SystemTables) -> str | None:
    """Write why the first task with windows has them."""
    return next((text_of_windows(task, system.policy) for task in windowed_tasks(system)), None)


def _text_of_policy(has: Callable[[PolicyTraits], bool]) -> Callable[[SystemTables], str | None]:
    """Return a function that writes the policy of a root with a trait."""
    return lambda system: (
        f"policy = {show(name_of(system.policy))}" if has(catalogue.traits_of(system.policy)) else None
    )


def _text_of_variant(system: SystemTables) -> str | None:
    """Write the variant of a root that starts eligible jobs only."""
    has_time = catalogue.traits_of(system.policy).has_virtual_time
    is_eligible = has_time and variant_of(system.options) == catalogue.ELIGIBLE
    return f"variant = {show(catalogue.ELIGIBLE)}" if is_eligible else None


def _text_of_processors(system: SystemTables) -> str | None:
    """Write that one dispatcher has several processors."""
    text = system.processors_text if isinstance(system, Part) else f"cpus = {system.cpus}"
    return text if system.cpus > 1 else None


def _text_of_model(system: SystemTables) -> str | None:
    return system.platform.model_text if system.platform.model in catalogue.ARCHITECTURES else None


TEXTS: Mapping[str, Callable[[SystemTables], str | None]] = {
    "processors": _text_of_processors,
    "architecture": _text_of_model,
    "rates": _text_of_policy(lambda traits: traits.allocates_rates),
    "shares": _text_of_policy(lambda traits: traits.has_virtual_time),
    "wf2q": _text_of_variant,
    "windows": _text_of_windows,
    "windowed": _text_of_windows,
    "full_table": _text_of_policy(lambda traits: traits.has_windows and not traits.promotes),
    "pull": lambda system: 'points = "pull"' if system.platform.points == "pull" else None,
}
"""For a trait that excludes others: as a file has it; None if the system does not have it."""


BARRING_PROTOCOLS = catalogue.protocols_that(lambda each: each.bars_runs and not each.is_among)
"""Protocols whose ceilings bar jobs of one dispatcher from running."""


# ---- where an author requests a trait -------------------------------------------------------------------------


def _keys(*keys: str) -> Callable[[Task], Iterator[str]]:
    """Return a function that yields some keys of a task that have another value than their default."""
    return lambda task: given(task, keys)


def _items(*ops: Op) -> Callable[[Task], Iterator[str]]:
    """Return a function that yields the key by which a task gets such items."""
    return lambda task: iter([task.source_of_items] if any(item.op in ops for item in task.items) else [])


def _key_if(key: str, has: Callable[[Task], bool]) -> Callable[[Task], Iterator[str]]:
    """Return a function that yields a key of a task with a trait."""
    return lambda task: iter([key] if has(task) else [])


_TASK_KEYS: Mapping[str, Callable[[Task], Iterator[str]]] = {
    "events": _keys("min_separation", "arrivals", "jitter"),
    "body": _items(*(op for op in Op if op != Op.RUN)),
    "points": _items(Op.POINT, Op.OPTIONAL_POINT),
    "suspensions": _items(Op.SUSPEND),
    "locks": _items(Op.LOCK, Op.UNLOCK),
    "drawn_demand": _key_if("demand", lambda task: not isinstance(task.demand, (int, str, type(None)))),
    "threshold": _keys("threshold"),
    "non_preemptive": _key_if("preemption", lambda task: task.preemption == "non-preemptive"),
    "on_miss": _keys("on_miss"),
    "server": _keys("server"),
    "absent": _keys("initially"),
    "windowed": _key_if("on_overrun", lambda task: windows_of(task, None) is not None),
}
"""For a trait of tasks: the keys by which a task has it."""


def _asked_of_policy(has: Callable[[PolicyTraits], bool]) -> Callable[[SystemTables], Iterator[Asked]]:
    """Return a function that yields the policy of a root with a trait."""
    return lambda system: iter(
        [Asked("system", key="policy", found=system.policy)] if has(catalogue.traits_of(system.policy)) else []
    )


def _asked_of_platform(has: Callable[[Platform, str], bool], *keys: str) -> Callable[[SystemTables], Iterator[Asked]]:
    """Return a function that yields keys of a platform with a trait."""
    return lambda system: (
        Asked("platform", key=key, found=getattr(system.platform, key)) for key in keys if has(system.platform, key)
    )


def _asked_of_members(system: SystemTables, name: str) -> Iterator[Asked]:
    """Yield servers or resources with a trait."""
    return (Asked(member.table, member.name) for member in getattr(system, name))


_ASKED: Mapping[str, Callable[[SystemTables], Iterator[Asked]]] = {
    "rates": _asked_of_policy(lambda traits: traits.allocates_rates),
    "rule_policy": _asked_of_policy(lambda traits: traits.is_rule),
    "window_policy": _asked_of_policy(lambda traits: traits.has_windows),
    "overtaking_policy": _asked_of_policy(lambda traits: traits.overtakes),
    "architecture": _asked_of_platform(lambda platform, _: platform.model in catalogue.ARCHITECTURES, "model"),
    "pull": _asked_of_platform(lambda platform, _: platform.points == "pull", "points"),
    "costs": _asked_of_platform(lambda platform, key: platform.costs().get(key, 0) != 0, *Platform().costs()),
    "servers": lambda system: _asked_of_members(system, "servers"),
    "resources": lambda system: _asked_of_members(system, "resources"),
    "other_protocol": lambda system: (
        Asked(resource.table, resource.name, "protocol", resource.protocol)
        for resource in system.resources
        if resource.protocol not in BARRING_PROTOCOLS
    ),
    "changes": lambda system: iter([Asked("change")] if system.changes else []),
}
"""For a trait of anything else: where."""

_WHOLE_JOBS = "expected a policy that orders whole jobs with {what}, found {found}"
_JUST_RUN = "expected jobs that just run with {what}, found {item}"
_PREEMPTIVE = "expected preemptive tasks with {what}, found {found}"
_RUNS_AND_LOCKS = "expected runs, locks and unlocks with {what}, found {items}"
_SENTENCES: Mapping[tuple[str, ...], str] = {
    ("processors", "rates"): _WHOLE_JOBS,
    ("processors", "rule_policy"): _WHOLE_JOBS,
    ("processors", "window_policy"): _WHOLE_JOBS,
    ("processors", "overtaking_policy"): _WHOLE_JOBS,
    ("processors", "body"): _JUST_RUN,
    ("processors", "suspensions"): _JUST_RUN,
    ("processors", "locks"): _JUST_RUN,
    ("architecture", "overtaking_policy"): (
        "expected a policy whose order does not change while jobs wait with {what}, found {found}"
    ),
    ("architecture", "rule_policy"): "expected a policy without deadline rules with {what}, found {found}",
    ("architecture", "drawn_demand"): "expected one constant time with {what}, found {found}",
    ("architecture", "non_preemptive"): _PREEMPTIVE,
    ("rates", "non_preemptive"): _PREEMPTIVE,
    ("rates", "points", "body"): _RUNS_AND_LOCKS,
    ("rates", "suspensions"): _RUNS_AND_LOCKS,
    ("rates", "other_protocol"): (
        f'expected "{catalogue.BARRING_PROTOCOL}" with {{what}}, found {{found}}; '
        f'write protocol = "{catalogue.BARRING_PROTOCOL}"'
    ),
    ("wf2q", "costs"): "expected no kernel costs with {what}, found {found}",
    ("windowed", "absent"): 'expected "present", since a task with windows cannot enter later, found {found}',
    ("pull", "on_miss"): 'expected "continue" with {what}, found {found}',
    ("pull", "locks"): "expected no lock with {what}; leave one of them out",
}
"""What is said of a pair that is not just refused; with a third word, if that is the key."""

_DIVISION = "; it needs one processor: a cpu in each task, or a cluster of one"
_NEVER_DIVIDED = ("rates", "architecture")
"""Traits that a domain of one processor cannot have either."""


ASKED = {**_TASK_KEYS, **_ASKED}
"""Traits that an author can request."""


class Pairs:
    """Problems of the pairs of traits that a system excludes; each key that requests one is named once."""

    names: ClassVar = {f"{one}_without_{other}": (one, other) for one, other, _, _ in _core.matrix()}
    """The traits of a pair by the name of its relation."""

    def __init__(self, system: SystemTables) -> None:
        """Start with no problem found."""
        self.system = system
        self.seen: set[tuple[str, Asked]] = set()

    def problems(self, relation: str, task: Task | None) -> Iterator[Problem]:
        """Yield the problems of a pair.

        Args:
            relation: the pair that is broken.
            task: that breaks it; None for the whole system.
        """
        one, other = self.names[relation]
        what = TEXTS[one](self.system)
        if task is None:
            asked = list(_ASKED[other](self.system))
        else:
            asked = [Asked("task", task.name, key, getattr(task, key)) for key in _TASK_KEYS[other](task)]
        for each in asked:
            place = (one, each._replace(found=None))
            if what is not None and place not in self.seen:
                self.seen.add(place)
                message = _sentence(one, other, each, what, task)
                yield Problem(message, "conflict", table=each.table, entity=each.entity, key=each.key)


def _sentence(trait: str, other: str, asked: Asked, what: str, task: Task | None) -> str:
    default = "expected none with {what}" + (", found {found}" if asked.key is not None else "")
    sentence = _SENTENCES.get((trait, other, str(asked.key))) or _SENTENCES.get((trait, other), default)
    ops = dict.fromkeys(item.op for item in (() if task is None else task.items))
    words = {op: show(op.name.lower().replace("_", " ")) for op in ops if op != Op.RUN}
    others = [word for op, word in words.items() if op not in (Op.LOCK, Op.UNLOCK)]
    text = sentence.format(
        what=what, found=show(asked.found), item=next(iter(words.values()), ""), items=", ".join(others)
    )
    has_table = other in _NEVER_DIVIDED or catalogue.traits_of(asked.found).has_slots
    return text if trait != "processors" or has_table else text + _DIVISION


def about(task: Task, key: str, message: str, code: str = "conflict") -> Problem:
    """Return the problem of a key that cannot be combined."""
    return Problem(message, code, table="task", entity=task.name, key=key)
