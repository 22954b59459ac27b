# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads Cheddar's models; cheddar.py describes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from takt.base.errors import show
from takt.formats import cheddar_words as words
from takt.formats import common, documents, scheduling_rules
from takt.formats.contracts import Imported
from takt.formats.documents import Element
from takt.model.distributions import Exponential
from takt.model.system import System
from takt.model.tables import Resource, Server, Task

_SECTIONS = ("core_units", "processors", "address_spaces", "tasks", "resources")
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
_PROCESSOR = ("object_type", "name", "core", "cores", "scheduler", "processor_type", "migration_type", "network_link")
_CORE = ("object_type", "name", "scheduling", "speed")
_NAMED = ("scheduler_type", "preemptive_type")
_NUMBERS = ("capacity", "period", "priority", "start_time")


class _Scheduling(NamedTuple):
    """Order of the tasks of a core or an address space, in any release of the format."""

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
        """Turn of an address space on the processor; older files have it as the quantum."""
        return self.capacity or self.quantum


class _Processor(NamedTuple):
    """A processor with the scheduling of its first core."""

    name: str
    cores: int
    scheduling: _Scheduling
    element: Element


class _Section(NamedTuple):
    """A section in which a job holds a resource, in executed units: after `start`, up to `end`."""

    start: int
    end: int
    resource: str
    element: Element


def read(data: bytes, name: str) -> Imported:
    """Read a model."""
    root = documents.parse(data)
    for element in root.iter(etree.Element):
        element.tag = str(element.tag).lower()
    if root.tag != "cheddar":
        raise documents.refuse(root, f"<{root.tag}>", "expected <cheddar>", "unknown-key")
    reader = _Reader(root)
    system = reader.system(name)
    rules = scheduling_rules.by_policy(scheduling_rules.CHEDDAR)
    takes_turns = any(server.kind == "idling" for server in system.servers)
    differences = scheduling_rules.differences(system, rules, with_root=not takes_turns)
    return Imported(system, (*reader.warnings, *differences))


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
    return common.name_from(documents.text_of(element, "name"), documents.line_of(element), f"<{element.tag}>")


def _scheduling(element: Element) -> _Scheduling:
    """Read how the tasks of a core, an address space, or a processor of release 2 are ordered."""
    parameters = element.find("scheduling/scheduling_parameters")
    source = element if parameters is None else parameters
    tag = "scheduler" if parameters is None else "scheduler_type"
    scheduler = documents.text_of(source, tag, words.NO_SCHEDULER).upper()
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


