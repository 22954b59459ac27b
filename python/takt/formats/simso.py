# SPDX-License-Identifier: Apache-2.0 OR MIT
"""SimSo's XML: the configuration files of the simulator SimSo.

Source: SimSo 0.8.5, simso/configuration/parser.py and GenerateConfiguration.py, and what its schedulers and execution
time models read. Times are milliseconds, in decimals, but for the duration, which is cycles. Decimals are read as they
are written, to the nanosecond, and a tick is chosen of which all of them are multiples. SimSo cuts each time to whole
cycles; a line says where these are others.

Left out: caches and stack profiles, processors of different speeds, overheads, tasks that only the end of another
one releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from lxml import etree

from takt.base import times
from takt.base.errors import InputError, show
from takt.formats import common, documents, scheduling_rules
from takt.formats.contracts import Format, Imported, Written
from takt.formats.documents import Element
from takt.formats.scheduling_rules import Rule
from takt.model.conversion import to_ticks
from takt.model.core_input import ResolvedTask
from takt.model.distributions import Normal
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.model.tables import Task

_CYCLES_PER_MS = 1_000_000
"""SimSo's own number, which then says nothing about how long a tick should be."""

_DURATION_MS = 100_000
"""How long SimSo is to simulate a system that repeats itself too late."""

_SCHEDULERS = {f"simso.schedulers.{rule.scheduler}": rule for rule in scheduling_rules.SIMSO}
_CLASSES = {rule.policy: name for name, rule in reversed(_SCHEDULERS.items())}
_OTHERWISE = "edf"

_SIMULATION = {"duration": "", "cycles_per_ms": "", "etm": ""}
_PENALTIES = {"penalty_preemption": "100000", "penalty_migration": "100000", "use_wcet": "yes"}
_SECTIONS = ("sched", "caches", "processors", "tasks")
_SCHED = {"class": "", "className": ""}
_PROCESSOR = {"name": "", "id": ""}
_TASK = dict.fromkeys(
    ("name", "id", "task_type", "periodic", "abort_on_miss", "period", "activationDate", "deadline", "WCET"), ""
) | {"priority": "", "list_activation_dates": ""}
_DRAWN = {"ACET": "", "et_stddev": ""}
_TASK_DEFAULTS = {"mix": "0.5", "base_cpi": "1", "instructions": "100"}
"""The defaults that the generator of such files writes; they matter to caches only."""

_RANDOM = "acet"


# ---- reading ----------------------------------------------------------------------------------------


def read(data: bytes, name: str) -> Imported:
    """Read a file."""
    root = documents.parse(data)
    if root.tag != "simulation":
        raise documents.refuse(root, f"<{root.tag}>", "expected <simulation>", "unknown-key")
    reader = _Reader(root)
    system = reader.system(name)
    differences = scheduling_rules.differences(system, reader.rules)
    return Imported(system, (*reader.warnings, *differences))


