# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Catalogue of this build of Takt: policies and kinds of servers, read from core's own tables."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

from takt import _core
from takt.base.errors import listed, show
from takt.model.fields import words


class PolicyInfo(NamedTuple):
    """A policy: what orders the children of the root or of a server.

    Args:
        name: as in task-set files.
        summary: what it is, one line.
        tie: which of two equal keys is first, one line.
        has_levels: whether it orders by priorities; thresholds need that.
    """

    name: str
    summary: str
    tie: str
    has_levels: bool


class ServerKind(NamedTuple):
    """A kind of server.

    Args:
        name: as in task-set files.
        summary: what it is, one line.
        idles: whether its budget is used up without work, too.
        wants_deadline: whether it stands only where deadlines order, see DEADLINE_POLICIES.
        is_rule: whether it only gives its tasks their deadlines: they compete in its parent, and it has no budget.
        is_periodic: whether its budget is full at the start of each period, and at no other time.
    """

    name: str
    summary: str
    idles: bool
    wants_deadline: bool
    is_rule: bool
    is_periodic: bool


@dataclass(frozen=True, slots=True)
class PolicyTraits:
    """Traits of a policy, from core; core/policy.h has what each trait means. Without a trait nothing is known.

    Args:
        overtakes: whether the order of jobs changes while they wait.
        has_levels: whether tasks have levels that are known before a run; ceilings need that.
        has_fifo_levels: whether keys are priorities, and equals are first in, first out.
    """

    is_work_conserving: bool = False
    has_static_keys: bool = False
    has_deadline_keys: bool = False
    has_laxity_keys: bool = False
    needs_period: bool = False
    needs_interval: bool = False
    is_rule: bool = False
    has_virtual_time: bool = False
    allocates_rates: bool = False
    has_slots: bool = False
    promotes: bool = False
    has_mandatory_parts: bool = False
    specialises_periods: bool = False
    has_outside_keys: bool = False
    overtakes: bool = False
    has_levels: bool = False
    has_fifo_levels: bool = False

    @property
    def is_deadline_driven(self) -> bool:
        """True if jobs are ordered by the deadlines of their tasks."""
        return self.has_deadline_keys and not self.is_rule

    @property
    def is_level_or_deadline_driven(self) -> bool:
        """True if keys are static, or such deadlines."""
        return self.has_static_keys or self.is_deadline_driven

    @property
    def has_windows(self) -> bool:
        """True if jobs execute in windows that the policy assigns."""
        return self.has_slots or self.promotes or self.has_mandatory_parts or self.specialises_periods


@dataclass(frozen=True, slots=True)
class ProtocolTraits:
    """Traits of a protocol, from core; core/protocol.h has what each trait means.

    Args:
        bars_locks: whether a lock needs a level above the ceilings of what others hold.
        bars_runs: whether a job needs such a level to run.
    """

    is_bounded: bool = False
    raises_to_top: bool = False
    raises_to_ceiling: bool = False
    has_ceiling: bool = False
    is_among: bool = False
    lends: bool = False
    bars_locks: bool = False
    bars_runs: bool = False
    awaits_budget: bool = False
    overruns: bool = False
    pays_back: bool = False

    @property
    def inherits(self) -> bool:
        """True if a holder inherits the urgency of the jobs it blocks, and no more."""
        return self.lends and not (self.has_ceiling or self.raises_to_top)

    @property
    def refuses(self) -> bool:
        """True if a lock of a free resource may be refused, or a job has to wait for a resource that is held."""
        return not self.lends or self.inherits or self.bars_locks or self.awaits_budget

    @property
    def prevents_circles(self) -> bool:
        """True if jobs of one dispatcher never wait for each other in a circle."""
        return (self.bars_locks or self.bars_runs) and not self.is_among


@dataclass(frozen=True, slots=True)
class KindTraits:
    """Traits of the budgets of a kind of servers, from core; core/server.h has what each trait means."""

    acts_as_task: bool = False
    defers: bool = False
    returns: bool = False
    separates: bool = False
    has_bandwidth: bool = False
    postpones: bool = False
    loses_idle_budget: bool = False

    @property
    def comes_once(self) -> bool:
        """True if the budget comes once a period, and is used up or lost."""
        return self.acts_as_task or self.defers

    @property
    def is_steady(self) -> bool:
        """True if the supply does not depend on when there is work."""
        return (
            (self.acts_as_task and not self.loses_idle_budget)
            or self.defers
            or (self.has_bandwidth and not self.postpones)
        )

    @property
    def is_limited(self) -> bool:
        """True if at most one budget executes in a period, and one more across its boundary."""
        return self.acts_as_task or self.defers or self.returns


_, _, ELIGIBLE = SHARE_VARIANTS = words("SYSTEM", "variant")
"""Variants of the policy share, in the order of core's numbers. Under the last one a job waits until it is eligible."""


@dataclass(frozen=True, slots=True)
class ArchitectureTraits:
    """Traits of the place of a scheduler, from core; system/architectures.h has what each trait means."""

    is_entered: bool = False
    has_latency: bool = False
    idles_between: bool = False


_ARCHITECTURE_TRAITS = {name: ArchitectureTraits(**traits) for name, traits in _core.architectures()}

ARCHITECTURES = tuple(_ARCHITECTURE_TRAITS)
"""Where a scheduler may run, as models of a platform name it."""


def architecture_traits(model: str | None) -> ArchitectureTraits:
    """Return the traits of an architecture; another model of a platform has none."""
    return _ARCHITECTURE_TRAITS.get(model or "", ArchitectureTraits())


def architectures_that(has: Callable[[ArchitectureTraits], bool]) -> tuple[str, ...]:
    """Return the architectures with some traits, in core's order."""
    return tuple(name for name, traits in _ARCHITECTURE_TRAITS.items() if has(traits))


