# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Studies: what a file means, what chunks and results say, and how bad input is told."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
import takt
from analysis_oracle.fixed_priority import Task, chain, response
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from sampling import count, expect_cases, tries
from tables import read_table
from takt.command.schema import study_schema
from takt.show import study_results
from takt.study import Study
from takt.study.batch import Batch
from takt.study.description import KINDS, of_document
from takt.study.grid import axes_of, points_of
from takt.study.measures import Columns
from takt.study.results import summarise
from takt.study.statistics import Mean, wilson
from takt.study.workers import compute

TAKT = str(Path(sys.executable).parent / "takt")

SMALL = """
schema = 1
[study]
seed = 7
sets = 25
chunk = 10
[generate]
tasks = 4
periods = [8, 12, 16, 20, 24]
deadlines = "constrained"
deadline_factors = [0.5, 1.0]
[grid]
utilization = { from = 0.6, to = 0.9, step = 0.15 }
jitter = [0, 0.25]
[[measure]]
kind = "acceptance"
tests = ["fp", "rm", "np-dm"]
"""


def written(folder: Path, text: str, name: str = "small.toml") -> Path:
    """Write a study file."""
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def small(tmp_path: Path) -> Study:
    """A small study."""
    return takt.study.load(written(tmp_path, SMALL))


def chunks_of(study: Study) -> list[Columns]:
    """Compute all chunks here."""
    return [compute(study, number) for number in range(study.chunks)]


def result_of(study: Study) -> pl.DataFrame:
    """Compute the result here."""
    return summarise(study, chunks_of(study))


# ---- grids ------------------------------------------------------------------------------------------


def test_a_range_has_the_decimals_that_are_written() -> None:
    axes = axes_of({"utilization": {"from": 0.1, "to": 0.9, "step": 0.1}, "tasks": {"from": 2, "to": 9, "step": 3}})
    assert axes == {"utilization": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], "tasks": [2, 5, 8]}
    assert [type(value) for value in axes["tasks"]] == [int, int, int]


@given(st.integers(-500, 500), st.integers(0, 400), st.integers(1, 90), st.sampled_from([10, 100, 1000]))
@tries(200)
def test_ranges_are_stepped_exactly(first: int, length: int, step: int, unit: int) -> None:
    table = {"from": first / unit, "to": (first + length) / unit, "step": step / unit}
    expected = [place / unit for place in range(first, first + length + 1, step)]
    assert axes_of({"x": table})["x"] == expected


def test_the_last_axis_changes_fastest() -> None:
    points = list(points_of({"a": [1, 2], "b": ["x", "y"]}))
    assert points == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


# ---- chunks -----------------------------------------------------------------------------------------


def test_chunks_cut_each_point_and_have_every_set_once(small: Study) -> None:
    assert (len(small.points), small.chunks, small.sets) == (6, 18, 150)
    rows = [row for chunk in chunks_of(small) for row in zip(chunk["point"], chunk["set"], strict=True)]
    assert rows == [(point, number) for point in range(6) for number in range(25)]


def test_how_points_are_cut_changes_no_task_set(small: Study, tmp_path: Path) -> None:
    other = takt.study.load(written(tmp_path, SMALL.replace("chunk = 10", "chunk = 7")))
    assert other.digest != small.digest
    for name, column in joined(small).items():
        assert (column == joined(other)[name]).all()


def joined(study: Study) -> Columns:
    """All chunks as one."""
    chunks = chunks_of(study)
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}


def test_a_document_has_all_that_the_numbers_depend_on(small: Study, tmp_path: Path) -> None:
    again = of_document(small.document)
    assert again.document == small.document
    assert all((one == other).all() for one, other in zip(joined(small).values(), joined(again).values(), strict=True))
    for old, new in [("seed = 7", "seed = 8"), ("0.9,", "0.8,"), ('"np-dm"', '"dm"'), ("tasks = 4", "tasks = 5")]:
        assert takt.study.load(written(tmp_path, SMALL.replace(old, new))).digest != small.digest
    renamed = SMALL.replace("[study]", '[study]\nname = "other"\noutput = "elsewhere"')
    assert takt.study.load(written(tmp_path, renamed)).digest == small.digest


