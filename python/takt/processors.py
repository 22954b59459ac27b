"""Processors: which task sets can be simulated on several of them.

Source: SPEC.md, 11. Who runs where is decided in core/global.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from takt.bodies import Op
from takt.errors import Problem, show
from takt.system_tables import SystemTables

if TYPE_CHECKING:
    from takt.model import Platform, Task


def find_processor_problems(system: SystemTables) -> Iterator[Problem]:
    """Find what does not go with several processors: all but plain tasks at the root, at no cost."""
    if system.cpus == 1:
        return
    what = f"cpus = {system.cpus}"
    if system.policy == "llf":
        message = f'expected a policy whose order does not change while jobs wait with {what}, found "llf"'
        yield Problem(message, "conflict", table="system", key="policy")
    for key in _platform_keys(system.platform):
        message = f"expected none with {what}, found {show(getattr(system.platform, key))}"
        yield Problem(message, "conflict", table="platform", key=key)
    for server in system.servers:
        yield Problem(f"expected none with {what}", "conflict", table="server", entity=server.name)
    for resource in system.resources:
        yield Problem(f"expected none with {what}", "conflict", table="resource", entity=resource.name)
    for task in system.tasks:
        yield from _task_problems(task, what)


def _platform_keys(platform: Platform) -> Iterator[str]:
    """List the keys that ask for more than ideal hardware."""
    for key, field in type(platform).model_fields.items():
        is_ideal = key == "model" and platform.model == "ideal"
        if getattr(platform, key) != field.default and not is_ideal:
            yield key


def _task_problems(task: Task, what: str) -> Iterator[Problem]:
    """Find what makes a task more than plain."""
    keys = [key for key in ("threshold", "server") if getattr(task, key) is not None]
    for key in keys:
        message = f"expected none with {what}, found {show(getattr(task, key))}"
        yield Problem(message, "conflict", table="task", entity=task.name, key=key)
    others = [item.op.name.lower().replace("_", " ") for item in task.items if item.op != Op.RUN]
    if others:
        key = "body" if task.subjobs is None else "subjobs"
        message = f"expected jobs that just run with {what}, found {show(others[0])}"
        yield Problem(message, "conflict", table="task", entity=task.name, key=key)
