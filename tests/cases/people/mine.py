# SPDX-License-Identifier: Apache-2.0 OR MIT
# mypy: ignore-errors
"""Half-slack: the smaller deadline - wcet/2, the more urgent; and three policies with a mistake each."""

import takt


class HalfSlack(takt.Policy):
    def release(self, job):
        return 2 * job.deadline - job.wcet


class Typo(takt.Policy):
    def relase(self, job):
        return 1


class Float(takt.Policy):
    def release(self, job):
        return job.deadline - job.wcet / 2


class Boom(takt.Policy):
    def release(self, job):
        return job.slack
