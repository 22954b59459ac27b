# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A policy in Python: the job with the least worst-case execution time goes first.

Run it on any task set: takt run examples/smallest.toml --policy examples/shortest_job_first.py:ShortestJobFirst
"""

import takt


class ShortestJobFirst(takt.Policy):
    """Good mean responses, no care for deadlines."""

    def release(self, job: takt.Job) -> int:
        """The smaller the key, the more urgent."""
        return job.wcet
