# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests 1 and 2 of the paper with idling and deferrable servers (S4, VI-A; Tables I and II, Figures 6 to 8)."""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Section, Table, merged, verdict
from studies.s4_hierarchical_scheduling.systems import (
    HORIZON,
    PAPER_KINDS,
    SERVERS,
    executed,
    golden_differences,
    run_paper,
    server_ran,
)
from studies.s4_hierarchical_scheduling.traces import trace_plot

LONG = 1200

Runs = dict[tuple[int, str], takt.Result]


def run() -> Section:
    """Run the four tests."""
    runs = {(test, kind): run_paper(kind, test) for test in (1, 2) for kind in PAPER_KINDS}
    return Section(
        "Tests 1 and 2",
        "Two servers under fixed priorities (S1: P 20, Q 10 above S2: P 40, Q 15) with the tasks of Table II, for 120 "
        "ticks from a synchronous start; in Test 2, T2 executes 6 instead of 2. The paper's task model has no "
        "deadlines; here they are the periods, and late jobs continue. Gray is execution; solid white local preemption "
        "or no budget, dashed white global preemption; red a missed deadline; black, in the lane idle, is the idle "
        "server, coloured the idle task of a server.",
        _claims(runs),
        [
            Table("tests", "The four runs", _summary(runs)),
            Table("late_jobs", "Late jobs of Test 2", late_jobs(runs)),
            *(_segments_table(test, kind, result) for (test, kind), result in runs.items()),
        ],
        [
            trace_plot("figure_6", "Figure 6: Test 1, idling servers", runs[1, "idling"]),
            trace_plot("figure_7", "Figure 7: Test 1, deferrable servers", runs[1, "deferrable"]),
            trace_plot("figure_8", "Figure 8: Test 2, idling servers", runs[2, "idling"]),
            trace_plot("test_2_deferrable", "Test 2 with deferrable servers, not in the paper", runs[2, "deferrable"]),
        ],
    )


def differences(runs: Runs) -> dict[tuple[int, str], int]:
    """Count what differs from the golden files, run by run."""
    return {key: golden_differences(result, f"hsf_test{key[0]}_{key[1]}") for key, result in runs.items()}


def late_jobs(runs: Runs) -> pl.DataFrame:
    """Return the late jobs of Test 2, finished or not."""
    frames = [
        runs[2, kind].jobs.filter("missed").select(pl.lit(kind).alias("kind"), "task", "release", "finish", "response")
        for kind in PAPER_KINDS
    ]
    return pl.concat(frames)


def s2_is_identical(kind: str) -> bool:
    """True if S2 runs in the same ticks, the same tasks, with the same budget in both tests."""
    first, second = (run_paper(kind, test, LONG) for test in (1, 2))
    own = [[ran if ran.startswith("S2/") else "" for ran in executed(result)] for result in (first, second)]
    return own[0] == own[1] and first.budgets["S2"].equals(second.budgets["S2"])


def _summary(runs: Runs) -> pl.DataFrame:
    """Return figures of the runs."""
    rows = []
    for (test, kind), result in runs.items():
        responses = result.summary["response_max"].to_list()
        busy = [sum(server_ran(result, server)) for server in SERVERS]
        differing = golden_differences(result, f"hsf_test{test}_{kind}")
        rows.append((test, kind, *responses, result.missed, *busy, executed(result).count(""), differing))
    names = ["test", "kind", *(f"response_T{n}" for n in (1, 2, 3)), "missed", "ticks_S1", "ticks_S2", "ticks_idle"]
    return pl.DataFrame(rows, schema=[*names, "differences_from_golden"], orient="row")


def _segments_table(test: int, kind: str, result: takt.Result) -> Table:
    """Return the table of a schedule."""
    frame = pl.DataFrame(merged(result.segments), schema=["start", "end", "server", "task"], orient="row")
    return Table(f"test_{test}_{kind}", f"Test {test}, {kind}: the schedule", frame)


def _claims(runs: Runs) -> list[Claim]:
    """Judge what the paper says about its tests."""
    differing = differences(runs)
    return [
        _kind_claim("S4-02", "idling", runs, differing),
        _kind_claim("S4-03", "deferrable", runs, differing),
        _idle_claim(runs),
        _inactive_claim(runs),
        _test_1_claim(runs, differing),
        _test_2_claim(runs, differing),
        _slips_claim(runs),
    ]


def _kind_claim(id: str, kind: str, runs: Runs, differing: dict[tuple[int, str], int]) -> Claim:
    """Judge a kind of server by its golden schedules."""
    says = {
        "idling": "An idling server that has budget and no ready task idles its budget away.",
        "deferrable": "A deferrable server keeps its budget until its period ends; what is left then is lost.",
    }
    lost = sum(differing[test, kind] for test in (1, 2))
    idled = [sum(ran.endswith("/idle") for ran in executed(runs[test, kind])) for test in (1, 2)]
    return Claim(
        id,
        "Section IV-C",
        says[kind],
        f"Segments, jobs and budgets of Tests 1 and 2 differ from the golden schedules in {lost} rows; servers idle in "
        f"{idled[0]} and {idled[1]} of {HORIZON} ticks.",
        verdict(lost == 0 and (sum(idled) > 0) == (kind == "idling")),
        numbers={"differences": lost, "idled_test_1": idled[0], "idled_test_2": idled[1]},
    )


