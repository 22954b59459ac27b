# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the studies: every claim has a verdict, those that must hold do, and the same files are there each time.

The studies are run once, quickly.
"""

from __future__ import annotations

import csv
import random
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from studies.common import Claim, Section, Study, Verdict, command, page, run_study, verdict
from studies.common.study import Table
from studies.s0_rate_based import changes, errata, experiment, invariants, isolation
from studies.s0_rate_based import points as rate_points
from studies.s0_rate_based import study as s0
from studies.s1_deferred_preemption import on_linux as points_on_linux
from studies.s1_deferred_preemption import on_the_board as points_on_board
from studies.s1_deferred_preemption import points, resources, two_tasks
from studies.s1_deferred_preemption import study as s1
from studies.s2_scheduler_architectures import deadlines, evidence, jitter, systems, trends
from studies.s2_scheduler_architectures import study as s2
from studies.s3_general_framework import measurements, overruns, table_2
from studies.s3_general_framework import on_linux as framework_on_linux
from studies.s3_general_framework import on_the_board as framework_on_board
from studies.s3_general_framework import study as s3
from studies.s4_hierarchical_scheduling import kinds, order, supply, two_tests
from studies.s4_hierarchical_scheduling import on_the_board as servers_on_board
from studies.s4_hierarchical_scheduling import study as s4

STUDIES = {"S0": s0.make, "S1": s1.make, "S2": s2.make, "S3": s3.make, "S4": s4.make}
REVIEWED = tomllib.loads((Path(command.__file__).parents[1] / "reviewed.toml").read_text(encoding="utf-8"))
"""The verdicts and the exact figures that were read and agreed to, by paper."""


@pytest.fixture(scope="module", params=STUDIES)
def study(request: pytest.FixtureRequest) -> Study:
    """Each study, run quickly."""
    return STUDIES[request.param](True)


@pytest.fixture(scope="module")
def home(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study, written."""
    return command.write(study, tmp_path_factory.mktemp("studies")).parent


def paper_of(study: Study) -> str:
    """The paper's name in the checklist."""
    return study.claims[0].id[:2]


def ids_of(paper: str) -> list[str]:
    """The numbers of a paper's items."""
    return [f"{paper}-{number:02}" for number in range(1, REVIEWED[paper]["rows"] + 1)]


# ---- verdicts -------------------------------------------------------------------------------------------


def test_every_row_of_the_checklist_has_one_claim(study: Study) -> None:
    assert [claim.id for claim in study.claims] == ids_of(paper_of(study))


def test_every_claim_says_what_and_where_and_what_came_out(study: Study) -> None:
    assert all(claim.where and claim.paper and claim.ours for claim in study.claims)
    assert all(claim.why for claim in study.claims if claim.verdict != Verdict.CONFIRMED)


def test_verdicts_are_the_reviewed_ones(study: Study) -> None:
    agreed = REVIEWED[paper_of(study)]
    for claim in study.claims:
        expected = Verdict.CORRECTED if claim.id in agreed["corrected"] else Verdict.CONFIRMED
        expected = Verdict.NOT_TESTABLE if claim.id in agreed["not_testable"] else expected
        is_open = claim.id in agreed.get("may_be_corrected", ())
        assert claim.verdict == expected or (is_open and claim.verdict == Verdict.CORRECTED), claim


def test_a_claim_that_does_not_hold_is_contradicted() -> None:
    assert verdict(False) == verdict(False, correction=True) == Verdict.CONTRADICTED


# ---- what the claims rest on ----------------------------------------------------------------------------


def test_numbers_that_are_known_exactly(study: Study) -> None:
    for id, expected in REVIEWED[paper_of(study)]["exact"].items():
        numbers = study.claim(id).numbers
        assert {name: numbers[name] for name in expected} == expected, id


@pytest.fixture(scope="module")
def outcome() -> invariants.Outcome:
    """The experiment of S0, with few random sets."""
    runs = rate_points.run_all(is_quick=True)
    return invariants.Outcome(runs, rate_points.summed(runs))


@pytest.mark.parametrize("invariant", invariants.INVARIANTS)
def test_each_invariant_of_the_experiment_holds(outcome: invariants.Outcome, invariant: str) -> None:
    assert invariants.INVARIANTS[invariant](outcome)


