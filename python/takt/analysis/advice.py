"""What would make a system fit that does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from takt.analysis.result import Advice
from takt.analysis.view import SystemView

if TYPE_CHECKING:
    from takt.model import System


def advise(system: System, view: SystemView, effort: int) -> Iterator[Advice]:
    """Look for changes that make the tasks that count schedulable."""
    yield from ()
