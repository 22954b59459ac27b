# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based scheduling as people meet it: in files, in Python, in tables, pages and traces."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
import takt
from places import EXAMPLES, GOLDEN
from takt.command import main
from takt.show import report, run_page
from trace_header import having, refusal_of_header
from typer.testing import CliRunner

OVERLOAD = takt.System(
    policy="rate-based",
    options=[takt.RateBased(beta=0.1)],
    horizon=150,
    tasks=[
        takt.Task(name="H1", period=10, wcet=3),
        takt.Task(name="H2", period=15, wcet=6),
        takt.Task(name="S1", class_="soft", period=20, wcet=3),
        takt.Task(name="S2", class_="soft", period=50, wcet=5),
        takt.Task(name="N1", class_="none", period=80),
    ],
)


def nominal() -> takt.System:
    """The set of table 1 of Springer and Zhao 2024."""
    wcets = {"H1": 2, "H2": 3}
    tasks = [task.replace(wcet=wcets.get(task.name, task.wcet)) for task in OVERLOAD.tasks]
    return OVERLOAD.replace(tasks=tasks)


def segments(result: takt.Result) -> list[tuple[int, int, str]]:
    """Who ran when, jobs of one task merged as the golden files have them."""
    merged: list[tuple[int, int, str]] = []
    for start, end, task in result.segments.select("start", "end", "task").rows():
        begin = merged.pop()[0] if merged and merged[-1][1:] == (start, task) else start
        merged.append((begin, end, task))
    return merged