EXCHANGES = {
    ("RB", "EDF-spor"): {"I1", "I3", "I5", "I8"},
    ("RM-per", "EDF-per"): {"I2", "I3"},
    ("RM-per", "RB"): {"I3", "I4", "I5"},
}
"""Invariants that fail, among others, if one policy's runs are taken for another's."""


@pytest.mark.parametrize("pair", EXCHANGES)
def test_an_invariant_fails_where_policies_are_mistaken(outcome: invariants.Outcome, pair: tuple[str, str]) -> None:
    mistaken = dict([pair, pair[::-1]])
    runs, rows = (frame.with_columns(pl.col("policy").replace(mistaken)) for frame in (outcome.runs, outcome.points))
    held = invariants.find(invariants.Outcome(runs, rows))
    failed = {name[:2] for name, holds in held.items() if not holds}
    assert failed & EXCHANGES[pair]


def test_one_tick_of_difference_is_one_too_many(outcome: invariants.Outcome) -> None:
    runs = outcome.runs.with_columns(differences=pl.lit(1))
    held = invariants.find(invariants.Outcome(runs, outcome.points))
    assert {name[:2] for name, holds in held.items() if not holds} == {"I6", "I7"}


def test_the_experiment_is_close_to_the_golden_one_while_nothing_is_overloaded(outcome: invariants.Outcome) -> None:
    least, largest = experiment.steady_ratios(outcome.points)
    assert 0.8 < least < largest < 1.25


def test_random_sets_have_the_utilization_asked_for() -> None:
    rng = random.Random(1)
    for percent in rate_points.PERCENTS:
        tasks = rate_points.draw(rng, percent)
        load = sum(int(task.wcet or 0) / int(task.period or 1) for task in tasks) + 0.1
        assert percent / 100 - 0.003 < load <= percent / 100 + 1e-9


def test_rate_given_away_at_once_is_missed_by_others() -> None:
    rows = {row["rule"]: row for row in changes.try_rules(60).iter_rows(named=True)}
    assert rows["naive"]["runs_with_a_hard_miss"] > 0
    for rule in ("boundary", "in-flight"):
        assert rows[rule]["runs_with_a_miss"] == 0
        assert rows[rule]["largest_ledger"] <= 1


def test_a_task_that_overruns_hurts_others_but_for_rates() -> None:
    hurt = dict(isolation.follow(30).select("policy", "hurt_systems").rows())
    assert hurt["rate-based"] == 0 < min(hurt["edf"], hurt["dm"])


def test_errata_name_claims_that_there_are() -> None:
    named = {row[-1] for row in errata.ERRATA} - {""}
    assert named < set(ids_of("S0"))


def test_points_cost_their_number_times_their_cost() -> None:
    slope, constant, residual = two_tasks.fit(two_tasks.sweep_intervals((500_000, 1_000_000, 2_000_000)))
    assert slope == pytest.approx(two_tasks.POINT_NS)
    assert constant == pytest.approx(two_tasks.LOW_NS)
    assert residual < 0.01


def test_a_section_with_a_point_inside_is_in_no_subjob() -> None:
    sets = resources.run_sets(30)
    assert sets.filter("sections_in_subjobs")["waits"].sum() == 0
    assert (sets.filter(sections_in_subjobs=False)["waits"] > 0).any()


@pytest.fixture(scope="module")
def runs() -> pl.DataFrame:
    """The benchmarks of S2 under all configurations."""
    return systems.sweep()


@pytest.mark.parametrize("trend", trends.TRENDS)
def test_each_trend_of_the_architectures_holds(runs: pl.DataFrame, trend: str) -> None:
    assert trends.TRENDS[trend](systems.summed(runs), "SoRTS")


def test_fixed_ticks_keep_all_trends_but_strictly_fewer_steps_with_cs(runs: pl.DataFrame) -> None:
    sums = systems.summed(runs)
    held = trends.find(sums, "SoRTS-fixed")
    assert [name for name, holds in held.items() if not holds] == ["steps fall with CS"]
    for steps in systems.of_software(sums, "SoRTS-fixed", "switch_steps").values():
        assert steps[-1] < steps[0]
        assert all(later < 1.004 * earlier for earlier, later in pairwise(steps))


def test_trends_can_fail() -> None:
    sums = systems.summed(systems.sweep(systems.Choices(cost_factor=4)))
    held = trends.find(sums)
    assert not held["no fails in Co-SoRTS and HaRTS"]
    assert not held["fails fall with I"]


