# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Statistics of simulations of the task sets, under one policy after the other.

Of each set: jobs that finished or missed, misses, preemptions, switches, and responses as parts of relative deadlines:
the mean over its tasks of their mean responses, and the largest of all. Responses are those of finished jobs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import polars as pl

from takt.files import policy_reading
from takt.model import catalogue, value_checks
from takt.model.key import Key, list_of, word
from takt.model.key_types import Time
from takt.model.python_policy import Policy
from takt.run.simulation import simulate
from takt.study.batch import Batch
from takt.study.measures import Aspect, Column, Columns, Compute, Measure, add_column
from takt.study.statistics import ACCEPTED, Mean, Ratio

_MISS_FREE = "sets without a miss"
_PER_JOB = {"misses per job": "missed", "preemptions per job": "preemptions", "switches per job": "switches"}
_RESPONSES = {"mean response / deadline": "mean_response", "largest response / deadline": "largest_response"}
_COLUMNS = ("jobs", *_PER_JOB.values(), *_RESPONSES.values())


_POLICY = word("policy", (policy.name for policy in catalogue.policies()))
_LONGEST = value_checks.MAX_NAME_LENGTH
_REFERENCE = {"type": "string", "pattern": r"\.py:\w+$"}


def _check_policies(value: object) -> tuple[str, ...]:
    """Accept names of policies; of one in Python that of its file and its class."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    references = [name for name in listed if isinstance(name, str) and policy_reading.is_reference(name)]
    value_checks.check_names([name[-_LONGEST:] if name in references else name for name in listed])
    return tuple(name if name in references else _POLICY.check(name) for name in listed)


_POLICIES = Key(_check_policies, list_of({"anyOf": [_POLICY.schema, _REFERENCE]}, uniqueItems=True))


@lru_cache
def _policy(name: str) -> str | Policy:
    return policy_reading.load(name) if policy_reading.is_reference(name) else name


class Simulation(Measure):
    """What simulations of the task sets say.

    Args:
        policies: names of policies, or FILE.py:CLASS, at least one; they order the root.
        horizon: how long each set runs.
    """

    kind = "simulation"
    examples: ClassVar[Mapping[str, str]] = {"policies": '["rm", "edf"]', "horizon": '"1s"'}

    policies: Annotated[tuple[str, ...], _POLICIES]
    horizon: Time

    def files(self) -> dict[str, str]:
        """Return the hashes of the files of policies."""
        return {
            name: hashlib.sha256(Path(name.rpartition(":")[0]).read_bytes()).hexdigest()
            for name in self.policies
            if isinstance(_policy(name), Policy)
        }

    def quantities(self) -> dict[str, Compute]:
        """Quantities that simulations count."""
        return {f"simulation.{policy}": partial(self._simulate, policy) for policy in self.policies}

    def aspects(self) -> Iterator[Aspect]:
        """Yield the aspects of each policy, one quantity after the other."""
        for policy in self.policies:
            yield Aspect(policy, _MISS_FREE, Ratio, partial(_add_miss_free, policy))
        for quantity, column in _PER_JOB.items():
            for policy in self.policies:
                yield Aspect(policy, quantity, Mean, partial(_add_per_job, policy, column))
        for quantity, column in _RESPONSES.items():
            for policy in self.policies:
                yield Aspect(policy, quantity, Mean, partial(add_column, _name(policy, column)))

    def check(self, batch: Batch) -> None:
        """Refuse policies that cannot order the task sets, and a horizon that is no multiple of their resolution."""
        system = batch.recipe.system(batch.seed, batch.first)
        for policy in self.policies:
            system.replace(policy=_policy(policy), horizon=self.horizon)

    def _simulate(self, policy: str, batch: Batch) -> Columns:
        rows = []
        for system in batch.systems:
            system = system.replace(policy=_policy(policy))
            result = simulate(
                system, self.horizon, segments=False, jobs=False, budgets=False, points=False, locks=False, rates=False
            )
            tasks = result.summary
            counted = tasks.select(
                jobs=pl.max_horizontal("finished", "missed"), missed="missed", preemptions="preemptions"
            )
            finished = tasks.filter(pl.col("finished") > 0)
            means = (finished["response_sum"] / finished["finished"] / finished["deadline"]).to_numpy()
            largest = (finished["response_max"] / finished["deadline"]).to_numpy()
            responses = (np.nan, np.nan) if finished.is_empty() else (float(means.mean()), float(largest.max()))
            rows.append((*counted.sum().row(0), result.switches, *responses))
        columns = zip(*rows, strict=True)
        return {_name(policy, key): np.array(values) for key, values in zip(_COLUMNS, columns, strict=True)}


def _name(policy: str, column: str) -> str:
    return f"simulation.{policy}.{column}"


def _add_miss_free(policy: str, summary: Ratio, columns: Mapping[str, Column]) -> None:
    summary.add(np.where(columns[_name(policy, "missed")] == 0, ACCEPTED, 0))


def _add_per_job(policy: str, column: str, summary: Mean, columns: Mapping[str, Column]) -> None:
    """Add a count of each set per job of it; of a set without jobs nothing."""
    jobs = columns[_name(policy, "jobs")]
    summary.add(np.where(jobs > 0, columns[_name(policy, column)] / np.maximum(jobs, 1), np.nan))
