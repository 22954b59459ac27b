# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Processors: which task sets can be simulated on several of them.

Source: SPEC.md, 11. The assignment of jobs to processors is in core/processors.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.catalogue import PolicyTraits
from takt.model.input_table import given
from takt.model.reservations import windows_of
from takt.model.restrictions import about, refuse_members
from takt.model.system_parts import SystemTables
from takt.model.tables import Platform, Task


def find_processor_problems(system: SystemTables) -> Iterator[Problem]:
    """Find what does not go with several processors: all but plain tasks at the root, at no cost."""
    if system.cpus == 1:
        return
    what = f"cpus = {system.cpus}"
    if not _orders_whole_jobs(catalogue.traits_of(system.policy)):
        message = f"expected a policy that orders whole jobs with {what}, found {show(system.policy)}"
        yield Problem(message, "conflict", table="system", key="policy")
    for key in _platform_keys(system.platform):
        message = f"expected none with {what}, found {show(getattr(system.platform, key))}"
        yield Problem(message, "conflict", table="platform", key=key)
    yield from refuse_members(system.servers, what)
    yield from refuse_members(system.resources, what)
    if system.changes:
        yield Problem(f"expected none with {what}", "conflict", table="change")
    for task in system.tasks:
        yield from _task_problems(task, what)


def _orders_whole_jobs(policy: PolicyTraits) -> bool:
    """Say whether neither order nor budget of a job change while it runs, nor by what the dispatcher does."""
    return not (policy.overtakes or policy.allocates_rates or policy.is_rule or policy.has_windows)


def _platform_keys(platform: Platform) -> Iterator[str]:
    """List the keys that require more than ideal hardware."""
    for key, field in type(platform).model_fields.items():
        is_ideal = key == "model" and platform.model == "ideal"
        if getattr(platform, key) != field.default and not is_ideal:
            yield key


def _task_problems(task: Task, what: str) -> Iterator[Problem]:
    """Find what makes a task more than plain."""
    for key in given(task, ("threshold", "server")):
        yield about(task, key, f"expected none with {what}, found {show(getattr(task, key))}")
    if windows_of(task, None) is not None:
        yield about(task, "on_overrun", f"expected none with {what}, found {show(task.on_overrun)}")
    others = [item.op.name.lower().replace("_", " ") for item in task.items if item.op != Op.RUN]
    if others:
        yield about(task, task.source_of_items, f"expected jobs that just run with {what}, found {show(others[0])}")
