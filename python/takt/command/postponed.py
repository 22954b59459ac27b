# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Packages that are loaded when they are first used, and settings with which they do less."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any


class _Postponed(ModuleType):
    """A package that is not loaded yet; importlib's LazyLoader loads at a second import already."""

    def __getattr__(self, name: str) -> Any:
        """Load the package, and return what it has under a name."""
        object.__setattr__(self, "__class__", ModuleType)
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def postpone(name: str) -> None:
    """Let a package be loaded when something of it is first used, though modules import it before."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is not None:
        package = sys.modules[name] = importlib.util.module_from_spec(spec)
        object.__setattr__(package, "__class__", _Postponed)


_SETTINGS = {
    "PYDANTIC_DISABLE_PLUGINS": "__all__",  # they are sought in all installed packages
    "BOKEH_VALIDATE_DOC": "false",  # pages are checked when they are tested
}


def configure() -> None:
    """Leave out what libraries do at each start and this command does not need, unless the environment says so."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
