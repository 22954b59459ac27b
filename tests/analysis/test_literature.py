# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`takt analyse` on task sets of the literature: bounds, reasons, sensitivity, advice, the command and the page."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import browser
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from places import CASES, EXAMPLES
from sampling import tries
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.result import Chart
from takt.analysis.sensitivity import Unanswered, keeping, largest, scaled
from takt.analysis.view import SystemView, view_of
from takt.base.times import MAX_TICKS
from takt.show import analysis_page

TAKT = str(Path(sys.executable).parent / "takt")


def system_of(*rows: tuple[int, int, int], policy: str = "fp", **more: Any) -> takt.System:
    """Tasks T1, T2 ... of period, deadline and wcet, the first one the most urgent."""
    tasks = [
        takt.Task(name=f"T{i}", period=period, deadline=deadline, wcet=wcet, priority=len(rows) - i)
        for i, (period, deadline, wcet) in enumerate(rows, start=1)
    ]
    return takt.System(tasks=tasks, policy=policy, **more)


def responses(system: takt.System) -> list[int | None]:
    return [row.response for row in takt.analyse(system).tasks]


# ---- verdicts and bounds ------------------------------------------------------------------------------


def test_preemption_fails_where_deferred_preemption_fits() -> None:
    system = system_of((5, 5, 2), (12, 12, 7))
    assert responses(system) == [2, 13]
    split = system.replace(tasks=[system.tasks[0].replace(subjobs=[2]), system.tasks[1].replace(subjobs=[3, 4])])
    assert responses(split) == [5, 11]
    assert takt.analyse(split).verdict is Verdict.SCHEDULABLE


def test_the_worst_response_is_not_that_of_the_first_job() -> None:
    """Bergsma et al. 2009: of the jobs of the active period the fifth responds last."""
    tasks = [
        takt.Task(name="T1", period=25, subjobs=[10], priority=2),
        takt.Task(name="T2", period=35, subjobs=[6, 15], priority=1),
    ]
    assert responses(takt.System(tasks=tasks))[1] == 35


def test_thresholds_fit_where_preemption_and_none_fail() -> None:
    """Section 3.3: T1(4; 2), T2(10; 2), T3(14; 4), thresholds T1, T1, T2."""
    tasks = [
        takt.Task(name="T1", period=4, wcet=2, priority=3),
        takt.Task(name="T2", period=10, wcet=2, priority=2, threshold="T1"),
        takt.Task(name="T3", period=14, wcet=4, priority=1, threshold="T2"),
    ]
    assert responses(takt.System(tasks=tasks)) == [3, 9, 12]


def test_reasons_say_what_is_missing_and_who_takes_it() -> None:
    found = takt.analyse(system_of((4, 4, 1), (8, 8, 2), (26, 26, 13)))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.reason == "T3 misses by 2 ms: 28 ms > 26 ms; interference T2 8 ms, T1 7 ms"


def test_servers_are_judged_as_the_table_of_the_paper_says() -> None:
    """Section 6.5 to 6.7, tables I and II: idling servers as published, deferrable ones with what their tasks ask for.

    With the whole budget of S1 in each period, S2 would have its own after 45 only, as test_server_bounds.py has it.
    """
    servers = takt.load(EXAMPLES / "servers.toml")
    found = takt.analyse(servers)
    assert [row.response for row in found.servers] == [10, 27]
    assert [row.response for row in found.tasks] == [6, 2, 18]
    assert [row.verdict for row in found.servers] == [Verdict.SCHEDULABLE, Verdict.SCHEDULABLE]
    simulated = takt.simulate(servers).summary["response_max"].to_list()
    assert simulated == [6, 2, 18]
    idling = takt.analyse(servers.replace(servers=[each.replace(kind="idling") for each in servers.servers]))
    assert [row.response for row in idling.servers] == [10, 35]
    assert [row.response for row in idling.tasks] == [18, 12, 55]
    assert [row.least_budget for row in idling.servers] == [14, 15]


def test_protocols_bound_an_inversion() -> None:
    """Section 7: with a ceiling a job waits for one section, less the tick before its arrival."""
    tasks = [
        takt.Task(name="H", period=40, priority=3, body=["run 1", "lock R", "run 2", "unlock R", "run 1"]),
        takt.Task(name="M", period=40, priority=2, wcet=6),
        takt.Task(name="L", period=40, priority=1, body=["run 1", "lock R", "run 4", "unlock R", "run 2"]),
    ]
    bounds = {}
    for protocol in ("npcs", "pip", "pcp", "icpp", "srp"):
        resources = [takt.Resource(name="R", protocol=protocol)]
        bounds[protocol] = responses(takt.System(tasks=tasks, resources=resources))[:2]
    assert bounds == {name: [7, 13] for name in ("npcs", "pip", "pcp", "icpp", "srp")}


