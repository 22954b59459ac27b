# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Resources that rate-based tasks share (S0, 6, future work), under the stack resource policy.

Source: Baker 1991, with levels that follow from rates. What a section can make others wait for, b, is taken from the
processor that rates may use, so that an admitted hard task meets its deadlines.
"""

from __future__ import annotations

import random
from itertools import pairwise

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict

SEED = 39
SETS = {True: 40, False: 400}
HORIZON = 2000


def run(is_quick: bool) -> Section:
    """Run random sets that share a buffer."""
    sets = run_sets(SETS[is_quick])
    return Section(
        "Shared resources",
        "Random hard and soft tasks that share a buffer under srp, whose wcets are 8 to 50 percent of their periods. A "
        "hard task is admitted if its rate fits beside the others and b, the time that it may wait for a section.",
        [_claim(sets)],
        [Table("shared", "Random sets that share a buffer: admitted tasks, late hard jobs, and waits", sets)],
    )


def run_sets(count: int) -> pl.DataFrame:
    """Run random sets."""
    rng = random.Random(SEED)
    rows = [(number, *_run(_draw(rng))) for number in range(count)]
    names = ["set", "hard", "rejected", "missed_by_hard", "overlapping_sections"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _draw(rng: random.Random) -> takt.System:
    """Draw two to five tasks; about two thirds of them lock the buffer."""
    tasks = [_task(rng, number) for number in range(rng.randint(2, 5))]
    tasks[0] = tasks[0].replace(class_="hard")
    return takt.System(policy="rate-based", tasks=tasks, resources=[takt.Resource(name="buffer", protocol="srp")])


def _task(rng: random.Random, number: int) -> takt.Task:
    """Draw a task."""
    period = rng.choice((20, 30, 40, 50, 80, 100))
    wcet = max(3, round(period * rng.uniform(0.08, 0.5)))
    section = rng.randint(1, max(1, wcet // 3))
    body = [f"run {wcet - section - 1}", "lock buffer", f"run {section}", "unlock buffer", "run 1"]
    more = {"body": body} if rng.random() < 2 / 3 else {"wcet": wcet}
    return takt.Task(name=f"T{number}", class_=rng.choice(("hard", "soft")), period=period, offset=number, **more)


def _run(system: takt.System) -> tuple[int, int, int, int]:
    """Count hard tasks, those rejected, late jobs of those admitted, and sections in which another task locks."""
    hard = [task.name for task in system.tasks if task.class_ == "hard"]
    result = takt.simulate(system, HORIZON)
    summary = result.summary.filter(pl.col("task").is_in(hard))
    rejected = summary.filter(released=0).height
    return len(hard), rejected, int(summary["missed"].sum()), _overlapping(result)


def _overlapping(result: takt.Result) -> int:
    """Count the locks of the buffer by a job while another one holds it."""
    steps = result.locks.filter(pl.col("what").is_in(["lock", "unlock"]))["what"].to_list()
    return sum(first == second == "lock" for first, second in pairwise(steps))


def _claim(sets: pl.DataFrame) -> Claim:
    """Judge that admitted tasks meet their deadlines."""
    admitted = int((sets["hard"] - sets["rejected"]).sum())
    rejected = int(sets["rejected"].sum())
    missed, broken = int(sets["missed_by_hard"].sum()), int(sets["overlapping_sections"].sum())
    return Claim(
        "S0-39",
        "Section 6 (future work)",
        "Tasks share resources by priority inheritance or ceilings in the rate-based model.",
        f"{admitted} hard tasks admitted in {sets.height} sets miss {missed} deadlines; {rejected} are "
        f"rejected. {broken} times a task locks what another one holds.",
        verdict(missed == broken == 0 and 0 < rejected < admitted, correction=True),
        "Ceilings under the stack resource policy. Inheritance is refused under a rate-based root: nothing bounds by "
        "whose rate an inherited section is paid.",
        {"admitted": admitted, "missed": missed},
    )
