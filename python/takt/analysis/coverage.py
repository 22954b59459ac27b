# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of what each theorem covers: which policies, and which features of a dispatcher together.

A *feature* is something that a dispatcher, its children or what is around it have beyond sporadic tasks that run. A
*row* stands for a theorem as Takt computes it. It lists groups of features that the theorem, with the blocking of
blocking.py, admits together. A combination of features that is not inside of one group is not known. A new feature,
protocol or kind of server is added to each row for which there is a proof, and to no other.

The features are words, since reasons are made of them. Those of protocols and of kinds of servers are made of their
names, so that a new protocol or kind is in no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model import catalogue
from takt.model.catalogue import PolicyTraits
from takt.model.core_input import ROOT

# ---- features -----------------------------------------------------------------------------------------

JITTER = "jitter"
REGIONS = "jobs with non-preemptive regions"
THRESHOLDS = "preemption thresholds"
SUSPENSIONS = "jobs that suspend themselves"
OVERDEMAND = "jobs that may demand more than their wcets"
CHANGES = "changes"
NESTED = "nested sections"
REACHING = "sections in which a non-preemptive job gives way"
"""A point, or a further lock, inside a section of a started job: what it holds is then seen by others."""
CIRCLE = "resources nested in a circle"
ENDLESS = "sections that together are longer than any time"
LONG_OVERRUN = "servers that overrun longer than their periods"
SEVERAL = "several processors"

OVERDUE = "servers that give deadlines to jobs that may demand more than their wcets"
"""A deadline of tbs and cus follows from the wcet: what is beyond it is more urgent than all that is in time."""
ODD_RULES = "servers that give deadlines to jobs that do more than run"
LATE_RULES = "servers that give deadlines to jobs with jitter"
"""A deadline of tbs and cus counts from the arrival: a job that is released later demands more than its share."""
OUTGROWN = "sections under sirap in servers whose jobs may demand more than their wcets"
"""The budget that sirap waits for follows from wcets: it can end in a longer section."""
DISTURBED = "sections under sirap into which more jobs of the server can come than its budget counts"
"""Others execute meanwhile, which X does not count: the budget can end in a section."""
MOVING = "jobs with sections, regions or thresholds whose deadlines change"
"""A job with the later deadline delays others for which the shorter one does not count as less urgent."""
COSTS = "costs of the kernel"
SECTIONS = "resources"
GENERIC = "the generic variant"

SHARED_SERVERS = "resources that servers share"
DROPPED = "jobs that are aborted or skipped"
WINDOWS = "windows"

_SENTENCES = {
    CIRCLE: "jobs may deadlock",
    ENDLESS: "sections together are longer than any time",
    LONG_OVERRUN: "a server may overrun its budget for longer than its period",
}
"""What is said of a feature that no theorem admits."""


def protocol(name: str) -> str:
    """Return the feature that resources have a protocol."""
    return f"resources under {name}"


_SENTENCES |= {
    protocol(each): "nothing bounds the delay by a server without budget that holds a resource"
    if catalogue.protocol_traits(each).is_among
    else "nothing bounds the delay by a resource without a protocol"
    for each in catalogue.protocols_that(
        lambda traits: not traits.lends or (traits.is_among and not (traits.overruns or traits.awaits_budget))
    )
}


def servers_of(kind: str) -> str:
    """Return the feature that a dispatcher has servers of a kind."""
    return f"{kind} servers"


def inside(kind: str) -> str:
    """Return the feature that a dispatcher is a server of a kind."""
    return f"a server of kind {kind} around"


def scheduler_in(model: str) -> str:
    """Return the feature that a scheduler runs in a place."""
    return f"a scheduler in {model}"


def features_of(view: SystemView, dispatcher: DispatcherView) -> frozenset[str]:
    """Return the features of a dispatcher but for what its children hold, which blocking.py adds."""
    around = () if dispatcher.number == ROOT else (inside(dispatcher.kind),)
    return frozenset((*_features_of(view, dispatcher), *around))


