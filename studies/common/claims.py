# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A claim of a paper beside what came out here, and the verdict.

The numbers of the claims are those of the project's checklist of the papers: the paper, then two digits. A verdict
is computed from the numbers that the page shows wherever there are any, so that a change of Takt changes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Verdict(Enum):
    """Verdict about a claim."""

    CONFIRMED = "confirmed"
    CORRECTED = "confirmed with correction"
    CONTRADICTED = "contradicted"
    NOT_TESTABLE = "not testable here"


@dataclass(frozen=True)
class Claim:
    """One claim.

    Args:
        id: its number, such as "S1-14".
        where: section, figure or table of the paper.
        paper: what the paper says.
        ours: what came out here.
        verdict: how the two compare.
        why: what the verdict rests on, what was corrected, or what is missing.
        numbers: what came out, by name, for programs.
    """

    id: str
    where: str
    paper: str
    ours: str
    verdict: Verdict
    why: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)


def verdict(holds: bool, correction: bool = False) -> Verdict:
    """Judge a claim.

    Args:
        holds: whether what came out is what the claim says, after the correction if there is one.
        correction: whether the claim had to be corrected for that.
    """
    if not holds:
        return Verdict.CONTRADICTED
    return Verdict.CORRECTED if correction else Verdict.CONFIRMED


def not_testable(id: str, where: str, paper: str, why: str, ours: str = "none") -> Claim:
    """Return a claim that cannot be tested here, with the reason."""
    return Claim(id, where, paper, ours, Verdict.NOT_TESTABLE, why)