class _Reader(documents.Reader):
    """A document, and its contents that Takt cannot represent."""

    def system(self, name: str) -> System:
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
            if section.tag in _SECTIONS:
                continue
            kinds = [str(element.tag) for element in section]
            counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            if counts:
                self.lose(section, None, None, str(section.tag), counts)

    def is_task(self, element: Element) -> bool:
        """True if a task is of a kind that Takt has; else warns."""
        kind = self.kind(element)
        if kind not in _KINDS:
            self.lose(element, "task", _name(element), None, f"a task of the kind {show(kind)}")
        return kind in _KINDS

    def kind(self, element: Element) -> str:
        """Return the kind of a task: its tag, or an attribute in release 2."""
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
        self.warnings += documents.unread(element, _PROCESSOR, "system", None)
        for core in found:
            self.core(core)
        if len(found) > 1 and documents.text_of(element, "migration_type") == "NO_MIGRATION_TYPE":
            self.lose(element, "system", None, "migration_type", "NO_MIGRATION_TYPE, so jobs may go anywhere")
        return _Processor(name, max(1, len(found)), _scheduling([*found, element][0]), element)

    def core(self, element: Element) -> None:
        """Warn of attributes of a core other than its scheduling."""
        self.warnings += documents.unread(element, _CORE, "system", None)
        for place in element.iterfind("scheduling"):
            self.warnings += documents.unread(place, ("scheduling_parameters",), "system", None)
        if common.number(documents.text_of(element, "speed", "1")) not in (0, 1):
            self.lose(element, "system", None, "speed", show(documents.text_of(element, "speed")))

    def is_on(self, element: Element, processor: str) -> bool:
        """True if a task is on the processor that is read; else warn."""
        place = documents.text_of(element, "cpu_name")
        if place != processor:
            self.lose(element, "task", _name(element), None, f"a task of another processor, {show(place)}")
        return place == processor

    # ---- policies and servers -------------------------------------------------------------------------

    def policy(self, scheduling: _Scheduling) -> str:
        """Read a scheduler; return the nearest policy, with a warning, if Takt does not have it."""
        policy = words.POLICIES.get(scheduling.scheduler)
        if policy is None:
            policy = words.SIMILAR.get(scheduling.scheduler, "fp")
            message = f"{show(scheduling.scheduler)}, so {policy} takes its place"
            self.lose(scheduling.element, "system", None, "policy", message)
        return policy

    def servers(self, processor: _Processor, tasks: Sequence[Element]) -> tuple[list[Server], str]:
        """Read the servers that there are, and the policy of the root."""
        scheduling = processor.scheduling
        self.numbers(scheduling)
        spaces = self.spaces(processor.name)
        if scheduling.scheduler in words.SERVERS:
            server = Server(
                name=words.SERVER,
                kind=words.SERVERS[scheduling.scheduler],
                period=scheduling.period,
                budget=scheduling.capacity,
                priority=scheduling.priority,
                offset=scheduling.start_time,
            )
            return [server], "fp"
        if scheduling.scheduler == words.CYCLIC:
            return self.partitions(spaces), "fp"
        for space in spaces:
            if _scheduling(space).scheduler != words.NO_SCHEDULER:
                self.lose(space, "system", None, "scheduling", f"the scheduler of address space {show(_name(space))}")
        policy = self.policy_for(scheduling, tasks)
        if policy == "llf" and processor.cores > 1:
            self.lose(scheduling.element, "system", None, "policy", common.replaced(policy, "edf", processor.cores))
            policy = "edf"
        return [], policy

    def numbers(self, scheduling: _Scheduling) -> None:
        """Warn of parameters of a scheduler that Takt does not have."""
        element = scheduling.element
        if scheduling.preemptive not in ("PREEMPTIVE", "NOT_PREEMPTIVE"):
            self.lose(element, "system", None, "preemptive_type", f"{show(scheduling.preemptive)}, so preemptive")
        if element.tag == "scheduling_parameters":
            has_numbers = scheduling.scheduler in (*words.SERVERS, words.CYCLIC)
            self.warnings += documents.unread(element, _NAMED + _NUMBERS * has_numbers, "system", None)

    def spaces(self, processor: str) -> list[Element]:
        spaces = [
            space
            for space in documents.children_of(self.root, "address_spaces")
            if documents.text_of(space, "cpu_name", processor) == processor
        ]
        for space in spaces:
            self.warnings += documents.unread(space, _PLACE, "system", None)
        return spaces

    def policy_for(self, scheduling: _Scheduling, tasks: Sequence[Element]) -> str:
        policy = self.policy(scheduling)
        if policy != "rm" or all(self.kind(element) != "aperiodic" for element in tasks):
            return policy
        self.lose(scheduling.element, "system", None, "policy", "rm orders no aperiodic tasks, so dm takes its place")
        return "dm"

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
        is_automatic = documents.text_of(element, "priority_assignment") != "MANUAL_ASSIGNMENT"
        self.warnings += documents.unread(element, _RESOURCE + ("priority",) * is_automatic, "resource", name)
        if _number(element, "state", 1) != 1:
            self.lose(element, "resource", name, "state", f"{documents.text_of(element, 'state')}, so one job holds it")
        word = documents.text_of(element, "protocol", "NO_PROTOCOL").upper()
        if word not in words.PROTOCOLS:
            self.lose(element, "resource", name, "protocol", f"{show(word)}, so none takes its place")
        return words.PROTOCOLS.get(word, "none")

    def uses(self, element: Element, name: str) -> Iterator[tuple[str, _Section]]:
        """Yield the critical sections of a resource, each with its task."""
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
        name, kind = _name(element), self.kind(element)
        policy = documents.text_of(element, "policy", "SCHED_FIFO")
        self.warnings += documents.unread(element, (*_TASK, "policy"), "task", name)
        if policy != "SCHED_FIFO" and processor.scheduling.scheduler == words.FIXED:
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
        space = words.SERVER if kind == "aperiodic" else documents.text_of(element, "address_space_name")
        values["server"] = space if space in homes else None
        if processor.scheduling.preemptive == "NOT_PREEMPTIVE":
            values["preemption"] = "non-preemptive"
        return {key: value for key, value in values.items() if value is not None}

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
        """Return the body of a task that holds resources."""
        nested: list[_Section] = []
        for section in sorted(sections, key=lambda one: (one.start, -one.end)):
            if not 0 <= section.start < section.end <= wcet:
                message = f"expected units from 1 to the capacity {wcet}, found {section.start + 1} to {section.end}"
                raise documents.refuse(section.element, f"{show(section.resource)} of {show(name)}", message)
            if any(
                one.end > section.start and (one.end < section.end or one.resource == section.resource)
                for one in nested
            ):
                message = f"{show(section.resource)} from {section.start + 1} to {section.end}, which crosses another"
                self.lose(section.element, "task", name, "body", message)
            else:
                nested.append(section)
        return _items(nested, wcet) if nested else None


def _items(sections: Sequence[_Section], wcet: int) -> list[str]:
    """Return runs and locks; sections are nested, and come by their starts, outer ones first."""
    items: list[str] = []
    executed = 0
    marks = sorted({wcet, *(section.start for section in sections), *(section.end for section in sections)} - {0})
    for mark in [0, *marks]:
        items += [f"run {mark - executed}"] * (mark > executed)
        executed = mark
        items += [f"unlock {one.resource}" for one in reversed(sections) if one.end == mark]
        items += [f"lock {one.resource}" for one in sections if one.start == mark]
    return items