class _Reader(documents.Reader):
    """A document, and its contents that Takt cannot represent."""

    def __init__(self, root: Element) -> None:
        super().__init__(root)
        self.cycles_per_ms = self.whole(root, "cycles_per_ms", _CYCLES_PER_MS)
        self.is_random = root.get("etm", "wcet") == _RANDOM
        self.periods: dict[str, Fraction] = {}
        self.inexact: set[tuple[str, str]] = set()

    @cached_property
    def rule(self) -> Rule | None:
        """The rule of the scheduler, None if it is not known."""
        element = self.section("sched")
        return _SCHEDULERS.get(element.get("class") or element.get("className") or "")

    @property
    def rules(self) -> dict[str, Rule]:
        """The rule by what stands for the scheduler: also by priorities that are the order of its periods."""
        return {} if self.rule is None else {self.rule.policy: self.rule, "fp": replace(self.rule, key="priority")}

    def system(self, name: str) -> System:
        self.leftovers(self.root, "system", None, _SIMULATION | _PENALTIES, _PENALTIES)
        if self.root.get("etm", "wcet") not in ("wcet", _RANDOM):
            self.lose(self.root, "system", None, "etm", show(self.root.get("etm")))
        for element in self.root:
            if element.tag not in _SECTIONS:
                self.lose(element, None, None, str(element.tag), f"{len(element)} elements")
        policy, cpus = self.policy(), self.cpus()
        tasks = [values for element in self.tasks() if (values := self.task(element)) is not None]
        if policy == "llf" and cpus > 1:
            self.lose(self.section("sched"), "system", None, "policy", common.replaced("llf", _OTHERWISE, cpus))
            policy = _OTHERWISE
        if policy == "rm" and not all(values.get("period") or values.get("min_separation") for values in tasks):
            policy = self.priorities(tasks)
        horizon = self.duration()
        given = [value for keys in tasks for value in keys.values()]
        listed = [time for value in given if isinstance(value, tuple) for time in value]
        resolution = self.resolution([horizon, *listed, *(value for value in given if isinstance(value, Fraction))])
        written = [Task(**_with_units(values)) for values in tasks]
        return System(
            name=name,
            resolution=times.shortest(resolution),
            policy=policy,
            horizon=_written(horizon),
            cpus=cpus,
            tasks=written,
        )

    def section(self, tag: str) -> Element:
        """Return a required section of a SimSo file."""
        element = self.root.find(tag)
        if element is None:
            raise documents.refuse(self.root, "<simulation>", f"expected <{tag}> in it, found none", "missing")
        return element

    def policy(self) -> str:
        element = self.section("sched")
        name = element.get("class") or element.get("className") or ""
        self.leftovers(element, "system", None, _SCHED, {})
        for field in element.iterfind("field"):
            self.lose(field, "system", None, "sched", f"field {show(field.get('name', ''))}")
        if self.rule is None:
            self.lose(element, "system", None, "policy", f"{show(name)}, so {_OTHERWISE} takes its place")
            return _OTHERWISE
        return self.rule.policy

    def priorities(self, tasks: Iterable[dict[str, Any]]) -> str:
        """Return the policy; tasks get the priorities of SimSo's periods, of which some are no separations."""
        ranks = {period: rank for rank, period in enumerate(sorted(set(self.periods.values()), reverse=True))}
        for values in tasks:
            values["priority"] = ranks[self.periods[values["name"]]]
        what = "periods of which dates are independent, so fp with priorities by period takes its place"
        self.lose(self.section("sched"), "system", None, "policy", what)
        return "fp"

    def cpus(self) -> int:
        section = self.section("processors")
        self.leftovers(section, "system", None, {}, {})
        for field in section.iterfind("field"):
            self.lose(field, "system", None, "processors", f"field {show(field.get('name', ''))}")
        processors = section.findall("processor")
        for element in processors:
            self.leftovers(element, "system", None, _PROCESSOR, {"speed": "1"})
        for element in self.root.iterfind("caches/cache"):
            self.lose(element, "system", None, "caches", show(element.get("name", "")))
        used = len(processors) if self.rule is None else min(len(processors), self.rule.processors or len(processors))
        if used < len(processors):
            what = f"{len(processors)} processors, of which {self.rule and self.rule.scheduler} uses {used}"
            self.lose(section, "system", None, "cpus", what)
        return used

    def duration(self) -> Fraction:
        """Read how long to simulate, in nanoseconds."""
        length = Fraction(self.whole(self.root, "duration", 50_000) * 10**6, self.cycles_per_ms)
        if length.denominator != 1:
            what = f"{length / 10**6} ms, so {round(length)}ns takes its place"
            self.lose(self.root, "system", None, "horizon", what)
        return Fraction(max(1, round(length)))

    def tasks(self) -> list[Element]:
        section = self.section("tasks")
        for field in section.iterfind("field"):
            if field.get("name") != "priority":
                self.lose(field, "task", None, None, f"field {show(field.get('name', ''))}")
        return section.findall("task")

    def task(self, element: Element) -> dict[str, Any] | None:
        """Read a task, times in nanoseconds; None if Takt has no such tasks."""
        name = common.name_from(element.get("name", ""), documents.line_of(element), "name")
        kind = element.get("task_type") or ("APeriodic" if element.get("periodic") == "no" else "Periodic")
        if kind not in ("Periodic", "Sporadic"):
            self.lose(element, "task", name, None, f"a task that others release, {show(kind)}")
            return None
        values = self.source(element, name, kind)
        if kind == "Sporadic" and values["arrivals"] is None and values["min_separation"] is None:
            self.lose(element, "task", name, None, "a task without jobs")
            return None
        values |= self.demand(element, name)
        self.periods[name] = self.time(element, "period")
        values |= {"name": name, "wcet": self.time(element, "WCET"), "priority": self.priority(element)}
        values["on_miss"] = "abort" if element.get("abort_on_miss", "yes") == "yes" else "continue"
        self.leftovers(element, "task", name, _TASK | (_DRAWN if self.is_random else {}), _TASK_DEFAULTS)
        return {key: value for key, value in values.items() if value is not None}

    def source(self, element: Element, name: str, kind: str) -> dict[str, Any]:
        """Read when the jobs of a task come."""
        deadline = self.time(element, "deadline") or None
        period = self.time(element, "period") or None
        dates = self.dates(element)
        if deadline is None:
            self.lose(element, "task", name, "deadline", "0, so the period takes its place")
        if kind == "Periodic":
            if dates:
                self.lose(element, "task", name, "list_activation_dates", f"{len(dates)} dates of a periodic task")
            return {"period": period, "offset": self.time(element, "activationDate", "0") or None, "deadline": deadline}
        gaps = [after - before for before, after in pairwise(dates)]
        if period is not None and min(gaps, default=period) < period:
            self.lose(element, "task", name, "period", f"{element.get('period')}, since dates are closer")
            deadline, period = deadline or period, None
        if not dates and period is not None:
            self.lose(element, "task", name, "list_activation_dates", "none, so separations are drawn")
        return {"min_separation": period, "arrivals": tuple(dates) or None, "deadline": deadline}

    def demand(self, element: Element, name: str) -> dict[str, Any]:
        """Read the distribution of demands, if there is one."""
        if not self.is_random:
            return {}
        mean, deviation = self.time(element, "ACET", "0"), self.time(element, "et_stddev", "0")
        if mean > 0 and deviation > 0:
            return {"demand": (mean, deviation)}
        if mean > 0:
            return {"demand": mean} if mean < self.time(element, "WCET") else {}
        self.lose(element, "task", name, "ACET", "0, so jobs execute their WCET")
        return {}

    def priority(self, element: Element) -> int:
        """Read a priority, which is a field that users add."""
        text = element.get("priority", "0").strip()
        value = common.number(text)
        if value is None or value.denominator != 1:
            raise documents.refuse(element, "priority", f"expected a whole number, found {show(text)}")
        return int(value)

    def dates(self, element: Element) -> list[Fraction]:
        """Read the dates of activation, which need not be in order."""
        texts = [text.strip() for text in element.get("list_activation_dates", "").split(",")]
        return sorted(self.nanoseconds(element, "list_activation_dates", text) for text in texts if text)

    def time(self, element: Element, key: str, default: str | None = None) -> Fraction:
        """Read milliseconds; return nanoseconds."""
        text = element.get(key, default)
        if text is None:
            raise documents.refuse(element, key, f"missing; every <{element.tag}> needs one", "missing")
        return self.nanoseconds(element, key, text.strip())

    def nanoseconds(self, element: Element, key: str, text: str) -> Fraction:
        value = common.number(text)
        if value is None or value < 0:
            raise documents.refuse(element, key, f"expected milliseconds of 0 or more, found {show(text)}")
        return self.counted(element, key, text, value * 10**6)

    def counted(self, element: Element, key: str, text: str, length: Fraction) -> Fraction:
        """Round a time to a nanosecond, with a line for the first of a key that is not exact here or in SimSo."""
        name, rounded = element.get("name", ""), Fraction(round(length))
        cycles = int(float(text) * self.cycles_per_ms)
        is_exact = length == rounded and cycles * 10**6 == length * self.cycles_per_ms
        if not is_exact and (name, key) not in self.inexact:
            self.inexact.add((name, key))
            if length != rounded:
                self.lose(element, "task", name, key, f"{text} ms, so {int(rounded)}ns takes its place")
            else:
                what = f"SimSo counts whole cycles, {cycles} of {text} ms (line {documents.line_of(element)})"
                self.warnings.append(scheduling_rules.problem(what, "task", name, key))
        return rounded

    def whole(self, element: Element, key: str, default: int) -> int:
        text = element.get(key, str(default)).strip()
        value = common.number(text)
        if value is None or value.denominator != 1 or value < 1:
            raise documents.refuse(element, key, f"expected a whole number of 1 or more, found {show(text)}")
        return int(value)

    def resolution(self, lengths: Iterable[Fraction]) -> int:
        """Choose the tick, in nanoseconds: a cycle, or if that is SimSo's own, the coarsest that fits."""
        every = list(lengths)
        cycle = Fraction(10**6, self.cycles_per_ms)
        is_meant = self.cycles_per_ms != _CYCLES_PER_MS and cycle.denominator == 1
        if is_meant and all(length % cycle == 0 for length in every):
            return int(cycle)
        return common.coarsest(map(int, every))

    def leftovers(
        self, element: Element, table: str, entity: str | None, known: Mapping[str, str], usual: Mapping[str, str]
    ) -> None:
        """Warn of unknown attributes whose values are neither usual nor zero."""
        for key, text in ((str(key), str(text)) for key, text in element.attrib.items()):
            is_usual = common.number(text.strip() or "0") in (0, common.number(usual.get(key, "0")))
            if key not in known and text != usual.get(key) and not is_usual:
                self.lose(element, table, entity, key, show(text))


