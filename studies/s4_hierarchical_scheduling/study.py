# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S4: Inam, Mäki-Turja, Sjödin, Ashjaei and Afshar, Support for Hierarchical Scheduling in FreeRTOS.

Tables III to X are measured on the kernel, in instructions of an emulated board; what they say about growth is compared
in counts, too.
"""

from __future__ import annotations

from studies.common import Study
from studies.s4_hierarchical_scheduling import (
    cost,
    elsewhere,
    interfaces,
    isolation,
    kinds,
    levels,
    on_the_board,
    order,
    sharing,
    supply,
    two_tests,
)


def make(is_quick: bool) -> Study:
    """Return the study."""
    return Study(
        name="s4_hierarchical_scheduling",
        title="S4: hierarchical scheduling",
        source="R. Inam, J. Mäki-Turja, M. Sjödin, S. M. H. Ashjaei, S. Afshar: Support for Hierarchical Scheduling in "
        "FreeRTOS",
        is_quick=is_quick,
        sections=[
            two_tests.run(),
            isolation.run(is_quick),
            order.run(),
            levels.run(is_quick),
            kinds.run(),
            supply.run(is_quick),
            interfaces.run(is_quick),
            sharing.run(is_quick),
            cost.run(is_quick),
            on_the_board.run(is_quick),
            elsewhere.run(),
        ],
    )