def test_what_has_no_bound_is_not_known_and_says_why() -> None:
    tasks = [
        takt.Task(name="A", arrivals=[0, 9], wcet=1, deadline=5, on_miss="skip"),
        takt.Task(name="B", arrivals=takt.Uniform(min=0, max=9), wcet=1, deadline=5),
    ]
    found = takt.analyse(takt.System(tasks=tasks))
    assert found.verdict is Verdict.NOT_KNOWN
    assert found.reason == "jobs of B may arrive any number at a time; give it a min_separation"


def test_what_no_test_of_its_policy_admits_is_bounded_by_busy_periods_and_says_why() -> None:
    found = takt.analyse(takt.load(EXAMPLES / "resources.toml"))
    assert found.verdict is Verdict.NOT_GUARANTEED
    why = "nothing bounds the delay by a resource without a protocol"
    assert found.reason == f"{why}; the longest busy period is 320 ms"
    assert [row.verdict.value for row in found.tasks] == ["not guaranteed"] * 2 + ["schedulable"] * 2


def test_an_answer_that_takes_more_effort_than_granted_is_not_known() -> None:
    found = takt.analyse(system_of((4, 4, 1), (6, 6, 2), (1000, 1000, 300)), effort=1)
    assert found.verdict is Verdict.NOT_KNOWN
    assert "effort" in found.reason


@pytest.mark.parametrize(
    ("policy", "change", "longest"),
    [
        ("fp", {"priority": 9}, "4 ms"),
        ("rm", {"period": 5}, "6 ms"),
        ("rm", {"period": 50}, "6 ms"),
        ("dm", {"deadline": 5}, "4 ms"),
    ],
)
def test_priorities_that_change_leave_busy_periods(policy: str, change: dict[str, Any], longest: str) -> None:
    """A task that gets another period may release its last job of the old and its first one of the new at once."""
    system = system_of((10, 3, 2), (20, 20, 2), policy=policy)
    changes = [takt.Change(at=7, task="T2", **change)]
    found = takt.analyse(system.replace(changes=changes))
    reason = f"priorities change while it runs; the longest busy period is {longest}"
    assert found.verdict is Verdict.NOT_GUARANTEED
    assert found.reason.startswith(reason)
    other = takt.analyse(system.replace(changes=[takt.Change(at=7, task="T2", wcet=3)]))
    assert [row.response for row in other.tasks] == [2, 5]


def test_soft_tasks_do_not_decide() -> None:
    found = takt.analyse(takt.load(EXAMPLES / "iot_node.toml"))
    assert found.verdict is Verdict.SCHEDULABLE
    assert found.reason == "all 2 hard tasks meet their deadlines; not so packets"


# ---- sensitivity, by trying everything -------------------------------------------------------------------


rows = st.tuples(st.integers(2, 12), st.integers(2, 12), st.integers(1, 4))


@tries(25)
@given(st.lists(rows, min_size=1, max_size=4), st.sampled_from(["fp", "rm", "edf"]))
def test_growth_and_scaling_are_those_of_a_scan(drawn: list[tuple[int, int, int]], policy: str) -> None:
    system = system_of(*drawn, policy=policy)
    view, found = view_of(system), takt.analyse(system)
    now = judge(view)
    for number, row in enumerate(found.tasks):
        task = next(each for each in view.dispatchers[0].tasks if each.number == number)
        accepts = keeping(now, 10**8, number)
        fitting = [wcet for wcet in range(1, task.deadline + 1) if accepts(view.with_task(task.with_wcet(wcet)))]
        assert row.growth == (max(fitting) - task.wcet if fitting else None)
    accepted = [part for part in range(1, 8001, 7) if _fits_scaled(view, part)]
    assert accepted == [part for part in range(1, 8001, 7) if found.scaling is not None and part <= found.scaling]


@pytest.mark.parametrize(("most", "found"), [(0, None), (1, 1), (5, 5), (6, 6), (20, 20), (40, None)])
def test_a_search_with_an_unanswered_question_finds_nothing(most: int, found: int | None) -> None:
    def accepts(number: int) -> bool:
        if number > 40:
            raise Unanswered
        return number <= most

    assert largest(accepts, 6, 100) == found


