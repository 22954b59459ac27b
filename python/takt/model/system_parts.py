# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the checks between the tables of a system read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from takt.model.policy_options import PolicyOptions
from takt.model.python_policy import Policy
from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task


class SystemTables(Protocol):
    """What checks between tables read: a System, or what a file has left of one when some tables are wrong."""

    @property
    def resolution(self) -> str:
        """Length of a tick."""

    @property
    def policy(self) -> str | Policy:
        """Policy of the root."""

    @property
    def horizon(self) -> int | str | None:
        """How long to simulate."""

    @property
    def cpus(self) -> int:
        """How many processors there are."""

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks."""

    @property
    def servers(self) -> Sequence[Server]:
        """The servers."""

    @property
    def resources(self) -> Sequence[Resource]:
        """The resources."""

    @property
    def clusters(self) -> Sequence[Cluster]:
        """The clusters of processors."""

    @property
    def options(self) -> Sequence[PolicyOptions]:
        """Options of policies."""

    @property
    def allocator(self) -> Allocator | None:
        """What the allocator of windows does, if that is said."""

    @property
    def changes(self) -> Sequence[Change]:
        """What becomes different at run time."""

    @property
    def platform(self) -> Platform:
        """What the kernel's own work takes."""


class WholeSystem(SystemTables, Protocol):
    """The input of the conversion for core: the tables, and the keys of the whole system."""

    @property
    def name(self) -> str:
        """Name of the system."""

    @property
    def seed(self) -> int:
        """What all random numbers follow from."""
