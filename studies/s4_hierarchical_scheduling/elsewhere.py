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
                "S4-19",
                "Sections I-B and III-A",
                "The periodic resource model lets subsystems be analysed by themselves.",
                "Supply bounds and local tests belong to the analyses; this study simulates.",
            ),
            not_testable(
                "S4-21",
                "Section III-A",
                "A subsystem has a timing interface (P, Q).",
                "Choosing P and Q belongs to the analyses.",
            ),
            not_testable(
                "S4-23",
                "Section VII (future work)",
                "Legacy code runs in a subsystem through the old API.",
                "There is no face for programs of other kernels in this version.",
            ),
            not_testable(
                "S4-25",
                "Section VII (future work)",
                "A lock-based protocol shares resources among servers.",
                "A resource is used by tasks of one dispatcher in this version.",
            ),
            not_testable(
                "S4-27",
                "Section VII (future work)",
                "Components are integrated as virtual nodes.",
                "There is no object for a component in this version: its tables are pasted into a file.",
            ),
            not_testable(
                "S4-28",
                "Section III-B",
                "Global sharing is by wait-free techniques until then.",
                "What programs write to memory is not simulated.",
            ),
        ],
    )
