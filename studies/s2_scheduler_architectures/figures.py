# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 8 to 11 over the five benchmarks, and the paper's sentences about them (S2, 4.1 to 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s2_scheduler_architectures import trends
from studies.s2_scheduler_architectures.systems import (
    BESIDE,
    COSTS,
    INTERVALS,
    SOFTWARE,
    Scheduler,
    of_beside,
    of_software,
    summed,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = dict[str, bool]


def run(runs: pl.DataFrame) -> Section:
    """Return the section of the figures with judged trends."""
    sums = summed(runs)
    found = trends.find(sums)
    return Section(
        "Figures 8 to 11",
        "Five benchmarks under RM for 10 s: counts are sums over them, availability is the mean. Solid lines are the "
        "timer that is re-armed after an entry, dashed ones ticks at multiples of the interval.",
        [
            _cost_claim(sums, found),
            _interval_claim(sums, found),
            _beside_claim(sums, found),
            _below_claim(sums, found),
            _fails_claim(sums, found),
            _availability_claim(sums, found),
            _sentences_claim(sums, found),
        ],
        [Table("sums", "Sums over the benchmarks", sums), Table("benchmarks", "Each benchmark", runs)],
        [
            _software_plot("figure_8", "Figure 8: switch steps of SoRTS", sums, "switch_steps", "switch steps"),
            _beside_plot(sums),
            _all_plot("figure_10", "Figure 10: fails", sums, "fails", "fails"),
            _all_plot("figure_11", "Figure 11: availability, the scheduler's time charged", sums, "avail_sched",
                      "share of the processor"),
            _all_plot("availability_net", "Availability, switches charged too", sums, "avail_net",
                      "share of the processor"),
        ],
    )  # fmt: skip


def share_of_fails(sums: pl.DataFrame, scheduler: Scheduler, interval: int) -> float:
    """Return the share of the fall of steps, from least to greatest CS, due to missing completions of 4 steps each."""
    steps, finished = (of_software(sums, scheduler, name)[interval] for name in ("switch_steps", "finished"))
    return 4 * (finished[0] - finished[-1]) / (steps[0] - steps[-1])


def _span(values: list[float]) -> str:
    """Write the first and last value of a line."""
    return f"{values[0]:,.0f} to {values[-1]:,.0f}"


def _cost_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figure 8 over CS."""
    steps = of_software(sums, "SoRTS", "switch_steps")
    rearmed, fixed = (share_of_fails(sums, name, INTERVALS[0]) for name in SOFTWARE)
    return Claim(
        "S2-07",
        "Section 4.1, Figure 8",
        "As CS grows, there are fewer context switches, because more tasks fail.",
        f"Steps from CS 25 to 100: {', '.join(f'{_span(line)} (I {i})' for i, line in steps.items())}. At I 250 jobs "
        f"that do not finish are {rearmed:.0%} of the fall with the re-armed timer, {fixed:.0%} with fixed ticks.",
        verdict(found["steps fall with CS"], correction=rearmed < 0.5),
        "The cause is the timer: re-armed after an entry, it ticks less often the longer entries take. With fixed "
        "ticks it is the fails, as the paper says, but then steps fall by at most 3 %, and not at every CS.",
        {"share_of_fails_rearm": rearmed, "share_of_fails_fixed": fixed},
    )


def _interval_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figure 8 over I."""
    lines = list(zip(*of_software(sums, "SoRTS", "switch_steps").values(), strict=True))
    said = ", ".join(f"{_span(list(line))} (CS {cost})" for cost, line in zip(COSTS, lines, strict=True))
    return Claim(
        "S2-08", "Section 4.1, Figure 8", "As the interval grows, there are fewer context switches.",
        f"Steps from I 250 to 500: {said}.", verdict(found["steps fall with I"]),
    )  # fmt: skip


def _beside_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figure 9."""
    coprocessor, hardware = (of_beside(sums, name, "switch_steps") for name in BESIDE)
    return Claim(
        "S2-09",
        "Section 4.1, Figure 9",
        "HaRTS has fewer context switches than Co-SoRTS, whose communication is more complex.",
        f"{min(hardware):,} to {max(hardware):,} steps in HaRTS, {min(coprocessor):,} to {max(coprocessor):,} in "
        "Co-SoRTS.",
        verdict(found["HaRTS takes fewer steps than Co-SoRTS"]),
        "In this model it is so because a completion goes through idle until the co-processor has answered.",
        {"hardware_most": max(hardware), "coprocessor_least": min(coprocessor)},
    )


def _below_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figures 8 and 9 together."""
    least = min(map(min, of_software(sums, "SoRTS", "switch_steps").values()))
    most = max(max(of_beside(sums, name, "switch_steps")) for name in BESIDE)
    return Claim(
        "S2-10", "Section 4.1, Figures 8 and 9", "Both have fewer context switches than SoRTS.",
        f"At most {most:,} steps, SoRTS at least {least:,.0f}.", verdict(found["both take fewer steps than SoRTS"]),
        numbers={"beside_most": most, "software_least": least},
    )  # fmt: skip


def _fails_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figure 10."""
    fails = of_software(sums, "SoRTS", "fails")
    names = ("fails rise with CS", "fails fall with I", "no fails in Co-SoRTS and HaRTS")
    said = "; ".join(f"{', '.join(map(str, line))} (I {interval})" for interval, line in fails.items())
    return Claim(
        "S2-11",
        "Section 4.2, Figure 10",
        "In SoRTS fails rise with CS and fall with the interval; there are none in Co-SoRTS and HaRTS.",
        f"Over CS: {said}. Others: {sum(sum(of_beside(sums, name, 'fails')) for name in BESIDE)}.",
        verdict(all(found[name] for name in names)),
        "For the deadlines of these benchmarks: S2-15 has the opposite.",
        {f"fails_{interval}_{cost}": count for interval, line in fails.items()
         for cost, count in zip(COSTS, line, strict=True)},
    )  # fmt: skip


def _availability_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge Figure 11."""
    software = of_software(sums, "SoRTS", "avail_sched")
    net = {name: of_beside(sums, name, "avail_net") for name in BESIDE}
    names = ("availability falls with CS in SoRTS", "availability stays in Co-SoRTS and HaRTS")
    lines = ", ".join(f"{line[0]:.3f} to {line[-1]:.3f} (I {interval})" for interval, line in software.items())
    switched = ", ".join(f"{line[0]:.3f} to {line[-1]:.3f} in {name}" for name, line in net.items())
    return Claim(
        "S2-12",
        "Section 4.3, Figure 11",
        "The time for tasks falls with CS in SoRTS, and is not affected by it in Co-SoRTS and HaRTS.",
        f"From CS 25 to 100: {lines}; always 1 in the others. With their switches charged: {switched}.",
        verdict(all(found[name] for name in names), correction=True),
        "The scheduler takes no time beside the processor, but switches take theirs: then availability falls with CS "
        "there, too, only by less.",
        {f"net_{name}": line[-1] for name, line in net.items()},
    )


def _sentences_claim(sums: pl.DataFrame, found: Found) -> Claim:
    """Judge the sentences that contradict each other."""
    names = ("steps fall with CS", "steps fall with I")
    return Claim(
        "S2-19",
        "Sections 4.1, 4.2 and 4.3",
        "As CS grows, switches get fewer (4.1), and they increase (4.2, 4.3). With the interval they get fewer due to "
        'the "increase of task interrupt frequency".',
        "Of steps 4.1 is right: they fall with CS at every interval. A longer interval is a lower frequency of "
        "interrupts, and its steps are fewer.",
        verdict(all(found[name] for name in names), correction=True),
        "Dispatches of another task do rise with CS, as jobs stretch over more preemptions: from "
        + ", ".join(f"{_span(line)} (I {i})" for i, line in of_software(sums, "SoRTS", "dispatches").items()) + ".",
    )  # fmt: skip


def _software_lines(axes: Axes, sums: pl.DataFrame, column: str) -> None:
    """Draw a column of SoRTS, with both timers."""
    for scheduler, style in zip(SOFTWARE, ("-", "--"), strict=True):
        for color, (interval, line) in zip(COLORS, of_software(sums, scheduler, column).items(), strict=False):
            axes.plot(COSTS, line, style, color=color, marker="o", markersize=3, linewidth=1,
                      label=f"{scheduler}, I {interval}")  # fmt: skip


def _beside_lines(axes: Axes, sums: pl.DataFrame, column: str) -> None:
    """Draw a column of the others."""
    for color, name in zip(COLORS[len(INTERVALS) :], BESIDE, strict=False):
        axes.plot(COSTS, of_beside(sums, name, column), color=color, marker="s", markersize=3, linewidth=1, label=name)


def _finish(axes: Axes, label: str) -> None:
    """Label the axes."""
    axes.set(xlabel="CS (us)", ylabel=label, xticks=COSTS, xlim=(20, 160), ylim=(0, None))
    add_legend(axes)


def _software_plot(name: str, title: str, sums: pl.DataFrame, column: str, label: str) -> Plot:
    """Draw SoRTS."""
    figure, (axes,) = new_plot(height=3.2)
    _software_lines(axes, sums, column)
    _finish(axes, label)
    return Plot(name, title, figure)


def _beside_plot(sums: pl.DataFrame) -> Plot:
    """Draw Co-SoRTS and HaRTS."""
    figure, (axes,) = new_plot(height=2.6)
    _beside_lines(axes, sums, "switch_steps")
    _finish(axes, "switch steps")
    return Plot("figure_9", "Figure 9: switch steps of Co-SoRTS and HaRTS", figure)


def _all_plot(name: str, title: str, sums: pl.DataFrame, column: str, label: str) -> Plot:
    """Draw all of them."""
    figure, (axes,) = new_plot(height=3.4)
    _software_lines(axes, sums, column)
    _beside_lines(axes, sums, column)
    _finish(axes, label)
    return Plot(name, title, figure)
