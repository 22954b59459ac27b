"""What the checks between the tables of a system read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from takt.policy import Policy

if TYPE_CHECKING:
    from takt.model import Platform, Resource, Server, Share, Task


class SystemTables(Protocol):
    """What checks between tables read: a System, or what a file has left of one when some tables are wrong."""

    @property
    def resolution(self) -> str:
        """Length of a tick."""

    @property
    def share(self) -> Share:
        """Options of the policy share."""

    @property
    def policy(self) -> str | Policy:
        """Policy of the root."""

    @property
    def horizon(self) -> int | str | None:
        """How long to simulate."""

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
    def platform(self) -> Platform:
        """What the kernel's own work takes."""
