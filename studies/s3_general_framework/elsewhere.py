# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remarks of the paper that no schedule shows, and why."""

from __future__ import annotations

from studies.common import Section, not_testable


def run() -> Section:
    """Return the claims."""
    return Section(
        "Not testable here",
        "Rows of the checklist that this study cannot judge; each says what is missing. Figures 4 to 6 are above.",
        [
            not_testable(
                "S3-03",
                "Section 4.1, Figure 3",
                "A job is Ready, Active, Sleep or End, and goes from one to another at its timers and events.",
                "States are inside of a dispatcher; a schedule shows which job runs. tests/c/test_calls.c goes through "
                "the transitions of Takt's windows, tests/references/test_framework_oracle.py through those of the "
                "reference.",
            ),
        ],
    )
