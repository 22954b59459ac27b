# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes of a running system: what fits in [[change]], what each task is from when on, and what core is given.

Source: SPEC.md, 7.1 and 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from takt.base.errors import InputError, Problem, show
from takt.model import catalogue
from takt.model.conversion import in_ticks, resources_of, shared_keys, to_ticks
from takt.model.core_input import ResolvedChange, ResolvedTask
from takt.model.policy_options import RateBased
from takt.model.python_policy import name_of
from takt.model.rate_based import is_rate_based
from takt.model.server_resources import measures
from takt.model.system_parts import SystemTables
from takt.model.tables import PARAMETERS, Change, Task

Checks = Callable[["Task"], Iterable[Problem]]
"""What finds the problems of a task as it is from a change on."""


def described(system: SystemTables, horizon: int, answers: Iterable[str] = ()) -> list[tuple[int, str]]:
    """Return the changes before a horizon in the order of time: instant in ticks, and one line.

    Args:
        system: the system.
        horizon: in ticks.
        answers: to the tasks that have new parameters, in that order.
    """
    given = iter(answers)
    rows = [
        (int(to_ticks(change.at, system.resolution)), change.text_with(next(given, "") if change.task else ""))
        for _, change in in_order(system.changes, system.resolution)
    ]
    return [row for row in rows if row[0] < horizon]


def find_change_problems(
    system: SystemTables, times_of: Callable[[Change], Iterable[Problem]], check: Checks
) -> Iterator[Problem]:
    """Yield the problems between the changes of a system and its other tables.

    Args:
        system: the tables.
        times_of: finds the times of a change that are not right.
        check: finds what does not fit in a task as it is from a change on.
    """
    wrong_times = [
        replace(problem, number=number)
        for number, change in enumerate(system.changes, start=1)
        for problem in times_of(change)
    ]
    yield from wrong_times
    if wrong_times:
        return
    checker = _Checker(system, check)
    for number, change in in_order(system.changes, system.resolution):
        yield from (replace(problem, table="change", entity=None, number=number) for problem in checker.change(change))


class _Checker:
    """Goes through changes in the order of time and knows what has become of the tasks."""

    def __init__(self, system: SystemTables, check: Checks) -> None:
        self.system = system
        self.check = check
        self.names = [task.name for task in system.tasks]
        self.tasks = {task.name: task for task in system.tasks}
        self.present = {task.name for task in system.tasks if task.initially == "present"}

    def change(self, change: Change) -> Iterator[Problem]:
        """Check one change against the tasks present at its time."""
        for key, names in (("remove", change.remove), ("add", change.add)):
            for name in names:
                yield from self.known(key, name)
                if name in self.tasks:
                    yield from self.presence(key, name)
        if change.task is not None:
            yield from self.known("task", change.task)
            if change.task in self.tasks:
                yield from self.parameters(change, self.tasks[change.task])
        if change.policy is not None:
            yield from self.policy(name_of(change.policy), isinstance(change.policy, str))

    def known(self, key: str, name: str) -> Iterator[Problem]:
        """Yield the problem of a change of an unknown task."""
        if name not in self.tasks:
            message = f"unknown task {show(name)}; {catalogue.alternatives(name, self.names)}"
            yield Problem(message, "unknown-word", key=key)

    def presence(self, key: str, name: str) -> Iterator[Problem]:
        """Yield a removed task that was not present, or an added task that was."""
        if (name in self.present) == (key == "add"):
            found = "is there already" if key == "add" else "is absent"
            is_new = key == "add" and not any(name in change.remove for change in self.system.changes)
            hint = '; give it initially = "absent"' if is_new else ""
            wanted = "absent" if key == "add" else "there"
            message = f"expected tasks that are {wanted} at that time, found {show(name)}, which {found}{hint}"
            yield Problem(message, "conflict", key=key)
        self.present = self.present | {name} if key == "add" else self.present - {name}

    def parameters(self, change: Change, task: Task) -> Iterator[Problem]:
        """The task is right with its new parameters."""
        if is_rate_based(self.system) and any(map(resources_of, self.system.tasks)):
            message = f"expected none where rate-based tasks share resources, found new parameters of {show(task.name)}"
            yield Problem(message, "conflict", key="task")
            return
        wrong = list(self.asked(change, task))
        yield from wrong
        if wrong:
            return
        if change.period is not None and task.period is None:
            message = f"expected none for {show(task.name)}, which has no period, found {show(change.period)}"
            yield Problem(message, "conflict", key="period")
            return
        shared = [show(resource.name) for resource in self.system.resources if measures(self.system, resource, task)]
        if shared:
            message = "ceilings or sections among servers depend on this task; add another one instead: "
            yield Problem(f"{message}{show(task.name)} with {', '.join(shared)}", "conflict", key="task")
            return
        try:
            changed = task.replace(**change.parameters)
        except InputError as error:
            yield from error.problems
            return
        self.tasks[task.name] = changed
        for problem in self.check(changed):
            yield replace(problem, key=blamed_key(change, problem.key))

    def asked(self, change: Change, task: Task) -> Iterator[Problem]:
        """Check that a rate-based root gets only requests that it supports, and no other policy gets weights."""

        def about(key: str, message: str) -> Problem:
            return Problem(message, "conflict", key=key)

        what = f'policy = "{RateBased.policy}"'
        if not is_rate_based(self.system):
            if change.weight is not None:
                yield about("weight", f"expected {what} with a new weight, found {show(name_of(self.system.policy))}")
            return
        if change.priority is not None:
            yield about("priority", f"expected none with {what}, which does not read it, found {change.priority}")
        if change.weight is not None and task.class_ != "none":
            message = (
                f'expected none for {show(task.name)}: only class = "none" shares by weights, found {change.weight}'
            )
            yield about("weight", message)
        if task.wcet is None:
            for key in ("wcet", "demand"):
                if getattr(change, key) is not None:
                    yield about(key, f"expected none for {show(task.name)}, whose jobs consume whole budgets")

    def policy(self, policy: str, is_named: bool) -> Iterator[Problem]:
        """The root can be ordered by another policy from then on."""

        def about(message: str) -> Problem:
            return Problem(message, "conflict", key="policy")

        if not is_named or not isinstance(self.system.policy, str):
            yield about(f"expected policies of this build before and after, found one in Python: {show(policy)}")
            return
        for task in self.system.tasks:
            if task.server is None:
                yield from self.order(task, policy)
        needed = " or ".join(catalogue.policies_that(lambda traits: traits.is_deadline_driven))
        for server in self.system.servers:
            is_deadline_kind = catalogue.server_kind(server.kind).wants_deadline
            if server.parent is None and is_deadline_kind and not catalogue.traits_of(policy).is_deadline_driven:
                yield about(
                    f"expected {needed} over {show(server.name)}, which is {show(server.kind)}, found {show(policy)}"
                )

    def order(self, task: Task, policy: str) -> Iterator[Problem]:
        """Check that a task at the root has the keys that the policy orders by."""
        if catalogue.traits_of(policy).needs_period and task.shortest_separation is None:
            message = f"{policy} orders by period, and {show(task.name)} has neither a period nor min_separation"
            yield Problem(message, "missing", key="policy")


