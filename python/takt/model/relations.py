# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Relations of core's check, as sentences about the tables of a file: where, what was expected, what was found.

Source: system/check.h has the relations, system/matrix.def the pairs of traits that exclude each other. Both are
checked in the image of a system; refusals are reported here, for each relation in one place. A relation without a
sentence is one that no table can break, or one whose reason is that of another problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from takt import _core
from takt.base.errors import Problem, listed, show
from takt.model import catalogue
from takt.model.changes import blamed_key, versions_of
from takt.model.compatibility import Pairs, text_of_windows
from takt.model.conversion import in_ticks, policy_in, resources_of, runs_of
from takt.model.core_input import MANDATORY, PROMOTED, TOP, ResolvedChange, ResolvedSystem
from takt.model.distributions import Distribution
from takt.model.image import own_policies, pack, streams_of
from takt.model.policy_options import RateBased, TimeDriven, options_of
from takt.model.python_policy import name_of
from takt.model.server_resources import LEVELLED
from takt.model.system_parts import SystemTables
from takt.model.tables import Change, Resource, Server, Task

_OUT_OF_RANGE, _CONFLICT = "out-of-range", "conflict"
_MESSAGES = dict(_core.relations())

UNWORDED = "relation"
"""Code of a problem in core's words, without a place: it may follow from one that is reported."""


class Sentence(NamedTuple):
    """Message about a broken relation.

    Args:
        key: of the file; "" for the key of the place.
        text: the message; a name in braces is a key of the table, or a word of _words_of.
        code: of the problem.
    """

    key: str
    text: str
    code: str = _CONFLICT


@dataclass(frozen=True)
class Place:
    """Table that a row of an image stands for.

    Args:
        member: the table of the file; of new parameters the task as it is from then on.
        row: what core was given.
        key: of the table, that gave the row.
        number: place of a change in the file, counted from 1.
        change: whose parameters these are.
    """

    system: SystemTables
    resolved: ResolvedSystem
    member: Any
    row: Any
    key: str = ""
    number: int | None = None
    change: Change | None = None

    def problem(self, key: str, code: str, message: str) -> Problem:
        """Return a problem at this place; of a change, with a key that it has."""
        if self.change is not None:
            return Problem(message, code, table=Change.table, number=self.number, key=blamed_key(self.change, key))
        return Problem(message, code, table=self.member.table, entity=getattr(self.member, "name", None), key=key)

    def say(self, sentence: Sentence) -> Iterator[Problem]:
        """Yield the problem; skipped for sporadic tasks if the message names the period."""
        words = _Words(self.member, **_WORDS, **_words_of(self))
        if "{period}" not in sentence.text or self.member.period is not None:
            key = words.get("wcet_key", "wcet") if sentence.key == "wcet" else sentence.key or self.key
            yield self.problem(key, sentence.code, sentence.text.format_map(words))

    def ticks(self, value: int | str) -> int:
        """Convert a time."""
        return in_ticks(value, self.system.resolution)


class _Words(dict[str, str]):
    """Words of a sentence; others are values of a table."""

    def __init__(self, member: object, **words: str) -> None:
        """Keep the words, and the table of the others."""
        super().__init__(words)
        self.member = member

    def __missing__(self, key: str) -> str:
        """Show the value of a key."""
        return show(getattr(self.member, key))


_RATES = f'policy = "{RateBased.policy}"'
_WORDS = {
    "rates": _RATES,
    "longest_rate": str(_core.RATE_LONGEST),
    "longest_share": str(_core.SHARE_LONGEST),
    "levelled": ", ".join(LEVELLED),
    "deadline_policies": " or ".join(catalogue.policies_that(lambda traits: traits.has_deadline_keys)),
    "periodic_kinds": ", ".join(kind.name for kind in catalogue.server_kinds() if kind.is_periodic),
}


