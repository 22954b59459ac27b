# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based systems as the paper describes them, and what is read from a run of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import takt

BETA = 0.1
"""The share that the paper keeps for best-effort tasks (3.2.2 and 5)."""

UNIT = 1 / 18_018_000
"""Rates are whole numbers of this part of the processor (SPEC.md, 10)."""

HORIZON = 24_000
LETTERS = {"hard": "H", "soft": "S", "none": "N"}


def hard(name: str, wcet: int, period: int, **keys: Any) -> takt.Task:
    """Return a hard task, HRT in the paper."""
    return takt.Task(name=name, wcet=wcet, period=period, **keys)


def soft(name: str, wcet: int, period: int, **keys: Any) -> takt.Task:
    """Return a soft task, SRT in the paper."""
    return takt.Task(name=name, class_="soft", wcet=wcet, period=period, **keys)


def none(name: str, period: int, **keys: Any) -> takt.Task:
    """Return a best-effort task, NRT in the paper; without a wcet each job takes the whole budget."""
    return takt.Task(name=name, class_="none", period=period, **keys)


def rate_based(tasks: Sequence[takt.Task], policy: str = "rate-based", **options: Any) -> takt.System:
    """Return tasks under a rate-based root that keeps a tenth for best-effort tasks unless `options` differ.

    Args:
        tasks: in file order.
        policy: another one to compare with, which does not read the options.
        options: of takt.RateBased.
    """
    return takt.System(tasks=tasks, policy=policy, options=[takt.RateBased(**{"beta": BETA, **options})])


def paper_example(h1: int = 2, h2: int = 3, **options: Any) -> takt.System:
    """Return the set of Tables 1 and 2; the wcets of the hard tasks decide whether it is an overload."""
    tasks = [hard("H1", h1, 10), hard("H2", h2, 15), soft("S1", 3, 20), soft("S2", 5, 50), none("N1", 80)]
    return rate_based(tasks, **options)


def entered(result: takt.Result) -> dict[str, tuple[float, int, int]]:
    """Return rate, budget and period with which each task entered."""
    rows = result.rates.filter(what="entered").select("task", "rate", "budget", "period").rows()
    return {task: (rate, budget, period) for task, rate, budget, period in rows}


def instants(result: takt.Result, task: str, what: str) -> list[int]:
    """Return the instants at which a task had this event."""
    return result.rates.filter(task=task, what=what)["instant"].to_list()


def missed(result: takt.Result) -> dict[str, int]:
    """Count the misses of the tasks that have some."""
    return dict(result.summary.filter(pl.col("missed") > 0).select("task", "missed").rows())