def test_a_worker_of_another_version_refuses(small: Study) -> None:
    document = small.document.replace(takt.__version__, "0.0.9")
    with pytest.raises(ValueError, match=r"this worker has Takt .*, the study was begun with Takt 0\.0\.9"):
        of_document(document)


# ---- acceptance -------------------------------------------------------------------------------------


def is_accepted(system: takt.System, order: str, is_preemptive: bool) -> bool:
    """True if the oracle accepts one system."""
    keys = {"fp": lambda task: -task.priority, "rm": lambda task: task.period, "dm": lambda task: task.deadline}
    tasks = sorted(system.resolved.tasks, key=keys[order])
    ranked = [
        Task(task.period, chain(task.wcet), threshold=place if is_preemptive else 0, jitter=task.jitter)
        for place, task in enumerate(tasks)
    ]
    responses = [response(ranked, place) for place in range(len(ranked))]
    return all(found is not None and found <= task.deadline for found, task in zip(responses, tasks, strict=True))


def test_acceptance_ratios_count_what_an_oracle_accepts_of_each_set(small: Study) -> None:
    result = result_of(small)
    kinds = {"fp": ("fp", True), "rm": ("rm", True), "np-dm": ("dm", False)}
    verdicts = set()
    for number, point in enumerate(small.points):
        systems = [small.recipe_of(number).system(7, one) for one in range(25)]
        for test, (order, is_preemptive) in kinds.items():
            accepted = [is_accepted(system, order, is_preemptive) for system in systems]
            verdicts |= {(test, verdict) for verdict in accepted}
            (row,) = result.filter(subject=test, **point).to_dicts()
            assert (row["sets"], row["accepted"], row["undecided"]) == (25, sum(accepted), 0)
            assert row["value"] == sum(accepted) / 25
    assert len(verdicts) == 6


PLAIN = takt.Recipe(tasks=4, utilization=0.8, periods=[8, 12, 16, 20, 24], deadlines="constrained")
IMPLICIT = PLAIN.replace(deadlines="implicit", utilization=0.78)

ADMITTED = {
    "fp": (PLAIN, "fp", "preemptive"),
    "rm": (PLAIN, "rm", "preemptive"),
    "dm": (PLAIN, "dm", "preemptive"),
    "np-fp": (PLAIN, "fp", "non-preemptive"),
    "np-rm": (PLAIN, "rm", "non-preemptive"),
    "np-dm": (PLAIN, "dm", "non-preemptive"),
    "liu-layland": (IMPLICIT, "rm", "preemptive"),
    "hyperbolic": (IMPLICIT, "rm", "preemptive"),
    "harmonic-chains": (IMPLICIT.replace(utilization=0.8), "rm", "preemptive"),
    "edf": (PLAIN.replace(utilization=0.9), "edf", "preemptive"),
    "np-edf": (PLAIN, "edf", "non-preemptive"),
    "density": (PLAIN.replace(utilization=0.5), "edf", "preemptive"),
    "analyse": (PLAIN, "fp", "preemptive"),
}
"""For each test task sets of which it accepts some, and the schedule that it is about."""


def test_every_test_is_compared_with_simulation() -> None:
    assert set(ADMITTED) == set(takt.study.tests)


@pytest.mark.parametrize("name", ADMITTED)
def test_no_set_that_a_test_accepts_misses_when_simulated(name: str) -> None:
    recipe, policy, preemption = ADMITTED[name]
    verdicts = takt.study.tests[name].ask(Batch(recipe, 1, 0, 60))
    for number in np.flatnonzero(verdicts == 1):
        system = recipe.system(1, int(number)).replace(policy=policy)
        system = system.replace(tasks=[task.replace(preemption=preemption) for task in system.tasks])
        assert takt.simulate(system, segments=False, jobs=False, points=False).missed == 0
    assert set(verdicts) == {0, 1}


