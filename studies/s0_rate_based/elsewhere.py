# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remarks of the paper that are not claims."""

from __future__ import annotations

from studies.common import Section, not_testable


def run() -> Section:
    """Return the claims."""
    return Section(
        "Not testable here",
        "Rows of the checklist that this study cannot judge; each says what is missing.",
        [
            not_testable(
                "S0-40",
                "Section 2.1",
                "Related are servers (CBS), fluid flow (GPS), (m,k)-firm tasks and windows.",
                "Named as related, nothing is claimed of them.",
            ),
        ],
    )
