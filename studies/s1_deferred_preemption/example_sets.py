# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sets worked out by hand: what only deferred preemption schedules, and a worst job that is not the first.

Source of the sets: the project's specification of the algorithms, after Bril, Lukkien and Verhaegh (2007), which S1
cites in section 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import takt

from studies.common import Claim, Section, Table, golden, merged, verdict
from studies.s1_deferred_preemption.systems import MODES, simulate

PERIODS = (5, 12)
LATE_RESPONSES = [31, 27, 33, 29, 35]
FPTS_RESPONSES = [3, 9, 12]
FPTS_OFFSETS = (4, 10, 14)


def run() -> Section:
    """Run the sets at all offsets."""
    offsets = schedule_at_all_offsets()
    jobs = late_jobs()
    thresholds = schedule_thresholds()
    return Section(
        "Sets worked out by hand",
        "T1 (T = D = 5, C = 2) and T2 (T = D = 12, subjobs 3 and 4) at all 60 offsets, with either priority order, "
        "preemptively, with deferred preemption, non-preemptively and with every threshold; T1 (T = 25, C = 10) above "
        "T2 (T = 35, subjobs 6 and 15) from a synchronous start; three tasks that need thresholds, at all 560 offsets.",
        [_only_fpds_claim(offsets), _late_job_claim(jobs), _threshold_claim(thresholds)],
        [
            Table("only_fpds", "T1 (5, 2) and T2 (12, 7), worst responses over all offsets", offsets),
            Table("late_job", "The jobs of T2 (35, 6 + 15)", jobs),
            Table("thresholds", "T1 (4, 2), T2 (10, 2), T3 (14, 4), worst responses over all offsets", thresholds),
        ],
    )


# ---- the set of 3.5 ---------------------------------------------------------------------------------


def schedule_at_all_offsets() -> pl.DataFrame:
    """Return the worst responses and the misses under each mode and threshold, for both priority orders."""
    rows = [(mode, high, *_worst(mode, high)) for mode in (*MODES, "FPTS") for high in ("T1", "T2")]
    return pl.DataFrame(rows, schema=["mode", "high_task", "response_T1", "response_T2", "missed"], orient="row")


def _worst(mode: str, high: str) -> tuple[int, int, int]:
    """Run all pairs of offsets; return the worst responses and the number of misses."""
    runs = [_pair(mode, high, (first, second)) for first in range(PERIODS[0]) for second in range(PERIODS[1])]
    responses = [run.summary["response_max"] for run in runs]
    return max(of[0] for of in responses), max(of[1] for of in responses), sum(run.missed for run in runs)


def _pair(mode: str, high: str, offsets: tuple[int, int]) -> takt.Result:
    """Run the set for three hyperperiods; under FPTS the low task starts with the threshold of the high one."""
    priorities = (2, 1) if high == "T1" else (1, 2)
    tasks = [
        takt.Task(name="T1", period=PERIODS[0], subjobs=[2], priority=priorities[0], offset=offsets[0]),
        takt.Task(name="T2", period=PERIODS[1], subjobs=[3, 4], priority=priorities[1], offset=offsets[1]),
    ]
    if mode != "FPTS":
        return simulate(mode, tasks, 180)
    whole = [task.replace(subjobs=None, wcet=wcet, threshold=2) for task, wcet in zip(tasks, (2, 7), strict=True)]
    return takt.simulate(takt.System(tasks=whole), 180)


def _only_fpds_claim(offsets: pl.DataFrame) -> Claim:
    """Judge that only FPDS schedules the set."""
    schedulable = offsets.filter(missed=0).select("mode", "high_task").rows()
    worst = {(row[0], row[1]): (row[2], row[3]) for row in offsets.iter_rows()}
    return Claim(
        "S1-19",
        "Section 1 (middle ground between FPPS and FPNS)",
        "There are sets that FPDS schedules and neither FPPS nor FPNS does.",
        "T1 (5, 2), T2 (12, 3 + 4): worst responses "
        + ", ".join(f"{worst[mode, 'T1']} under {mode}" for mode in MODES)
        + " at 60 offsets; FPPS, FPNS and thresholds miss in both priority orders.",
        verdict(schedulable == [("FPDS", "T1")] and worst["FPDS", "T1"] == (5, 11) and _is_golden()),
        "The paper names no such set; this one is the project's. The golden schedules are met to the tick.",
        {f"{mode}_{name}": worst[mode, "T1"][i] for mode in MODES for i, name in enumerate(("T1", "T2"))},
    )


