# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Critical sections that need no lock, because no other user of the resource can run meanwhile.

Source: Bergsma et al. 2009, claim ii: a section within one subjob needs no lock on one processor. No entity of a
dispatcher displaces a started non-preemptive job before its next point, so all users of a resource must be in one
dispatcher. Thresholds, which may protect as well, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from takt.model.bodies import Op

if TYPE_CHECKING:
    from takt.model.system import System
    from takt.model.tables import Task


@dataclass(frozen=True, slots=True)
class Unprotected:
    """A reason why a resource needs its lock.

    Args:
        resource: its name.
        task: whose section it is.
        reason: for people, such as "the task is preemptive".
    """

    resource: str
    task: str
    reason: str


def sections_that_need_locks(system: System) -> list[Unprotected]:
    """Return the sections during which another user of the resource may run, with the reason.

    Args:
        system: a task set. A resource that is not named in what comes back needs no lock at all.

    Returns:
        One entry for each reason, in the order of resources and then of tasks.
    """
    found = []
    for resource in system.resources:
        users = [
            task
            for task in system.tasks
            if any(item.op == Op.LOCK and item.resource == resource.name for item in task.items)
        ]
        for task in users if len(users) > 1 else ():
            reasons = []
            if any(user.server != task.server for user in users):
                reasons.append("other users are in another dispatcher")
            if not task.is_non_preemptive:
                reasons.append("the task is preemptive")
            elif _has_point_inside(task, resource.name):
                reasons.append("there is a point in the section")
            found += [Unprotected(resource.name, task.name, reason) for reason in reasons]
    return found


def _has_point_inside(task: Task, resource: str) -> bool:
    """True if a subjob ends while the resource is held; a job that holds a resource does not suspend itself."""
    is_held = has_point = False
    for item in task.items:
        if item.op in {Op.LOCK, Op.UNLOCK} and item.resource == resource:
            is_held = item.op == Op.LOCK
        has_point |= is_held and item.op == Op.POINT
    return has_point