def _written(nanoseconds: Fraction) -> str:
    """Write a time for people, in milliseconds as SimSo does unless it is short."""
    if nanoseconds >= 10**6:
        return f"{common.decimal(nanoseconds / 10**6)}ms"
    return times.shortest(int(nanoseconds))


def _with_units(values: Mapping[str, Any]) -> dict[str, Any]:
    written = {key: _written(value) if isinstance(value, Fraction) else value for key, value in values.items()}
    if "arrivals" in values:
        written["arrivals"] = [_written(value) for value in values["arrivals"]]
    if isinstance(values.get("demand"), tuple):
        mean, deviation = map(_written, values["demand"])
        written["demand"] = Normal(mean=mean, deviation=deviation)
    return written


# ---- writing ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Source:
    """Data to write.

    Args:
        system: the system.
        resolved: its tasks in ticks, by name.
    """

    system: System
    resolved: Mapping[str, ResolvedTask]

    def nanoseconds(self, value: int | str) -> int:
        return int(to_ticks(value, self.system.resolution)) * self.system.resolution_ns

    def wcet(self, task: Task) -> int:
        return self.resolved[task.name].wcet * self.system.resolution_ns

    def deadline(self, task: Task) -> int:
        """Return the relative deadline in nanoseconds, also one that a server assigns."""
        return self.resolved[task.name].deadline * self.system.resolution_ns

    def executed(self, task: Task) -> tuple[int, int]:
        """Return mean and deviation of demands, in nanoseconds; of other distributions and lists the wcet."""
        if isinstance(task.demand, Normal):
            return self.nanoseconds(task.demand.mean), self.nanoseconds(task.demand.deviation)
        demand = self.resolved[task.name].demand
        is_constant = demand.kind == "listed" and len(set(demand.values)) == 1
        return demand.values[0] * self.system.resolution_ns if is_constant else self.wcet(task), 0


