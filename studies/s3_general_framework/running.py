# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes while a system runs: another paradigm, a new task, work that is not real-time (S3, 1, 2.4 and 4.1)."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s3_general_framework import reference
from studies.s3_general_framework.systems import (
    HORIZON,
    Drawn,
    Ticks,
    differences,
    executed,
    harmonized_set,
    missed,
    random_set,
    table_of,
    tasks_of,
)
from studies.s3_general_framework.table_2 import SHARES, by_weight

SEED = 17
SETS = {True: 20, False: 200}
ENDLESS = 10_000
CHUNKS = 200
NEWCOMER = "N"
ENTERS = 40


def run(is_quick: bool) -> Section:
    """Switch, add, and fill idle time."""
    switches, background = run_switches(SETS[is_quick]), run_background(SETS[is_quick])
    entries, shares = run_entries(SETS[is_quick]), run_new_flow()
    return Section(
        "While the system runs",
        f"{SETS[is_quick]} random sets each: RM goes over to EDF and back at random instants; a task enters at "
        f"{ENTERS}; work that is not real-time has the rest of the processor. A fourth flow enters beside the shares "
        "1/2, 1/4, 1/4.",
        [_switch_claim(switches), _entry_claim(entries, shares), _background_claim(background)],
        [
            Table("switches", "RM to EDF and back: ticks that differ from the framework", switches),
            Table(
                "new_task", "A new task under RM: ticks of more urgent tasks that change, misses of the others", entries
            ),
            Table("new_flow", "Shares before and after a flow enters, in ticks of the same time", shares),
            Table("not_real_time", "Work that is not real-time", background),
        ],
    )


# ---- another paradigm -------------------------------------------------------------------------------


def run_switches(count: int) -> pl.DataFrame:
    """Return the runs that change from RM to EDF and back."""
    rng = random.Random(SEED)
    rows = [(number, *_one_switch(rng)) for number in range(count)]
    return pl.DataFrame(rows, schema=["set", "to_edf", "to_rm", "differ"], orient="row")


def _one_switch(rng: random.Random) -> tuple[int, int, int]:
    """Run one set in Takt and in the framework."""
    tasks = random_set(rng, Fraction(6, 5), Fraction(7, 10))
    first, second = sorted(rng.sample(range(1, HORIZON), 2))
    changes = [takt.Change(at=first, policy="edf"), takt.Change(at=second, policy="rm")]
    system = takt.System(policy="rm", tasks=[task.task() for task in tasks], changes=changes)
    mapped = reference.mapped("rm", tasks, on_finish="keep")
    both = replace(mapped, changes=((first, reference.EFFECTIVE["edf"]), (second, reference.EFFECTIVE["rm"])))
    return first, second, differences(executed(takt.simulate(system, HORIZON)), reference.run(both))


# ---- a new task -------------------------------------------------------------------------------------


def run_entries(count: int) -> pl.DataFrame:
    """Return the runs in which a task enters under RM, for those that are more urgent, and for all others."""
    rng = random.Random(SEED + 1)
    rows = [(number, *_one_entry(rng)) for number in range(count)]
    return pl.DataFrame(rows, schema=["set", "more_urgent_change", "misses_before", "misses_after"], orient="row")


def _one_entry(rng: random.Random) -> tuple[int, int, int]:
    """Run one set with and without a newcomer of a middle period."""
    tasks = harmonized_set(rng, Fraction(1, 2), Fraction(3, 4))
    newcomer = Drawn(NEWCOMER, 9, rng.randint(2, 4))
    described = [task.task() for task in tasks]
    alone = takt.simulate(takt.System(policy="rm", tasks=described), 4 * HORIZON)
    changes = [takt.Change(at=ENTERS, add=[NEWCOMER])]
    grown = [*described, newcomer.task(initially="absent")]
    both = takt.simulate(takt.System(policy="rm", tasks=grown, changes=changes), 4 * HORIZON)
    urgent = {task.name for task in tasks if task.period < newcomer.period}
    kept = [_only(urgent, executed(result)) for result in (alone, both)]
    names = [task.name for task in tasks]
    return differences(*kept), missed(alone, names), missed(both, names)


def _only(names: set[str], ticks: Ticks) -> Ticks:
    """Forget all but some tasks."""
    return [job if job.partition("#")[0] in names else "" for job in ticks]


def run_new_flow() -> pl.DataFrame:
    """Count the ticks of each flow with three and with four flows."""
    flows = [(name, weight, chunk, [0] * CHUNKS) for name, weight, chunk in SHARES]
    grown = [*flows, ("F4", 1, 1, [0] * CHUNKS)]
    counts = [tasks_of(executed(takt.simulate(by_weight(of), CHUNKS))) for of in (flows, grown)]
    rows = [(name, counts[0].count(name), counts[1].count(name)) for name, *_ in grown]
    return pl.DataFrame(rows, schema=["flow", "before", "after"], orient="row")


def table_refuses_a_task_without_slots() -> bool:
    """True if a table must be made again for a new task."""
    tasks = [Drawn("A", 5, 2), Drawn(NEWCOMER, 5, 1)]
    slots = [("A", 0, 2)]
    try:
        takt.System(policy="time-driven", options=table_of(5, slots), tasks=[task.task() for task in tasks])
    except takt.InputError:
        return True
    return False


