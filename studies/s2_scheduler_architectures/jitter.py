# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figure 3: jitter caused by the interval, of a task whose period is no multiple of it (S2, 1)."""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s2_scheduler_architectures.micro import draw
from studies.s2_scheduler_architectures.systems import (
    BENCHMARKS,
    BESIDE,
    HORIZON,
    INTERVALS,
    SECOND,
    Configuration,
    platform,
    system,
)

COST = 25
ALONE = ((1300, 200),)
DRAWN = 6500
RUNS: list[Configuration] = [
    *(("SoRTS-fixed", interval, COST) for interval in INTERVALS),
    *(("SoRTS", interval, COST) for interval in INTERVALS),
    *((name, None, COST) for name in BESIDE),
]


def run(is_quick: bool) -> Section:
    """Measure how long the most urgent task waits."""
    waits = {configuration: start_delays(configuration, SECOND if is_quick else HORIZON) for configuration in RUNS}
    frame = _summary(waits)
    return Section(
        "Jitter",
        f"Figure 3: a task (T 1300, C 200) alone, ticks at multiples of 500. Then how long each job of the most urgent "
        f"task of B5 (T 1850) waits from its release to its first tick, CS {COST}: no other task delays it but by the "
        "scheduler itself.",
        [_claim(frame)],
        [Table("jitter", "Start delay of the most urgent task of B5 (us)", frame)],
        [_figure_3(), _plot(waits)],
    )


def start_delays(configuration: Configuration, horizon: int) -> list[int]:
    """Return the time from release to first tick of each job of the first task of B5, sorted."""
    result = takt.simulate(system(BENCHMARKS["B5-offgrid"], platform(*configuration)), horizon)
    starts = result.segments.filter(task="T1").group_by("job").agg(pl.col("start").min())
    own = starts.join(result.jobs.filter(task="T1"), on="job")
    return (own["start"].cast(pl.Int64) - own["release"].cast(pl.Int64)).sort().to_list()


def _summary(waits: dict[Configuration, list[int]]) -> pl.DataFrame:
    """Return figures of the delays."""
    rows = [
        (name, interval, len(values), values[0], values[-1], values[-1] - values[0], sum(values) / len(values))
        for (name, interval, _), values in waits.items()
    ]
    names = ["scheduler", "interval_us", "jobs", "least", "most", "jitter", "mean"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _claim(frame: pl.DataFrame) -> Claim:
    """Judge what the paper says about jitter."""
    software = {name: frame.filter(scheduler=name)["jitter"].to_list() for name in ("SoRTS", "SoRTS-fixed")}
    beside = {name: frame.filter(scheduler=name)["jitter"].item() for name in BESIDE}
    grows = all(values == sorted(set(values)) for values in software.values())
    fixed, rearmed = (" / ".join(map(str, software[name])) for name in ("SoRTS-fixed", "SoRTS"))
    return Claim(
        "S2-06",
        "Section 1, Figure 3; Section 3.2",
        "The time from an instant to the scheduler's invocation varies from zero to the interval: the jitter problem. "
        "A scheduler beside the processor reduces it.",
        f"The delay varies by {fixed} us at I = 250 / 400 / 500 with fixed ticks, by {rearmed} with the re-armed "
        f"timer; by {beside['Co-SoRTS']} in Co-SoRTS and {beside['HaRTS']} in HaRTS.",
        verdict(grows and max(beside.values()) < min(map(min, software.values())), correction=True),
        "With the re-armed timer it is more than the interval: entries at completions come between two ticks, and each "
        "takes its time.",
        {
            "beside": max(beside.values()),
            **{f"rearm_{i}": v for i, v in zip(INTERVALS, software["SoRTS"], strict=True)},
        },
    )


def _figure_3() -> Plot:
    """Draw a task whose releases fall between ticks."""
    result = takt.simulate(system(ALONE, platform("SoRTS-fixed", 500, 100)), DRAWN)
    figure, (axes,) = new_plot(height=1.8)
    draw(axes, result, ["T1"])
    axes.set_xticks(range(0, DRAWN + 1, 500))
    return Plot("figure_3", "Figure 3: a release waits for the next tick, each time another while", figure)


def _plot(waits: dict[Configuration, list[int]]) -> Plot:
    """Draw the share of jobs that have started after a delay."""
    figure, (axes,) = new_plot(height=3.0)
    drawn = [configuration for configuration in RUNS if configuration[0] != "SoRTS-fixed"]
    for color, (name, interval, cost) in zip(COLORS, drawn, strict=False):
        values = waits[name, interval, cost]
        shares = [(place + 1) / len(values) for place in range(len(values))]
        label = name if interval is None else f"{name}, I {interval}"
        axes.plot(values, shares, color=color, linewidth=1.1, label=label, drawstyle="steps-post")
    axes.set(xlabel="delay of the start (us)", ylabel="share of jobs", xlim=(0, None), ylim=(0, 1.02))
    add_legend(axes)
    return Plot("jitter", "How long the most urgent task of B5 waits for its start", figure)
