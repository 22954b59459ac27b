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
                "S4-23",
                "Section VII (future work)",
                "Legacy code runs in a subsystem through the old API.",
                "No simulation judges it: compat/freertos runs FreeRTOS programs in a server, and its tests run them "
                "there unchanged, on three ports.",
            ),
            not_testable(
                "S4-28",
                "Section III-B",
                "Global sharing is by wait-free techniques until then.",
                "The paper leaves wait-free objects to the programs; what these write to memory is no scheduling, and "
                "neither the simulator nor the kernel sees it.",
            ),
        ],
    )