def write(system: System) -> Written:
    """Write a configuration; keys without a word of SimSo are left out."""
    tasks = common.writable(system)
    names = common.renamed(system, "_ -")
    source = _Source(system, {task.name: task for task in system.resolved.tasks})
    root = etree.Element("simulation")
    is_random = any(source.executed(task) != (source.wcet(task), 0) for task in tasks)
    _write_lengths(root, source, tasks)
    root.set("etm", _RANDOM if is_random else "wcet")
    policy = name_of(common.policy_for(system, tasks))
    deadlines = {task.name: source.deadline(task) for task in tasks if policy == "dm"}  # SimSo has priorities for it
    places = {deadline: rank for rank, deadline in enumerate(sorted(set(deadlines.values()), reverse=True))}
    ranks = {name: places[deadline] for name, deadline in deadlines.items()}
    scheduler = _CLASSES.get("fp" if ranks else policy, _CLASSES[_OTHERWISE])
    overheads = dict.fromkeys(("overhead", "overhead_activate", "overhead_terminate"), "0")
    etree.SubElement(root, "sched", {"class": scheduler, **overheads})
    etree.SubElement(root, "caches", memory_access_time="100")
    processors = etree.SubElement(root, "processors")
    for number in range(1, system.cpus + 1):
        none = {"cl_overhead": "0", "cs_overhead": "0", "speed": "1.0"}
        etree.SubElement(processors, "processor", {"name": f"CPU {number}", "id": str(number), **none})
    section = etree.SubElement(root, "tasks")
    etree.SubElement(section, "field", name="priority", type="int")
    for number, task in enumerate(tasks, start=1):
        own = {"name": names.get(("task", task.name), task.name), "id": str(number)}
        own["priority"] = str(ranks.get(task.name, task.priority))
        mean, deviation = source.executed(task) if is_random else (0, 0)
        lengths = {"WCET": source.wcet(task), "ACET": mean, "et_stddev": deviation}
        own |= _source_attributes(task, source) | {key: _milliseconds(length) for key, length in lengths.items()}
        own |= {"abort_on_miss": "yes" if task.on_miss == "abort" else "no", **_TASK_DEFAULTS, "preemption_cost": "0"}
        etree.SubElement(section, "task", own)
    return Written(documents.as_text(root), names)