def test_a_trend_turned_around_does_not_hold(runs: pl.DataFrame) -> None:
    turned = systems.summed(runs).with_columns(-pl.col("switch_steps", "avail_sched"), fails=1 - pl.col("fails"))
    held = trends.find(turned)
    assert [name for name, holds in held.items() if holds] == ["availability stays in Co-SoRTS and HaRTS"]


def test_golden_figures_agree_and_a_step_too_many_is_seen(runs: pl.DataFrame) -> None:
    assert evidence.is_within(evidence.compare_golden(runs))
    for by in (-evidence.STEPS_PAST_END - 1, 1):
        assert not evidence.is_within(evidence.compare_golden(runs.with_columns(pl.col("switch_steps") + by)))


def test_short_deadlines_reverse_the_interval_trend() -> None:
    assert [deadlines.fails("SoRTS", interval) for interval in systems.INTERVALS] == [0, 119, 146]


def test_percentages_of_section_6_are_those_of_577_jobs_a_second() -> None:
    assert float(measurements.RELEASES) == pytest.approx(576.923, abs=1e-3)
    assert measurements.percent(118) == pytest.approx(6.8077, abs=1e-4)
    assert measurements.percent(83, bulk=8) == pytest.approx(0.5986, abs=1e-4)


def test_a_table_that_differs_in_one_tick_is_contradicted() -> None:
    worked, sets = table_2.run_worked_examples(), table_2.run_sets(2)
    assert table_2.table_claim(worked, sets).verdict == Verdict.CORRECTED
    assert table_2.table_claim(worked.with_columns(pl.col("differ") + 1), sets).verdict == Verdict.CONTRADICTED
    assert table_2.table_claim(worked, sets.with_columns(framework=1)).verdict == Verdict.CONTRADICTED


def test_an_overrun_harms_others_only_where_nothing_stops_it() -> None:
    example = overruns.run_example()
    harmed = example.filter((pl.col("missed_M") + pl.col("missed_L")) > 0)
    assert harmed["way"].to_list() == list(overruns.UNENFORCED)


def test_the_papers_order_of_work_takes_a_tick_out_of_the_next_budget() -> None:
    assert order.papers_order(10) == [5, 4, 3, 2, 1, 4, 3, 2, 1, 0]


def test_only_deferrable_servers_hit_back_to_back() -> None:
    least = dict(supply.try_phases(10).select("kind", "least_supply").rows())
    assert least == {"idling": 15, "deferrable": 10, "polling": 15, "sporadic": 15}


# ---- on the board ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def servers() -> pl.DataFrame:
    """Phases of the scheduler under a few numbers of servers."""
    return servers_on_board.measure(servers_on_board.SERVERS[True], is_together=False)


@pytest.mark.parametrize("phase", ["choose", "scheduler", "tick", "step"])
def test_the_mean_of_each_phase_is_flat_from_10_to_400_servers(servers: pl.DataFrame, phase: str) -> None:
    assert 1 <= servers_on_board.spread(servers, phase) < servers_on_board.FLAT


def test_a_step_is_no_longer_with_400_servers_than_with_10(servers: pl.DataFrame) -> None:
    assert servers_on_board.spread(servers, "step", "most") < servers_on_board.FLAT
    assert servers_on_board.spread(servers.with_columns(most=pl.col("servers")), "step", "most") == 40


def test_a_tick_is_all_of_its_steps_and_its_decision(servers: pl.DataFrame) -> None:
    """Ticks and their parts are measured in two programs, in which interrupts meet other passes."""
    means = {name: servers.filter(phase=name)["mean"] for name in ("choose", "step", "scheduler", "tick")}
    assert (means["tick"] > 0.95 * means["scheduler"]).all()
    assert (means["scheduler"] > means["step"] + 100).all()
    assert servers.filter(phase="tick")["count"].unique().to_list() == [1000]


def test_a_preemption_point_costs_the_same_whatever_their_number() -> None:
    ways = points_on_board.measure_points((10, 100, 1000))
    assert ways["points"].to_list() == [2000, 200, 20]
    fits = points_on_board.fits(ways)
    for _, _, constant, residual in fits.iter_rows():
        assert abs(constant) < 1
        assert residual < 1
    point, flag, optional = fits["instructions"]
    assert abs(flag) < 8 < 100 < optional < point
    bent = ways.with_columns(point=pl.col("point") + pl.Series([0, 5000, 0]))
    assert points_on_board.fits(bent)["residual"][0] > 1000