def _words_of(place: Place) -> dict[str, str]:
    """Return the words that depend on the kind of table."""
    system, member, row = place.system, place.member, place.row
    if isinstance(member, Server):
        parent = next((server for server in system.servers if server.name == member.parent), None)
        is_rule = parent is not None and catalogue.server_kind(parent.kind).is_rule
        above = policy_in(system, parent.parent if parent is not None and is_rule else member.parent)
        return {"above": show(name_of(above)), "parent_kind": show(None if parent is None else parent.kind)}
    if isinstance(member, Resource):
        home = [None, *system.servers][row.home]
        inside = {} if home is None else {"server": show(home.name), "kind": home.kind, "budget": show(home.budget)}
        over = show(name_of(system.policy if home is None else home.policy))
        alike = catalogue.mixing(member.protocol)
        here = (each for each in place.resolved.resources if each.home == row.home)
        other = next((each for each in here if each.protocol not in alike), row)
        mixture = {"alike": " or ".join(map(show, alike)), "other": show(other.protocol), "of": show(other.name)}
        return {"over": over, "longest": str(row.longest), **inside, **mixture}
    if isinstance(member, Task):
        before = place.resolved.tasks[row.task] if place.change is not None and place.key == "task" else row
        runs_only = member.wcet is None and bool(member.items)
        is_hard = member.class_ == "hard"
        return {
            "root": show(name_of(system.policy)),
            "policy": name_of(policy_in(system, member.server)),
            "model": system.platform.model_text,
            "old_class": show(getattr(before, "class_", "")),
            "deadline": show(member.shortest_separation if member.deadline is None else member.deadline),
            "deadline_ticks": str(getattr(row, "deadline", "")),
            "deadline_bound": "at most the period" if is_hard else "the period",
            "of_class": "" if is_hard else f" for class {show(member.class_)}",
            "wcet_ticks": str(getattr(row, "wcet", "")),
            "wcet": f"runs of {runs_of(member, system.resolution)} ticks" if runs_only else show(member.wcet),
            "wcet_key": member.source_of_items if runs_only else "wcet",
            "windows": text_of_windows(member, system.policy),
        }
    return {"name": show(place.resolved.tasks[row.task].name)} if isinstance(member, Change) else {}


# ---- sentences ------------------------------------------------------------------------------------------------


def _tell_ring(place: Place) -> Iterator[Problem]:
    """Parents of servers form a ring: name it once, from the server on by which the ring was found."""
    parents = {server.name: server.parent for server in place.system.servers}
    chain: dict[str | None, int] = {}
    name: str | None = place.member.name
    while name not in chain:
        chain[name] = len(chain)
        name = parents[name or ""]
    ring = [*list(chain)[chain[name] :], name]
    message = f"expected a chain that ends at the root, found {listed([*map(show, ring)], ' in ')}"
    yield Problem(message, "ring", table="server", entity=name, key="parent")


def _tell_ceiling_of_rule(place: Place) -> Iterator[Problem]:
    """A task in a server that only gives deadlines locks a resource with a ceiling."""
    kind = next(server.kind for server in place.system.servers if server.name == place.member.server)
    for resource in place.system.resources:
        if resource.name in resources_of(place.member) and resource.protocol in catalogue.CEILING_PROTOCOLS:
            message = f"found {show(resource.protocol)} in a server of kind {show(kind)}; it needs fixed deadlines"
            yield Problem(message, _CONFLICT, table="resource", entity=resource.name, key="protocol")


def _tell_range(place: Place) -> Iterator[Problem]:
    """The limits of a distribution leave nothing."""
    given, note = getattr(place.member, place.key), ""
    if place.key == "arrivals" and place.member.min_separation is not None:
        note = f"; min is at least min_separation = {show(place.member.min_separation)}"
    elif given.max is None:
        note = ", which is the wcet unless you give one"
    message = f"expected min <= max, found {place.row.least} > {place.row.most} ticks{note}"
    yield place.problem(place.key, _OUT_OF_RANGE, message)


def _tell_separation(place: Place) -> Iterator[Problem]:
    """Drawn separations are shorter than a tick."""
    arrivals: Distribution = place.member.arrivals
    is_short = place.row.arrivals.most < 1 or arrivals.kind == "uniform"
    typical = getattr(arrivals, "max" if is_short else arrivals.parameters[0])
    message = f"expected separations of at least 1 tick in the main, found {show(typical)}"
    yield place.problem("arrivals", _OUT_OF_RANGE, message)


def _tell_instants(place: Place) -> Iterator[Problem]:
    """Arrivals descend, or are closer than the least separation."""
    expected = f"at least min_separation = {show(place.member.min_separation)} in between"
    for before, after in pairwise(place.member.arrivals):
        distance = place.ticks(after) - place.ticks(before)
        if distance < max(0, place.row.period):
            what = "instants that do not descend" if distance < 0 else expected
            yield place.problem("arrivals", _OUT_OF_RANGE, f"expected {what}, found {show(after)} after {show(before)}")