PERIODS = [40, 60, 80, 100, 120]
DRAWN = [
    PLAIN.replace(tasks=tasks, utilization=utilization, periods=PERIODS, priorities=order, **keys)
    for tasks in (2, 4)
    for utilization in (0.35, 0.65, 0.85)
    for order in ("dm", "rm", "random")
    for keys in (
        {"deadlines": "implicit"},
        {"deadlines": "implicit", "jitter": [0, 0.25]},
        {"deadlines": "constrained"},
        {"deadlines": "constrained", "jitter": [0, 0.25]},
        {"deadlines": "arbitrary", "jitter": [0, 0.1]},
    )
]
"""Recipes with deadlines below, at and above the periods, with and without jitter, and with priorities in any order."""


@pytest.mark.parametrize("name", [name for name, test in takt.study.tests.items() if not test.is_exact])
def test_no_sufficient_test_accepts_what_the_exact_test_of_its_policy_refuses(name: str) -> None:
    test = takt.study.tests[name]
    exact = [test.policy] if test.policy else ["fp", "rm", "dm", "edf"]
    seen = set()
    for policy in exact:
        for recipe in DRAWN:
            batch = Batch(recipe.replace(policy=policy), 3, 0, count(60 if test.policy else 6))
            pairs = list(zip(test.ask(batch), takt.study.tests[policy].ask(batch), strict=True))
            assert (1, 0) not in pairs, (policy, recipe, pairs.index((1, 0)))
            seen.update(pairs)
    expect_cases({(1, 1), (0, 0)} <= seen, seen)


SERVERS = """
schema = 1
[study]
sets = 6
[generate]
tasks = 6
periods = ["20ms", "40ms", "50ms"]
servers = 2
server_period_min = "5ms"
server_period_max = "10ms"
server_budget = 1.4
resolution = "100us"
[grid]
utilization = [0.3, 0.6]
[[measure]]
kind = "acceptance"
tests = ["analyse"]
"""


@pytest.mark.long
def test_systems_of_other_kinds_are_analysed_one_by_one(tmp_path: Path) -> None:
    study = takt.study.load(written(tmp_path, SERVERS))
    result = result_of(study)
    verdicts = set()
    for number, point in enumerate(study.points):
        found = [takt.analyse(study.recipe_of(number).system(0, one)) for one in range(6)]
        (row,) = result.filter(**point).to_dicts()
        assert row["accepted"] == sum(one.is_schedulable for one in found)
        assert row["undecided"] == sum(one.verdict.value == "not known" for one in found)
        verdicts |= {one.is_schedulable for one in found}
    assert verdicts == {False, True}
    with pytest.raises(takt.InputError, match='"rm" is for plain tasks on one processor'):
        takt.study.load(written(tmp_path, SERVERS.replace('"analyse"', '"analyse", "rm"')))


def test_the_costs_of_the_kernel_may_be_an_axis(tmp_path: Path) -> None:
    costs = """
schema = 1
[study]
sets = 20
[generate]
tasks = 6
utilization = 0.8
periods = ["1ms", "2ms", "5ms"]
[grid]
context_switch = ["0us", "20us", "60us"]
[[measure]]
kind = "acceptance"
tests = ["analyse"]
[[measure]]
kind = "simulation"
policies = ["fp"]
horizon = "100ms"
"""
    result = result_of(takt.study.load(written(tmp_path, costs)))
    accepted, missing_nothing = (
        result.filter(quantity=quantity)["accepted"].to_list()
        for quantity in ("acceptance ratio", "sets without a miss")
    )
    assert accepted == sorted(accepted, reverse=True)
    assert accepted[0] > accepted[-1]
    assert all(sure <= seen for sure, seen in zip(accepted, missing_nothing, strict=True))
    with pytest.raises(takt.InputError, match='"rm" is for plain tasks on one processor without costs'):
        takt.study.load(written(tmp_path, costs.replace('"analyse"', '"analyse", "rm"')))


def test_an_undecided_set_is_counted_and_not_accepted(small: Study) -> None:
    chunks = chunks_of(small)
    chunks[0]["verdict.fp"][:4] = [2, 2, 1, 0]
    accepted = int((np.concatenate([chunk["verdict.fp"] for chunk in chunks[:3]]) == 1).sum())
    row = summarise(small, chunks).filter(measure="acceptance", subject="fp").row(0, named=True)
    assert (row["undecided"], row["accepted"], row["value"]) == (2, accepted, accepted / 25)