def golden(name: str) -> list[tuple[int, int, str]]:
    """The segments of a golden file."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [(int(row["start"]), int(row["end"]), row["task"]) for row in rows]


@pytest.mark.parametrize(("name", "system"), [("rb_table1_nominal", nominal()), ("rb_table2_overload", OVERLOAD)])
def test_the_tables_of_the_paper_come_out_to_the_tick(name: str, system: takt.System) -> None:
    expected = golden(name)
    result = takt.simulate(system, horizon=max(end for _, end, _ in expected))
    assert segments(result) == expected


def test_an_overload_stretches_soft_periods_and_shrinks_the_budget_of_class_none() -> None:
    """S0, tables 1 and 2: 20 becomes 25, 50 becomes 63, and class none keeps a tenth."""
    result = takt.simulate(OVERLOAD)
    entered = result.rates.filter(what="entered").select("task", "budget", "period").rows()
    assert entered == [("H1", 3, 10), ("H2", 6, 15), ("S1", 3, 25), ("S2", 5, 63), ("N1", 8, 80)]
    assert result.missed == 0
    assert result.ledger.rows() == [(0, 1.0)]


def test_a_mode_change_from_a_file_waits_for_room_in_the_ledger() -> None:
    """Hard tasks are replaced at 40; the second enters at 80, when class none has given up its rate."""
    later = [takt.Task(name="H1b", period=10, wcet=3), takt.Task(name="H2b", period=15, wcet=6)]
    system = nominal().replace(
        tasks=[*nominal().tasks, *(task.replace(initially="absent") for task in later)],
        changes=[takt.Change(at=40, remove=["H1", "H2"], add=["H1b", "H2b"])],
    )
    expected = golden("rb_modechange_ledger")
    result = takt.simulate(system, horizon=max(end for _, end, _ in expected))
    assert segments(result) == expected
    entered = dict(result.rates.filter(what="entered").select("task", "instant").rows())
    assert (entered["H1b"], entered["H2b"]) == (45, 80)
    assert all(reserved <= 1 for reserved in result.ledger["reserved"])
    assert result.missed == 0


@pytest.mark.parametrize(("name", "late"), [("ledger", []), ("naive", ["B", "X"])])
def test_who_leaves_keeps_its_rate_until_it_is_not_ahead(name: str, late: list[str]) -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=5),
        takt.Task(name="B", period=10, wcet=5),
        takt.Task(name="X", period=4, wcet=2, offset=5),
    ]
    rule = "naive" if name == "naive" else "boundary"
    options = [takt.RateBased(beta=0.0, changes=rule)]
    changes = [takt.Change(at=5, remove=["A"])]
    system = takt.System(tasks=tasks, policy="rate-based", options=options, changes=changes)
    result = takt.simulate(system, horizon=40)
    assert segments(result) == golden(f"rb_leave_{name}")
    assert result.summary.filter(pl.col("missed") > 0)["task"].to_list() == late


def test_a_grid_rounds_stretched_periods_up() -> None:
    coarse = takt.simulate(OVERLOAD.replace(options=[takt.RateBased(beta=0.1, grid=5)]))
    assert dict(coarse.rates.filter(what="entered").select("task", "period").rows())["S2"] == 65


def test_misses_are_told_by_the_given_and_by_the_requested_deadlines() -> None:
    result = takt.simulate(OVERLOAD, horizon=3000)
    late = {row["task"]: (row["missed"], row["missed_requested"]) for row in result.summary.iter_rows(named=True)}
    assert late["S2"][0] == 0
    assert late["S2"][1] > 0
    joined = result.jobs.join(result.windows, on=["task", "job"])
    asked = pl.col("response") > 50
    done = joined.filter(pl.col("task") == "S2", pl.col("finish").is_not_null())
    assert done["missed_requested"].to_list() == done.select(asked).to_series().to_list()
    assert (done["finish"] <= done["deadline"]).all()


def test_a_hard_task_that_does_not_fit_is_rejected_and_says_so() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=8), takt.Task(name="B", period=10, wcet=2)]
    result = takt.simulate(takt.System(tasks=tasks, policy="rate-based"), horizon=100)
    assert result.rates.filter(what="rejected")["task"].to_list() == ["B"]
    assert result.summary.filter(task="B")["released"].item() == 0


def test_a_task_enters_at_its_offset() -> None:
    tasks = [task.replace(offset=40) if task.name == "S1" else task for task in OVERLOAD.tasks]
    result = takt.simulate(OVERLOAD.replace(tasks=tasks))
    admitted = dict(result.rates.filter(what="admitted").select("task", "instant").rows())
    assert admitted["S1"] == 40
    assert (result.ledger["reserved"] <= 1).all()


def test_beta_by_the_formula_differs_from_the_constant() -> None:
    rates = takt.simulate(OVERLOAD.replace(options=[takt.RateBased(beta="formula")])).rates
    given = dict(rates.filter(what="entered").select("task", "rate").rows())
    assert 0 < given["N1"] < 0.1


def test_an_estimate_follows_what_jobs_execute() -> None:
    """Overruns are refilled until the estimate is right; then it falls to the largest of the last two jobs."""
    task = takt.Task(name="S", class_="soft", period=10, wcet=2, demand=[4, 4, 3, 3, 3], on_overrun="adapt")
    options = takt.RateBased(estimate_jobs=2)
    result = takt.simulate(takt.System(tasks=[task], policy="rate-based", options=[options]), horizon=80)
    told = result.rates.filter(pl.col("what").is_in(["refilled", "re-rated", "entered"]))
    assert told.select("instant", "what", "budget").head(4).rows() == [
        (0, "entered", 2),
        (2, "refilled", 2),
        (20, "re-rated", 4),
        (50, "re-rated", 3),
    ]


def test_the_trace_replays_and_a_damaged_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    takt.simulate(OVERLOAD, trace=path)
    assert takt.replay(path).is_identical
    for change in (having(7, "RATES", 0, "rule"), having(0, "TASKS", 1, "weight"), having(9, "CHANGES", 0, "task")):
        refusal_of_header(tmp_path / "bad.takt", OVERLOAD, change)


def test_table_and_json_say_what_was_granted() -> None:
    example = str(EXAMPLES / "iot_110.toml")
    told = CliRunner().invoke(main.app, ["run", example]).stdout
    assert "late for request" in told
    assert "13.2 ms / 42.4 ms" in told
    (run,) = json.loads(CliRunner().invoke(main.app, ["run", example, "--json"]).stdout)["runs"]
    by_task = {row["task"]: row for row in run["tasks"]}
    assert by_task["multimedia"]["grant"] == {"state": "", "rate": 0.312, "budget": 132, "period": 424}
    assert by_task["logging"]["missed"] == 0 < by_task["logging"]["missed_requested"]


def test_a_rejected_task_is_named_in_the_table(tmp_path: Path) -> None:
    text = 'schema = 1\n[system]\npolicy = "rate-based"\nhorizon = 20\n'
    text += "".join(f'[[task]]\nname = "{name}"\nperiod = 10\nwcet = 8\n' for name in "AB")
    (tmp_path / "full.toml").write_text(text)
    told = CliRunner().invoke(main.app, ["run", str(tmp_path / "full.toml")]).stdout
    (line,) = [line for line in told.splitlines() if line.startswith("B ")]
    assert line.split()[-1] == "rejected"


NEGOTIATED = takt.System(
    policy="rate-based",
    horizon=400,
    tasks=[
        takt.Task(name="H1", period=10, wcet=2),
        takt.Task(name="H2", period=20, wcet=5),
        takt.Task(name="S", class_="soft", period=20, wcet=5),
        takt.Task(name="N", class_="none", period=80),
    ],
    changes=[
        takt.Change(at=205, task="S", period=40),
        takt.Change(at=42, task="H1", wcet=4),
        takt.Change(at=105, task="H2", wcet=15),
        takt.Change(at=305, task="N", period=40, weight=2),
        takt.Change(at=390, task="S", wcet=6),
    ],
)
"""Every task asks for something else; H2 asks for too much."""


def test_a_running_task_asks_for_another_rate_and_is_told_the_answer(tmp_path: Path) -> None:
    """What is admitted is in force as soon as the ledger has room, and what is rejected changes nothing."""
    path = tmp_path / "asked.takt"
    result = takt.simulate(NEGOTIATED, trace=path)
    assert takt.replay(path).is_identical
    assert result.changes.select("instant", "task", "detail").rows() == [
        (42, "H1", "wcet = 4; in force from 80ms"),
        (105, "H2", "wcet = 15; rejected"),
        (205, "S", "period = 40; in force from 220ms"),
        (305, "N", "period = 40, weight = 2; in force from 320ms"),
        (390, "S", "wcet = 6; admitted, not in force yet"),
    ]
    assert result.missed == 0
    assert (result.ledger["reserved"] <= 1).all()
    assert [job for job in releases(result, "S") if job >= 200] == [200, 220, 260, 300, 340, 380]
    in_force = result.rates.filter(what="in force").select("instant", "task", "budget", "period")
    assert in_force.rows() == [(80, "H1", 4, 10), (220, "S", 5, 40), (320, "N", 9, 40)]


def releases(result: takt.Result, task: str) -> list[int]:
    """When the jobs of a task came."""
    return result.jobs.filter(task=task).sort("job")["release"].to_list()


def test_answers_stand_in_table_page_chart_json_and_perfetto(tmp_path: Path) -> None:
    result = takt.simulate(NEGOTIATED)
    result.to_html(tmp_path / "r.html")
    result.gantt(tmp_path / "g.svg")
    result.to_perfetto(tmp_path / "p")
    assert "at 105 ms: H2: wcet = 15 (rejected)" in (tmp_path / "r.html").read_text()
    assert "H2: wcet = 15 (rejected)" in (tmp_path / "g.svg").read_text()
    assert b"parameters: wcet = 15; rejected" in (tmp_path / "p").read_bytes()
    told = report.as_json(report.report_of(result), "x")
    assert told["changes"][1] == {"instant": 105, "task": "H2", "what": "parameters", "detail": "wcet = 15; rejected"}
    assert {row["task"]: row["grant"]["period"] for row in told["tasks"]} == {"H1": 10, "H2": 20, "S": 40, "N": 40}


def test_answers_to_who_is_not_there_yet_or_asks_again() -> None:
    """Before it enters nothing is judged; of two requests in one window the last one counts; who leaves is gone."""
    late = takt.Task(name="A", period=20, wcet=5, initially="absent", offset=3)
    changes = [
        takt.Change(at=5, task="A", wcet=6),
        takt.Change(at=10, add=["A"], task="A", wcet=7),
        takt.Change(at=13, task="A", wcet=8),
        takt.Change(at=15, task="A", wcet=9),
        takt.Change(at=16, task="A", wcet=10),
        takt.Change(at=60, task="A", wcet=4),
        takt.Change(at=61, remove=["A"]),
        takt.Change(at=62, add=["A"], task="A", wcet=3),
    ]
    result = takt.simulate(takt.System(tasks=[late], policy="rate-based", changes=changes), horizon=100)
    assert result.changes.filter(what="parameters")["detail"].to_list() == [
        "wcet = 6; kept until the task enters",
        "wcet = 7; kept until the task enters",
        "wcet = 8; in force from 13ms",
        "wcet = 9; admitted, and replaced by another request before it was in force",
        "wcet = 10; in force from 33ms",
        "wcet = 4; admitted, and the task left before it was in force",
        "wcet = 3; kept until the task enters",
    ]
    assert result.rates.filter(what="rejected")["instant"].to_list() == [65]
    assert "in force" not in takt.simulate(result.system, horizon=100, rates=False).changes["detail"][2]


def test_a_task_that_is_refused_more_keeps_its_grant() -> None:
    """In the table, too, and one that waits for room goes on waiting."""
    waiting = takt.Task(name="W", period=10, wcet=4, initially="absent")
    tasks = [*NEGOTIATED.tasks, waiting]
    changes = [takt.Change(at=5, add=["W"]), takt.Change(at=6, task="W", wcet=9)]
    told = report.as_json(report.report_of(takt.simulate(NEGOTIATED.replace(tasks=tasks, changes=changes), 15)), "x")
    assert {row["task"]: row["grant"]["state"] for row in told["tasks"]}["W"] == "waits"


@pytest.mark.parametrize(("load", "late_under_fp"), [(65, set()), (100, {"packets"}), (110, {"packets", "logging"})])
def test_the_iot_node_misses_under_fp_as_the_load_grows(load: int, late_under_fp: set[str]) -> None:
    system = takt.load(EXAMPLES / f"iot_{load}.toml")
    fp = takt.simulate(system.replace(policy="fp"))
    rated = takt.simulate(system)
    assert set(fp.summary.filter(pl.col("missed") > 0)["task"]) == late_under_fp
    assert rated.missed == 0


def test_the_page_of_a_comparison_shows_the_ledger_and_both_misses() -> None:
    system = takt.load(EXAMPLES / "iot_110.toml")
    page = run_page.page([takt.simulate(system.replace(policy="fp")), takt.simulate(system)])
    for words in (
        "ledger: reserved share of the processor",
        "missed requested rate-based",
        "10 requested deadlines missed",
    ):
        assert words in page
