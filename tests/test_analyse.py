"""`takt.analyse`: what it says is never contradicted by a simulation, and says what is known from the literature."""

from __future__ import annotations

from pathlib import Path

import oracle
import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import CHANGES, RESOURCES, SERVER_KINDS, chains, crowds, horizons, households, systems
from oracle.systems import EVERYTHING as ANYTHING
from sampling import tries
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from test_random_systems import as_system

EVERYTHING = ANYTHING | SERVER_KINDS | RESOURCES
EXAMPLES = sorted(Path("examples").glob("*.toml"))

many = tries(200)


@many
@given(systems(), horizons())
def test_no_simulation_contradicts_the_analysis(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


def contradictions(system: takt.System, horizon: int | None = None) -> list[str]:
    """List what a simulation shows that the analysis denies."""
    rows = {row.task: row for row in judge(view_of(system)).rows()}
    result = takt.simulate(system, horizon, jobs=True, segments=False)
    told = result.jobs.join(pl.DataFrame({"task": list(rows)}), on="task", how="semi")
    return [
        f"{task}: job {job} arrives at {arrival}, finishes at {finish}, missed {missed}; {rows[task]}"
        for task, job, arrival, finish, missed in told.select("task", "job", "release", "finish", "missed").rows()
        if _denies(rows[task], horizon or result.horizon, arrival, finish, missed=missed)
    ]


def _denies(row: TaskBound, horizon: int, arrival: int, finish: int | None, *, missed: bool) -> bool:
    """Say whether a job does what its task cannot do; one that is unfinished has taken at least until the horizon."""
    is_late = row.response is not None and (horizon if finish is None else finish) - arrival > row.response
    return (row.verdict is Verdict.SCHEDULABLE and missed) or (is_late and not (missed and finish is None))


@many
@given(systems(), horizons(), st.integers(1, 6), st.integers(0, 99))
def test_no_simulation_contradicts_the_analysis_of_jitter(
    system: oracle.System, horizon: int, jitter: int, seed: int
) -> None:
    plain = as_system(system)
    tasks = [task.replace(jitter=jitter) if task.period is not None else task for task in plain.tasks]
    assert contradictions(plain.replace(tasks=tasks, seed=seed), horizon) == []


@many
@given(systems(parents_first=False, features=EVERYTHING), horizons())
def test_no_simulation_contradicts_the_analysis_whatever_tasks_have(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@many
@given(systems(features=SERVER_KINDS, always=SERVER_KINDS), horizons())
def test_no_simulation_contradicts_the_analysis_of_servers(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@many
@given(chains(kinds=True), horizons())
def test_no_simulation_contradicts_the_analysis_of_deep_hierarchies(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@many
@given(crowds(features=EVERYTHING), horizons())
def test_no_simulation_contradicts_the_analysis_where_tasks_contend(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@many
@given(households(), horizons())
def test_no_simulation_contradicts_the_analysis_of_what_servers_share(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@many
@given(systems(features=EVERYTHING | CHANGES, always=CHANGES), horizons())
def test_no_simulation_contradicts_the_analysis_of_changes(system: oracle.System, horizon: int) -> None:
    assert contradictions(as_system(system), horizon) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_simulation_contradicts_the_analysis_of_an_example(path: Path) -> None:
    assert contradictions(takt.load(path)) == []
