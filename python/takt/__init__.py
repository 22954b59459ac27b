"""Takt for people: a task set in, what will happen out.

Example:
    >>> import takt
    >>> task = takt.Task(name="sensor", period="10ms", wcet="2ms")
    >>> result = takt.simulate(takt.System(tasks=[task]), horizon="1s")
    >>> result.summary.select("task", "released", "missed").rows()
    [('sensor', 100, 0)]
"""

from importlib.metadata import version

from takt import formats, study
from takt.allocator import Allocator
from takt.analysis import Analysis, analyse
from takt.catalogue import PolicyInfo, ServerKind, policies, server_kinds
from takt.distributions import Exponential, Normal, Uniform, Weibull
from takt.errors import InputError, Problem
from takt.generators.matrices import TaskColumns
from takt.model import Change, Platform, Resource, Server, System, Task
from takt.policy import Job, Policy
from takt.policy_options import RateBased, Share, Slot, TimeDriven
from takt.recipe import Recipe
from takt.recipe_file import load_recipe
from takt.replaying import Difference, Replay, replay
from takt.simulation import Architecture, Result, simulate
from takt.taskset import load
from takt.writing import save, to_toml

__version__ = version("takt")

__all__ = [
    "Allocator",
    "Analysis",
    "Architecture",
    "Change",
    "Difference",
    "Exponential",
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