def _tell_obstacle(place: Place) -> Iterator[Problem]:
    """A task of the lower band could keep a promoted one waiting."""
    task, what = place.member, f"policy = {show(name_of(place.system.policy))}"
    for key in ("preemption", "subjobs", "threshold"):
        if getattr(task, key) not in (None, "preemptive"):
            yield place.problem(key, _CONFLICT, f"expected none with {what}, found {show(getattr(task, key))}")
    if resources_of(task) or (task.is_non_preemptive and task.body is not None):
        yield place.problem(task.source_of_items, _CONFLICT, f"expected neither locks nor points with {what}")


def _tell_part(place: Place) -> Iterator[Problem]:
    """A promotion is after the deadline, a mandatory part above the wcet, or a budget above its period."""
    sentence = {
        PROMOTED: Sentence("promotion", "expected at most the deadline of {deadline_ticks} ticks, found {promotion}"),
        MANDATORY: Sentence("mandatory", "expected at most the wcet of {wcet_ticks} ticks, found {mandatory}"),
        TOP: _BUDGET,
    }[place.row.windows.kind]
    if getattr(place.member, sentence.key) is not None:
        yield from place.say(sentence._replace(code=_OUT_OF_RANGE))


def _tell_late_slots(place: Place) -> Iterator[Problem]:
    """A slot ends after the cycle."""
    cycle, slots = place.row.windows.cycle, place.row.windows.slots
    for end in (start + length for start, length in slots if start + length > cycle):
        name = show(place.member.name)
        message = f"expected slots within the cycle of {cycle} ticks, found one of {name} up to {end}"
        yield Problem(message, _OUT_OF_RANGE, table=TimeDriven.table, key="slots")


def _tell_overlap(place: Place) -> Iterator[Problem]:
    """Two slots overlap; reported for each pair of neighbours of which this task has one."""
    tasks = [task for task in place.resolved.tasks if task.windows is not None]
    slots = sorted((*slot, task.name) for task in tasks for slot in (task.windows.slots if task.windows else ()))
    for (start, length, task), (next_start, _, next_task) in pairwise(slots):
        if start + length > next_start and place.member.name in (task, next_task):
            message = f"expected slots that do not overlap, found one of {show(next_task)} from tick {next_start} on"
            message = f"{message}, and one of {show(task)} up to {start + length}"
            yield Problem(message, _OUT_OF_RANGE, table=TimeDriven.table, key="slots")


def _tell_missing_slot(place: Place) -> Iterator[Problem]:
    """A task has no slot; a system without slots is reported elsewhere."""
    if options_of(place.system.options, TimeDriven) is not None:
        message = f"expected a slot of every task, found none of {show(place.member.name)}"
        yield Problem(message, "missing", table=TimeDriven.table, key="slots")


def _tell_new_policy(why: str, *, is_of_windowed: bool = False) -> Callable[[Place], Iterator[Problem]]:
    """Return a function that yields, for each change of the policy, that something at the root excludes it.

    Args:
        why: where none may be; {name} is what there is.
        is_of_windowed: whether it is a task with windows; those of the root's policy are reported elsewhere.
    """

    def problems_at(place: Place) -> Iterator[Problem]:
        """Yield the problems."""
        name, root = show(getattr(place.member, "name", None)), place.system.policy
        if is_of_windowed and catalogue.traits_of(root).has_windows:
            return
        for number, change in enumerate(place.system.changes, start=1):
            if change.policy is not None and number == (place.number or number):
                new = name_of(change.policy)
                message = f"expected none {why.format(name=name, root=name_of(root), new=new)}, found {show(new)}"
                yield Problem(message, _CONFLICT, table=Change.table, number=number, key="policy")

    return problems_at


_OF_ROOT = _tell_new_policy("where the root is or becomes {root}")
_BUDGET = Sentence("budget", "expected at most the period {period}, found {budget}", _OUT_OF_RANGE)
_DEMAND = Sentence("demand", "expected min >= 1 tick, found 0", _OUT_OF_RANGE)
_RATED_PERIOD = Sentence("period", "expected at most {longest_rate} ticks with {rates}, found {period}")
_RATED_WCET = Sentence("wcet", "expected at most {longest_rate} ticks with {rates}, found {wcet}")
_RATED_DEADLINE = Sentence("deadline", "expected {deadline_bound} {period}{of_class}, found {deadline}")
_RATED_END = Sentence("wcet", "expected at most the deadline {deadline} with {rates}, found {wcet}")

