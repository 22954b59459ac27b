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
from typing import Any, NamedTuple

from lxml import etree

from takt.bodies import Op
from takt.distributions import Exponential
from takt.errors import Problem, show
from takt.formats import common, documents
from takt.formats.contracts import Format, Imported, Written
from takt.formats.documents import Element
from takt.model import Resource, Server, System, Task
from takt.policy import name_of
from takt.resolve import to_ticks

_FIXED = "POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL"
_POLICIES = {
    _FIXED: "fp",
    "RATE_MONOTONIC_PROTOCOL": "rm",
    "DEADLINE_MONOTONIC_PROTOCOL": "dm",
    "EARLIEST_DEADLINE_FIRST_PROTOCOL": "edf",
    "LEAST_RUNTIME_LAXITY_FIRST_PROTOCOL": "llf",
}
_SCHEDULERS = {policy: scheduler for scheduler, policy in _POLICIES.items()}
_SIMILAR = {"LEAST_LAXITY_FIRST_PROTOCOL": "llf", "NO_SCHEDULING_PROTOCOL": "fp"}
_SERVERS = {
    "HIERARCHICAL_POLLING_APERIODIC_SERVER_PROTOCOL": "polling",
    "HIERARCHICAL_DEFERRABLE_APERIODIC_SERVER_PROTOCOL": "deferrable",
    "HIERARCHICAL_SPORADIC_APERIODIC_SERVER_PROTOCOL": "sporadic",
}
_SERVER_SCHEDULERS = {kind: scheduler for scheduler, kind in _SERVERS.items()}
_CYCLIC = "HIERARCHICAL_CYCLIC_PROTOCOL"
_SERVER = "server"
"""Name of the one aperiodic server, which has none in a file."""

_PROTOCOLS = {
    "NO_PROTOCOL": "none",
    "PRIORITY_INHERITANCE_PROTOCOL": "pip",
    "PRIORITY_CEILING_PROTOCOL": "pcp",
    "IMMEDIATE_PRIORITY_CEILING_PROTOCOL": "icpp",
}
_PROTOCOL_WORDS = {protocol: word for word, protocol in _PROTOCOLS.items()}
_RESOURCE_TAGS = {"none": "np_resource", "pip": "pip_resource", "pcp": "pcp_resource", "icpp": "ipcp_resource"}

MOST_PRIORITY = 255
"""Cheddar's largest priority."""

_READ_SECTIONS = ("core_units", "processors", "address_spaces", "tasks", "resources")
_KINDS = ("periodic", "aperiodic", "sporadic", "poisson")
_TASK: tuple[str, ...] = (
    "object_type",
    "name",
    "task_type",
    "cpu_name",
    "address_space_name",
    "capacity",
    "deadline",
    "start_time",
    "priority",
    "period",
    "jitter",
    "offsets",
)
_RESOURCE: tuple[str, ...] = (
    "object_type",
    "name",
    "state",
    "protocol",
    "critical_sections",
    "resource_used_by",
    "cpu_name",
    "address_space_name",
    "priority_assignment",
)
_PLACE = ("object_type", "name", "cpu_name", "scheduling")


class _Scheduling(NamedTuple):
    """What orders the tasks of a core or an address space, in any release of the format."""

    scheduler: str
    preemptive: str
    capacity: int
    period: int
    priority: int
    start_time: int
    quantum: int
    element: Element

    @property
    def turn(self) -> int:
        """How long an address space has the processor in turn; older files say it by the quantum."""
        return self.capacity or self.quantum


class _Processor(NamedTuple):
    """A processor with the scheduling of its first core."""

    name: str
    cores: int
    scheduling: _Scheduling
    element: Element


class _Section(NamedTuple):
    """Where a job holds a resource, in units that it has executed: after `start`, up to `end`."""

    start: int
    end: int
    resource: str
    element: Element


# ---- reading ----------------------------------------------------------------------------------------


def _read(data: bytes, name: str) -> Imported:
    """Read a model."""
    root = documents.parse(data)
    for element in root.iter(etree.Element):
        element.tag = str(element.tag).lower()
    if root.tag != "cheddar":
        raise documents.refuse(root, f"<{root.tag}>", "expected <cheddar>", "unknown-key")
    reader = _Reader(root)
    return Imported(reader.system(name), tuple(reader.warnings))


