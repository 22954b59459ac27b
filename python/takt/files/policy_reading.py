# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Policies in Python that a command line or a study names: FILE.py:CLASS. The file is executed."""

from __future__ import annotations

import runpy
from pathlib import Path

from takt.base import output_files
from takt.base.errors import InputError, Problem, show, system_error
from takt.base.input_files import packaged
from takt.model import catalogue
from takt.model.python_policy import Policy


def is_reference(name: str) -> bool:
    """True if a policy is named by its file and its class."""
    path, colon, _ = name.rpartition(":")
    return bool(colon) and path.endswith(".py")


def load(reference: str) -> Policy:
    """Execute a file and return an instance of a policy in it.

    Args:
        reference: FILE.py:CLASS; a file of examples/ that is not there is the package's.

    Raises:
        InputError: the file cannot be read or fails, or it has no such policy.
    """
    name, _, class_name = reference.rpartition(":")
    path = Path(name)
    output_files.protect(path)
    try:
        names = runpy.run_path(str(packaged(path) or path))
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