@pytest.mark.parametrize(
    ("tasks", "verdict"),
    [
        ([takt.Task(name="A", period=MAX_TICKS, wcet=MAX_TICKS)], "schedulable"),
        ([takt.Task(name="A", period=MAX_TICKS, wcet=2), takt.Task(name="B", period=7, wcet=2)], "schedulable"),
        ([takt.Task(name="A", period=MAX_TICKS, body=["run 1", "suspend 9", "run 1"])], "schedulable"),
        ([takt.Task(name="A", period=MAX_TICKS, body=["run 9", f"suspend {MAX_TICKS}", "run 1"])], "not known"),
    ],
)
def test_times_at_their_limit_are_judged(tasks: list[takt.Task], verdict: str) -> None:
    assert takt.analyse(takt.System(tasks=tasks)).verdict.value == verdict


def test_sections_end_where_a_shorter_job_does() -> None:
    """A wcet below the runs of a body, which a search tries, cuts the section in which it ends."""
    body = ["run 2", "lock R", "run 3", "lock S", "run 2", "unlock S", "unlock R", "run 1"]
    task = takt.Task(name="L", period=100, body=body)
    system = takt.System(tasks=[task], resources=[takt.Resource(name="R"), takt.Resource(name="S")])
    (seen,) = view_of(system).dispatchers[0].tasks
    lengths = {wcet: [section.length for section in seen.with_wcet(wcet).sections] for wcet in (1, 4, 6, 8, 11)}
    assert lengths == {1: [], 4: [2], 6: [1, 4], 8: [2, 5], 11: [2, 5]}


def test_every_drawn_system_is_analysed_to_the_end() -> None:
    recipe = takt.load_recipe(EXAMPLES / "recipes" / "servers.toml")
    verdicts = {takt.analyse(recipe.system(0, number)).verdict for number in range(20)}
    assert len(verdicts) > 1


def _fits_scaled(view: SystemView, part: int) -> bool:
    return keeping(judge(view), 10**8)(scaled(view, part))


# ---- advice ---------------------------------------------------------------------------------------------


def changed(system: takt.System, changes: tuple[tuple[str, str, str, object], ...]) -> takt.System:
    """The system with what an advice changes, key by key."""
    by_name: dict[tuple[str, str], dict[str, Any]] = {}
    for table, name, key, value in changes:
        by_name.setdefault((table, name), {})[key] = value
    return system.replace(
        **by_name.get(("system", ""), {}),
        tasks=[task.replace(**by_name.get(("task", task.name), {})) for task in system.tasks],
        servers=[server.replace(**by_name.get(("server", server.name), {})) for server in system.servers],
        resources=[each.replace(**by_name.get(("resource", each.name), {})) for each in system.resources],
    )


@pytest.mark.parametrize(
    ("system", "keys"),
    [
        (system_of((20, 20, 7), (10, 10, 4)), {"priority"}),
        (system_of((5, 5, 2), (12, 12, 7)), {"priority", "subjobs"}),
        (system_of((4, 4, 2), (10, 10, 2), (14, 14, 4)), {"priority", "threshold"}),
        (takt.load(CASES / "servers.toml"), {"kind"}),
    ],
    ids=["priorities", "points", "thresholds", "servers"],
)
def test_advice_makes_a_system_fit(system: takt.System, keys: set[str]) -> None:
    found = takt.analyse(system)
    assert not found.is_schedulable
    assert keys in [{key for _, _, key, value in advice.changes if value is not None} for advice in found.advice]
    for advice in found.advice:
        fitting = changed(system, advice.changes)
        assert takt.analyse(fitting).is_schedulable
        assert takt.simulate(fitting).missed == 0


def test_no_advice_cuts_a_job_into_thousands_of_pieces() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=5, priority=2),
        takt.Task(name="B", period=10**9, wcet=4 * 10**8, preemption="non-preemptive"),
    ]
    found = takt.analyse(takt.System(tasks=tasks))
    assert not found.is_schedulable
    assert "subjobs" not in {key for advice in found.advice for _, _, key, _ in advice.changes}


def test_a_system_that_fits_gets_no_advice() -> None:
    assert takt.analyse(system_of((5, 5, 2), (10, 10, 4))).advice == ()


# ---- charts ---------------------------------------------------------------------------------------------


def meeting(chart: Chart) -> int:
    """When the demand of a chart first meets the processor."""
    steps = chart.curves[0].points
    return next(height for (begin, height), (end, _) in pairwise(steps) if begin < height <= end)