def _number(element: Element, tag: str, default: int = 0) -> int:
    """Read a whole number of 0 or more from a child."""
    text = documents.text_of(element, tag, str(default))
    value = common.number(text)
    if value is None or value.denominator != 1 or value < 0:
        child = element.find(tag)
        where = element if child is None else child
        raise documents.refuse(where, f"<{tag}>", f"expected a whole number of 0 or more, found {show(text)}")
    return int(value)


def _name(element: Element) -> str:
    """Read the name of an element."""
    return common.name_from(documents.text_of(element, "name"), documents.line_of(element), f"<{element.tag}>")


def _scheduling(element: Element) -> _Scheduling:
    """Read how the tasks of a core, an address space, or a processor of release 2 are ordered."""
    parameters = element.find("scheduling/scheduling_parameters")
    source = element if parameters is None else parameters
    tag = "scheduler" if parameters is None else "scheduler_type"
    scheduler = documents.text_of(source, tag, "NO_SCHEDULING_PROTOCOL").upper()
    return _Scheduling(
        scheduler,
        preemptive=documents.text_of(source, "preemptive_type", "PREEMPTIVE"),
        capacity=_number(source, "capacity"),
        period=_number(source, "period"),
        priority=_number(source, "priority"),
        start_time=_number(source, "start_time"),
        quantum=_number(source, "quantum"),
        element=source,
    )