SENTENCES: Mapping[str, Sentence | Callable[[Place], Iterator[Problem]]] = {
    "budget_is_within_period": _BUDGET,
    "server_allocates_no_rates": Sentence("policy", "found a policy of the root; a server cannot be rate-based"),
    "servers_form_a_tree": _tell_ring,
    "parent_is_no_rule": Sentence(
        "parent", "expected a server that can hold others, found {parent} of kind {parent_kind}"
    ),
    "kind_fits_parent": Sentence(
        "kind", "expected a kind without deadlines under {above}, found {kind}; it needs {deadline_policies}"
    ),
    "ceiling_needs_levels": Sentence("protocol", "found {protocol} under {over}; it needs {levelled}"),
    "protocols_mix": Sentence("protocol", "expected {alike} for all resources of a dispatcher, found {other} of {of}"),
    "sharing_server_is_periodic": Sentence(
        "protocol", "found {protocol} in the server {server}, which is {kind}; it needs {periodic_kinds}"
    ),
    "longest_fits_protocol": Sentence(
        "protocol",
        "expected at most the budget {budget} of the server {server} from lock to unlock, found {longest} ticks",
    ),
    "rule_locks_without_ceiling": _tell_ceiling_of_rule,
    "rule_has_interval": Sentence(
        "interval", 'missing; {policy} gives deadlines by it, for instance interval = "10ms"', "missing"
    ),
    "share_wcet_is_short": Sentence(
        "wcet", "expected at most {longest_share} ticks with policy = {root}, found {wcet_ticks}", _OUT_OF_RANGE
    ),
    "stream_has_range": _tell_range,
    "demand_is_positive": _DEMAND,
    "arrivals_ascend": _tell_instants,
    "arrivals_keep_distance": _tell_instants,
    "arrivals_have_separation": _tell_separation,
    "soft_does_not_obstruct": _tell_obstacle,
    "part_is_in_range": _tell_part,
    "windowed_deadline_is_in_period": Sentence(
        "deadline", "expected at most the period {period} with {windows}, found {deadline}", _OUT_OF_RANGE
    ),
    "slots_are_of_time_driven": _tell_missing_slot,
    "slots_are_in_cycle": _tell_late_slots,
    "slots_ascend": _tell_overlap,
    "slots_do_not_overlap": _tell_overlap,
    "architecture_ends_in_wcet": Sentence("demand", "expected at most the wcet with {model}, found {demand}"),
    "interval_is_positive": Sentence(
        "interval", 'missing; model = {model} needs one, for instance interval = "500us"', "missing"
    ),
    "shares_leave_room": Sentence("sigma", "expected beta + sigma of at most 1, found {beta} + {sigma}"),
    "greedy_is_rated": Sentence("wcet", 'missing; only {rates} goes without; give one, for instance wcet = "2ms"'),
    "only_soft_adapts": Sentence(
        "on_overrun", 'expected class = "soft" and {rates} with "adapt", found {class_} and {root}'
    ),
    "rated_period_is_short": _RATED_PERIOD,
    "rated_wcet_is_short": _RATED_WCET,
    "rated_deadline_fits_class": _RATED_DEADLINE,
    "rated_wcet_is_within_deadline": _RATED_END,
    "changed_has_no_windows": Sentence("", "expected tasks without windows, found {name}"),
    "changed_has_no_rule": Sentence(
        "task", "expected a task without a deadline rule, found {name}; remove it and add another task"
    ),
    "changed_demand_is_positive": _DEMAND,
    "changed_rate_keeps_class": Sentence(
        "class",
        "expected {old_class}, which tasks keep with {rates}, found {class_}; remove {name} and add another task",
    ),
    "changed_period_is_short": _RATED_PERIOD,
    "changed_wcet_is_short": _RATED_WCET,
    "changed_deadline_fits_class": _RATED_DEADLINE,
    "changed_wcet_is_within_deadline": _RATED_END,
    "policy_changes_without_rates": _OF_ROOT,
    "policy_changes_without_rule_policy": _OF_ROOT,
    "policy_changes_without_window_policy": _OF_ROOT,
    "policy_changes_without_root_threshold": _tell_new_policy("with a threshold at the root, that of {name}"),
    "policy_changes_without_windowed": _tell_new_policy("with the windows of {name}", is_of_windowed=True),
    "policy_changes_without_root_ceiling": _tell_new_policy("with a ceiling at the root, that of {name}"),
    "changes_without_frozen_policy": _tell_new_policy("where the root is or becomes {new}"),
}
"""Message of each relation: a sentence, or a function that yields problems."""

