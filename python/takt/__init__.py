"""Takt for people: a task set in, what will happen out.

Example:
    >>> import takt
    >>> task = takt.Task(name="sensor", period="10ms", wcet="2ms")
    >>> result = takt.simulate(takt.System(tasks=[task]), horizon="1s")
    >>> result.summary.select("task", "released", "missed").rows()
    [('sensor', 100, 0)]

A name is imported when it is first asked for (PEP 562), so that a command or a script waits for what it uses alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt import formats, study
    from takt.allocator import Allocator
    from takt.analysis.analyse import analyse
    from takt.analysis.result import Analysis
    from takt.catalogue import PolicyInfo, ServerKind, policies, server_kinds
    from takt.distributions import Exponential, Normal, Uniform, Weibull
    from takt.errors import ForkError, InputError, Problem
    from takt.generators.matrices import TaskColumns
    from takt.model import Change, Platform, Resource, Server, System, Task
    from takt.policy import Job, Policy
    from takt.policy_options import RateBased, Share, Slot, TimeDriven
    from takt.recipe import Recipe
    from takt.recipe_file import load_recipe
    from takt.replaying import Difference, Replay, replay
    from takt.simulation import Architecture, Result, simulate
    from takt.taskset import load
    from takt.version import __version__
    from takt.writing import save, to_toml

__all__ = [
    "Allocator",
    "Analysis",
    "Architecture",
    "Change",
    "Difference",
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
    "Allocator": "allocator",
    "Analysis": "analysis.result",
    "Architecture": "simulation",
    "Change": "model",
    "Difference": "replaying",
    "Exponential": "distributions",
    "ForkError": "errors",
    "InputError": "errors",
    "Job": "policy",
    "Normal": "distributions",
    "Platform": "model",
    "Policy": "policy",
    "PolicyInfo": "catalogue",
    "Problem": "errors",
    "RateBased": "policy_options",
    "Recipe": "recipe",
    "Replay": "replaying",
    "Resource": "model",
    "Result": "simulation",
    "Server": "model",
    "ServerKind": "catalogue",
    "Share": "policy_options",
    "Slot": "policy_options",
    "System": "model",
    "Task": "model",
    "TaskColumns": "generators.matrices",
    "TimeDriven": "policy_options",
    "Uniform": "distributions",
    "Weibull": "distributions",
    "__version__": "version",
    "analyse": "analysis.analyse",
    "formats": "formats",
    "load": "taskset",
    "load_recipe": "recipe_file",
    "policies": "catalogue",
    "replay": "replaying",
    "save": "writing",
    "server_kinds": "catalogue",
    "simulate": "simulation",
    "study": "study",
    "to_toml": "writing",
}
"""The module of each name; a module is its own."""

if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """Import a name."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = import_module(f"takt.{_HOMES[name]}")
        value = globals()[name] = home if _HOMES[name] == name else getattr(home, name)
        return value


def __dir__() -> list[str]:
    """List what is there, and what is imported when it is asked for."""
    return sorted({*globals(), *__all__})