def blamed_key(change: Change, key: str | None) -> str:
    """Return the key of a change whose new parameters make a key of the task wrong, or a body or threshold."""
    if key in {*Change.keys()}:
        return str(key)
    keys = [PARAMETERS[key] for key in change.parameters]
    return next((key for key in ("wcet", "priority") if key in keys), keys[0])


# ---- what core is given --------------------------------------------------------------------------------------


def in_order(changes: Sequence[Change], resolution: str) -> list[tuple[int, Change]]:
    """Return changes in the order of time, then of the file; each with its place in the file, counted from 1."""
    return sorted(enumerate(changes, start=1), key=lambda row: to_ticks(row[1].at, resolution))


def versions_of(system: SystemTables) -> dict[int, Task]:
    """Return the task after each change with new parameters, by places of changes, in order."""
    tasks = {task.name: task for task in system.tasks}
    versions = {}
    for number, change in in_order(system.changes, system.resolution):
        if change.task is not None:
            tasks[change.task] = tasks[change.task].replace(**change.parameters)
            versions[number] = tasks[change.task]
    return versions


def resolved_changes(system: SystemTables, versions: Iterable[ResolvedTask]) -> tuple[ResolvedChange, ...]:
    """Return the changes of single parameters: in the order of time, policies last at one instant, then of the file."""
    numbers = {task.name: number for number, task in enumerate(system.tasks)}
    remaining = iter(versions)
    found: list[ResolvedChange] = []
    for number, change in in_order(system.changes, system.resolution):
        make = partial(ResolvedChange, at=in_ticks(change.at, system.resolution), number=number)
        found += [make(kind="leave", task=numbers[name], text="removed") for name in change.remove]
        found += [make(kind="enter", task=numbers[name], text="added") for name in change.add]
        if change.task is not None:
            parameters = parameters_of(next(remaining))
            found.append(make(kind="parameters", task=numbers[change.task], text=change.parameters_text, **parameters))
        if change.policy is not None:
            name = name_of(change.policy)
            found.append(make(kind="policy", task=None, policy=name, text=f"policy {name}"))
    return tuple(sorted(found, key=lambda change: (change.at, change.kind == "policy")))


def parameters_of(task: ResolvedTask) -> dict[str, Any]:
    """Return the parameters that a task has after a change."""
    return {key: getattr(task, key) for key in shared_keys(ResolvedChange, ResolvedTask)}
