"""For how long the sections of less urgent jobs delay others, by the protocol of each resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from takt.analysis.view import DispatcherView, SystemView


@dataclass(frozen=True, slots=True)
class Delays:
    """What resources do to the children of a dispatcher.

    Args:
        by_name: for how long each child is delayed, in ticks; who is not there is not.
        steps: under deadlines: from which length of an interval on for how long jobs with later deadlines delay those
            in it.
        is_costly: whether the kernel's own work takes time.
        doubt: why nothing is known, or "".
    """

    by_name: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[tuple[int, int], ...] = ()
    is_costly: bool = False
    doubt: str = ""


def delays_in(view: SystemView, dispatcher: DispatcherView) -> Delays:
    """Bound the delays in a dispatcher."""
    if any(resource.home == dispatcher.number for resource in view.resolved.resources):
        return Delays(doubt="no test admits the resources that its tasks share")
    return Delays()
