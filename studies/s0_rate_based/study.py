# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S0: Springer and Zhao, Design and Implementation of a Real-Time Rate-Based Task Scheduler for RTOSs.

The random factors and the rounding of the paper's
experiment are not known, nor are the task parameters of its second one: both are compared by what they show, not by
their values.
"""

from __future__ import annotations

from studies.common import Study
from studies.s0_rate_based import (
    allocation,
    changes,
    cost,
    elsewhere,
    errata,
    example,
    execution,
    experiment,
    iot,
    isolation,
    on_the_board,
    sharing,
)


def make(is_quick: bool) -> Study:
    """Return the study."""
    return Study(
        name="s0_rate_based",
        title="S0: rate-based scheduling",
        source="T. Springer, P. Zhao: Design and Implementation of a Real-Time Rate-Based Task Scheduler for Real-Time "
        "Operating Systems: A Case Study with VxWorks",
        is_quick=is_quick,
        sections=[
            example.run(),
            allocation.run(is_quick),
            changes.run(is_quick),
            isolation.run(is_quick),
            experiment.run(is_quick),
            iot.run(),
            execution.run(is_quick),
            sharing.run(is_quick),
            cost.run(is_quick),
            on_the_board.run(),
            errata.run(),
            elsewhere.run(),
        ],
    )
