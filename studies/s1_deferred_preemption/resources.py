# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A subjob as a critical section: no lock is needed if every section lies within a subjob (S1, 1 and 2).

The check reads the bodies; that it is right is seen in runs, where a resource without any protocol makes no job wait.
It leaves out suspensions, which a body may not have within a section.
"""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict

SEED = 24
SETS = {True: 40, False: 500}
HORIZON = 2_000


def run(is_quick: bool) -> Section:
    """Run random sets that lock."""
    sets = run_sets(SETS[is_quick])
    return Section(
        "A subjob as a critical section",
        "Sets of three tasks that share two resources under no protocol, with points drawn at random, some of them "
        "within sections. The check says from the bodies alone whether every section lies within a subjob of a "
        "non-preemptive task; the run says whether a job ever waited for a lock.",
        [_claim(sets)],
        [Table("sections", "Random sets: what the check says, and how often a job waited", sets)],
    )


def needs_no_lock(system: takt.System) -> bool:
    """True if every section lies within a subjob: no point within, and no preemptive task has one."""
    return all(_is_safe(task) for task in system.tasks)


def _is_safe(task: takt.Task) -> bool:
    """True if the sections of a task lie within its subjobs."""
    items = [item.split()[0] for item in task.body or ()]
    inside = [items[:number].count("lock") > items[:number].count("unlock") for number in range(len(items))]
    has_point_inside = any(is_inside and item == "point" for item, is_inside in zip(items, inside, strict=True))
    return "lock" not in items or (task.is_non_preemptive and not has_point_inside)


def run_sets(count: int) -> pl.DataFrame:
    """Check and run random sets."""
    rng = random.Random(SEED)
    rows = []
    for number in range(count):
        system = _random_system(rng)
        locks = takt.simulate(system, HORIZON).locks
        rows.append((number, needs_no_lock(system), locks.filter(what="lock").height, locks.filter(what="wait").height))
    return pl.DataFrame(rows, schema=["set", "sections_in_subjobs", "locks", "waits"], orient="row")


def _random_system(rng: random.Random) -> takt.System:
    """Draw tasks with sections; in half of the sets points stand between sections only."""
    is_tidy = rng.random() < 0.5
    tasks = [
        takt.Task(
            name=f"T{number}",
            period=period,
            offset=rng.randrange(period),
            body=_random_body(rng, is_tidy),
            preemption="non-preemptive" if is_tidy or rng.random() < 0.7 else "preemptive",
            priority=3 - number,
        )
        for number, period in enumerate((rng.randint(12, 20), rng.randint(25, 40), rng.randint(50, 80)))
    ]
    resources = [takt.Resource(name=name, protocol="none") for name in ("A", "B")]
    return takt.System(tasks=tasks, resources=resources)


def _random_body(rng: random.Random, is_tidy: bool) -> list[str]:
    """Draw two sections with runs around them."""
    body = [f"run {rng.randint(1, 2)}", "point"]
    for name in rng.sample(("A", "B"), 2):
        inside = [] if is_tidy or rng.random() < 0.5 else ["point", f"run {rng.randint(1, 3)}"]
        body += [f"lock {name}", f"run {rng.randint(1, 3)}", *inside, f"unlock {name}", "point"]
    return [*body, "run 1"]


def _claim(sets: pl.DataFrame) -> Claim:
    """Judge that sections within subjobs need no lock."""
    safe, unsafe = sets.filter("sections_in_subjobs"), sets.filter(~pl.col("sections_in_subjobs"))
    waits, blocked = int(safe["waits"].sum()), unsafe.filter(pl.col("waits") > 0).height
    return Claim(
        "S1-24",
        "Sections 1 and 2",
        "A subjob serves as a critical section: no resource-access protocol is needed.",
        f"{safe.height} sets with every section within a subjob: {waits} waits in {safe['locks'].sum():,} locks. "
        f"{unsafe.height} sets without: {blocked} of them have jobs that wait.",
        verdict(waits == 0 < safe.height and blocked > 0),
        "On one processor, for tasks of one dispatcher, when all users are non-preemptive there.",
        {"safe_sets": safe.height, "waits": waits, "unsafe_sets": unsafe.height, "unsafe_with_waits": blocked},
    )
