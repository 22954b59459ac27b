# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bad task-set files and what is said of each: tests/cases/bad_inputs.toml, and what is too long for it."""

from __future__ import annotations

import tomllib

import takt
from places import CASES

HEAD = "schema = 1\n"
TASK = '[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n'
TIME = "write a number followed by ns, us, ms or s in quotes, or a whole number of ticks"
TASK_KEYS = (
    "name, period, min_separation, arrivals, after, join, jitter, wcet, deadline, deadline_from, offset, priority, "
    "weight, demand, body, subjobs, sections, preemption, threshold, on_miss, on_overrun, promotion, mandatory, "
    "server, cpu, cluster, class, initially, events, interval"
)
NAMES = tuple(policy.name for policy in takt.policies())
WORDS = {"{POLICIES}": ", ".join(NAMES), "{TASK KEYS}": TASK_KEYS, "{TIME}": TIME}


def spelled(line: str) -> str:
    """Return a line of the file with its words replaced."""
    for word, text in WORDS.items():
        line = line.replace(word, text)
    return line


def from_file() -> dict[str, tuple[str, list[str]]]:
    """Read the file: by name a text, and the lines that tell what is wrong with it."""
    found = tomllib.loads((CASES / "bad_inputs.toml").read_text(encoding="utf-8"))
    return {name: (case["text"], [spelled(line) for line in case["lines"]]) for name, case in found.items()}


BAD = from_file() | {
    "endless number": (
        HEAD + TASK.replace("period = 5", f"period = {'9' * 5000}"),
        ["not valid TOML: a number is too long"],
    ),
    "endless nesting": (
        HEAD + "x = " + "[" * 5000 + "]" * 5000,
        ["line 2: expected keys and values in at most 32 levels, found more"],
    ),
}