_SUMS = (
    "arrivals_keep_distance",
    "longest_fits_protocol",
    "slots_are_in_cycle",
    "slots_ascend",
    "slots_do_not_overlap",
)
"""Relations in which times are added. Others hold of times that are rounded up if they hold of the times."""


# ---- from rows to tables --------------------------------------------------------------------------------------


class RelationProblems:
    """Problems of the image of a system.

    Args:
        system: the tables.
        resolved: what core would be given.
        are_times_right: whether all times are whole ticks: sums of others say nothing.
    """

    def __init__(self, system: SystemTables, resolved: ResolvedSystem, *, are_times_right: bool) -> None:
        """Start without questions to core."""
        self.are_times_right = are_times_right
        self.system = system
        self.resolved = resolved
        self.pairs = Pairs(system)

    @cached_property
    def changes(self) -> list[ResolvedChange]:
        """The changes, in the order of an image."""
        return list(self.resolved.changes if self.resolved.rates is None else self.resolved.requests())

    @cached_property
    def versions(self) -> dict[int, Task]:
        """The tasks as changes make them."""
        return versions_of(self.system)

    def problems(self) -> list[Problem]:
        """Return the problems of all rows that break a relation; if there are none, core's own message."""
        try:
            broken = _core.check(pack(self.resolved, 0), len(own_policies(self.resolved)))
        except ValueError as error:
            return [Problem(str(error), UNWORDED)]
        problems = [problem for relation, table, row in broken for problem in self.problems_of(relation, table, row)]
        return problems or [Problem(_MESSAGES[relation], UNWORDED) for relation, _, _ in broken[:1]]

    def problems_of(self, relation: str, table: str, row: int) -> Iterator[Problem]:
        """Yield the problems of one row; tables report those of the allocator's task and of first requests."""
        is_own = table in ("TASKS", "WINDOWS") and self.task_at(row) is None
        is_first = table == "CHANGES" and self.changes[row].number == 0
        is_unsure = relation in _SUMS and not self.are_times_right
        if is_first or is_unsure or (is_own and relation != "part_is_in_range"):
            return
        if relation in SENTENCES:
            sentence, place = SENTENCES[relation], self.place(table, row)
            yield from place.say(sentence) if isinstance(sentence, Sentence) else sentence(place)
        elif relation in self.pairs.names:
            yield from self.pairs.problems(relation, self.task_at(row) if table == "TASKS" else None)

    def task_at(self, row: int) -> Task | None:
        """Return the task of a row; None if that is the allocator's."""
        return self.system.tasks[row] if row < len(self.system.tasks) else None

    def place(self, table: str, row: int) -> Place:
        """Return the table that a row stands for."""
        system, resolved = self.system, self.resolved
        if table == "STREAMS":
            return self.place_of_stream(row)
        if table == "CHANGES":
            return self.place_of_change(row)
        if table == "SERVERS":
            return Place(system, resolved, system.servers[row], resolved.servers[row])
        if table == "RESOURCES":
            named = {resource.name: resource for resource in system.resources}
            return Place(system, resolved, named[resolved.resources[row].name], resolved.resources[row])
        if table in ("TASKS", "WINDOWS"):
            return Place(system, resolved, self.task_at(row) or system.allocator, resolved.tasks[row])
        if table == "ARCHITECTURE":
            return Place(system, resolved, system.platform, resolved.architecture)
        return Place(system, resolved, options_of(system.options, RateBased) or RateBased(), None)

    def place_of_change(self, row: int) -> Place:
        """Return the table that a row of changes stands for."""
        given = self.changes[row]
        change = self.system.changes[given.number - 1]
        member = self.versions[given.number] if given.kind == "parameters" else change
        key = {"leave": "remove", "enter": "add"}.get(given.kind, "task")
        return Place(self.system, self.resolved, member, given, key, given.number, change)

    def place_of_stream(self, row: int) -> Place:
        """Return which task or change draws from a stream."""
        stream = streams_of(self.resolved, self.changes)[row]
        for number, task in enumerate(self.resolved.tasks):
            for key, own in (("demand", task.drawn_demand), ("arrivals", task.arrivals)):
                if own is stream:
                    return Place(self.system, self.resolved, self.system.tasks[number], stream, key)
        place = next(i for i, change in enumerate(self.changes) if change.drawn_demand is stream)
        return replace(self.place_of_change(place), row=stream, key="demand")
