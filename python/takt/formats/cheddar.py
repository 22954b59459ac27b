# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cheddar's XML: architecture models of the analysis tool Cheddar, its ADL (.xmlv3) and, to be read, release 2.

Source: Cheddar's own examples and source, release 3: cheddar_adl/tasks.ads, resources.ads, and the scheduler for what
the numbers mean. Numbers have no unit, so a number is a tick. Larger priorities are more urgent. A critical section
counts the units of time that a job executes from 1, its first and its last both included. An offset with activation 0
delays every release, a sporadic task draws its separations with the period as mean and as least. Names of elements
are read in either case.

Left out: all processors but one, communication, memories and caches, networks, energy, security.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from takt.formats import cheddar_words as words
from takt.formats import common, documents
from takt.formats.cheddar_reading import read
from takt.formats.contracts import Format, Written
from takt.formats.documents import Element
from takt.model.bodies import Op
from takt.model.conversion import to_ticks
from takt.model.distributions import Exponential
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.model.tables import Task

_RESOURCE_TAGS = {"none": "np_resource", "pip": "pip_resource", "pcp": "pcp_resource", "icpp": "ipcp_resource"}

MOST_PRIORITY = 255
"""Cheddar's largest priority; where one is larger, the ranks of all take their places."""

_PROCESSOR = "processor1"
_SPACE = "space1"


def write(system: System) -> Written:
    """Write a model of one processor; keys without a word of Cheddar are left out."""
    tasks = common.writable(system)
    names = common.renamed(system, "_")
    shape = _shape(system, tasks)
    if shape in words.SERVER_SCHEDULERS.values():
        names["server", system.servers[0].name] = words.SERVER
    writer = _Writer(system, tasks, names, shape)
    return Written(documents.as_text(writer.document()), names)


def _shape(system: System, tasks: Sequence[Task]) -> str:
    """Choose the scheduler of the cores: one with servers if they are as Cheddar's are."""
    if len(system.servers) == 1 and system.policy == "fp":
        (server,) = system.servers  # of all tasks with a single arrival, and no others
        are_apart = all((task.server is not None) == _is_single(task) for task in tasks)
        if server.kind in words.SERVER_SCHEDULERS and server.policy == "fp" and are_apart:
            return words.SERVER_SCHEDULERS[server.kind]
    if _is_cycle(system, tasks):
        return words.CYCLIC
    wanted = "dm" if system.policy == "rm" and any(map(_is_single, tasks)) else name_of(system.policy)
    return words.SCHEDULERS.get(wanted, words.SCHEDULERS["edf"])


def _is_single(task: Task) -> bool:
    """True if a task has a list of arrivals, of which Cheddar takes the first."""
    return isinstance(task.arrivals, tuple)


def _is_cycle(system: System, tasks: Sequence[Task]) -> bool:
    """True if all tasks are in idling servers that take turns."""
    ticks = [
        tuple(_ticks(system, getattr(one, key)) for key in ("period", "budget", "offset")) for one in system.servers
    ]
    starts = [sum(budget for _, budget, _ in ticks[:number]) for number in range(len(ticks))]
    cycle = sum(budget for _, budget, _ in ticks)
    are_parts = all(
        one.kind == "idling" and one.parent is None and one.policy in words.SCHEDULERS for one in system.servers
    )
    is_full = [(cycle, start) for start in starts] == [(period, offset) for period, _, offset in ticks]
    return bool(ticks) and system.policy == "fp" and are_parts and is_full and all(task.server for task in tasks)


def _ticks(system: System, value: int | str) -> int:
    return int(to_ticks(value, system.resolution))


