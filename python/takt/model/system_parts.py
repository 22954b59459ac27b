# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Input of the checks between the tables of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt.base import one_line
from takt.model.policy_options import PolicyOptions
from takt.model.python_policy import Policy
from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task


@dataclass(frozen=True, kw_only=True)
class SystemTables:
    """The tables of a System, or what a file has left of one when some tables are wrong.

    Args:
        resolution: length of a tick.
        policy: of the root.
        horizon: how long to simulate.
        cpus: how many processors there are.
        options: of policies.
        changes: what becomes different at run time.
        allocator: what the allocator of windows does, if that is said.
        clusters: of processors.
        seed: what all random numbers follow from.
    """

    resolution: str
    policy: str | Policy
    horizon: int | str | None
    cpus: int
    tasks: Sequence[Task]
    servers: Sequence[Server]
    resources: Sequence[Resource]
    platform: Platform
    options: Sequence[PolicyOptions]
    changes: Sequence[Change]
    allocator: Allocator | None = None
    clusters: Sequence[Cluster] = ()
    name: str = ""
    seed: int = 0

    __repr__ = one_line.of_fields
