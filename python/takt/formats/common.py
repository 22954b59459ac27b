# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Common parts of the formats: exact numbers from text, names under narrower rules, resolutions, known protocols."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from takt.base.errors import InputError, Problem, show
from takt.model import catalogue
from takt.model.python_policy import Policy
from takt.model.server_resources import LEVELLED
from takt.model.system import System
from takt.model.tables import Resource, Task

_STEPS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
_NUMBER = re.compile(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?")


def number(text: str) -> Fraction | None:
    """Read a decimal number exactly, None if the text is none."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def decimal(value: Fraction) -> str:
    """Write a fraction that is a whole number of millionths."""
    millionths = value * 10**6
    assert millionths.denominator == 1
    whole, part = divmod(int(millionths), 10**6)
    return f"{whole}.{part:06}".rstrip("0").rstrip(".")


def coarsest(nanoseconds: Iterable[int]) -> int:
    """Return the longest of 1 ms, 100 us, 10 us ... 1 ns of which all times are multiples."""
    common = math.gcd(10**6, *nanoseconds)
    return max(step for step in _STEPS if common % step == 0)


def renamed(system: System, others: str) -> dict[tuple[str, str], str]:
    """Choose names for a format that allows ASCII letters, digits and some other characters, a letter first.

    Args:
        system: whose tasks, servers and resources are named.
        others: the other characters, as in a character class of a regular expression.

    Returns:
        The names that become others, by table and name; no two of a table are alike.
    """
    tables = {
        "task": [task.name for task in system.tasks],
        "server": [server.name for server in system.servers],
        "resource": [resource.name for resource in system.resources],
    }
    chosen: dict[tuple[str, str], str] = {}
    for table, names in tables.items():
        taken = set(names)
        for name in names:
            if re.fullmatch(f"[A-Za-z][A-Za-z0-9{others}]*", name):
                continue
            plain = re.sub(f"[^A-Za-z0-9{others}]", "_", name)
            begun = plain if re.match("[A-Za-z]", plain) else f"n{plain}"
            candidates = (begun if number == 1 else f"{begun}_{number}" for number in range(1, len(taken) + 2))
            chosen[table, name] = next(each for each in candidates if each not in taken)
            taken.add(chosen[table, name])
    return chosen


def protocols(
    resources: Iterable[Resource], policy: str | Policy, known: Mapping[str, str], without: str
) -> dict[str, str]:
    """Choose the format's names of the resource protocols.

    Args:
        resources: the resources.
        policy: that of the root in the file; ceilings need levels.
        known: what the format calls which protocol.
        without: what it calls none, which stands for all others; and for all, where pcp would stand beside others.

    Returns:
        The protocol of each resource by name.
    """
    bars = not (policy in LEVELLED or catalogue.traits_of(policy).allocates_rates)
    barred = catalogue.CEILING_PROTOCOLS if bars else ()
    usable = {protocol: word for protocol, word in known.items() if protocol not in barred}
    wanted = {resource.name: usable.get(resource.protocol, without) for resource in resources}
    is_mixed = len(set(wanted.values())) > 1 and any(usable.get(key) in wanted.values() for key in ("pcp", "srp"))
    return dict.fromkeys(wanted, without) if is_mixed else wanted


def policy_for(system: System, tasks: Iterable[Task]) -> str | Policy:
    """Choose the policy of the root, which has all tasks: dm instead of one that needs missing periods."""
    wants_periods = system.policy in ("rm", "rbe") and any(task.shortest_separation is None for task in tasks)
    return "dm" if wants_periods else system.policy


def replaced(policy: str, by: str, cpus: int) -> str:
    """Return what a line says of a policy for one processor that a file has for several."""
    return f"{show(policy)} for {cpus} processors, so {by} takes its place"


def writable(system: System) -> list[Task]:
    """Return the tasks with an execution time; a task that uses all budget it gets has none.

    Raises:
        InputError: there is none.
    """
    tasks = [task for task in system.tasks if task.wcet is not None or task.items]
    if not tasks:
        raise InputError(
            [Problem("expected a task with a wcet, found none that could be written", "missing", None, "task")]
        )
    return tasks


def name_from(text: str, line: int, what: str) -> str:
    """Accept a name in a file that is not empty."""
    if text.strip():
        return text.strip()
    raise InputError([Problem(f"line {line}: {what}: expected a name, found {show(text)}", "missing")])
