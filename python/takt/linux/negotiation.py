# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Requests of threads for other rates: the rows that they fill in, before a run and after it.

Source: linux/negotiation.h. Core knows changes that are listed before the system starts. So an image has rows for
requests; with the rows that were filled in, the description replays the trace.

When not to use it: for changes that a file lists.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from takt.base.errors import InputError, Problem
from takt.model.changes import parameters_of
from takt.model.core_input import ResolvedChange, ResolvedSystem

_TEXT = "requested"
REQUEST = struct.Struct("<5Q")
"""A takt_requested_t."""


def is_possible(system: ResolvedSystem) -> bool:
    """True if the root of a system negotiates."""
    return system.rates is not None and not system.resources


def with_rows(system: ResolvedSystem, horizon: int, count: int) -> ResolvedSystem:
    """Return a system with rows for requests, of any of its tasks.

    Args:
        system: a rate-based one.
        horizon: in ticks.
        count: how many requests its threads can make, rejected ones included.

    Raises:
        InputError: its root does not negotiate: it has another policy, or tasks share resources.
    """
    if not is_possible(system):
        found = "resources" if system.rates is not None else f"policy {system.policy}"
        message = f'expected policy = "rate-based" without resources, to negotiate rates, found {found}'
        raise InputError([Problem(message, "conflict", table="system", key="policy")])
    row = ResolvedChange(at=horizon, kind="parameters", task=0, policy="", text=_TEXT, **parameters_of(system.tasks[0]))
    return replace(system, changes=(*system.changes, *[row] * count))


def filled(described: ResolvedSystem, requests: bytes) -> ResolvedSystem:
    """Return a system with the requests that were made in place of its rows for them.

    They keep the horizon as their instant, and so their numbers in the trace, which says when they were made.

    Args:
        described: as it ran.
        requests: what threads requested, as takt_requested_t has it.
    """
    listed = [change for change in described.changes if change.text != _TEXT]
    rows = (change for change in described.changes if change.text == _TEXT)
    made = zip(REQUEST.iter_unpack(requests), rows, strict=False)
    filled_in = []
    for (task, period, deadline, wcet, weight), row in made:
        class_ = described.tasks[task].class_
        parameters = {"class_": class_, "period": period, "deadline": deadline, "wcet": wcet, "weight": weight}
        filled_in.append(replace(row, task=task, **parameters))
    return replace(described, changes=(*listed, *filled_in))
