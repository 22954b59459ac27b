# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The sentence, the table, the histograms and the JSON of one run say the same: misses, deadlines, utilization."""

from __future__ import annotations

import re
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import takt
from takt.show import report, run_page, run_text, stretches, timeline
from takt.show.text_tables import Cell, Terminal

EXAMPLES = sorted(Path("examples").glob("*.toml"))


def run_of(path: Path, policy: str | None = None) -> takt.Result:
    system = takt.load(path)
    return takt.simulate(system if policy is None else system.replace(policy=policy))


def facts_of(*results: takt.Result) -> dict[str, Any]:
    """What the template of the page is given."""
    return run_page._facts(run_page._runs(results))


def column(facts: dict[str, Any], heading: str) -> dict[str, str]:
    """One column of the page's table of tasks, by task."""
    table = facts["task_table"]
    headings = [name for name, _ in table["headers"]]
    return {row[0].text: spaced(row[headings.index(heading)].text) for row in table["rows"]}


def spaced(text: str) -> str:
    """A text of the page with plain spaces."""
    return text.replace("\xa0", " ")


def printed(found: report.Report) -> str:
    """What the terminal shows."""
    out = StringIO()
    run_text.print_report(Terminal(out, 400), found)
    return out.getvalue()


def counted(sentence: str, what: str) -> int:
    """How many deadlines a sentence says are missed; `what` names which ones."""
    found = re.search(rf"([\d,]+) {what}s? missed", sentence)
    return int(found[1].replace(",", "")) if found else 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_sentence_table_histograms_and_json_count_the_same_misses(path: Path) -> None:
    result = run_of(path)
    facts, told = facts_of(result), report.as_json(report.report_of(result), "")
    verdict = facts["verdict"]
    is_rated = result.system.resolved.rates is not None
    kind, heading = ("requested deadline", "missed requested") if is_rated else ("deadline", "missed")
    key = heading.replace(" ", "_")
    late = {
        task: sum(found.late) + found.unfinished
        for task, found in timeline.distributions(result, result.summary["task"].to_list(), 24).items()
    }
    assert late == {row["task"]: row[key] for row in told["tasks"]}
    assert late == {task: int(text.replace(",", "")) for task, text in column(facts, heading).items()}
    assert counted(verdict.text, kind) == sum(late.values()) == told[key]
    assert counted(verdict.text, "adjusted deadline" if is_rated else "deadline") == told["missed"] == result.missed
    is_good = sum(late.values()) == told["missed"] == 0
    assert (verdict.kind == "good") == (verdict.text == "no deadline missed") == is_good
    if is_rated and told["missed_requested"]:
        assert verdict.text in printed(report.report_of(result))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_deadlines_of_histograms_are_those_of_the_tables(path: Path) -> None:
    result = run_of(path)
    facts, rows = facts_of(result), {row.task: row for row in report.task_rows(result)}
    shown = timeline.distributions(result, list(rows), 24)
    panels = facts["panels"]
    for panel in panels:
        text = column(facts, "deadline")[panel.task]
        assert spaced(panel.deadline).removeprefix("requested ").split(", given")[0] == f"deadline {text}"
    for task, row in rows.items():
        assert list(shown[task].deadlines) == list(dict.fromkeys(each.deadline for each in row.values))
        assert shown[task].deadline in shown[task].edges
        assert shown[task].deadline in shown[task].deadlines or ", given up to" in str(panels)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_utilization_is_that_of_tasks_that_are_there_together(path: Path) -> None:
    result = run_of(path)
    told, found = report.as_json(report.report_of(result), ""), stretches.stretches_of(result)
    assert told["utilization"] == float(max(each.utilization for each in found))
    assert told["stretches"] == [{"until": each.until, "utilization": float(each.utilization)} for each in found]
    by_instant = [(until, sum(map(_share_of, there), Fraction(0))) for until, there in _there(result, told)]
    assert [until for until, _ in by_instant] == [each.until for each in found]
    for (_, expected), each in zip(by_instant, found, strict=True):
        assert 0 <= expected - each.utilization < Fraction(1, 10**15)


