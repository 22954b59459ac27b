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
                "S1-03",
                "Section 5.4",
                "A flag FPDS_YIELDING tells the scheduler that it is called from a point.",
                "A point is an event of its own, so nothing has to be flagged. Under Linux the call is that of any "
                "yield; the word `request` of the thread's slot says POINT, and only around that call: "
                "tests/c/test_linux_slot.c.",
            ),
            not_testable(
                "S1-09",
                "Sections 2 and 8",
                "Subjobs may form a directed acyclic graph.",
                "The body of a task is a sequence in files and in the simulator, so no run takes one of several ways. "
                "The analysis has graphs (analysis/control_flow.c); tests/analysis/test_response_times.py compares its "
                "responses with an exhaustive search over all ways of all jobs.",
            ),
            not_testable(
                "S1-28",
                "Section 8",
                "Subjob lengths are contracts that are monitored and enforced, with reservations.",
                "Budgets of jobs are enforced where on_overrun says so, and those of servers, under Linux by a timer "
                "of the processor; those of subjobs are not.",
            ),
        ],
    )
