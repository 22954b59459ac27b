# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The model: a task set as its author wrote it, checked, immutable.

Source: SPEC.md, 7.1 (the task-set file) and 7.4 (Python). Times stay as they were given, ticks or a text with a
unit; conversion.py says what they mean in ticks. Each class checks its own keys when it is made; System also
checks what lies between tables, so that a System that exists can be simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import PlainValidator, PrivateAttr

from takt.base import one_line, views
from takt.base.errors import InputError, show
from takt.model import value_checks
from takt.model.consistency import checked, find_problems
from takt.model.core_input import ResolvedSystem
from takt.model.domains import is_divided, joined, parts_of
from takt.model.input_table import Table
from takt.model.key_types import DEFAULT_POLICY, Cpus, Name, OptionalTime, PolicyName, Resolution, Seed
from takt.model.linked import with_links
from takt.model.policy_options import PolicyOptions, check_options
from takt.model.python_policy import Policy, copied, name_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task

SCHEMA = 1


def _check_members(kind: type[Table]) -> Callable[[object], tuple[Any, ...]]:
    """Return the check of the tasks or the servers of a system."""

    def check(value: object) -> tuple[Any, ...]:
        members = tuple(value) if isinstance(value, (list, tuple)) else (value,)
        for member in members:
            if not isinstance(member, kind):
                raise value_checks.refuse("wrong-type", f"expected takt.{kind.__name__} objects, found {show(member)}")
        return members

    return check


def _check_one(kind: type[Table]) -> Callable[[object], Any]:
    """Return the check of a table of which a system has one."""

    def check(value: object) -> Any:
        if not isinstance(value, kind):
            raise value_checks.refuse("wrong-type", f"expected a takt.{kind.__name__}, found {show(value)}")
        return value

    return check


@dataclass(frozen=True)
class Domain:
    """A part of a machine with a scheduler of its own; domains share nothing but time.

    Args:
        label: what people call it.
        processors: numbers of its processors on the machine, ascending.
        system: what it runs, on processors that are numbered from 0.
    """

    label: str
    processors: tuple[int, ...]
    system: System

    __repr__ = one_line.of_fields


class Header(Table):
    """The table [system] of a task-set file; System says what its keys mean."""

    table = "system"

    name: Name = "system"
    resolution: Resolution = "1ms"
    policy: PolicyName = DEFAULT_POLICY
    horizon: OptionalTime = None
    seed: Seed = 0
    cpus: Cpus = 1


class System(Header):
    """A task set: what there is to schedule and how the root orders it.

    Args:
        tasks: takt.Task objects, at least one; their order is the file order that breaks ties.
        servers: takt.Server objects.
        resources: takt.Resource objects.
        options: options of policies, such as takt.RateBased; at most one for each policy, others have their defaults.
        name: for people.
        resolution: length of a tick; every time with a unit must be a multiple of it.
        policy: what orders the tasks and servers that sit directly at the root.
        horizon: how long a simulation runs; default: see takt.simulate.
        seed: all random numbers follow from it: the same seed gives the same jobs under every policy.
        cpus: how many processors there are. With several, either tasks say on which they run, or all are scheduled
            together and are plain: see SPEC.md, 11.
        platform: what the kernel's own work takes; default: nothing.
        allocator: a takt.Allocator: number of windows per call, and cost of a call; default: one window, at no cost.
        clusters: takt.Cluster objects: processors that are scheduled together.
        changes: takt.Change objects: what becomes different while it runs, in any order.

    Raises:
        InputError: a value is not right, or tables do not fit together.

    Example:
        >>> tasks = [Task(name="A", period=5, wcet=2), Task(name="B", period=7, wcet=4)]
        >>> System(tasks=tasks).replace(policy="edf").policy
        'edf'
    """

    tasks: Annotated[Sequence[Task], PlainValidator(_check_members(Task))] = ()
    servers: Annotated[Sequence[Server], PlainValidator(_check_members(Server))] = ()
    resources: Annotated[Sequence[Resource], PlainValidator(_check_members(Resource))] = ()
    platform: Annotated[Platform, PlainValidator(_check_one(Platform))] = Platform()
    options: Annotated[Sequence[PolicyOptions], PlainValidator(check_options)] = ()
    allocator: Annotated[Allocator | None, PlainValidator(value_checks.optional(_check_one(Allocator)))] = None
    clusters: Annotated[Sequence[Cluster], PlainValidator(_check_members(Cluster))] = ()
    changes: Annotated[Sequence[Change], PlainValidator(_check_members(Change))] = ()

    _resolved: ResolvedSystem = PrivateAttr()
    _domains: tuple[Domain, ...] = PrivateAttr(default=())

    if not TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None:
            """Check the keys, then what lies between the tables."""
            super().__init__(**values)
            # Policies in Python as they are now: the caller may change its own, and runs copy what is kept.
            memo: dict[int, Any] = {}

            def own(policy: str | Policy) -> str | Policy:
                return copied(policy, memo) if isinstance(policy, Policy) else policy

            self.__dict__["policy"] = own(self.policy)
            self.__dict__["tasks"] = with_links(self.tasks, self.resolution)
            self.__dict__["clusters"] = tuple(
                cluster.model_copy(update={"policy": cluster.policy and own(cluster.policy)})
                for cluster in self.clusters
            )
            self.__dict__["servers"] = tuple(
                server.model_copy(update={"policy": own(server.policy)}) for server in self.servers
            )
            tables = self.tables
            if not is_divided(tables):
                self._resolved = checked(tables)
                return
            problems = find_problems(tables)
            if problems:
                raise InputError(problems)
            domains = []
            for part in parts_of(tables):
                own_tables = {key: getattr(part, key) for key in System.model_fields if hasattr(part, key)}
                own_tables |= {"name": self.name, "seed": part.seed_of(self.seed)}
                domains.append(Domain(part.label, part.processors, System(**own_tables)))
            self._domains = tuple(domains)
            parts = [domain.system.resolved for domain in domains]
            self._resolved = replace(joined(parts, tables), policy=self.policy, cpus=self.cpus)

    def __repr__(self) -> str:
        """Return how many tasks there are, under which policy, and what they request of the processor."""
        tasks = self._resolved.tasks
        counts = [(len(tasks), "task"), (len(self.servers), "server"), (len(self.resources), "resource")]
        facts = [f"{count:,} {what}{'s' * (count > 1)}" for count, what in counts if count]
        facts += [f"policy {name_of(self.policy)}", *[f"{self.cpus} processors"] * (self.cpus > 1)]
        load = sum(task.wcet / task.period for task in tasks if task.period and not task.is_greedy)
        facts += [f"load {100 * load:.1f} %"] if not self.changes else [f"{len(self.changes)} changes"]
        return one_line.sentence(self, f"{show(self.name)}: {', '.join(facts)}, ticks of {self.resolution}")

    __str__ = __repr__

    def _repr_html_(self) -> str | None:
        """Return the system as a notebook shows it."""
        return views.html_of(self)

    @property
    def tables(self) -> SystemTables:
        """All its tables."""
        return SystemTables(**{field.name: getattr(self, field.name) for field in fields(SystemTables)})

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domains of a machine whose processors or clusters have schedulers of their own; else none."""
        return self._domains

    @property
    def resolved(self) -> ResolvedSystem:
        """The system in ticks and levels."""
        return self._resolved

    @property
    def resolution_ns(self) -> int:
        """Nanoseconds of a tick."""
        return self._resolved.resolution_ns
