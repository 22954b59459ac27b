# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task-set files as commands read them: with other policies, or other values of [system], in the place of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from takt.base.errors import InputError, Problem, show
from takt.files import policy_reading
from takt.files.edits import label
from takt.files.task_set_reading import load
from takt.model.python_policy import Policy
from takt.model.system import Header, System


def systems_of(file: Path, policies: str | None, edits: Sequence[str]) -> Iterator[System]:
    """Read a file; return one system for each requested policy.

    Args:
        file: a task-set file.
        policies: names, or FILE.py:CLASS, with commas between them; None: the policy of the file.
        edits: new values of keys in the place of the file's.

    Raises:
        InputError: the file, or a policy, cannot be taken.
    """
    system = load(file, edits)
    if policies is None:
        yield system
        return
    names = [name.strip() for name in policies.split(",")]
    for name in names:
        if names.count(name) > 1:
            message = f"expected policies that differ, found {show(name)} twice; leave one of both out"
            raise InputError([Problem(message, "conflict", key="--policy")])
        policy: str | Policy = name
        if policy_reading.is_reference(name):
            policy = policy_reading.load(name)
        elif name.endswith(".py"):
            message = f"expected FILE.py:CLASS, found {show(name)}; name the class of the policy too"
            raise InputError([Problem(message, "syntax", key="--policy")])
        else:
            check_option("--policy", policy=name)
        try:
            yield system.replace(policy=policy)
        except InputError as error:
            raise error.in_file(label(file, edits)) from None


def check_option(option: str, **key: object) -> None:
    """Check the value of an option that replaces a key of [system]."""
    try:
        Header.model_validate(key)
    except InputError as error:
        raise as_option(option, error) from None


def as_option(option: str, error: InputError) -> InputError:
    """Blame an option of the command line for a problem with the key that it replaces."""
    return InputError([replace(problem, table=None, key=option) for problem in error.problems])