def _features_of(view: SystemView, dispatcher: DispatcherView) -> Iterator[str]:
    """Yield the features; each check of all tasks is short, since searches judge often."""
    tasks = dispatcher.tasks
    if any(task.jitter for task in tasks):
        yield JITTER
    if any(task.regions for task in tasks):
        yield REGIONS
    if any(task.threshold is not None for task in tasks):
        yield THRESHOLDS
    if any(task.suspended for task in tasks):
        yield SUSPENSIONS
    resolved = view.resolved
    if any(task.excess for task in tasks):
        yield OVERDEMAND
    moving = [task for task in tasks if task.has_other_deadlines and _delays_others(task)]
    if moving and not dispatcher.traits.has_static_keys:
        yield MOVING
    if resolved.changes:
        yield CHANGES
    if resolved.cpus > 1:
        yield SEVERAL
    yield from {servers_of(server.kind) for server in dispatcher.servers}
    if any(server.is_outgrown for server in dispatcher.servers):
        yield DISTURBED
    yield from _features_of_servers(view, dispatcher)


def _delays_others(task: TaskView) -> bool:
    """True if a started job can block more urgent ones."""
    return bool(task.barred > 1 or task.sections)


def _features_of_servers(view: SystemView, dispatcher: DispatcherView) -> Iterator[str]:
    """Yield the features that jobs in the servers of a dispatcher add to it."""
    kinds = {server.number: server.kind for server in dispatcher.servers}
    for each in (each for each in view.dispatchers if each.number in kinds):
        has_excess = any(task.excess for task in each.tasks)
        if kinds[each.number] in catalogue.RULE_KINDS:
            if has_excess:
                yield OVERDUE
            if any(_delays_others(task) or task.suspended or task.unsupported for task in each.tasks):
                yield ODD_RULES
            if any(task.jitter for task in each.tasks):
                yield LATE_RULES
        if has_excess:
            shared = [one for one in view.resolved.resources if one.home == each.number and one.among is not None]
            if any(catalogue.protocol_traits(one.protocol).awaits_budget for one in shared):
                yield OUTGROWN


def features_of_root(view: SystemView) -> frozenset[str]:
    """Return the features of a root whose policy has a test of its own."""
    root, resolved = view.dispatchers[0], view.resolved
    has = {
        COSTS: not resolved.costs.is_ideal,
        SECTIONS: any(task.sections for task in root.tasks),
        DROPPED: _drops(view),
        GENERIC: resolved.variant == "generic",
    }
    around = () if resolved.architecture is None else (scheduler_in(resolved.architecture.model),)
    return features_of(view, root) | {feature for feature, is_there in has.items() if is_there} | {*around}


def _drops(view: SystemView) -> bool:
    return any(task.fixed.on_miss != "continue" for each in view.dispatchers for task in each.tasks)


def features_of_system(view: SystemView) -> frozenset[str]:
    """Return the features of all dispatchers together, with those of the system that most tests ignore."""
    tasks = [task for each in view.dispatchers for task in each.tasks]
    has = {
        DROPPED: _drops(view),
        WINDOWS: any(task.fixed.windows is not None for task in tasks),
        SHARED_SERVERS: any(each.among is not None for each in view.resolved.resources),
        REACHING: any(section.gives_way for task in tasks for section in task.sections),
    }
    found = frozenset(feature for each in view.dispatchers for feature in _features_of(view, each))
    return found | {feature for feature, is_there in has.items() if is_there}