class _Writer:
    """A model in the making."""

    def __init__(self, system: System, tasks: Sequence[Task], names: dict[tuple[str, str], str], shape: str) -> None:
        self.system = system
        self.tasks = tasks
        self.names = names
        self.shape = shape
        self.resolved = {task.name: task for task in system.resolved.tasks}
        priorities = sorted({task.priority for task in tasks} | {server.priority for server in system.servers})
        places = priorities if priorities[-1] <= MOST_PRIORITY else range(1, len(priorities) + 1)
        self.ranks = dict(zip(priorities, places, strict=True))

    def name(self, table: str, name: str) -> str:
        return self.names.get((table, name), name)

    def document(self) -> Element:
        root = etree.Element("cheddar")
        self.cores(etree.SubElement(root, "core_units"))
        self.processor(etree.SubElement(root, "processors"))
        self.spaces(etree.SubElement(root, "address_spaces"))
        section = etree.SubElement(root, "tasks")
        for task in self.tasks:
            self.task(section, task)
        if self.system.resources:
            self.resources(etree.SubElement(root, "resources"))
        return root

    def cores(self, section: Element) -> None:
        is_preemptive = not all(task.is_non_preemptive for task in self.tasks)
        for number in range(1, self.system.cpus + 1):
            core = _add(section, "core_unit", id=f"core_{number}")
            _fill(core, object_type="CORE_OBJECT_TYPE", name=f"core{number}")
            preemptive = "PREEMPTIVE" if is_preemptive else "NOT_PREEMPTIVE"
            _add_scheduling(core, self.shape, preemptive, **self.numbers())
            _fill(core, speed=1)

    def processor(self, section: Element) -> None:
        """Write the processor that has the cores."""
        is_one = self.system.cpus == 1
        element = _add(section, "mono_core_processor" if is_one else "multi_cores_processor", id="processor")
        _fill(element, object_type="PROCESSOR_OBJECT_TYPE", name=_PROCESSOR)
        _fill(element, processor_type="MONOCORE_TYPE" if is_one else "IDENTICAL_MULTICORES_TYPE")
        _fill(element, migration_type="NO_MIGRATION_TYPE" if is_one else "TIME_UNIT_MIGRATION_TYPE")
        place = element if is_one else etree.SubElement(element, "cores")
        for number in range(1, self.system.cpus + 1):
            etree.SubElement(place, "core" if is_one else "core_unit", ref=f"core_{number}")

    def spaces(self, section: Element) -> None:
        """Write the address spaces: one, or those that take turns."""
        if self.shape != words.CYCLIC:
            self.address_space(section, _SPACE, words.NO_SCHEDULER, 0)
            return
        for server in self.system.servers:
            scheduler = words.SCHEDULERS[name_of(server.policy)]
            self.address_space(section, self.name("server", server.name), scheduler, self.ticks(server.budget))

    def address_space(self, section: Element, name: str, scheduler: str, capacity: int) -> None:
        space = _add(section, "address_space", id=f"space_{name}")
        _fill(space, object_type="ADDRESS_SPACE_OBJECT_TYPE", name=name, cpu_name=_PROCESSOR)
        _fill(space, text_memory_size=0, stack_memory_size=0, data_memory_size=0, heap_memory_size=0)
        _add_scheduling(space, scheduler, capacity=capacity)

    def numbers(self) -> dict[str, int]:
        if self.shape not in (words.CYCLIC, *words.SERVERS):
            return {}
        server = self.system.servers[0]
        if self.shape == words.CYCLIC:
            return {"capacity": self.ticks(server.period)}
        times = {"capacity": server.budget, "period": server.period, "start_time": server.offset}
        return {key: self.ticks(value) for key, value in times.items()} | {"priority": self.ranks[server.priority]}

    def ticks(self, value: int | str) -> int:
        return _ticks(self.system, value)

    def task(self, section: Element, task: Task) -> None:
        kind = self.kind(task)
        resolved = self.resolved[task.name]
        first = task.arrivals[0] if isinstance(task.arrivals, tuple) else 0
        name = self.name("task", task.name)
        element = _add(section, f"{kind}_task", id=f"task_{name}")
        _fill(element, object_type="TASK_OBJECT_TYPE", name=name, task_type=f"{kind.upper()}_TYPE")
        _fill(element, cpu_name=_PROCESSOR, address_space_name=self.space(task))
        _fill(element, capacity=resolved.wcet, deadline=resolved.deadline)
        _fill(element, start_time=self.ticks(task.offset) + self.ticks(first))
        _fill(element, priority=self.ranks[task.priority], blocking_time=0, policy="SCHED_FIFO")
        _fill(element, text_memory_size=0, stack_memory_size=0, criticality=0, context_switch_overhead=0)
        if kind != "aperiodic":
            _fill(element, period=self.period(task), jitter=self.ticks(task.jitter))

    def space(self, task: Task) -> str:
        return self.name("server", task.server) if self.shape == words.CYCLIC and task.server else _SPACE

    def kind(self, task: Task) -> str:
        if task.period is not None:
            return "periodic"
        if _is_single(task):
            return "aperiodic"
        return "poisson" if task.min_separation is None else "sporadic"

    def period(self, task: Task) -> int:
        """Return the period, the least separation, or the mean one."""
        mean = task.arrivals.mean if isinstance(task.arrivals, Exponential) else None
        given = task.shortest_separation or mean
        return self.resolved[task.name].deadline if given is None else self.ticks(given)

    def resources(self, section: Element) -> None:
        """Write the resources, each with its critical sections and their tasks."""
        policy = words.POLICIES.get(self.shape, "fp")
        protocols = common.protocols(self.system.resources, policy, words.PROTOCOL_WORDS, "NO_PROTOCOL")
        sections = [(task, one) for task in self.tasks for one in self.sections(task)]
        for resource in self.system.resources:
            name, word = self.name("resource", resource.name), protocols[resource.name]
            element = _add(section, _RESOURCE_TAGS[words.PROTOCOLS[word]], id=f"resource_{name}")
            _fill(element, object_type="RESOURCE_OBJECT_TYPE", name=name, state=1, size=0, address=0, protocol=word)
            place = etree.SubElement(element, "critical_sections")
            for task, (held, start, end) in sections:
                if held == resource.name:
                    _fill(place, task_name=self.name("task", task.name))
                    _fill(etree.SubElement(place, "critical_section"), task_begin=start + 1, task_end=end)
            users = [task for task, (held, _, _) in sections if held == resource.name]
            _fill(element, cpu_name=_PROCESSOR, address_space_name=self.space(users[0]) if users else _SPACE)
            _fill(element, priority=0, priority_assignment="AUTOMATIC_ASSIGNMENT")

    def sections(self, task: Task) -> Iterator[tuple[str, int, int]]:
        """Yield the critical sections of a task; the last run has the rest of the wcet."""
        items = [(item.op, self.ticks(item.time), item.resource or "") for item in task.items]
        runs = [number for number, (op, _, _) in enumerate(items) if op == Op.RUN]
        executed = 0
        starts: dict[str, int] = {}
        wcet = self.resolved[task.name].wcet
        for number, (op, time, resource) in enumerate(items):
            if op == Op.RUN:
                executed = wcet if number == runs[-1] else executed + time
            if op == Op.LOCK:
                starts[resource] = executed
            if op == Op.UNLOCK and starts[resource] < executed:
                yield resource, starts[resource], executed
            if op == Op.UNLOCK:
                del starts[resource]
        yield from ((resource, start, wcet) for resource, start in starts.items() if start < wcet)


def _add(parent: Element, tag: str, id: str) -> Element:
    """Add an element that others may refer to."""
    return etree.SubElement(parent, tag, id=id)


def _fill(parent: Element, **texts: object) -> None:
    for tag, text in texts.items():
        etree.SubElement(parent, tag).text = str(text)


def _add_scheduling(parent: Element, scheduler: str, preemptive: str = "PREEMPTIVE", **numbers: int) -> None:
    """Add how tasks are ordered."""
    place = etree.SubElement(etree.SubElement(parent, "scheduling"), "scheduling_parameters")
    _fill(place, scheduler_type=scheduler, quantum=0, preemptive_type=preemptive)
    _fill(place, **{key: numbers.get(key, 0) for key in ("capacity", "period", "priority", "start_time")})


FORMAT = Format(
    "cheddar",
    (".xml", ".xmlv3"),
    lambda data: documents.begins_with(data, "cheddar"),
    read,
    write,
    keeps_units=False,
)
