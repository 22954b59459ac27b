# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuses a system that breaks a rule its classes state: one ValueError that names the task and the rule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from .model import CLASSES, FORMULA3, RULES, System, Task

_ASKED = ("wcet", "period", "deadline", "weight", "demand")


def check(system: System) -> None:
    """Raise a ValueError unless the system keeps every rule."""
    names = [task.name for task in system.tasks]
    for task in system.tasks:
        _require(names.count(task.name) == 1, task.name, "the name is used twice")
        _check_numbers(task)
        _check_class(task)
        _check_requests(task)
    _require(system.rule in RULES, "system", f"rule {system.rule!r} is unknown")
    _require(system.grid >= 1, "system", "grid must be >= 1")
    _require(system.estimate_jobs >= 1, "system", "estimate_jobs must be >= 1")
    _require(0 <= system.sigma <= 1, "system", "sigma must be 0..1")
    is_share = isinstance(system.beta, Fraction) and 0 <= system.beta <= 1
    _require(is_share or system.beta == FORMULA3, "system", "beta must be a fraction 0..1 or formula3")


def _check_numbers(task: Task) -> None:
    """Check the numbers of one task."""
    demands = task.demand if isinstance(task.demand, tuple) else (task.demand or 1,)
    _require(task.period >= 1, task.name, "period must be >= 1")
    _require(task.weight >= 1, task.name, "weight must be >= 1")
    _require(bool(demands) and min(demands) >= 1, task.name, "demand must be >= 1")
    _require(task.demand != 0, task.name, "demand must be >= 1")
    _require(task.offset >= 0, task.name, "offset must be >= 0")
    _require(task.leaves is None or task.leaves > task.offset, task.name, "leaves must be after offset")


def _check_class(task: Task) -> None:
    """Check what depends on the class."""
    _require(task.class_ in CLASSES, task.name, f"class {task.class_!r} is unknown")
    _require(task.class_ == "none" or task.requested >= 1, task.name, "wcet must be >= 1")
    _require(task.class_ == "hard" or task.deadline is None, task.name, "only a hard task has a deadline")
    _require(1 <= task.window <= task.period, task.name, "deadline must be 1..period")
    _require(task.class_ == "soft" or not task.adapts, task.name, "only a soft task adapts its estimate")


def _check_requests(task: Task) -> None:
    """Check what a task asks to be."""
    instants = [at for at, _ in task.requests]
    _require(instants == sorted(instants) and min(instants, default=0) >= 0, task.name, "requests must ascend from 0")
    for _, version in task.requests:
        kept = replace(version, requests=task.requests, **{key: getattr(task, key) for key in _ASKED})
        _require(kept == task, task.name, f"only {', '.join(_ASKED)} can be asked for")
        _require((version.demand is None) == (task.demand is None) or task.class_ != "none", task.name, "greedy or not")
        _check_numbers(version)
        _check_class(version)


def _require(condition: bool, name: str, rule: str) -> None:
    """Raise a ValueError that names the task and the rule unless the condition holds."""
    if not condition:
        raise ValueError(f"{name}: {rule}")