def _is_golden() -> bool:
    """True if the schedules equal the golden ones."""
    cases = [("FPDS", 0), ("FPDS", 1), ("FPDS", 4), ("FPPS", 0), ("FPNS", 1)]
    return all(_equals(f"fpds_example_{mode}_off{first}_0", _pair(mode, "T1", (first, 0))) for mode, first in cases)


def _equals(name: str, result: takt.Result) -> bool:
    """Compare a schedule with a golden file, as far as that goes."""
    expected = [(int(row["start"]), int(row["end"]), row["task"]) for row in golden(name)]
    found = [(start, end, task) for start, end, _, task in merged(result.segments)]
    return found[: len(expected) - 1] == expected[:-1]


# ---- the worst job is the fifth ---------------------------------------------------------------------


def late_jobs() -> pl.DataFrame:
    """Return the responses in the active period whose last job is the worst."""
    tasks = [
        takt.Task(name="T1", period=25, wcet=10, priority=2),
        takt.Task(name="T2", period=35, subjobs=[6, 15], priority=1),
    ]
    return takt.simulate(takt.System(tasks=tasks), 175).jobs.filter(task="T2").select("job", "release", "response")


def _late_job_claim(jobs: pl.DataFrame) -> Claim:
    """Judge that the worst job need not be the first."""
    responses = jobs["response"].to_list()
    return Claim(
        "S1-17",
        "Section 2 (citing [3, 4])",
        "The worst response need not be that of the first job of an active period.",
        f"The jobs of T2 (35, 6 + 15) below T1 (25, 10) respond in {', '.join(map(str, responses))}: "
        f"the worst is number {responses.index(max(responses)) + 1}.",
        verdict(responses == LATE_RESPONSES),
        "Simulated; that no phase is worse is what the analysis would say.",
        {"first": responses[0], "worst": max(responses)},
    )


# ---- thresholds -------------------------------------------------------------------------------------


def schedule_thresholds() -> pl.DataFrame:
    """Return the worst responses of the set that needs thresholds, over all offsets."""
    rows = [(mode, *_worst_of_three(mode)) for mode in ("FPPS", "FPTS", "FPNS")]
    return pl.DataFrame(rows, schema=["mode", "response_T1", "response_T2", "response_T3", "missed"], orient="row")


def _worst_of_three(mode: str) -> tuple[int, ...]:
    """Run all offsets of T1 and T2 and T3."""
    runs = [_three(mode, offsets) for offsets in _all_offsets()]
    worst = [max(run.summary["response_max"][number] for run in runs) for number in range(3)]
    return *worst, sum(run.missed for run in runs)


def _all_offsets() -> Iterable[tuple[int, int, int]]:
    """Yield all offsets below the periods."""
    first, second, third = FPTS_OFFSETS
    return ((i, j, k) for i in range(first) for j in range(second) for k in range(third))


_OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "FPPS": ({}, {}, {}),
    "FPTS": ({"threshold": 3}, {"threshold": 3}, {"threshold": 2}),
    "FPNS": ({"preemption": "non-preemptive"},) * 3,
}


def _three(mode: str, offsets: tuple[int, int, int]) -> takt.Result:
    """Run T1 (4, 2), T2 (10, 2), T3 (14, 4); thresholds are the priorities of T1, T1 and T2."""
    tasks = [
        takt.Task(name=f"T{number + 1}", period=period, wcet=wcet, priority=3 - number, offset=offset, **options)
        for number, (period, wcet, offset, options) in enumerate(
            zip(FPTS_OFFSETS, (2, 2, 4), offsets, _OPTIONS[mode], strict=True)
        )
    ]
    return takt.simulate(takt.System(tasks=tasks), 2 * 140 + max(offsets), segments=False, points=False)


def _threshold_claim(thresholds: pl.DataFrame) -> Claim:
    """Judge the threshold example."""
    worst = {row[0]: (list(row[1:4]), row[4]) for row in thresholds.iter_rows()}
    others_fail = worst["FPPS"][1] > 0 and worst["FPNS"][1] > 0
    return Claim(
        "S1-21",
        "beyond the paper (preemption thresholds)",
        "Thresholds schedule sets that FPPS and FPNS do not.",
        f"T1 (4, 2), T2 (10, 2), T3 (14, 4): worst responses {worst['FPTS'][0]} with thresholds, "
        f"{worst['FPPS'][0]} under FPPS, {worst['FPNS'][0]} under FPNS, at 560 offsets.",
        verdict(worst["FPTS"] == (FPTS_RESPONSES, 0) and others_fail),
        "Worst over all offsets of a strictly periodic set; the analysis of thresholds is not part of this version.",
        {f"FPTS_T{number + 1}": response for number, response in enumerate(worst["FPTS"][0])},
    )
