# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2: Vetromille, Ost, Marcon, Reif and Hessel, RTOS Scheduler Implementation in Hardware and Software.

Left out: area and effort of the three, which belong to hardware, and several processors. The numbers of the paper's
figures are not at hand: its trends are compared, not its values.
"""

from __future__ import annotations

from studies.common import Study
from studies.s2_scheduler_architectures import classes, deadlines, elsewhere, evidence, figures, jitter, micro
from studies.s2_scheduler_architectures.systems import sweep


def make(is_quick: bool) -> Study:
    """Return the study."""
    runs = sweep()
    return Study(
        name="s2_scheduler_architectures",
        title="S2: scheduler in software, on a co-processor, in hardware",
        source="M. Vetromille, L. Ost, C. A. M. Marcon, C. Reif, F. Hessel: RTOS Scheduler Implementation in Hardware "
        "and Software for Real Time Applications",
        is_quick=is_quick,
        sections=[
            micro.run(),
            jitter.run(is_quick),
            figures.run(runs),
            classes.run(runs),
            deadlines.run(is_quick),
            evidence.run(runs),
            elsewhere.run(),
        ],
    )
