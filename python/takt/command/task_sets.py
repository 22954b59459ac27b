# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task-set files as commands read them: with other policies, or other values of [system], in the place of theirs."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from takt.base import output_files
from takt.base.errors import InputError, Problem, show, system_error
from takt.files.edits import label
from takt.files.task_set_reading import load
from takt.model import catalogue
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
    for name in map(str.strip, policies.split(",")):
        path, colon, class_name = name.rpartition(":")
        policy: str | Policy = name
        if colon and path.endswith(".py"):
            policy = _load_policy(Path(path), class_name)
        else:
            check_option("--policy", policy=name)
        try:
            yield system.replace(policy=policy)
        except InputError as error:
            raise error.in_file(label(file, edits)) from None


def _load_policy(path: Path, class_name: str) -> Policy:
    output_files.protect(path)
    try:
        names = runpy.run_path(str(path))
    except OSError as error:
        raise system_error("read", path, error) from None
    except Exception as error:
        message = f"cannot be run: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
        raise InputError([Problem(message, "policy", file=str(path))]) from None
    kinds = [name for name, kind in names.items() if isinstance(kind, type) and issubclass(kind, Policy)]
    kinds = [name for name in kinds if names[name] is not Policy]
    if class_name not in kinds:
        hint = catalogue.alternatives(class_name, kinds) if kinds else "the file has none"
        message = f"expected a subclass of takt.Policy, found {show(class_name)}; {hint}"
        raise InputError([Problem(message, "unknown-word", file=str(path), key="--policy")])
    try:
        policy = names[class_name]()
    except TypeError as error:
        message = f"{class_name}() failed: {error}"
        raise InputError([Problem(message, "policy", file=str(path), key="--policy")]) from None
    assert isinstance(policy, Policy)
    return policy


def check_option(option: str, **key: object) -> None:
    """Check the value of an option that replaces a key of [system]."""
    try:
        Header.model_validate(key)
    except InputError as error:
        raise as_option(option, error) from None


def as_option(option: str, error: InputError) -> InputError:
    """Blame an option of the command line for a problem with the key that it replaces."""
    return InputError([replace(problem, table=None, key=option) for problem in error.problems])
