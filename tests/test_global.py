"""Several processors: simulator and replay against an oracle of their own, Dhall's effect, and what must always hold.

TAKT_SYSTEMS says how many random systems are tried (default 200); `make soak` asks for many more.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import global_oracle
import oracle
import takt
from global_oracle.systems import processors, systems
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import horizons
from test_random_numbers import ARRIVALS, DEMANDS, Keys, period_of
from test_random_systems import as_system, as_task, many


def as_global(system: oracle.System, cpus: int) -> takt.System:
    """Say a system of the oracle in Takt's words."""
    return as_system(system).replace(cpus=cpus)


def outcome(result: takt.Result) -> global_oracle.Outcome:
    """Say what Takt found in the oracle's words."""

    def count(column: str) -> dict[str, int]:
        return dict(result.summary.select("task", column).rows())

    return global_oracle.Outcome(
        segments=result.segments.select("start", "end", "cpu", "task", "job").rows(),
        jobs=result.jobs.rows(),
        misses=count("missed"),
        aborted=count("aborted"),
        skipped=count("skipped"),
        overruns=count("overruns"),
        preemptions=count("preemptions"),
        migrations=count("migrations"),
    )


@many
@given(systems(), processors(), horizons())
def test_several_processors_run_what_the_oracle_says(system: oracle.System, cpus: int, horizon: int) -> None:
    assert outcome(takt.simulate(as_global(system, cpus), horizon)) == global_oracle.simulate(system, cpus, horizon)


@many
@given(systems(), horizons())
def test_on_one_processor_both_oracles_agree(system: oracle.System, horizon: int) -> None:
    one, expected = global_oracle.simulate(system, 1, horizon), oracle.simulate(system, horizon)
    assert [(start, end, task, job) for start, end, _, task, job in one.segments] == [
        (start, end, task, job) for start, end, _, task, job in expected.segments
    ]
    assert (one.jobs, one.misses, one.aborted) == (expected.jobs, expected.misses, expected.aborted)


@many
@given(systems(), processors(2), horizons())
def test_a_trace_of_several_processors_replays_identically(system: oracle.System, cpus: int, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "random.takt")
        result = takt.simulate(as_global(system, cpus), horizon, trace=path)
        replay = takt.replay(path)
    assert replay.difference is None
    assert replay.decisions == result.decisions


@many
@given(systems(), processors(2), horizons())
def test_what_is_kept_changes_nothing(system: oracle.System, cpus: int, horizon: int) -> None:
    keeping = takt.simulate(as_global(system, cpus), horizon)
    counting = takt.simulate(as_global(system, cpus), horizon, segments=False, jobs=False)
    assert counting.summary.equals(keeping.summary)
    assert counting.decisions == keeping.decisions


@many
@given(systems(), processors(2), horizons(), st.integers(0, 2**64 - 1), st.data())
def test_random_jobs_on_several_processors_are_those_of_the_oracle(
    system: oracle.System, cpus: int, horizon: int, seed: int, data: st.DataObject
) -> None:
    told, real = [], []
    for place, task in enumerate(system.tasks):
        keys: Keys = {}
        plain = replace(task, period=task.rate_period or 7, min_separation=None, releases=None)
        changed = plain
        if data.draw(st.booleans()):
            changed, keys = data.draw(st.sampled_from(ARRIVALS))(changed, place, seed, horizon)
        if data.draw(st.booleans()):
            changed, more = data.draw(st.sampled_from(DEMANDS))(changed, place, seed, horizon)
            keys |= more
        assert period_of(plain) > 0
        told.append(changed)
        real.append(as_task(plain).replace(**keys))
    result = takt.simulate(as_global(system, cpus).replace(tasks=real, seed=seed), horizon)
    expected = global_oracle.simulate(replace(system, tasks=tuple(told)), cpus, horizon)
    assert outcome(result) == expected