def test_a_point_under_linux_is_a_few_instructions_and_a_call_hundreds() -> None:
    measured = points_on_linux.times()
    of_takt = points_on_linux.fits(measured).filter(scheduler="takt")
    point, call = of_takt["instructions"]
    assert point < 10 < 100 * point < call
    assert of_takt["residual_ns"][0] < 1
    bent = measured.with_columns(ns=pl.when(way="point", every=10).then(pl.col("ns") + 9000).otherwise("ns"))
    assert points_on_linux.fits(bent)["residual_ns"][0] > 1000


def test_the_scheduler_under_linux_grows_slowly_with_the_tasks_and_little_by_an_allocator() -> None:
    measured = framework_on_linux.calls()
    table = framework_on_linux.by_job(measured)
    assert table["tasks"].to_list() == [1, 3, 10, 30, 100, 300, 1000]
    for scheduler in ("single module", "framework"):
        times = table[scheduler].to_list()
        assert times[-1] < 1.5 * times[0]
    assert all(1 < ratio < 1.5 for ratio in table["ratio"])
    assert framework_on_linux.by_program(measured)["program"].to_list()[:2] == ["enqueue", "dispatch"]


def test_the_split_costs_less_than_the_papers_and_more_than_one_module() -> None:
    figures = framework_on_board.measure()
    assert framework_on_board._claim(figures).verdict == Verdict.CORRECTED
    dear = figures.with_columns(mean=pl.when(phase="allocator").then(12 * pl.col("mean")).otherwise("mean"))
    assert framework_on_board._claim(dear).verdict == Verdict.CONTRADICTED


# ---- files ----------------------------------------------------------------------------------------------


def test_the_page_names_every_claim_and_needs_no_other_file(study: Study, home: Path) -> None:
    text = (home / "index.html").read_text(encoding="utf-8")
    for claim in study.claims:
        assert f'id="{claim.id}"' in text
    assert re.findall(r'(?:src|href)="(?!data:|#)', text) == []
    assert "default-src 'none'" in text


def test_every_table_and_plot_has_its_files(study: Study, home: Path) -> None:
    tables = [table.name for section in study.sections for table in section.tables]
    plots = [plot.name for section in study.sections for plot in section.plots]
    expected = {f"{name}.csv" for name in (*tables, "claims")} | {
        f"{name}.{kind}" for name in plots for kind in ("svg", "png")
    }
    assert {path.name for path in home.iterdir()} == expected | {"index.html"}
    assert len(set(tables)) == len(tables)


def test_the_file_of_claims_has_all_of_them(study: Study, home: Path) -> None:
    with (home / "claims.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["verdict"]) for row in rows] == [(claim.id, claim.verdict.value) for claim in study.claims]


def test_running_twice_gives_the_same_files(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        sections = [points.run(), two_tests.run(), kinds.run(), jitter.run(True)]
        command.write(Study("x", "X", "nobody", True, sections), tmp_path / folder)
    first, second = (sorted((tmp_path / folder / "x").iterdir()) for folder in ("first", "second"))
    assert [(path.name, path.read_bytes()) for path in first] == [(path.name, path.read_bytes()) for path in second]


def test_a_page_escapes_what_it_shows() -> None:
    claim = Claim("X-01", "here", "<script>", "a & b", Verdict.CONTRADICTED, "no")
    text = page.render(Study("x", "X", "nobody", False, [Section("A", "B", [claim])]), {})
    assert "&lt;script&gt;" in text
    assert "<script>" not in text


def test_a_table_of_the_page_is_cut_and_says_so() -> None:
    table = Table("long", "Long", pl.DataFrame({"n": range(page.MAX_ROWS + 1)}))
    text = page.render(Study("x", "X", "nobody", False, [Section("A", "B", tables=[table])]), {})
    assert f"{page.MAX_ROWS + 1} rows, of which the first are shown" in text


def test_a_study_runs_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = Claim("X-01", "here", "says", "found", Verdict.CONFIRMED)
    run_study(
        lambda is_quick: Study("x", "X", "nobody", is_quick, [Section("A", "B", [claim])]), ["--out", str(tmp_path)]
    )
    assert (tmp_path / "x" / "index.html").exists()
    assert "X-01   confirmed  found" in capsys.readouterr().out