class _Reader:
    """A document with what was found in it that Takt has no place for."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.warnings: list[Problem] = []

    def system(self, name: str) -> System:
        """Make the system."""
        self.sections()
        every = [element for element in documents.children_of(self.root, "tasks") if self.is_task(element)]
        processor = self.processor(every)
        elements = [element for element in every if self.is_on(element, processor.name)]
        servers, policy = self.servers(processor, elements)
        homes = {server.name for server in servers}
        resources, sections = self.resources(processor.name)
        tasks = [self.task(element, sections, homes, processor) for element in elements]
        for user in sections.keys() - {task["name"] for task in tasks}:
            self.lose(sections[user][0].element, "resource", sections[user][0].resource, None, f"the user {show(user)}")
        return System(
            name=name,
            policy=policy,
            cpus=processor.cores,
            tasks=[Task(**values) for values in tasks],
            servers=servers,
            resources=resources,
        )

    def sections(self) -> None:
        """Warn of the parts of a file that are not read at all."""
        for section in self.root:
            if section.tag in _READ_SECTIONS:
                continue
            kinds = [str(element.tag) for element in section]
            counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            if counts:
                self.lose(section, None, None, str(section.tag), counts)

    def is_task(self, element: Element) -> bool:
        """Say whether a task is of a kind that Takt has; else warn."""
        kind = self.kind(element)
        if kind not in _KINDS:
            self.lose(element, "task", _name(element), None, f"a task of the kind {show(kind)}")
        return kind in _KINDS

    def kind(self, element: Element) -> str:
        """Give the kind of a task: its tag, or an attribute in release 2."""
        word = element.get("task_type", "periodic_type") if element.tag == "task" else str(element.tag)
        return word.lower().removesuffix("_task").removesuffix("_type")

    # ---- processors -----------------------------------------------------------------------------------

    def processor(self, tasks: Sequence[Element]) -> _Processor:
        """Choose the processor of the first task."""
        cores = {element.get("id"): element for element in documents.children_of(self.root, "core_units")}
        processors = [self.one_processor(element, cores) for element in documents.children_of(self.root, "processors")]
        wanted = next((documents.text_of(element, "cpu_name") for element in tasks), "")
        chosen = next((one for one in processors if one.name == wanted), None)
        if chosen is None:
            message = f"expected the processor {show(wanted)} of a task in <processors>, found none"
            raise documents.refuse(self.root, "<cheddar>", message, "missing")
        for one in processors:
            if one is not chosen:
                self.lose(one.element, "system", None, "processors", show(one.name))
        return chosen

    def one_processor(self, element: Element, cores: dict[str | None, Element]) -> _Processor:
        """Read a processor, with its cores if they stand by themselves."""
        name = _name(element)
        references = [one.get("ref") for one in (*element.iterfind("core"), *element.iterfind("cores/*"))]
        found = [cores[reference] for reference in references if reference in cores]
        if len(found) < len(references) or (not found and element.find("scheduler") is None):
            raise documents.refuse(element, f"<{element.tag}>", "expected references to its cores", "missing")
        known = (
            "object_type",
            "name",
            "core",
            "cores",
            "scheduler",
            "processor_type",
            "migration_type",
            "network_link",
        )
        self.warnings += documents.unread(element, known, "system", None)
        for core in found:
            self.warnings += documents.unread(core, ("object_type", "name", "scheduling", "speed"), "system", None)
            if common.number(documents.text_of(core, "speed", "1")) not in (0, 1):
                self.lose(core, "system", None, "speed", show(documents.text_of(core, "speed")))
        if len(found) > 1 and documents.text_of(element, "migration_type") == "NO_MIGRATION_TYPE":
            self.lose(element, "system", None, "migration_type", "NO_MIGRATION_TYPE, so jobs may go anywhere")
        return _Processor(name, max(1, len(found)), _scheduling([*found, element][0]), element)

    def is_on(self, element: Element, processor: str) -> bool:
        """Say whether a task is on the processor that is read; else warn."""
        place = documents.text_of(element, "cpu_name")
        if place != processor:
            self.lose(element, "task", _name(element), None, f"a task of another processor, {show(place)}")
        return place == processor

    # ---- policies and servers -------------------------------------------------------------------------

    def policy(self, scheduling: _Scheduling) -> str:
        """Read a scheduler; gives the policy that takes its place if Takt has no such."""
        policy = _POLICIES.get(scheduling.scheduler)
        if policy is None:
            policy = _SIMILAR.get(scheduling.scheduler, "fp")
            message = f"{show(scheduling.scheduler)}, so {policy} takes its place"
            self.lose(scheduling.element, "system", None, "policy", message)
        return policy

    def servers(self, processor: _Processor, tasks: Sequence[Element]) -> tuple[list[Server], str]:
        """Read the servers that there are, and the policy of the root."""
        scheduling = processor.scheduling
        spaces = [
            space
            for space in documents.children_of(self.root, "address_spaces")
            if documents.text_of(space, "cpu_name", processor.name) == processor.name
        ]
        for space in spaces:
            self.warnings += documents.unread(space, _PLACE, "system", None)
        if scheduling.preemptive not in ("PREEMPTIVE", "NOT_PREEMPTIVE"):
            self.lose(
                scheduling.element, "system", None, "preemptive_type", f"{show(scheduling.preemptive)}, so preemptive"
            )
        known = ("scheduler_type", "preemptive_type")
        times = ("capacity", "period", "priority", "start_time")
        if scheduling.element.tag == "scheduling_parameters":
            has_numbers = scheduling.scheduler in (*_SERVERS, _CYCLIC)
            self.warnings += documents.unread(scheduling.element, known + times * has_numbers, "system", None)
        if scheduling.scheduler in _SERVERS:
            return [self.aperiodic_server(scheduling)], "fp"
        if scheduling.scheduler == _CYCLIC:
            return self.partitions(spaces), "fp"
        policy = self.policy(scheduling)
        if policy == "rm" and any(self.kind(element) == "aperiodic" for element in tasks):
            self.lose(
                scheduling.element, "system", None, "policy", "rm orders no aperiodic tasks, so dm takes its place"
            )
            policy = "dm"
        for space in spaces:
            if _scheduling(space).scheduler != "NO_SCHEDULING_PROTOCOL":
                self.lose(space, "system", None, "scheduling", f"the scheduler of address space {show(_name(space))}")
        return [], policy

    def aperiodic_server(self, scheduling: _Scheduling) -> Server:
        """Read the server of all aperiodic tasks."""
        return Server(
            name=_SERVER,
            kind=_SERVERS[scheduling.scheduler],
            period=scheduling.period,
            budget=scheduling.capacity,
            priority=scheduling.priority,
            offset=scheduling.start_time,
        )

    def partitions(self, spaces: Sequence[Element]) -> list[Server]:
        """Read address spaces that take turns, each for its capacity."""
        parts = [(space, _scheduling(space)) for space in spaces]
        cycle = sum(part.turn for _, part in parts)
        servers, start = [], 0
        for space, part in parts:
            self.warnings += documents.unread(
                part.element, ("scheduler_type", "preemptive_type", "capacity", "quantum"), "server", _name(space)
            )
            budget, policy = part.turn, self.policy(part)
            servers.append(
                Server(name=_name(space), kind="idling", period=cycle, budget=budget, offset=start, policy=policy)
            )
            start += budget
        return servers

    # ---- resources ------------------------------------------------------------------------------------

    def resources(self, processor: str) -> tuple[list[Resource], dict[str, list[_Section]]]:
        """Read the resources, and by task where it holds which."""
        resources: list[Resource] = []
        sections: dict[str, list[_Section]] = {}
        for element in documents.children_of(self.root, "resources"):
            name = _name(element)
            if documents.text_of(element, "cpu_name", processor) != processor:
                self.lose(element, "resource", name, None, "a resource of another processor")
                continue
            resources.append(Resource(name=name, protocol=self.protocol(element, name)))
            for user, section in self.uses(element, name):
                sections.setdefault(user, []).append(section)
        return resources, sections

    def protocol(self, element: Element, name: str) -> str:
        """Read the protocol of a resource."""
        known = _RESOURCE
        if documents.text_of(element, "priority_assignment") != "MANUAL_ASSIGNMENT":
            known += ("priority",)
        self.warnings += documents.unread(element, known, "resource", name)
        if _number(element, "state", 1) != 1:
            self.lose(element, "resource", name, "state", f"{documents.text_of(element, 'state')}, so one job holds it")
        word = documents.text_of(element, "protocol", "NO_PROTOCOL").upper()
        if word not in _PROTOCOLS:
            self.lose(element, "resource", name, "protocol", f"{show(word)}, so none takes its place")
        return _PROTOCOLS.get(word, "none")

    def uses(self, element: Element, name: str) -> Iterator[tuple[str, _Section]]:
        """List who holds a resource where."""
        user = ""
        for child in documents.children_of(element, "critical_sections"):
            if child.tag == "task_name":
                user = (child.text or "").strip()
                continue
            how = documents.text_of(child, "task_synchronization", "MUTEX").upper()
            if how != "MUTEX":
                self.lose(child, "resource", name, "task_synchronization", show(how))
                continue
            yield user, _Section(_number(child, "task_begin") - 1, _number(child, "task_end"), name, child)
        for child in documents.children_of(element, "resource_used_by"):
            yield self.use_of_release_2(child, name)

    def use_of_release_2(self, element: Element, name: str) -> tuple[str, _Section]:
        """Read a user, its first and its last unit, which are one text."""
        words = (element.text or "").split()
        if len(words) != 3 or not all(word.isascii() and word.isdigit() for word in words[1:]):
            message = f"expected a task and two whole numbers, found {show((element.text or '').strip())}"
            raise documents.refuse(element, f"<{element.tag}>", message)
        return words[0], _Section(int(words[1]) - 1, int(words[2]), name, element)

    # ---- tasks ----------------------------------------------------------------------------------------

    def task(
        self, element: Element, sections: dict[str, list[_Section]], homes: set[str], processor: _Processor
    ) -> dict[str, Any]:
        """Read a task."""
        name, kind = _name(element), self.kind(element)
        known = _TASK
        policy = documents.text_of(element, "policy", "SCHED_FIFO")
        self.warnings += documents.unread(element, (*known, "policy"), "task", name)
        if policy != "SCHED_FIFO" and processor.scheduling.scheduler == _FIXED:
            self.lose(element, "task", name, "policy", f"{show(policy)}, so SCHED_FIFO takes its place")
        values: dict[str, Any] = {
            "name": name,
            "wcet": _number(element, "capacity"),
            "priority": _number(element, "priority"),
            "offset": _number(element, "start_time") + self.delay(element, name),
            "deadline": _number(element, "deadline") or None,
            **self.source(element, name, kind),
        }
        values["body"] = self.body(sections.get(name, []), values["wcet"], name)
        values["server"] = self.home(element, kind, homes)
        if processor.scheduling.preemptive == "NOT_PREEMPTIVE":
            values["preemption"] = "non-preemptive"
        return {key: value for key, value in values.items() if value is not None}

    def home(self, element: Element, kind: str, homes: set[str]) -> str | None:
        """Give the server of a task: that of aperiodic ones, or its address space."""
        space = _SERVER if kind == "aperiodic" else documents.text_of(element, "address_space_name")
        return space if space in homes else None

    def source(self, element: Element, name: str, kind: str) -> dict[str, Any]:
        """Read when jobs come."""
        if kind == "aperiodic":
            return {"arrivals": [0]}
        period, jitter = _number(element, "period"), _number(element, "jitter")
        if kind == "periodic":
            return {"period": period, "jitter": jitter}
        if jitter:
            self.lose(element, "task", name, "jitter", f"{jitter} of a task that is not periodic")
        drawn = {"arrivals": Exponential(mean=period)}
        return drawn | ({"min_separation": period} if kind == "sporadic" else {})

    def delay(self, element: Element, name: str) -> int:
        """Read by how much all releases are delayed."""
        every = 0
        for offset in documents.children_of(element, "offsets"):
            amount = _number(offset, "offset_value")
            if _number(offset, "activation") == 0:
                every = max(every, amount)
            elif amount:
                self.lose(offset, "task", name, "offsets", f"{amount} at activation {_number(offset, 'activation')}")
        return every

    def body(self, sections: Sequence[_Section], wcet: int, name: str) -> list[str] | None:
        """Make the body of a task that holds resources."""
        nested: list[_Section] = []
        for section in sorted(sections, key=lambda one: (one.start, -one.end)):
            if not 0 <= section.start < section.end <= wcet:
                message = f"expected units from 1 to the capacity {wcet}, found {section.start + 1} to {section.end}"
                raise documents.refuse(section.element, f"{show(section.resource)} of {show(name)}", message)
            if any(_crosses(one, section) for one in nested):
                message = f"{show(section.resource)} from {section.start + 1} to {section.end}, which crosses another"
                self.lose(section.element, "task", name, "body", message)
            else:
                nested.append(section)
        return _items(nested, wcet) if nested else None

    def lose(self, element: Element, table: str | None, entity: str | None, key: str | None, what: str) -> None:
        """Warn of something."""
        self.warnings.append(documents.lost(element, table, entity, key, what))


def _crosses(one: _Section, other: _Section) -> bool:
    """Say whether a section that starts later ends outside one, or is in one of the same resource."""
    return one.end > other.start and (one.end < other.end or one.resource == other.resource)


def _items(sections: Sequence[_Section], wcet: int) -> list[str]:
    """List runs and locks; sections are nested, and come by their starts, outer ones first."""
    items: list[str] = []
    executed = 0
    marks = sorted({wcet, *(section.start for section in sections), *(section.end for section in sections)} - {0})
    for mark in [0, *marks]:
        items += [f"run {mark - executed}"] * (mark > executed)
        executed = mark
        items += [f"unlock {one.resource}" for one in reversed(sections) if one.end == mark]
        items += [f"lock {one.resource}" for one in sections if one.start == mark]
    return items


# ---- writing ----------------------------------------------------------------------------------------


def _write(system: System) -> Written:
    """Write a model of one processor; what Cheddar has no word for is left out."""
    tasks = common.writable(system)
    names = common.renamed(system, "_")
    shape = _shape(system, tasks)
    if shape in _SERVER_SCHEDULERS.values():
        names["server", system.servers[0].name] = _SERVER
    writer = _Writer(system, tasks, names, shape)
    return Written(documents.as_text(writer.document()), names)


def _shape(system: System, tasks: Sequence[Task]) -> str:
    """Choose the scheduler of the cores: one with servers if they are as Cheddar's are."""
    if _is_one_server(system, tasks):
        return _SERVER_SCHEDULERS[system.servers[0].kind]
    if _is_cycle(system, tasks):
        return _CYCLIC
    wanted = "dm" if system.policy == "rm" and any(map(_is_single, tasks)) else name_of(system.policy)
    return _SCHEDULERS.get(wanted, _SCHEDULERS["edf"])


