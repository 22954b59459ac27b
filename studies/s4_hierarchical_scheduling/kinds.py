# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Kinds of servers beyond the paper, and earliest deadlines between servers, on the paper's Tables I and II."""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s4_hierarchical_scheduling.systems import SERVERS, TASKS, golden_differences, run_paper, server_ran

CASES = (
    ("idling", "fp"),
    ("deferrable", "fp"),
    ("polling", "fp"),
    ("sporadic", "fp"),
    ("idling", "edf"),
    ("deferrable", "edf"),
    ("polling", "edf"),
    ("sporadic", "edf"),
    ("cbs", "edf"),
    ("hard-cbs", "edf"),
)
LONG = 1200


def run() -> Section:
    """Run Tests 1 and 2 with every kind."""
    frame = compare_kinds()
    return Section(
        "Other kinds of servers",
        f"Tests 1 and 2 for {LONG} ticks with every kind of server, ordered by fixed priorities or by earliest "
        "deadlines. Isolation is judged by whether T3 in S2 meets all deadlines in Test 2, in which S1 is overloaded. "
        "A soft constant-bandwidth server takes what no other task requests, so S1 gets more than its share.",
        [_claim(frame)],
        [Table("kinds", "Every kind on Tables I and II", frame)],
        [_plot(frame)],
    )


def compare_kinds() -> pl.DataFrame:
    """Run every kind."""
    rows = [(test, kind, policy, *_row(run_paper(kind, test, LONG, policy)))
            for test in (1, 2) for kind, policy in CASES]  # fmt: skip
    names = ["test", "kind", "policy", *(f"response_{task}" for task in TASKS), *(f"missed_{task}" for task in TASKS)]
    return pl.DataFrame(rows, schema=[*names, "ticks_S1", "ticks_S2", "decisions"], orient="row")


def _row(result: takt.Result) -> tuple[int, ...]:
    """Return figures of a run."""
    summary = result.summary
    charged = [sum(server_ran(result, server)) for server in SERVERS]
    return *summary["response_max"], *summary["missed"], *charged, result.decisions


def _claim(frame: pl.DataFrame) -> Claim:
    """Judge the kinds by the golden schedule, and by what S2 notices of the overload."""
    lost = golden_differences(run_paper("sporadic"), "hsf_test1_sporadic")
    first = frame.filter(test=1).select(pl.sum_horizontal(*(f"missed_{task}" for task in TASKS))).sum().item()
    hurt = frame.filter(pl.col("test") == 2, pl.col("missed_T3") > 0).height
    return Claim(
        "S4-22",
        "beyond the paper",
        "Servers may be polling, sporadic or of constant bandwidth, and ordered by earliest deadlines.",
        f"{len(CASES)} combinations: {first} misses in Test 1, and T3 meets all deadlines of Test 2 under "
        f"{len(CASES) - hurt} of them. The sporadic schedule differs from the golden one in {lost} rows.",
        verdict(lost == 0 and first == 0 and hurt == 0),
        numbers={"missed_test_1": first, "hurt_test_2": hurt, "differences": lost},
    )


def _plot(frame: pl.DataFrame) -> Plot:
    """Draw the largest response of T3 under each kind in both tests."""
    figure, (axes,) = new_plot(height=3.2)
    for number, test in enumerate((1, 2)):
        some = frame.filter(test=test)
        places = [place + 0.4 * number for place in range(some.height)]
        axes.bar(places, some["response_T3"].to_list(), 0.38, color=COLORS[number], label=f"Test {test}")
    axes.axhline(TASKS["T3"][1], color="0.4", linestyle="dashed", linewidth=0.8)
    axes.set_xticks([place + 0.2 for place in range(len(CASES))], [f"{kind}\n{policy}" for kind, policy in CASES],
                    fontsize=7)  # fmt: skip
    axes.set(ylabel="largest response of T3")
    add_legend(axes)
    return Plot(
        "kinds", "T3 in S2, with S1 not overloaded (Test 1) and overloaded (Test 2); dashed: its deadline", figure
    )