# ---- not real-time ----------------------------------------------------------------------------------


def run_background(count: int) -> pl.DataFrame:
    """Fill idle time, and time that is kept free."""
    rng = random.Random(SEED + 2)
    rows = [(number, *_one_background(random_set(rng, Fraction(4, 5)))) for number in range(count)]
    schema = ["set", "idle", "background", "real_time_changes", "framework", "reserved", "least_in_reserve"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _one_background(tasks: list[Drawn]) -> tuple[int, ...]:
    """Run one set alone, with background work, and with a slot for it."""
    described = [task.task() for task in tasks]
    work = takt.Task(name=NEWCOMER, arrivals=[0], wcet=ENDLESS, deadline=ENDLESS, class_="none", priority=0)
    alone = executed(takt.simulate(takt.System(tasks=described), HORIZON))
    filled = executed(takt.simulate(takt.System(tasks=[*described, work]), HORIZON))
    expected = reference.mapped("fp", tasks, on_finish="keep")
    both = replace(expected, tasks=(*expected.tasks, reference.Task(NEWCOMER, None, ((0, ENDLESS),))))
    changed = differences(alone, [job if tasks_of([job]) != [NEWCOMER] else "" for job in filled])
    apart = differences(filled, reference.run(both))
    return alone.count(""), tasks_of(filled).count(NEWCOMER), changed, apart, *_reserved(described, work)


def _reserved(described: list[takt.Task], work: takt.Task) -> tuple[int, int]:
    """Keep a tenth of the processor free for background work; return its ticks, and the least of a period."""
    kept = takt.Server(name="K", kind="deferrable", period=10, budget=1, priority=1000)
    system = takt.System(tasks=[*described, work.replace(server="K")], servers=[kept])
    ran = tasks_of(executed(takt.simulate(system, HORIZON)))
    own = [ran[start : start + 10].count(NEWCOMER) for start in range(0, HORIZON, 10)]
    return sum(own), min(own)


# ---- claims -----------------------------------------------------------------------------------------


def _switch_claim(switches: pl.DataFrame) -> Claim:
    """Judge the switch between paradigms."""
    wrong = int(switches["differ"].sum())
    return Claim(
        "S3-17",
        "Sections 1 and 3.2",
        "The scheduler may switch between paradigms at run time, as mode changes need it.",
        f"From RM to EDF and back at random instants: {switches.filter(differ=0).height} of {switches.height} sets "
        f"run as in the framework, whose effective priority is exchanged; {wrong} ticks differ.",
        verdict(wrong == 0),
        "Nothing that is ready is lost or starts anew. That a switch is safe for deadlines is another matter, and not "
        "claimed.",
        {"sets": switches.height, "differ": wrong},
    )


def _entry_claim(entries: pl.DataFrame, shares: pl.DataFrame) -> Claim:
    """Judge what a new task asks for in each paradigm."""
    changed = int(entries["more_urgent_change"].sum())
    before, after = int(entries["misses_before"].sum()), int(entries["misses_after"].sum())
    hurt = entries.filter(pl.col("misses_after") > pl.col("misses_before")).height
    three, four = shares["before"].to_list(), shares["after"].to_list()
    shrinks = (three, four) == ([100, 50, 50, 0], [80, 40, 40, 40])
    is_refused = table_refuses_a_task_without_slots()
    return Claim(
        "S3-19",
        "Section 2.4, Table 1",
        "New task: PD adds a priority level, SD adjusts all shares, TD needs a new schedule; PD is the easiest.",
        f"RM: {changed} ticks of more urgent tasks change, but the old tasks miss {after:,} deadlines instead of "
        f"{before}, in {hurt} of {entries.height} sets. SD: {three[:3]} ticks become {four}. TD: a task without slots "
        f"is {'refused' if is_refused else 'accepted'}.",
        verdict(changed == 0 and hurt > 0 and shrinks and is_refused, correction=True),
        "A level is easily added, but not safely: PD needs a new admission test, which for TD and SD is the change "
        "itself. Shares of a reservation (CBS, TBS) need not change before they add up to the processor.",
        {"changed": changed, "misses_before": before, "misses_after": after, "hurt": hurt},
    )


def _background_claim(background: pl.DataFrame) -> Claim:
    """Judge work that is not real-time."""
    idle, filled = int(background["idle"].sum()), int(background["background"].sum())
    changed, apart = int(background["real_time_changes"].sum()), int(background["framework"].sum())
    least = int(background["least_in_reserve"].min())  # type: ignore[arg-type]
    return Claim(
        "S3-22",
        "Section 4.1",
        "Non-real-time tasks run if no real-time job is ready, or in time reserved for them.",
        f"In {background.height} sets it gets {filled:,} of {idle:,} idle ticks, and changes {changed} of the "
        f"real-time ones; {apart} differ from the framework. With 1 tick of 10 reserved it has at least {least} in "
        "every period.",
        verdict(filled == idle and changed == apart == 0 and least == 1),
        "Lowest priority, or a server with the highest.",
        {"idle": idle, "background": filled, "changed": changed, "differ": apart, "least_in_reserve": least},
    )
