"""What the paper says that no simulation can judge, or that is no part of this study, and why."""

from __future__ import annotations

from studies.common import Section, not_testable


def run() -> Section:
    """List the claims."""
    return Section(
        "Not testable here",
        "Rows of the checklist that this study cannot judge; each says what is missing.",
        [
            not_testable(
                "S0-01",
                "Section 2.1.3",
                "Rate-based execution (x, y, d) gives the deadlines of equation (1).",
                "Rate-based execution is a scheduler of its own, related work of the paper; this study is of the "
                "rate-based scheduler. Its equation is compared with the golden deadlines in the tests.",
            ),
            not_testable(
                "S0-02",
                "Section 2.1.3",
                "Under EDF every event meets that deadline if the demand bound is kept.",
                "As S0-01: feasibility of rate-based execution.",
            ),
            not_testable(
                "S0-03",
                "Section 2.1.3",
                "Requests that come faster than x in y have their deadlines postponed.",
                "As S0-01: bursts of rate-based execution.",
            ),
            not_testable(
                "S0-25",
                "Sections 3.2.4 and 4",
                "A tick hook rewrites the ready queue of a fixed-priority kernel.",
                "A matter of structure: belongs to the kernel, whose dispatcher is the one that is simulated.",
            ),
            not_testable(
                "S0-27",
                "Section 4",
                "taskRBCreate makes a task without activation.",
                "Belongs to the kernel's interface.",
            ),
            not_testable(
                "S0-38",
                "Section 6 (future work)",
                "The scheduler is ported to a single-board computer.",
                "Belongs to the ports: core needs no operating system, but a simulation shows no board.",
            ),
            not_testable(
                "S0-39",
                "Section 6 (future work)",
                "Tasks share resources by priority inheritance or ceilings in the rate-based model.",
                "Under a rate-based root tasks use no resources; the protocols are there under other policies.",
            ),
            not_testable(
                "S0-40",
                "Section 2.1",
                "Related are servers (CBS), fluid flow (GPS), (m,k)-firm tasks and windows.",
                "Named as related, nothing is claimed of them.",
            ),
        ],
    )