def _idle_claim(runs: Runs) -> Claim:
    """Judge the idle server and the idle tasks."""
    idle = {kind: executed(runs[1, kind]).count("") for kind in PAPER_KINDS}
    own = {kind: {ran for ran in executed(runs[1, kind]) if ran.endswith("/idle")} for kind in PAPER_KINDS}
    return Claim(
        "S4-04",
        "Sections IV-C and VI-A",
        "Each server has an idle task; an idle server of priority 0 runs when no other can. With deferrable servers "
        "only its idle task runs.",
        f"Test 1: the processor is left idle in {idle['idling']} ticks with idling servers, which themselves idle in "
        f"S1 and S2, and in {idle['deferrable']} ticks with deferrable ones, which never do.",
        verdict(own["idling"] == {"S1/idle", "S2/idle"} and not own["deferrable"]),
        "There is no object for the idle server: it is the time in which no server is chosen.",
        {f"idle_{kind}": count for kind, count in idle.items()},
    )


def _inactive_claim(runs: Runs) -> Claim:
    """Judge the job that comes while its server is inactive."""
    release, finish, response = (
        runs[1, "idling"].jobs.filter(task="T2", release=15)["release", "finish", "response"].row(0)
    )
    before, after = (run_paper("idling", horizon=horizon).decisions for horizon in (11, 20))
    return Claim(
        "S4-09",
        "Section V-B2",
        "Events that occurred while a server was inactive are handled when it becomes active.",
        f"T2 comes at {release} while S1 is depleted; S1 is replenished at 20, T2 finishes at {finish}, and its "
        f"response counts from {release}: {response}. Between 10 and 20 the scheduler decides {after - before} times.",
        verdict((release, finish, response) == (15, 22, 7) and after == before),
        numbers={"finish": finish, "response": response, "decisions_while_inactive": after - before},
    )


def _test_1_claim(runs: Runs, differing: dict[tuple[int, str], int]) -> Claim:
    """Judge Test 1."""
    missed = [runs[1, kind].missed for kind in PAPER_KINDS]
    lost = sum(differing[1, kind] for kind in PAPER_KINDS)
    return Claim(
        "S4-12",
        "Section VI-A, Test 1, Figures 6 and 7",
        "The traces show the difference between idling and deferrable servers; all tasks are served.",
        f"Both schedules equal the golden ones ({lost} differences); {missed[0]} and {missed[1]} misses. The largest "
        f"response of T3 is {runs[1, 'idling'].summary['response_max'][2]} with idling, "
        f"{runs[1, 'deferrable'].summary['response_max'][2]} with deferrable servers.",
        verdict(lost == 0 and missed == [0, 0]),
        "The figures themselves are not at hand; the golden schedules were worked out from the tables.",
        {"differences": lost, "missed_idling": missed[0], "missed_deferrable": missed[1]},
    )


def _test_2_claim(runs: Runs, differing: dict[tuple[int, str], int]) -> Claim:
    """Judge Test 2."""
    late = late_jobs(runs).filter(kind="idling").drop_nulls("finish")
    of_t1, of_t2 = (late.filter(task=task).height for task in ("T1", "T2"))
    lost = sum(differing[2, kind] for kind in PAPER_KINDS)
    t3 = [runs[test, "deferrable"].summary["response_max"][2] for test in (1, 2)]
    is_identical = s2_is_identical("idling")
    never_idle = not any(ran == "S1/idle" for ran in executed(runs[2, "idling"]))
    return Claim(
        "S4-13",
        "Section VI-A, Test 2, Figure 8",
        "With S1 overloaded, the low-priority task T1 misses deadlines, S1 never idles, and S2 is not affected.",
        f"S2 runs the same tasks in the same {LONG} ticks with the same budget in both tests: "
        f"{'yes' if is_identical else 'no'}. Late jobs that finish in Figure 8: {of_t1} of T1, {of_t2} of T2. With "
        f"deferrable servers T3 answers in {t3[1]} instead of {t3[0]} and meets its deadline.",
        verdict(lost == 0 and is_identical and never_idle and of_t1 > 0, correction=of_t2 > 0),
        "Not only T1 is late: with deadlines at the periods, T2 is late by 1, 2 and 1 ticks, which needs deadlines to "
        "be seen. Deferrable servers isolate budgets, not instants: S2 then runs when S1 does not.",
        {"differences": lost, "late_T1": of_t1, "late_T2": of_t2, "response_T3_test_2": t3[1]},
    )


def _slips_claim(runs: Runs) -> Claim:
    """Return the claim about the slips that the numbers show."""
    late = late_jobs(runs).filter(kind="idling", task="T2").drop_nulls("finish")
    by = [response - 15 for response in late["response"]]
    return Claim(
        "S4-29",
        "Sections II-A, III-A, IV-D, VI",
        'The execution times of T1 and T2 "are increased to 4 and 6", S1 has a "utilization greater than 1", and T1 '
        'misses; hierarchical scheduling was "introduced in 1990 by Deng and Liu [3]"; "8 different subsystem '
        'priorities".',
        "T1 executes 4 in both tests. T1 and T2 ask for 4/20 + 6/15 = 0.6 of the processor, which is above 1 only in "
        f"relation to the share of S1, 0.5. T2 is late by {', '.join(map(str, by))} ticks too.",
        verdict(by == [1, 2, 1], correction=True),
        "Reference [3] is of 1997; 1 to 7 are seven priorities, the eighth is the idle server's; the text says "
        "vServerCreate, the appendix xServerCreate. The limits of 40 and 30 servers are the board's memory.",
    )