def _is_one_server(system: System, tasks: Sequence[Task]) -> bool:
    """Say whether there is one server, for all tasks with a single arrival and no others."""
    if len(system.servers) != 1 or system.policy != "fp":
        return False
    (server,) = system.servers
    are_apart = all((task.server is not None) == _is_single(task) for task in tasks)
    return server.kind in _SERVER_SCHEDULERS and server.policy == "fp" and are_apart


def _is_single(task: Task) -> bool:
    """Say whether a task has a list of arrivals, of which Cheddar takes the first."""
    return isinstance(task.arrivals, tuple)


def _is_cycle(system: System, tasks: Sequence[Task]) -> bool:
    """Say whether all tasks are in idling servers that take turns."""
    ticks = [
        tuple(_ticks(system, getattr(one, key)) for key in ("period", "budget", "offset")) for one in system.servers
    ]
    starts = [sum(budget for _, budget, _ in ticks[:number]) for number in range(len(ticks))]
    cycle = sum(budget for _, budget, _ in ticks)
    are_parts = all(one.kind == "idling" and one.parent is None and one.policy in _SCHEDULERS for one in system.servers)
    is_full = [(cycle, start) for start in starts] == [(period, offset) for period, _, offset in ticks]
    return bool(ticks) and system.policy == "fp" and are_parts and is_full and all(task.server for task in tasks)


