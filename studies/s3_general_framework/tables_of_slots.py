# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Time-driven schedules of the literature that the paper names: pinwheel and cyclic executive (S3, 1 and 2.3)."""

from __future__ import annotations

import random
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s3_general_framework import reference
from studies.s3_general_framework.systems import (
    Drawn,
    Ticks,
    differences,
    executed,
    harmonized_set,
    recorded_table,
    tasks_of,
)

SEED = 13
SETS = {True: 40, False: 400}
CYCLES = {True: 10, False: 60}
HORIZON = 240
DENSITIES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
WIDTH = 0.05


def run(is_quick: bool) -> Section:
    """Return the section about every window of every task."""
    pinwheels = run_pinwheels(SETS[is_quick])
    by_density = accepted(pinwheels)
    executives = run_executives(CYCLES[is_quick])
    return Section(
        "Pinwheel and cyclic executive",
        f"{SETS[is_quick]} random requests (a, b): a ticks in every b consecutive ticks, wherever these begin. "
        f"{CYCLES[is_quick]} tables made off line by EDF, run for ten cycles.",
        [_claim(pinwheels, executives)],
        [
            Table("pinwheel", "Requests that one base period can schedule, by density", by_density),
            Table("pinwheel_sets", "Each request", pinwheels),
            Table("cyclic_executive", "Tables recorded from EDF: ticks that differ from EDF", executives),
        ],
    )


def run_pinwheels(count: int) -> pl.DataFrame:
    """Run random requests; count the windows, and those with fewer ticks than were asked for."""
    rng = random.Random(SEED)
    rows = [(number, *_one_request(_draw(rng))) for number in range(count)]
    schema = ["set", "tasks", "density", "accepted", "windows", "short", "framework"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _draw(rng: random.Random) -> list[Drawn]:
    """Draw requests of a density up to 1."""
    while True:
        tasks = []
        for number in range(rng.randint(2, 4)):
            window = rng.randint(2, 20)
            tasks.append(Drawn(f"T{number}", window, rng.randint(1, max(1, window // 3)), number))
        if 0.45 <= _density(tasks) <= 1:
            return tasks


def _density(tasks: list[Drawn]) -> Fraction:
    """Sum a / b."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def _one_request(tasks: list[Drawn]) -> tuple[object, ...]:
    """Run one; compare with the framework."""
    density = float(_density(tasks))
    try:
        system = takt.System(policy="pinwheel", tasks=[task.task() for task in tasks])
    except takt.InputError:
        return len(tasks), density, False, 0, 0, None
    result = takt.simulate(system, HORIZON)
    ticks = tasks_of(executed(result))
    windows = [sum(job == task.name for job in ticks[start : start + task.period]) - task.wcet
               for task in tasks for start in range(HORIZON - task.period + 1)]  # fmt: skip
    apart = differences(ticks, tasks_of(_in_framework(tasks, result)))
    return len(tasks), density, True, len(windows), sum(spare < 0 for spare in windows), apart


def _in_framework(tasks: list[Drawn], result: takt.Result) -> Ticks:
    """Run the framework's pinwheel on the periods that Takt made."""
    periods = dict(result.summary.select("task", "period").rows())
    works = [
        reference.Task(
            task.name,
            reference.Pinwheel(task.wcet, periods[task.name]),
            tuple((start, task.wcet) for start in range(0, HORIZON, periods[task.name])),
        )
        for task in tasks
    ]
    return reference.run(reference.System(tuple(works), reference.EFFECTIVE["pinwheel"]), HORIZON)


def accepted(pinwheels: pl.DataFrame) -> pl.DataFrame:
    """Count the requests that can be scheduled, by density."""
    rows = []
    for density in DENSITIES:
        near = pinwheels.filter((pl.col("density") - density).abs() <= WIDTH)
        rows.append((density, near.height, int(near["accepted"].sum())))
    return pl.DataFrame(rows, schema=["density", "requests", "accepted"], orient="row")


def run_executives(count: int) -> pl.DataFrame:
    """Follow tables that EDF made, and compare with EDF."""
    rng = random.Random(SEED + 1)
    rows = [(number, *_one_executive(harmonized_set(rng, Fraction(1, 2), Fraction(1)))) for number in range(count)]
    return pl.DataFrame(rows, schema=["set", "slots", "ticks", "differ", "missed"], orient="row")


def _one_executive(tasks: list[Drawn]) -> tuple[int, ...]:
    """Follow one table for ten cycles."""
    (table,) = recorded_table(tasks, 40)
    plain = [task.task() for task in tasks]
    driven = takt.simulate(takt.System(policy="time-driven", options=[table], tasks=plain), 400)
    online = takt.simulate(takt.System(policy="edf", tasks=plain), 400)
    return len(table.slots), 400, differences(executed(driven), executed(online)), driven.missed


def _claim(pinwheels: pl.DataFrame, executives: pl.DataFrame) -> Claim:
    """Judge the windows."""
    fits = pinwheels.filter("accepted")
    windows, short = int(fits["windows"].sum()), int(fits["short"].sum())
    apart = int(fits["framework"].sum()) + int(executives["differ"].sum())
    least = float(pinwheels.filter(~pl.col("accepted"))["density"].min())  # type: ignore[arg-type]
    return Claim(
        "S3-13",
        "Sections 1 and 2.3 (citing [8, 9, 10, 12])",
        "Time-driven scheduling, such as pinwheel, gives every stream a predictable part of the processor.",
        f"{fits.height} of {pinwheels.height} pinwheel requests of density up to 1 have one base period that schedules "
        f"them; of their {windows:,} windows {short} have fewer ticks than asked for. {executives.height} tables made "
        f"by EDF run as EDF does; {apart} ticks differ in all.",
        verdict(short == apart == 0 and windows > 0),
        f"One base period, as here, is not always enough: the least density that was refused is {least:.2f}.",
        {"accepted": fits.height, "windows": windows, "short": short, "differ": apart, "least_refused": least},
    )