@tries(40)
@given(st.lists(rows, min_size=1, max_size=4), st.integers(0, 3))
def test_demand_meets_supply_at_the_response_of_the_first_job(drawn: list[tuple[int, int, int]], jitter: int) -> None:
    tasks = [
        takt.Task(name=f"T{i}", period=4 * period, wcet=wcet, jitter=jitter)
        for i, (period, _, wcet) in enumerate(drawn)
    ]
    found = takt.analyse(takt.System(tasks=tasks, policy="rm"))
    responses = {row.task: row.response for row in found.tasks if row.verdict is Verdict.SCHEDULABLE}
    charts = {chart.title.split(":")[0]: chart for chart in found.charts}
    periods = {row.task: row.period for row in found.tasks}
    assert charts.keys() == {row.task for row in found.tasks if row.response is not None}
    for task, response in responses.items():
        assert meeting(charts[task]) == (response or 0) - jitter
        assert charts[task].deadline == periods[task] - jitter


def test_there_is_no_chart_of_a_root_whose_kernel_takes_time() -> None:
    assert takt.analyse(takt.load(EXAMPLES / "avionics.toml").replace(platform=takt.Platform())).charts != ()
    titles = [chart.title for chart in takt.analyse(takt.load(EXAMPLES / "avionics.toml")).charts]
    assert {title.split(":")[0] for title in titles} == {"equipment status", "self test"}


# ---- the command ----------------------------------------------------------------------------------------


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TAKT, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("example", "status"), [("fpds", 0), ("iot_node", 0), ("smallest", 3), ("resources", 3)])
def test_check_ends_with_3_unless_deadlines_are_proved_to_be_met(example: str, status: int) -> None:
    done = run("analyse", str(EXAMPLES / f"{example}.toml"), "--check")
    assert done.returncode == status
    assert run("analyse", str(EXAMPLES / f"{example}.toml")).returncode == 0


def test_the_search_of_the_edge_can_be_left_out() -> None:
    done = run("analyse", str(EXAMPLES / "smallest.toml"), "--json", "--no-sensitivity")
    found = json.loads(done.stdout)["analyses"][0]
    assert (found["scaling"], found["unsearched"]) == (None, 0)
    assert {task["growth"] for task in found["tasks"]} == {None}
    assert found["advice"] != []


def test_json_has_what_the_table_has() -> None:
    done = run("analyze", str(CASES / "servers.toml"), "--json")
    found = json.loads(done.stdout)["analyses"][0]
    assert found["verdict"] == "not guaranteed"
    assert [task["response"] for task in found["tasks"]] == [19, 12, None]
    assert found["servers"][1]["reason"].startswith("S2 may miss by 3 ms: 43 ms > 40 ms")
    assert found["advice"][0]["changes"] == [["server", "S1", "kind", "idling"], ["server", "S2", "kind", "idling"]]


def test_several_policies_are_judged_in_turn_those_in_python_too() -> None:
    own = f"{EXAMPLES / 'shortest_job_first.py'}:ShortestJobFirst"
    done = run("analyse", str(EXAMPLES / "smallest.toml"), "--policy", f"rm,{own}", "--json")
    found = json.loads(done.stdout)["analyses"]
    assert [(each["policy"], each["verdict"]) for each in found] == [
        ("rm", "not schedulable"),
        ("shortest-job-first", "not guaranteed"),
    ]
    wrong = run("analyse", str(EXAMPLES / "smallest.toml"), "--policy", "rm,zz")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith('--policy: unknown policy "zz"; ')


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('schema = 1\n[[task]]\nname = "A"\nperiod = 0\nwcet = 1\n')
    for arguments in ([str(path)], [str(tmp_path / "none.toml")], [str(EXAMPLES / "smallest.toml"), "--policy", "edg"]):
        done = run("analyse", *arguments)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""


def test_the_page_shows_verdict_tables_and_charts(tmp_path: Path) -> None:
    path = tmp_path / "analysis.html"
    done = run("analyse", str(CASES / "servers.toml"), str(EXAMPLES / "smallest.toml"), "--report", str(path))
    assert done.returncode == 0
    with browser.chromium() as started:
        tab = started.new_page()
        view = browser.View(tab)
        tab.goto(path.as_uri())
        tab.wait_for_function("() => window.Bokeh?.documents?.every((document) => document.is_idle)")
        assert tab.locator("h1").all_inner_texts() == ["servers", "smallest"]
        assert tab.locator(".verdict").all_inner_texts() == ["not guaranteed", "not schedulable"]
        assert tab.locator("figure").count() == tab.locator(".bk-Figure").count() > 2
        assert "43 ms > 40 ms" in tab.locator("body").inner_text()
        assert view.errors == []
        assert {url.split(":")[0] for url in view.requests} <= {"file", "blob", "data"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_has_a_page_with_its_charts_if_there_are_any(path: Path) -> None:
    analysis = takt.analyse(takt.load(path))
    markup = analysis_page.page([analysis])
    assert analysis.verdict.value in markup
    assert markup.count("<figure") == len(analysis.charts)
