"""What this build of Takt has: policies and kinds of servers, read from core's own tables."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from takt import _core
from takt.base.errors import listed, show
from takt.model.fields import words


class PolicyInfo(NamedTuple):
    """A policy: what orders the children of the root or of a server.

    Args:
        name: as in task-set files.
        summary: what it is, one line.
        tie: who goes first among equals, one line.
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


DEADLINE_POLICIES = ("edf", "rbe")
"""Policies that order by deadlines."""

RULE_POLICIES = ("rbe", "share")
"""Policies that bring deadline rules for their tasks."""

SHARE_VARIANTS = words("SYSTEM", "share")
"""Variants of the policy share, in the order of core's numbers."""

ARCHITECTURES = ("software", "coprocessor", "hardware")
"""Where a scheduler may run, as models of a platform name it."""

PROTOCOLS = tuple(name for name, _, _ in _core.protocols())
"""Protocols of resources."""

CEILING_PROTOCOLS = tuple(name for name, has_ceiling, _ in _core.protocols() if has_ceiling)
"""Those that need levels: under fp, rm, dm and edf."""

AMONG_PROTOCOLS = tuple(name for name, _, is_among in _core.protocols() if is_among)
"""Those under which servers share."""

_POLICIES = {row[0]: PolicyInfo(*row) for row in _core.policies()}
_KINDS = {row[0]: ServerKind(*row) for row in sorted(_core.server_kinds())}

RULE_KINDS = frozenset(kind.name for kind in _KINDS.values() if kind.is_rule)
"""Kinds of servers that only give their tasks their deadlines."""


def policies() -> tuple[PolicyInfo, ...]:
    """List the policies of this build, in alphabetical order.

    Example:
        >>> "edf" in [policy.name for policy in policies()]
        True
    """
    return tuple(_POLICIES.values())


def server_kinds() -> tuple[ServerKind, ...]:
    """List the kinds of servers of this build."""
    return tuple(_KINDS.values())


def server_kind(name: str) -> ServerKind:
    """Give a kind of servers of this build."""
    return _KINDS[name]


def has_levels(policy: object) -> bool:
    """Say whether a policy orders by priorities; False for a policy that is not in the table."""
    return isinstance(policy, str) and policy in _POLICIES and _POLICIES[policy].has_levels


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Give the known word that is closest to a word, None if none is close."""
    by_folded = {name.casefold(): name for name in known}
    matches = difflib.get_close_matches(word.casefold(), by_folded, n=1)
    return by_folded[matches[0]] if matches else None


def alternatives(word: str, known: Iterable[str]) -> str:
    """Say what a wrong word should have been: the closest known word, or all of them."""
    names = list(known)
    close = suggest(word, names)
    return f"did you mean {show(close)}?" if close else f"expected one of {listed(names)}"
