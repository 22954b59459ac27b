# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S1: Bergsma and others, Extending RTAI/Linux with Fixed-Priority Scheduling with Deferred Preemption.

Left out: the paper's measurements on its own hardware. Its costs per operation are inputs of the simulations; what
follows from them is what is compared. Figures 3 and 4 are measured on the kernel, too, and Figure 4
under Linux.
"""

from __future__ import annotations

from studies.common import Study
from studies.s1_deferred_preemption import (
    analyses,
    elsewhere,
    example_sets,
    on_linux,
    on_the_board,
    points,
    preemptive_sets,
    push_pull,
    random_sets,
    resources,
    two_tasks,
)


def make(is_quick: bool) -> Study:
    """Return the study."""
    return Study(
        name="s1_deferred_preemption",
        title="S1: deferred preemption",
        source="M. Bergsma, M. Holenderski, R. J. Bril, J. J. Lukkien: Extending RTAI/Linux with Fixed-Priority "
        "Scheduling with Deferred Preemption",
        is_quick=is_quick,
        sections=[
            preemptive_sets.run(is_quick),
            two_tasks.run_figure_4(is_quick),
            two_tasks.run_figure_5(is_quick),
            example_sets.run(),
            random_sets.run(is_quick),
            points.run(),
            push_pull.run(is_quick),
            resources.run(is_quick),
            analyses.run(is_quick),
            on_the_board.run(is_quick),
            on_linux.run(),
            elsewhere.run(),
        ],
    )