# ---- rows ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A theorem, and what it covers.

    Args:
        where: what it is about, as reasons say it, "" if it is about a root that has a processor to itself.
        admits: says of the traits of a policy whether it holds for that.
        groups: features that it admits together; a part of a group is admitted as well.
    """

    where: str
    admits: Callable[[PolicyTraits], bool]
    groups: tuple[frozenset[str], ...]

    def why_not_known(self, policy: str, features: frozenset[str]) -> str:
        """Return why the theorem does not cover a dispatcher, "" if it does."""
        if not self.admits(catalogue.traits_of(policy)):
            return " ".join(filter(None, [f"there is no test of {policy}", self.where]))
        if any(features <= group for group in self.groups):
            return ""
        sentences = [_SENTENCES[each] for each in sorted(features & _SENTENCES.keys())]
        alone = sorted(features.difference(*self.groups))
        some_of = (
            frozenset(some) for size in range(2, len(features) + 1) for some in combinations(sorted(features), size)
        )
        denied = alone or next(sorted(some) for some in some_of if not any(map(some.issubset, self.groups)))
        return "; ".join(sentences) or " ".join(
            filter(None, [f"there is no test of {', '.join(denied)}", self.where, f"under {policy}"])
        )


# ---- the table ----------------------------------------------------------------------------------------

_SUPPLYING = catalogue.kinds_that(lambda kind: kind.is_limited or kind.has_bandwidth)

_SPORADIC = frozenset({JITTER, REGIONS, THRESHOLDS, SUSPENSIONS, OVERDEMAND, CHANGES})
_LIMITED = frozenset({REGIONS, THRESHOLDS, REACHING})
_BOUNDED_LOCALLY = catalogue.protocols_that(lambda each: each.is_bounded and not each.is_among)
_LOCAL = frozenset({*map(protocol, _BOUNDED_LOCALLY), NESTED, REACHING})
_AMONG = frozenset(map(protocol, catalogue.protocols_that(lambda each: each.is_bounded and each.overruns)))
_SIRAP = frozenset(map(protocol, catalogue.protocols_that(lambda each: each.is_bounded and each.awaits_budget)))
_SERVERS = frozenset(map(servers_of, (*_SUPPLYING, *catalogue.RULE_KINDS)))
_ALL = _SPORADIC | _LOCAL | _AMONG | _SERVERS

_STEADY = frozenset(map(inside, catalogue.kinds_that(lambda kind: kind.is_steady)))
_LOSING = frozenset(map(inside, catalogue.kinds_that(lambda kind: kind.is_limited and not kind.is_steady)))
"""Kinds whose budget depends on when there is work: a suspension is not like execution there."""

_AT_ROOT = (_ALL | _SIRAP,)
_SUPPLIED = (
    _ALL | _STEADY,
    (_ALL | _STEADY | _LOSING) - {SUSPENSIONS},
    # While a job waits for the budget of its section, a less urgent job may begin a region that blocks it again.
    (_ALL | _SIRAP | _STEADY) - _LIMITED,
    (_ALL | _SIRAP | _STEADY | _LOSING) - _LIMITED - {SUSPENSIONS},
)

FIXED = Row("", lambda policy: policy.has_static_keys, _AT_ROOT)
"""Response times under static keys at the root: response_times.c, preemption_thresholds.c, servers_seen.c."""

DEADLINES = Row("", lambda policy: policy.is_deadline_driven, _AT_ROOT)
"""Demand and responses under deadlines at the root: qpa.c, edf_response_times.c."""

LAXITY = Row("", lambda policy: policy.has_laxity_keys, (frozenset({JITTER, CHANGES}),))
"""The same demand, which llf serves whenever deadlines do: jobs that are displaced anywhere, with declared laxities."""

SUPPLIED = Row("in a server", lambda policy: policy.is_level_or_deadline_driven, _SUPPLIED)
"""Responses or demand under the supply of a server: servers_seen.c, qpa.c."""

_POSTPONING = catalogue.kinds_that(lambda kind: kind.has_bandwidth and kind.postpones)
"""Kinds whose tasks share one bandwidth, in which none is supplied by itself."""

BANDWIDTH = Row(
    "in a server",
    lambda policy: policy.is_work_conserving or policy.has_static_keys,
    (
        _SPORADIC | _LOCAL | {*map(inside, _POSTPONING)},
        (_SPORADIC | _LOCAL | {*map(inside, catalogue.RULE_KINDS)}) - {OVERDEMAND, JITTER},
    ),
)
"""Busy periods of tasks that one bandwidth serves in any order: bandwidth.c."""

_CHARGED = catalogue.kinds_that(lambda kind: kind.comes_once)
"""Kinds whose budget comes once a period, and is used up or lost."""

CHARGED = Row(
    "where the kernel's own work takes time",
    lambda policy: policy.is_level_or_deadline_driven,
    (_SPORADIC | {*map(servers_of, _CHARGED)},),
)
"""What overhead_inflation.py and overheads.c make of a system: all its dispatchers together."""

TABLE = Row("", lambda policy: policy.has_slots, (frozenset({OVERDEMAND}),))
"""The jobs of each task in its slots."""

PROMOTED = Row(
    "",
    lambda policy: policy.promotes,
    (_SERVERS | {JITTER, SUSPENSIONS, OVERDEMAND, CHANGES, DROPPED, OVERDUE, ODD_RULES, LATE_RULES},),
)
"""Responses of hard tasks after their promotion: all else, in servers too, is in the bands below."""

MANDATORY = Row("", lambda policy: policy.has_mandatory_parts, (frozenset({OVERDEMAND}),))
"""Responses of mandatory parts."""

SHARES = Row(
    "",
    lambda policy: policy.has_virtual_time,
    (frozenset({JITTER, REGIONS, CHANGES}), frozenset({GENERIC, CHANGES})),
)
"""Fluid service and the longest job; virtual deadlines of preemptive jobs without jitter (generic)."""

RATES = Row("", lambda policy: policy.allocates_rates, (frozenset({OVERDEMAND, CHANGES, SECTIONS}),))
"""Admission by rates; tasks that may demand more, or change, are sorted out one by one."""

EXECUTION = Row(
    "",
    lambda policy: policy.has_deadline_keys and policy.is_rule,
    (frozenset({OVERDEMAND, CHANGES, REGIONS, DROPPED}),),
)
"""Demand of rate-based execution."""

DENSITY = Row(
    "on several processors",
    lambda policy: policy.is_deadline_driven,
    (frozenset({SEVERAL, JITTER, OVERDEMAND, DROPPED}),),
)
"""Density of preemptive tasks under global edf."""

_ENTERED = catalogue.architectures_that(
    lambda each: each.is_entered and not each.has_latency and not each.idles_between
)
_BESIDE = catalogue.architectures_that(lambda each: not each.is_entered and each.has_latency == each.idles_between)

SCHEDULED = Row(
    "with a scheduler that takes time",
    lambda policy: policy.is_level_or_deadline_driven and not policy.has_windows,
    (frozenset({DROPPED, *map(scheduler_in, (*_ENTERED, *_BESIDE))}),),
)
"""Responses under schedulers with a timer, or beside the processor of the tasks: architectures.c."""

REMOTE = Row(
    "with a remote scheduler",
    lambda policy: policy.is_level_or_deadline_driven and not policy.has_windows,
    (frozenset({JITTER, REGIONS, OVERDEMAND}),),
)
"""Responses where messages to and from the scheduler take time: remote.py."""

ROOT_ROWS = (FIXED, DEADLINES, LAXITY)
"""Rows of roots; a policy is in at most one of them."""


def row_of_root(policy: str) -> Row:
    """Return the row of a policy at the root; a policy without a row gets one that does not admit it."""
    traits = catalogue.traits_of(policy)
    return next((row for row in ROOT_ROWS if row.admits(traits)), FIXED)


def row_of_server(kind: str) -> Row:
    """Return the row for the children of a server."""
    return BANDWIDTH if kind in (*_POSTPONING, *catalogue.RULE_KINDS) else SUPPLIED