def _share_of(parameters: dict[str, int | None]) -> Fraction:
    """What a task asks for, exactly."""
    wcet, period = parameters["wcet"], parameters["period"]
    return Fraction(wcet, period) if wcet and period else Fraction(0)


def _there(result: takt.Result, told: dict[str, Any]) -> list[tuple[int, list[dict[str, int | None]]]]:
    """The parameters of the tasks that are there in each stretch, from the changes as the result tells them."""
    is_rejected = pl.col("detail").str.contains("rejected").fill_null(value=False)
    changes = result.changes.filter(pl.col("what") != "policy", ~is_rejected)
    ends = [*sorted(set(changes["instant"].to_list()) - {0}), result.horizon]
    present = {task.name for task in result.system.tasks if task.initially == "present"}
    found = []
    for begin, until in zip([0, *ends[:-1]], ends, strict=True):
        for task, what in changes.filter(instant=begin).select("task", "what").iter_rows():
            present = present | {task} if what == "added" else present - {task} if what == "removed" else present
        there = [
            next(each for each in reversed(row["parameters"]) if each["start"] <= begin)
            for row in told["tasks"]
            if row["task"] in present
        ]
        found.append((until, there))
    return found


# ---- the two that contradicted themselves --------------------------------------------------------------


def test_adjusted_deadlines_that_are_met_and_requested_ones_that_are_missed_are_told_apart() -> None:
    result = run_of(Path("examples/iot_110.toml"))
    facts, text = facts_of(result), printed(report.report_of(result))
    assert facts["verdict"] == Cell("adjusted deadlines met, 10 requested deadlines missed", "warn")
    assert "adjusted deadlines met, 10 requested deadlines missed" in text
    logging = next(panel for panel in facts["panels"] if panel.task == "logging")
    assert spaced(logging.deadline) == "requested deadline 200 ms"
    assert spaced(logging.facts[0].text) == "max 380 ms, 10 requested deadlines missed"
    assert "no deadline missed" not in run_page.page([result])


def test_a_comparison_tells_them_apart_for_each_policy() -> None:
    path = Path("examples/iot_110.toml")
    results = [run_of(path, "fp"), run_of(path)]
    runs = facts_of(*results)["runs"]
    assert [run["verdict"].text for run in runs] == [
        report.verdict(results[0].missed),
        "adjusted deadlines met, 10 requested deadlines missed",
    ]
    out = StringIO()
    run_text.print_policies(Terminal(out, 400), [run_text.Compared(report.report_of(each)) for each in results])
    assert "rate-based: adjusted deadlines met, 10 requested deadlines missed" in out.getvalue()


def test_values_are_shown_before_and_after_each_change() -> None:
    result = run_of(Path("examples/mode_change.toml"))
    facts, text = facts_of(result), printed(report.report_of(result))
    assert column(facts, "period")["camera"] == column(facts, "deadline")["camera"] == "10 ms → 20 ms"
    assert column(facts, "wcet")["camera"] == "3 ms → 6 ms"
    assert facts["utilization"] == "0.900 → 0.986"
    assert "utilization 0.900 until 60 ms, 0.986 until 130 ms, then 0.986" in text
    assert "1.486" not in text + run_page.page([result])
    assert "10 ms → 20 ms" in text
    assert Fraction(*takt.analyse(result.system).utilization) == report.report_of(result).utilization


@pytest.mark.parametrize(
    ("missed", "requested", "text"),
    [
        (0, None, "no deadline missed"),
        (1, None, "1 deadline missed"),
        (1234, None, "1,234 deadlines missed"),
        (0, 0, "no deadline missed"),
        (0, 1, "adjusted deadlines met, 1 requested deadline missed"),
        (2, 3, "2 adjusted deadlines missed, 3 requested deadlines missed"),
        (2, 0, "2 adjusted deadlines missed, no requested deadline missed"),
    ],
)
def test_a_verdict_names_what_it_counts(missed: int, requested: int | None, text: str) -> None:
    assert report.verdict(missed, requested) == text


def test_many_values_are_cut_in_the_middle() -> None:
    assert stretches.written([1, 1, 2], str) == "1 → 2"
    assert stretches.written(range(9), str) == "0 → … → 8"
