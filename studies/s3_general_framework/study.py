# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S3: Wang and Lin, Implementing a General Real-Time Scheduling Framework in the RED-Linux Real-Time Kernel.

Figures 4 to 6 are times of a kernel and a process on its own machine; here they are instructions of the kernel. Takt
has the policies that the framework is for, and allocators of windows; what the paper says of jobs with any attributes
is asked of the framework of the tests, in `reference.py` alone.
"""

from __future__ import annotations

from studies.common import Study
from studies.s3_general_framework import (
    allocators,
    elsewhere,
    extensions,
    imprecise,
    measurements,
    on_linux,
    on_the_board,
    overruns,
    running,
    shares,
    table_2,
    tables_of_slots,
    two_bands,
)


def make(is_quick: bool) -> Study:
    """Return the study."""
    return Study(
        name="s3_general_framework",
        title="S3: the general scheduling framework",
        source="Y.-C. Wang, K.-J. Lin: Implementing a General Real-Time Scheduling Framework in the RED-Linux "
        "Real-Time Kernel",
        is_quick=is_quick,
        sections=[
            table_2.run(is_quick),
            overruns.run(is_quick),
            shares.run(is_quick),
            two_bands.run(is_quick),
            imprecise.run(is_quick),
            tables_of_slots.run(is_quick),
            allocators.run(is_quick),
            running.run(is_quick),
            extensions.run(),
            measurements.run(is_quick),
            on_the_board.run(),
            on_linux.run(),
            elsewhere.run(),
        ],
    )
