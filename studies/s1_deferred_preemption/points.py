# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Points and non-preemptive runs, one case each, worked out by hand (S1, 5.1 to 5.5)."""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, merged, new_plot, verdict
from studies.common.plots import COLORS, INK

BODY = ["run 2", "optional point", "run 2", "optional point", "run 1", "point", "run 1"]
HORIZON = 10


def run() -> Section:
    """Run the cases."""
    result = low_with_points(arrival=3)
    points = result.points
    stale = low_with_points(arrival=20).points
    calls = count_calls()
    return Section(
        "What a point does",
        "A low job that runs 2, checks an optional point, runs 2, checks again, runs 1, reaches a point and runs 1; "
        "a high job of 1 comes at 3. Then the same low job alone. Then a non-preemptive job of 100, during which ten "
        "high jobs come.",
        [*_point_claims(result, stale), *_call_claims(calls), _interrupt_claim()],
        [
            Table("points", "The points that the low job reaches", points),
            Table("scheduler_calls", "A non-preemptive job of 100 us and ten releases", calls),
        ],
        [_plot(result)],
    )


def low_with_points(arrival: int) -> takt.Result:
    """Run the low job with points, and a high job that comes at `arrival`."""
    high = takt.Task(name="high", arrivals=[arrival], deadline=HORIZON, wcet=1, priority=2)
    low = takt.Task(name="low", arrivals=[0], deadline=HORIZON, body=BODY, priority=1)
    return takt.simulate(takt.System(tasks=[high, low]), HORIZON)


def _point_claims(result: takt.Result, alone: pl.DataFrame) -> list[Claim]:
    """Judge what points do and tell."""
    points = [(row[0], row[3], row[4]) for row in result.points.rows()]
    expected = [(2, True, False), (4, True, True), (5, False, True)]
    schedule = [(start, end, task) for start, end, _, task in merged(result.segments)]
    yields = schedule == [(0, 5, "low"), (5, 6, "high"), (6, 7, "low")]
    return [
        Claim(
            "S1-02",
            "Section 5.4",
            "At a preemption point the task yields to any higher task that is ready.",
            "The low job runs from 0 to 5, through the arrival at 3, and yields to the high one at its point at 5.",
            verdict(yields),
        ),
        Claim(
            "S1-04",
            "Section 5.4.1",
            "should_yield is set when a higher task becomes ready during a subjob, and reset at the next switch-in.",
            "It is false at 2, true at 4 and 5 when the high job has come at 3, and false at all points of the job "
            "alone.",
            verdict(points == expected and not alone["should_yield"].any(), correction=True),
            "The paper resets it at switch-in only; here it is what holds as of the last check, so that it cannot stay "
            "true after a point that found no waiting job.",
        ),
        Claim(
            "S1-05",
            "Sections 2 and 5.5",
            "An optional point only informs the task.",
            "At the optional point at 4 the job learns of the high one and runs on until its next real point.",
            verdict(points[1] == expected[1] and yields),
            "That the job then takes another path is the program's business; bodies here have one path.",
        ),
        Claim(
            "S1-11",
            "Section 5.5",
            "A library call fpds_pp(auto) makes a point, or only asks.",
            'A body is a list of items, among them "point" and "optional point"; subjobs = [2, 3] is short for a point '
            "between runs.",
            verdict(len(points) == 3 and points[2][1] is False),
            "The kernel has a call for each, takt_job_point and takt_job_optional_point.",
        ),
    ]


# ---- how often the scheduler is called ------------------------------------------------------------------


def count_calls() -> pl.DataFrame:
    """Count invocations, choices and kernel time of a non-preemptive job during which ten others come."""
    rows = [(name, *_calls(preemption, points)) for name, preemption, points in _CALLS]
    columns = ["mode", "invocations", "switches", "choices", "low_response_ns"]
    return pl.DataFrame(rows, schema=columns, orient="row")


_CALLS = (
    ("FPPS", "preemptive", "push"),
    ("FPNS, releases moved at once", "non-preemptive", "push"),
    ("FPNS, scheduler skipped", "non-preemptive", "pull"),
)


def _calls(preemption: str, points: str) -> tuple[int, int, int, int]:
    """Run the case at a cost of 1 ns for a choice, so that the kernel time counts choices."""
    high = takt.Task(name="high", arrivals=[5_000 + 10_000 * k for k in range(10)], deadline="1s", wcet=100, priority=2)
    low = takt.Task(name="low", arrivals=[0], deadline="1s", wcet=100_000, preemption=preemption, priority=1)
    platform = takt.Platform(scheduling=1, points=points)
    result = takt.simulate(takt.System(resolution="1ns", tasks=[high, low], platform=platform), 200_000)
    return result.invocations, result.switches, result.overhead, result.summary["response_max"][1]


def _call_claims(calls: pl.DataFrame) -> list[Claim]:
    """Judge that a non-preemptive job keeps the scheduler out."""
    invocations, choices = calls["invocations"].to_list(), calls["choices"].to_list()
    return [
        Claim(
            "S1-08",
            "Sections 5.1.2 and 5.2",
            "While a non-preemptive job runs, the scheduler is skipped.",
            f"The job and ten releases during it take {invocations[0]} invocations under FPPS, {invocations[1]} with "
            f"releases moved at once and {invocations[2]} with the scheduler skipped; choices {choices[0]}, "
            f"{choices[1]}, {choices[2]}.",
            verdict(invocations[2] < invocations[1] and choices[2] <= choices[1] < choices[0]),
            numbers={"fpps": invocations[0], "push": invocations[1], "pull": invocations[2]},
        )
    ]


def _interrupt_claim() -> Claim:
    """Judge that ticks are served during subjobs."""
    low = takt.Task(name="low", arrivals=[0], deadline="1s", wcet=10_000, preemption="non-preemptive")
    platform = takt.Platform(tick=10, tick_period=1_000)
    result = takt.simulate(takt.System(resolution="1ns", tasks=[low], platform=platform), 20_000)
    response = result.summary["response_max"].item()
    return Claim(
        "S1-10",
        "Sections 3.3 and 5",
        "Interrupts are handled during a subjob; a release is seen at most one timer period late.",
        f"A non-preemptive job of 10,000 ns answers in {response:,} ns under ticks of 10 ns every 1,000 ns: they are "
        "handled within it. A release is seen at its instant.",
        verdict(response > 10_000, correction=True),
        "There is no latency of a timer period, because Takt arms a one-shot timer for the next instant; the kernel's "
        "own latency belongs to the kernel.",
        {"response_ns": response},
    )


def _plot(result: takt.Result) -> Plot:
    """Draw the case: runs, the arrival, optional points hollow, real ones filled."""
    figure, (axes,) = new_plot(height=1.8)
    for start, end, _, task in merged(result.segments):
        axes.broken_barh([(start, end - start)], (_lane(task) - 0.3, 0.6), facecolor=COLORS[_lane(task)], edgecolor=INK)
    for instant, _, _, is_optional, _ in result.points.iter_rows():
        axes.plot(instant, 0, "D", color="white" if is_optional else INK, markeredgecolor=INK, markersize=6)
    axes.plot(3, 1.4, "^", color=INK)
    axes.set(yticks=[0, 1], yticklabels=["low", "high"], ylim=(-0.5, 1.7), xlim=(0, 8), xlabel="time")
    return Plot("points", "A high job comes at 3; hollow: optional points; filled: the point that lets it run", figure)


def _lane(task: str) -> int:
    """Number the lanes."""
    return int(task == "high")
