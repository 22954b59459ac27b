"""What the paper says that no simulation can judge, or that this version does not have, and why."""

from __future__ import annotations

from studies.common import Section, not_testable


def run() -> Section:
    """List the claims."""
    return Section(
        "Not testable here",
        "Rows of the checklist that this study cannot judge; each says what is missing.",
        [
            not_testable(
                "S1-03",
                "Section 5.4",
                "A flag FPDS_YIELDING tells the scheduler that it is called from a point.",
                "A point is an event of its own, so nothing has to be flagged.",
            ),
            not_testable(
                "S1-09",
                "Sections 2 and 8",
                "Subjobs may form a directed acyclic graph.",
                "Bodies are sequences in this version.",
            ),
            not_testable(
                "S1-18",
                "Section 2 (citing [3, 4])",
                "There are an exact analysis of FPDS and a pessimistic uniform one.",
                "This study simulates; the analysis of FPDS belongs to the analyses.",
            ),
            not_testable(
                "S1-22",
                "Sections 2 and 4",
                "Points can be placed by tools.",
                "Placement and the longest non-preemptive region belong to the analyses.",
            ),
            not_testable(
                "S1-25",
                "Section 3.1",
                "Tasks of equal priority are cooperative and yield to each other.",
                "Belongs to the kernel, whose yield passes to an equal; a point of a body never does.",
            ),
            not_testable(
                "S1-26",
                "Section 3.2",
                "wait_period tells a task that it missed its next activation.",
                "Belongs to the kernel: what a call returns is no business of a simulation.",
            ),
            not_testable(
                "S1-28",
                "Section 8",
                "Subjob lengths are contracts that are monitored and enforced, with reservations.",
                "Budgets of jobs are enforced where on_overrun says so; those of subjobs are not.",
            ),
        ],
    )