_PROTOCOL_TRAITS = {name: ProtocolTraits(**_core.protocol_traits(name)) for name in _core.protocols()}


def protocol_traits(protocol: str) -> ProtocolTraits:
    """Return the traits of a protocol; "" has none."""
    return _PROTOCOL_TRAITS[protocol] if protocol else ProtocolTraits()


def protocols_that(has: Callable[[ProtocolTraits], bool]) -> tuple[str, ...]:
    """Return the protocols with some traits, in core's order."""
    return tuple(name for name, traits in _PROTOCOL_TRAITS.items() if has(traits))


PROTOCOLS = tuple(_PROTOCOL_TRAITS)
"""Protocols of resources."""


def mixing(protocol: str) -> tuple[str, ...]:
    """Return the protocols that other resources of a dispatcher can have, this one first."""
    others = (name for name in PROTOCOLS if name != protocol and _core.protocols_mix(protocol, name))
    return (protocol, *others)


CEILING_PROTOCOLS = protocols_that(lambda protocol: protocol.has_ceiling)
"""Those that need levels."""

AMONG_PROTOCOLS = protocols_that(lambda protocol: protocol.is_among)
"""Those under which servers share."""


_POLICIES = {row[0]: PolicyInfo(*row) for row in _core.policies()}
_KINDS = {row[0]: ServerKind(*row) for row in sorted(_core.server_kinds())}
_NO_TRAITS = PolicyTraits()
_POLICY_TRAITS = {
    name: PolicyTraits(**traits, has_levels=has_key and not traits["allocates_rates"], has_fifo_levels=info.has_levels)
    for name, info in _POLICIES.items()
    for traits, has_key in [(_core.policy_traits(name), _core.policy_level(name, 1, 1, 1) is not None)]
}
_KIND_TRAITS = {name: KindTraits(**_core.server_kind_traits(name)) for name in _KINDS}


def traits_of(policy: object) -> PolicyTraits:
    """Return the traits of a policy by its name; nothing is known of a policy that is not in the table."""
    return _POLICY_TRAITS.get(policy, _NO_TRAITS) if isinstance(policy, str) else _NO_TRAITS


def policies_that(has: Callable[[PolicyTraits], bool]) -> tuple[str, ...]:
    """Return the policies with some traits, in alphabetical order."""
    return tuple(name for name, traits in _POLICY_TRAITS.items() if has(traits))


def kind_traits(kind: str) -> KindTraits:
    """Return the traits of a kind of servers."""
    return _KIND_TRAITS[kind]


def kinds_that(has: Callable[[KindTraits], bool]) -> tuple[str, ...]:
    """Return the kinds of servers with some traits, in alphabetical order."""
    return tuple(name for name, traits in _KIND_TRAITS.items() if has(traits))


_ROLES = _core.roles()

LEVEL_POLICY, PERIOD_POLICY, DEADLINE_POLICY = map(_ROLES.__getitem__, ("priorities", "periods", "relative_deadlines"))
"""The policies whose static keys are levels, periods and relative deadlines."""

EARLIEST_DEADLINE = _ROLES["deadlines"]
"""The policy whose keys are absolute deadlines."""

RATES_OPTIONS, SLOTS_OPTIONS, VIRTUAL_TIME_OPTIONS = map(_ROLES.__getitem__, ("rates", "slots", "virtual_time"))
"""Names of the tables of options that policies with these traits read."""

TASK_LIKE_KIND = _ROLES["task_like"]
"""The kind of servers that acts on all others as a task."""

BARRING_PROTOCOL = _ROLES["barring"]
"""The protocol that lets no job run below the ceilings of its dispatcher."""

ADVISED_PROTOCOLS = tuple(_core.advised_protocols())
"""Protocols that advice tries, in this order."""

RULE_KINDS = tuple(name for name, kind in _KINDS.items() if kind.is_rule)
"""Kinds of servers that only give their tasks their deadlines."""


def policies() -> tuple[PolicyInfo, ...]:
    """Return the policies of this build, in alphabetical order.

    Example:
        >>> "edf" in [policy.name for policy in policies()]
        True
    """
    return tuple(_POLICIES.values())


def server_kinds() -> tuple[ServerKind, ...]:
    """Return the kinds of servers of this build."""
    return tuple(_KINDS.values())


def server_kind(name: str) -> ServerKind:
    """Return a kind of servers of this build."""
    return _KINDS[name]


@contextmanager
def suggestions_limited() -> Iterator[None]:
    """Suggest only so many words in this block that people read them: each is compared with all names of a file."""
    before = _suggestions.set(itertools.count(1))
    try:
        yield
    finally:
        _suggestions.reset(before)


_MOST_SUGGESTIONS = 50
_SHORTEST_BEGIN = 3
"""So many letters, or more, that only one word begins with, mean that word."""
_suggestions: ContextVar[Iterator[int] | None] = ContextVar("suggestions", default=None)


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is closest to a word, None if none is close."""
    asked = _suggestions.get()
    if asked is not None and next(asked) > _MOST_SUGGESTIONS:
        return None
    by_folded = {name.casefold(): name for name in known}
    begun = [name for name in by_folded if name.startswith(word.casefold())] if len(word) >= _SHORTEST_BEGIN else []
    matches = begun if len(begun) == 1 else difflib.get_close_matches(word.casefold(), by_folded, n=1)
    return by_folded[matches[0]] if matches else None


def alternatives(word: str, known: Iterable[str]) -> str:
    """Return what a wrong word should have been: the closest known word, or all of them."""
    names = list(known)
    close = suggest(word, names)
    return f"did you mean {show(close)}?" if close else f"expected one of {listed(names)}"
