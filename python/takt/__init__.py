# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Takt for people: a task set in, what will happen out.

Example:
    >>> import takt
    >>> task = takt.Task(name="sensor", period="10ms", wcet="2ms")
    >>> result = takt.simulate(takt.System(tasks=[task]), horizon="1s")
    >>> result.summary.select("task", "released", "missed").rows()
    [('sensor', 100, 0)]

A name is imported on first use (PEP 562), so a command or a script loads only what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt import formats, study
    from takt.analysis.analyse import analyse
    from takt.analysis.result import Analysis
    from takt.base.errors import ForkError, InputError, Problem
    from takt.base.version import __version__
    from takt.draw.matrices import TaskColumns
    from takt.draw.recipe import Recipe
    from takt.files.recipe_reading import load_recipe
    from takt.files.task_set_reading import load
    from takt.files.task_set_writing import save, to_toml
    from takt.model.catalogue import PolicyInfo, ServerKind, policies, server_kinds
    from takt.model.distributions import Exponential, Normal, Uniform, Weibull
    from takt.model.edges import Edge
    from takt.model.policy_options import RateBased, Share, Slot, TimeDriven
    from takt.model.python_policy import DynamicPolicy, Job, Policy
    from takt.model.system import System
    from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task
    from takt.run.architecture import Architecture
    from takt.run.replay import Difference, Replay, replay
    from takt.show.result import Result, simulate

__all__ = [
    "Allocator",
    "Analysis",
    "Architecture",
    "Change",
    "Cluster",
    "Difference",
    "DynamicPolicy",
    "Edge",
    "Exponential",
    "ForkError",
    "InputError",
    "Job",
    "Normal",
    "Platform",
    "Policy",
    "PolicyInfo",
    "Problem",
    "RateBased",
    "Recipe",
    "Replay",
    "Resource",
    "Result",
    "Server",
    "ServerKind",
    "Share",
    "Slot",
    "System",
    "Task",
    "TaskColumns",
    "TimeDriven",
    "Uniform",
    "Weibull",
    "__version__",
    "analyse",
    "formats",
    "load",
    "load_recipe",
    "policies",
    "replay",
    "save",
    "server_kinds",
    "simulate",
    "study",
    "to_toml",
]

_HOMES = {
    "Allocator": "model.tables",
    "Analysis": "analysis.result",
    "Architecture": "run.architecture",
    "Change": "model.tables",
    "Cluster": "model.tables",
    "Difference": "run.replay",
    "DynamicPolicy": "model.python_policy",
    "Edge": "model.edges",
    "Exponential": "model.distributions",
    "ForkError": "base.errors",
    "InputError": "base.errors",
    "Job": "model.python_policy",
    "Normal": "model.distributions",
    "Platform": "model.tables",
    "Policy": "model.python_policy",
    "PolicyInfo": "model.catalogue",
    "Problem": "base.errors",
    "RateBased": "model.policy_options",
    "Recipe": "draw.recipe",
    "Replay": "run.replay",
    "Resource": "model.tables",
    "Result": "show.result",
    "Server": "model.tables",
    "ServerKind": "model.catalogue",
    "Share": "model.policy_options",
    "Slot": "model.policy_options",
    "System": "model.system",
    "Task": "model.tables",
    "TaskColumns": "draw.matrices",
    "TimeDriven": "model.policy_options",
    "Uniform": "model.distributions",
    "Weibull": "model.distributions",
    "__version__": "base.version",
    "analyse": "analysis.analyse",
    "formats": "formats",
    "load": "files.task_set_reading",
    "load_recipe": "files.recipe_reading",
    "policies": "model.catalogue",
    "replay": "run.replay",
    "save": "files.task_set_writing",
    "server_kinds": "model.catalogue",
    "simulate": "show.result",
    "study": "study",
    "to_toml": "files.task_set_writing",
}
"""The module of each name; a module is its own."""


def _draw(record: object) -> str:
    """Return the HTML of a record for a notebook."""
    html: str = import_module("takt.show.cells").html_of(record)
    return html


if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """Import a name."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import_module("takt.base.views").draws(_draw)
        home = import_module(f"takt.{_HOMES[name]}")
        value = globals()[name] = home if _HOMES[name] == name else getattr(home, name)
        return value


def __dir__() -> list[str]:
    """Return the names that users need, imported or not."""
    return sorted(__all__)