def _ticks(system: System, value: int | str) -> int:
    """Give a time in ticks."""
    return int(to_ticks(value, system.resolution))


class _Writer:
    """A model in the making."""

    def __init__(self, system: System, tasks: Sequence[Task], names: dict[tuple[str, str], str], shape: str) -> None:
        self.system = system
        self.tasks = tasks
        self.names = names
        self.shape = shape
        self.resolved = {task.name: task for task in system.resolved.tasks}
        self.ranks = _ranks({task.priority for task in tasks} | {server.priority for server in system.servers})

    def name(self, table: str, name: str) -> str:
        """Give a name as it is in the file."""
        return self.names.get((table, name), name)

    def document(self) -> Element:
        """Make the document."""
        root = etree.Element("cheddar")
        self.cores(root)
        spaces = [(_SPACE, "NO_SCHEDULING_PROTOCOL", 0)]
        if self.shape == _CYCLIC:
            servers = self.system.servers
            spaces = [
                (self.name("server", one.name), _SCHEDULERS[name_of(one.policy)], _ticks(self.system, one.budget))
                for one in servers
            ]
        section = etree.SubElement(root, "address_spaces")
        for name, scheduler, capacity in spaces:
            space = _add(section, "address_space", id=f"space_{name}")
            _fill(space, object_type="ADDRESS_SPACE_OBJECT_TYPE", name=name, cpu_name=_PROCESSOR)
            memories = ("text_memory_size", "stack_memory_size", "data_memory_size", "heap_memory_size")
            _fill(space, **dict.fromkeys(memories, 0))
            _add_scheduling(space, scheduler, capacity=capacity)
        section = etree.SubElement(root, "tasks")
        for task in self.tasks:
            self.task(section, task)
        if self.system.resources:
            self.resources(etree.SubElement(root, "resources"))
        return root

    def cores(self, root: Element) -> None:
        """Write the cores, and the processor that has them."""
        section = etree.SubElement(root, "core_units")
        server = self.system.servers[0] if self.shape in _SERVERS else None
        numbers = {} if server is None else self.server_numbers(server)
        if self.shape == _CYCLIC:
            numbers = {"capacity": _ticks(self.system, self.system.servers[0].period)}
        is_preemptive = not all(task.is_non_preemptive for task in self.tasks)
        cores = range(1, self.system.cpus + 1)
        for number in cores:
            core = _add(section, "core_unit", id=f"core_{number}")
            _fill(core, object_type="CORE_OBJECT_TYPE", name=f"core{number}")
            preemptive = "PREEMPTIVE" if is_preemptive else "NOT_PREEMPTIVE"
            _add_scheduling(core, self.shape, preemptive, **numbers)
            _fill(core, speed=1)
        is_one = self.system.cpus == 1
        section = etree.SubElement(root, "processors")
        processor = _add(section, "mono_core_processor" if is_one else "multi_cores_processor", id="processor")
        _fill(processor, object_type="PROCESSOR_OBJECT_TYPE", name=_PROCESSOR)
        _fill(processor, processor_type="MONOCORE_TYPE" if is_one else "IDENTICAL_MULTICORES_TYPE")
        _fill(processor, migration_type="NO_MIGRATION_TYPE" if is_one else "TIME_UNIT_MIGRATION_TYPE")
        place = processor if is_one else etree.SubElement(processor, "cores")
        for number in cores:
            etree.SubElement(place, "core" if is_one else "core_unit", ref=f"core_{number}")

    def server_numbers(self, server: Server) -> dict[str, int]:
        """Give the numbers of the aperiodic server."""
        times = {"capacity": server.budget, "period": server.period, "start_time": server.offset}
        numbers = {key: _ticks(self.system, value) for key, value in times.items()}
        return numbers | {"priority": self.ranks[server.priority]}

    def task(self, section: Element, task: Task) -> None:
        """Write a task."""
        kind = self.kind(task)
        resolved = self.resolved[task.name]
        first = task.arrivals[0] if isinstance(task.arrivals, tuple) else 0
        name = self.name("task", task.name)
        element = _add(section, f"{kind}_task", id=f"task_{name}")
        _fill(element, object_type="TASK_OBJECT_TYPE", name=name, task_type=f"{kind.upper()}_TYPE")
        _fill(element, cpu_name=_PROCESSOR, address_space_name=self.space(task))
        _fill(element, capacity=resolved.wcet, deadline=resolved.deadline)
        _fill(element, start_time=_ticks(self.system, task.offset) + _ticks(self.system, first))
        _fill(element, priority=self.ranks[task.priority], blocking_time=0, policy="SCHED_FIFO")
        _fill(element, text_memory_size=0, stack_memory_size=0, criticality=0, context_switch_overhead=0)
        if kind != "aperiodic":
            _fill(element, period=self.period(task), jitter=_ticks(self.system, task.jitter))

    def space(self, task: Task) -> str:
        """Name the address space of a task."""
        return self.name("server", task.server) if self.shape == _CYCLIC and task.server else _SPACE

    def kind(self, task: Task) -> str:
        """Choose the kind of a task."""
        if task.period is not None:
            return "periodic"
        if _is_single(task):
            return "aperiodic"
        return "poisson" if task.min_separation is None else "sporadic"

    def period(self, task: Task) -> int:
        """Give the period, the least separation, or the mean one."""
        mean = task.arrivals.mean if isinstance(task.arrivals, Exponential) else None
        given = task.shortest_separation or mean
        return self.resolved[task.name].deadline if given is None else _ticks(self.system, given)

    def resources(self, section: Element) -> None:
        """Write the resources, each with who holds it where."""
        words = common.protocols(self.system.resources, _POLICIES.get(self.shape, "fp"), _PROTOCOL_WORDS, "NO_PROTOCOL")
        sections = [(task, one) for task in self.tasks for one in _sections(task, self.system)]
        for resource in self.system.resources:
            name, word = self.name("resource", resource.name), words[resource.name]
            element = _add(section, _RESOURCE_TAGS[_PROTOCOLS[word]], id=f"resource_{name}")
            _fill(element, object_type="RESOURCE_OBJECT_TYPE", name=name, state=1, size=0, address=0, protocol=word)
            place = etree.SubElement(element, "critical_sections")
            for task, (held, start, end) in sections:
                if held == resource.name:
                    _fill(place, task_name=self.name("task", task.name))
                    _fill(etree.SubElement(place, "critical_section"), task_begin=start + 1, task_end=end)
            users = [task for task, (held, _, _) in sections if held == resource.name]
            _fill(element, cpu_name=_PROCESSOR, address_space_name=self.space(users[0]) if users else _SPACE)
            _fill(element, priority=0, priority_assignment="AUTOMATIC_ASSIGNMENT")


_PROCESSOR = "processor1"
_SPACE = "space1"


def _ranks(priorities: set[int]) -> dict[int, int]:
    """Give priorities that Cheddar allows: as they are, or if one is too large, their places."""
    if max(priorities) <= MOST_PRIORITY:
        return {priority: priority for priority in priorities}
    return {priority: place for place, priority in enumerate(sorted(priorities), start=1)}


def _sections(task: Task, system: System) -> Iterator[tuple[str, int, int]]:
    """List what a task holds from where to where; the last run is as long as the wcet lets it be."""
    items = [(item.op, _ticks(system, item.time), item.resource or "") for item in task.items]
    runs = [number for number, (op, _, _) in enumerate(items) if op == Op.RUN]
    executed = 0
    starts: dict[str, int] = {}
    wcet = next(one.wcet for one in system.resolved.tasks if one.name == task.name)
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
    """Add children with texts."""
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
    _read,
    _write,
    keeps_units=False,
)
