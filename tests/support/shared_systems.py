# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems that several tests of what is shown need: servers of other kinds, an inversion, deadlocks."""

from __future__ import annotations

from collections.abc import Sequence

import takt


def with_kind(system: takt.System, kind: str) -> takt.System:
    """The system with servers of another kind."""
    return system.replace(servers=[server.replace(kind=kind) for server in system.servers])


def inversion(protocol: str) -> takt.System:
    """The golden inversion: H waits for R, which L holds, while M may run or not; at 11 after its release H is late."""
    tasks = [
        _task("H", 3, ["run 1", "lock R", "run 2", "unlock R", "run 1"], offset=3, deadline=11),
        takt.Task(name="M", period=40, offset=4, priority=2, wcet=6),
        _task("L", 1, ["run 1", "lock R", "run 4", "unlock R", "run 2"]),
    ]
    return takt.System(name="inversion", tasks=tasks, resources=[takt.Resource(name="R", protocol=protocol)])


def circle(deadline: int = 40, on_miss: str = "continue") -> takt.System:
    """Opposite nesting: at 6 L closes the circle; it is broken if H is aborted at its deadline."""
    tasks = [
        _task("H", 3, _nested("B", 1, "A"), offset=2, deadline=deadline, on_miss=on_miss),
        _task("L", 1, _nested("A", 3, "B")),
    ]
    return takt.System(name="circle", tasks=tasks, resources=[takt.Resource(name="A"), takt.Resource(name="B")])


def _nested(outer: str, length: int, inner: str) -> list[str]:
    """A body with a section in a section."""
    inside = [f"run {length}", f"lock {inner}", "run 1", f"unlock {inner}"]
    return ["run 1", f"lock {outer}", *inside, f"unlock {outer}", "run 1"]


def _task(
    name: str, priority: int, body: Sequence[str], offset: int = 0, deadline: int = 40, on_miss: str = "continue"
) -> takt.Task:
    """A task of period 40."""
    return takt.Task(
        name=name, period=40, offset=offset, deadline=deadline, priority=priority, body=body, on_miss=on_miss
    )
