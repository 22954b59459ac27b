# SPDX-License-Identifier: Apache-2.0 OR MIT
"""EDZL in Python: earliest deadline first until a job has no time to spare, which then goes first.

Source: Lee 1994. Run it on several processors:
takt run examples/dhall.toml --policy examples/edzl.py:EarliestDeadlineZeroLaxity
"""

from collections.abc import Sequence

import takt


class EarliestDeadlineZeroLaxity(takt.DynamicPolicy):
    """Keys change when the laxity of a job that waits becomes 0, which is seen at each tick."""

    name = "edzl"
    tick = 1

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        """Jobs without laxity have the key 1, the others their deadlines behind it."""
        return [1 if job.deadline - now <= job.remaining else 1 + job.deadline for job in jobs]
