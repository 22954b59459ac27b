# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuses tasks and architectures that break a rule that their classes state."""

from __future__ import annotations

from collections.abc import Sequence

from .model import KINDS, POLICIES, RTOS, SWITCH, TIMERS, Architecture, Task


def check(tasks: Sequence[Task], policy: str, architecture: Architecture, duration: int) -> None:
    """Refuse what cannot be simulated.

    Raises:
        ValueError: says what was expected and what was found.
    """
    _one_of("policy", policy, POLICIES)
    _at_least("duration", duration, 1)
    _check_architecture(architecture)
    for task in tasks:
        _check_task(task)
    names = [task.name for task in tasks]
    _true(len(set(names)) == len(names), "names of tasks: expected unique ones")
    _true(not {RTOS, SWITCH} & set(names), f"names of tasks: expected neither {RTOS} nor {SWITCH}")


def _check_task(task: Task) -> None:
    """Refuse a task with a number out of range."""
    _at_least("period", task.period, 1)
    _at_least("wcet", task.wcet, 1)
    _at_least("deadline", task.relative_deadline, 1)
    _at_least("offset", task.offset, 0)


def _check_architecture(architecture: Architecture) -> None:
    """Refuse an architecture with an unknown word, or a number that is out of range or not for its kind."""
    kind = architecture.kind
    _one_of("kind", kind, KINDS)
    _one_of("timer", architecture.timer, TIMERS)
    _at_least("context switch", architecture.context_switch, 0)
    _at_least("latency", architecture.decision_latency, 0)
    _true(kind == "coprocessor" or architecture.decision_latency == 0, f"latency: expected 0 for {kind}")
    if kind == "software":
        _at_least("interval of a software scheduler", architecture.interval or 0, 1)
    else:
        _true(architecture.interval is None, f"interval: expected none for {kind}")


def _one_of(what: str, found: str, expected: Sequence[str]) -> None:
    """Refuse an unknown word."""
    _true(found in expected, f"{what}: expected one of {', '.join(expected)}, found {found}")


def _at_least(what: str, found: int, least: int) -> None:
    """Refuse a number that is too small."""
    _true(found >= least, f"{what}: expected >= {least}, found {found}")


def _true(holds: bool, message: str) -> None:
    """Refuse what does not hold."""
    if not holds:
        raise ValueError(message)
