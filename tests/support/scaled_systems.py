# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The same system in other ticks: all times multiplied, or written with their unit under a finer resolution."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

import tomlkit
from takt.files.task_set_reading import loads
from takt.files.task_set_writing import to_toml
from takt.model.system import System

TIMES = frozenset(
    {
        *("horizon", "period", "min_separation", "arrivals", "jitter", "wcet", "deadline", "offset", "demand"),
        *("subjobs", "promotion", "mandatory", "interval", "budget", "at", "cycle", "start", "length"),
        *("context_switch", "release", "scheduling", "point", "tick", "tick_period", "min", "max", "mean"),
    }
)
RUN = re.compile(r"^(run|suspend) (\d+)$")

Write = Callable[[int], Any]


def multiplied(system: System, factor: int) -> System:
    """Return a system of which all times have `factor` times as many ticks."""
    return _written(system, {}, lambda ticks: ticks * factor, lambda ticks: str(ticks * factor))


def refined(system: System, factor: int) -> System:
    """Return a system whose times are the same, in ticks of a part of the default of 1 ms."""
    resolution = {1: "1ms", 2: "500us", 10: "100us", 1000: "1us"}[factor]
    return _written(system, {"resolution": resolution}, lambda ticks: f"{ticks}ms", lambda ticks: f"{ticks}ms")


def _written(system: System, header: dict[str, Any], write: Write, write_item: Write) -> System:
    """Return a system of which all times are written in another way."""
    tables = tomllib.loads(to_toml(system))
    tables["system"] |= header
    return loads(tomlkit.dumps(_changed("", tables, write, write_item)), system.name)


def _changed(name: str, value: Any, write: Write, write_item: Write) -> Any:
    """Write the times of a table, a list or a value with a name in another way."""
    if isinstance(value, dict):
        return {key: _changed(key, each, write, write_item) for key, each in value.items()}
    if name in ("body", "sections"):
        return [RUN.sub(lambda found: f"{found[1]} {write_item(int(found[2]))}", item) for item in value]
    if isinstance(value, list):
        return [_changed(name, each, write, write_item) for each in value]
    return write(value) if name in TIMES and isinstance(value, int) else value