def _write_lengths(root: Element, source: _Source, tasks: Iterable[Task]) -> None:
    """Write how long to simulate, and the length of a cycle."""
    try:
        horizon = horizon_ticks(source.system) * source.system.resolution_ns
    except InputError:
        horizon = _DURATION_MS * 10**6
    lengths = [horizon]
    for task in tasks:
        arrivals = task.arrivals if isinstance(task.arrivals, tuple) else ()
        given = (task.shortest_separation, task.offset, *arrivals)
        lengths += [source.nanoseconds(value) for value in given if value is not None]
        lengths += [source.deadline(task), source.wcet(task), *source.executed(task)]
    is_plain = common.coarsest(lengths) == source.system.resolution_ns
    cycles_per_ms = (
        _CYCLES_PER_MS if is_plain or 10**6 % source.system.resolution_ns else 10**6 // source.system.resolution_ns
    )
    root.set("duration", str(horizon * cycles_per_ms // 10**6))
    root.set("cycles_per_ms", str(cycles_per_ms))


def _milliseconds(nanoseconds: int) -> str:
    return common.decimal(Fraction(nanoseconds, 10**6))


def _source_attributes(task: Task, source: _Source) -> dict[str, str]:
    separation = 0 if task.shortest_separation is None else source.nanoseconds(task.shortest_separation)
    offset = source.nanoseconds(task.offset)
    arrivals = task.arrivals if isinstance(task.arrivals, tuple) else ()
    dates = ", ".join(_milliseconds(offset + source.nanoseconds(instant)) for instant in arrivals)
    return {
        "task_type": "Sporadic" if task.period is None else "Periodic",
        "period": _milliseconds(separation),
        "activationDate": "0" if task.period is None else _milliseconds(offset),
        "list_activation_dates": dates,
        "deadline": _milliseconds(source.deadline(task)),
    }


FORMAT = Format("simso", (".xml",), lambda data: documents.begins_with(data, "simulation"), read, write)