@given(st.integers(1, 5000), st.data())
@tries(200)
def test_an_interval_of_wilson_ends_where_the_ratio_is_z_deviations_away(sets: int, data: st.DataObject) -> None:
    accepted = data.draw(st.integers(0, sets))
    for end in wilson(accepted, sets):
        deviation = sqrt(end * (1 - end) / sets)
        assert isclose(abs(accepted / sets - end), 1.959963984540054 * deviation, rel_tol=1e-6, abs_tol=1e-9)
    low, high = wilson(accepted, sets)
    assert 0 <= low <= accepted / sets <= high <= 1


# ---- weighted schedulability ------------------------------------------------------------------------


def test_weighted_schedulability_weighs_every_set_by_its_utilization(tmp_path: Path) -> None:
    text = SMALL.replace('kind = "acceptance"', 'kind = "weighted"')
    study = takt.study.load(written(tmp_path, text))
    rows = result_of(study).filter(measure="weighted", subject="np-dm").to_dicts()
    assert [row["jitter"] for row in rows] == [0, 0.25]
    assert [row["utilization"] for row in rows] == [None, None]
    for row in rows:
        weights: dict[bool, Fraction] = {False: Fraction(0), True: Fraction(0)}
        for number in [place for place, point in enumerate(study.points) if point["jitter"] == row["jitter"]]:
            for system in [study.recipe_of(number).system(7, one) for one in range(25)]:
                share = sum((Fraction(task.wcet, task.period) for task in system.resolved.tasks), Fraction(0))
                weights[is_accepted(system, "dm", False)] += share
        assert all(weights.values())
        assert row["value"] == pytest.approx(float(weights[True] / sum(weights.values())), rel=1e-12)


# ---- breakdown utilization --------------------------------------------------------------------------

BREAKDOWN = """
schema = 1
[study]
sets = 12
[generate]
tasks = 3
utilization = 0.5
periods = [20, 30, 50, 70]
[grid]
deadlines = ["implicit", "constrained"]
[[measure]]
kind = "breakdown"
tests = ["rm", "np-rm"]
steps = 40
"""


@pytest.mark.long
def test_breakdown_utilization_is_that_of_the_largest_factor_a_linear_search_finds(tmp_path: Path) -> None:
    study = takt.study.load(written(tmp_path, BREAKDOWN))
    result = result_of(study)
    for number, point in enumerate(study.points):
        systems = [study.recipe_of(number).system(0, one) for one in range(12)]
        for test, is_preemptive in (("rm", True), ("np-rm", False)):
            found = [found for system in systems if (found := breakdown(system, is_preemptive, 40)) is not None]
            (row,) = result.filter(subject=test, **point).to_dicts()
            assert row["sets"] == len(found) > 0
            assert row["value"] == pytest.approx(sum(found) / len(found), rel=1e-12)
            assert (row["least"], row["largest"]) == (min(found), max(found))


