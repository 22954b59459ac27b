# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remarks of the paper that no simulation can judge, or that this version does not have, and why."""

from __future__ import annotations

from studies.common import Section, not_testable


def run() -> Section:
    """Return the claims."""
    return Section(
        "Not testable here",
        "Rows of the checklist that this study cannot judge; each says what is missing.",
        [
            not_testable(
                "S2-17",
                "Section 5",
                "HaRTS is more complex and expensive to implement than Co-SoRTS, and that more than SoRTS; in area and "
                "energy HaRTS costs less than the co-processor of Co-SoRTS.",
                "Belongs to hardware: area and frequency are those of a synthesized design, and the architectures here "
                "are cost models.",
            ),
            not_testable(
                "S2-18",
                "Section 5 (future work)",
                "A scheduler for several processors migrates tasks.",
                "Tasks migrate among processors in the simulator under global policies (tests/core/test_global.py). "
                "The cost models of the three architectures are of one processor, and the paper does not say what they "
                "would be of more.",
            ),
        ],
    )