def breakdown(system: takt.System, is_preemptive: bool, steps: int) -> float | None:
    """Search linearly; None if not even wcets of a tick are accepted."""
    best = None
    for factor in range(5 * steps):
        tasks = [task.replace(wcet=max(1, task.wcet * factor // steps)) for task in ticks_of(system)]
        scaled = system.replace(tasks=tasks)
        if not is_accepted(scaled, "rm", is_preemptive):
            return best
        best = sum(int(task.wcet) / int(task.period or 0) for task in tasks)
    raise AssertionError("utilization 1 was passed")


def ticks_of(system: takt.System) -> Sequence[Any]:
    """The tasks with all times in ticks."""
    pairs = zip(system.tasks, system.resolved.tasks, strict=True)
    return [task.replace(wcet=one.wcet, period=one.period, deadline=one.deadline) for task, one in pairs]


# ---- simulation -------------------------------------------------------------------------------------

SIMULATION = """
schema = 1
[study]
sets = 6
[generate]
tasks = 3
periods = [8, 12, 20]
[grid]
utilization = [0.7, 1.1]
[[measure]]
kind = "simulation"
policies = ["rm", "edf"]
horizon = 24
"""


def test_simulations_say_what_takt_simulate_says(tmp_path: Path) -> None:
    study = takt.study.load(written(tmp_path, SIMULATION))
    result = result_of(study)
    missed: set[int] = set()
    for number, point in enumerate(study.points):
        for policy in ("rm", "edf"):
            runs = [
                takt.simulate(study.recipe_of(number).system(0, one).replace(policy=policy), 24) for one in range(6)
            ]
            rows = {row["quantity"]: row for row in result.filter(subject=policy, **point).to_dicts()}
            assert rows["sets without a miss"]["accepted"] == sum(run.missed == 0 for run in runs)
            largest = [
                max((run.summary["response_max"] / run.summary["deadline"]).drop_nulls().to_list()) for run in runs
            ]
            assert rows["largest response / deadline"]["largest"] == max(largest)
            jobs = [sum(map(max, run.summary.select("finished", "missed").iter_rows())) for run in runs]
            per_job = [int(run.summary["preemptions"].sum()) / count for run, count in zip(runs, jobs, strict=True)]
            assert rows["preemptions per job"]["sets"] == 6
            assert rows["preemptions per job"]["value"] == pytest.approx(sum(per_job) / 6, rel=1e-12)
            switched = [run.switches / count for run, count in zip(runs, jobs, strict=True)]
            assert rows["switches per job"]["value"] == pytest.approx(sum(switched) / 6, rel=1e-12)
            missed |= {run.missed for run in runs}
    assert missed >= {0, 1, 2}


def test_means_have_the_interval_of_the_normal_distribution() -> None:
    numbers = np.array([1.0, 2.0, 4.0, np.nan, 5.0])
    mean = Mean()
    mean.add(numbers[:2])
    mean.add(numbers[2:])
    row = mean.row()
    known = [1.0, 2.0, 4.0, 5.0]
    deviation = sqrt(sum((value - 3) ** 2 for value in known) / 3)
    assert (row["sets"], row["value"], row["least"], row["largest"]) == (4, 3.0, 1.0, 5.0)
    assert row["high"] - row["value"] == pytest.approx(1.959963984540054 * deviation / 2)
    assert Mean().row() == {"sets": 0}


# ---- bad input --------------------------------------------------------------------------------------

BAD = read_table("refused_studies")


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_lines_that_name_its_place(case: str, tmp_path: Path) -> None:
    old, new, message = BAD[case]
    assert old in SMALL
    path = written(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(takt.InputError) as raised:
        takt.study.load(path)
    lines = str(raised.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    assert message in str(raised.value)


# ---- figures and command ----------------------------------------------------------------------------


def test_figures_name_their_axes_and_subjects(small: Study, tmp_path: Path) -> None:
    result = result_of(small)
    study_results.draw(small, result, "acceptance", tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    for words in ("acceptance ratio", "utilization", "jitter 0.25", "np-dm"):
        assert f">{words}<" in text
    study_results.draw(small, result, "acceptance", tmp_path / "two.svg")
    assert (tmp_path / "two.svg").read_text() == text


def test_a_figure_without_an_axis_shows_subjects_side_by_side(tmp_path: Path) -> None:
    study = takt.study.load(
        written(tmp_path, SIMULATION.replace("[0.7, 1.1]", "[0.7]").replace("sets = 6", "sets = 2"))
    )
    figure = study_results.draw(study, result_of(study), "simulation")
    assert len(figure.axes) == 6
    with pytest.raises(takt.InputError, match=r"expected a name that ends in \.svg"):
        study_results.paths_of(study, Path("x.gif"))


def test_panels_that_a_figure_leaves_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SIMULATION.replace("[0.7, 1.1]", "[0.7]").replace("sets = 6", "sets = 2")
    study = takt.study.load(written(tmp_path, text))
    result = result_of(study)
    assert study_results.panels_left_out(study, result, "simulation") == 0
    monkeypatch.setattr(study_results, "MAX_PANELS", 4)
    assert study_results.panels_left_out(study, result, "simulation") == 2
    assert len(study_results.draw(study, result, "simulation").axes) == 4


def takt_study(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run([TAKT, "study", *options], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_the_command_prints_tables_and_writes_what_was_found(tmp_path: Path, small: Study) -> None:
    done = takt_study(tmp_path, "small.toml", "--workers", "1", "--plot", "figure.pdf")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("small: acceptance ratio\n")
    assert "task sets behind each value: 25" in done.stdout
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
    result = result_of(small)
    folder = tmp_path / "small.study"
    assert pl.read_parquet(folder / "result.parquet").equals(result)
    assert (
        pl.read_csv(folder / "result.csv")
        .select("subject", "utilization", "accepted")
        .equals(result.select("subject", "utilization", "accepted"))
    )
    rows = pl.read_parquet(folder / "chunks/*.parquet")
    assert rows.shape == (150, 6)
    printed = json.loads(takt_study(tmp_path, "small.toml", "--json").stdout)
    assert printed["results"] == result.to_dicts()
    assert printed["hash"] == small.digest


@pytest.mark.long
def test_a_folder_of_another_study_is_not_gone_on_with(tmp_path: Path) -> None:
    written(tmp_path, SMALL.replace("sets = 25", "sets = 2"), "one.toml")
    written(tmp_path, SMALL.replace("sets = 25", "sets = 3"), "two.toml")
    takt.study.run(takt.study.load(tmp_path / "one.toml"), workers=1, output=tmp_path / "out")
    before = (tmp_path / "out/result.csv").read_bytes()
    done = takt_study(tmp_path, "two.toml", "--output", "out")
    assert done.returncode == 2
    assert done.stderr.startswith("out: expected chunks of this study (")
    assert done.stderr.endswith("the study was changed; give --fresh to forget them, or another --output\n")
    assert (tmp_path / "out/result.csv").read_bytes() == before
    takt.study.run(takt.study.load(tmp_path / "two.toml"), workers=1, output=tmp_path / "out", fresh=True)
    assert pl.read_csv(tmp_path / "out/result.csv")["sets"].to_list() == [3] * 18


@pytest.mark.long
def test_options_that_do_not_fit_are_told_in_one_line(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    (tmp_path / "file").write_text("")
    for options, message in [
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "--workers: expected --workers or --scheduler"),
        (["--output", "file"], "file: cannot write: "),
        (["--plot", "x.gif"], "x.gif: cannot write a chart: expected a name that ends in"),
    ]:
        done = takt_study(tmp_path, "small.toml", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(message)
        assert done.stderr.count("\n") == 1


# ---- documents and examples -------------------------------------------------------------------------

EXAMPLES = sorted((ROOT / "examples/studies").glob("*.toml"))


def test_the_specification_has_every_test_and_says_which_are_exact() -> None:
    section = (ROOT / "docs/reference/studies.md").read_text()
    lines = [line.split("|") for line in section.splitlines() if line.endswith(("| exact |", "| sufficient |"))]
    told = {name.strip(" `"): cells[-2].strip() == "exact" for cells in lines for name in cells[1].split(",")}
    known = {name: test.is_exact for name, test in takt.study.tests.items() if name != "analyse"}
    assert told == known
    assert all(f'| `"{kind}"` |' in section for kind in KINDS)


@pytest.mark.long
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs_and_says_how_to_run_it(path: Path, tmp_path: Path) -> None:
    header = path.read_text().split("\nschema")[0]
    assert f"takt study examples/studies/{path.name}" in header
    result = takt.study.run(takt.study.load(path), workers=1, output=tmp_path)
    assert result.height > 0
    assert result["undecided"].fill_null(0).sum() == 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_keeps_to_the_schema(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), study_schema())


def test_the_schema_refuses_what_one_table_shows_to_be_wrong() -> None:
    validator = jsonschema.Draft202012Validator(study_schema())
    assert validator.is_valid(tomllib.loads(SMALL))
    documents = [tomllib.loads(SMALL.replace(old, new, 1)) for old, new, _ in BAD.values()]
    assert sum(not validator.is_valid(document) for document in documents) >= 16


def test_the_example_of_acceptance_has_the_order_of_its_tests() -> None:
    result = result_of(takt.study.load(ROOT / "examples/studies/acceptance.toml"))
    columns = [result.filter(subject=test)["accepted"] for test in ("edf", "rm", "hyperbolic", "liu-layland")]
    for better, worse in pairwise(columns):
        assert (better >= worse).all()
        assert (better > worse).any()
