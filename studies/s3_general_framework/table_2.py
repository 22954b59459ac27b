# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Table 2: RM, EDF, TD and SD as effective priorities, on the worked examples and on random sets (S3, 3 and 5.1)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
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
    golden_ticks,
    load,
    random_set,
    table_of,
    tasks_of,
)

SEED = 3
SETS = {True: 25, False: 300}
ENDLESS = 10_000
HEAVY = Fraction(17, 20)
"""The least load of the sets of RM and EDF."""
NAMES = ("A", "B", "C")


def run(is_quick: bool) -> Section:
    """Run every row."""
    worked = run_worked_examples()
    sets = run_sets(SETS[is_quick])
    attributes, keys = list_attributes(), compare_keys(SETS[is_quick])
    return Section(
        "Table 2: paradigms as effective priorities",
        "Each row is run by Takt's own policy, with budgets enforced as the framework does (on_overrun = suspend), and "
        f"compared tick by tick with golden schedules, and in {SETS[is_quick]} random sets per row with the framework "
        "of the tests. RM and EDF are also run directly, with nothing that cuts or enforces. Share-driven: the "
        "policy share, with chunks that come at random, and constant-bandwidth servers of budget e and period e / "
        "share that always have work.",
        [
            _four_attributes_claim(sets),
            _continued_claim(),
            _timers_claim(sets),
            _order_claim(sets),
            _mapping_claim(attributes),
            _key_claim(keys),
            table_claim(worked, sets),
        ],
        [
            Table("table_2", "Table 2 made again: the job of the second period or slot", attributes),
            Table("worked_examples", "Worked examples: ticks that differ from the golden schedule", worked),
            Table("rows", "Random sets: each row against the framework, and against the policy itself", _sums(sets)),
            Table("effective", "An effective priority alone, as a policy in Python", keys),
            Table("table_2_sets", "Each random set", sets),
        ],
    )


# ---- worked examples --------------------------------------------------------------------------------

TWO = (Drawn("A", 5, 2), Drawn("B", 7, 4, 1))
THREE = (Drawn("A", 4, 1), Drawn("B", 5, 2, 1), Drawn("C", 20, 4, 2))
SHARES = (("F1", 2, 2), ("F2", 1, 2), ("F3", 1, 1))
"""Name, weight and chunk; all have work for ever."""
SERVERS = (("F1", 2, 4), ("F2", 2, 8), ("F3", 1, 4))
"""Name, chunk, and chunk / share."""


def enforced(policy: str, tasks: Sequence[Drawn]) -> takt.System:
    """Return a system in which no task runs beyond its budget."""
    return takt.System(policy=policy, tasks=[task.task(on_overrun="suspend") for task in tasks])


def direct(policy: str, tasks: Sequence[Drawn]) -> takt.System:
    """Return a system in which no job is cut short."""
    return takt.System(policy=policy, tasks=[task.task() for task in tasks])


def time_table(demand_of_b: int) -> takt.System:
    """A 0-2, B 2-5, A 5-7, C 7-10, repeated."""
    tasks = [
        takt.Task(name="A", period=5, wcet=2),
        takt.Task(name="B", period=10, wcet=3, demand=demand_of_b, offset=2),
        takt.Task(name="C", period=10, wcet=3, offset=7),
    ]
    slots = [("A", 0, 2), ("B", 2, 5), ("A", 5, 7), ("C", 7, 10)]
    return takt.System(policy="time-driven", options=table_of(10, slots), tasks=tasks)


def by_weight(rows: Sequence[tuple[str, int, int, Sequence[int]]]) -> takt.System:
    """Return flows of a name, a weight, a chunk and arrivals, with shares by the policy share."""
    tasks = [
        takt.Task(name=name, weight=weight, wcet=chunk, deadline=ENDLESS, arrivals=list(arrivals))
        for name, weight, chunk, arrivals in rows
    ]
    return takt.System(policy="share", tasks=tasks)


def by_servers(rows: Sequence[tuple[str, int, int]]) -> takt.System:
    """Return flows with a constant-bandwidth server each; all have work for ever."""
    servers = [takt.Server(name=f"S{name}", kind="cbs", budget=q, period=t) for name, q, t in rows]
    tasks = [
        takt.Task(name=name, server=f"S{name}", arrivals=[0], wcet=ENDLESS, deadline=ENDLESS) for name, _, _ in rows
    ]
    return takt.System(policy="edf", servers=servers, tasks=tasks)


def run_worked_examples() -> pl.DataFrame:
    """Count the ticks that differ from the golden schedules."""
    cases: list[tuple[str, str, takt.System, int]] = [
        ("RM", "red_rm", enforced("rm", THREE), 20),
        ("RM", "red_rm_57", enforced("rm", TWO), 35),
        ("EDF", "red_edf", enforced("edf", THREE), 20),
        ("EDF", "red_edf_57", enforced("edf", TWO), 35),
        ("LLF", "red_llf", enforced("llf", THREE), 20),
        ("TD", "red_td", time_table(9), 20),
        ("SD", "red_sd", by_weight([(*flow, [0] * 12) for flow in SHARES]), 24),
        ("SD, servers", "red_sd", by_servers(SERVERS), 24),
    ]
    rows = [
        (row, name, ticks, differences(tasks_of(executed(takt.simulate(system, ticks))), golden_ticks(name, ticks)))
        for row, name, system, ticks in cases
    ]
    return pl.DataFrame(rows, schema=["row", "golden", "ticks", "differ"], orient="row")


# ---- random sets ------------------------------------------------------------------------------------

_SCHEMA = ["row", "set", "load", "late", "ends", "on_the_edge", "at_once", "framework", "direct"]
_TYPES = [pl.String, pl.Int64, pl.Float64, pl.Boolean, pl.Int64, pl.Int64, pl.Int64, pl.Int64, pl.Int64]


def run_sets(count: int) -> pl.DataFrame:
    """Run random sets of every row; count the ticks that differ from the framework and from the policy itself."""
    makers: dict[str, Callable[[random.Random], tuple[object, ...]]] = {
        "RM": lambda rng: _priority_driven("rm", random_set(rng, least=HEAVY)),
        "EDF": lambda rng: _priority_driven("edf", random_set(rng, least=HEAVY)),
        "TD": lambda rng: _time_driven(rng),
        "SD": lambda rng: _shares(rng),
        "SD, servers": lambda rng: _servers(rng),
    }
    rng = random.Random(SEED)
    rows = [(row, number, *make(rng)) for row, make in makers.items() for number in range(count)]
    return pl.DataFrame(rows, schema=dict(zip(_SCHEMA, _TYPES, strict=True)), orient="row")


def _priority_driven(policy: str, tasks: list[Drawn]) -> tuple[object, ...]:
    """Run a set under RM or EDF."""
    plain = takt.simulate(direct(policy, tasks), HORIZON)
    found = executed(takt.simulate(enforced(policy, tasks), HORIZON))
    outcome = reference.simulate(reference.mapped(policy, tasks), HORIZON)
    periods = {task.name: (task.period, task.wcet) for task in tasks}
    edge = sum(
        record.reason == "complete"
        and (record.instant - record.start == periods[record.task][0] or record.used == periods[record.task][1])
        for record in outcome.records
    )
    apart = [differences(found, other) for other in (reference.executed(outcome), executed(plain))]
    return float(load(tasks)), plain.missed > 0, _ends(outcome), edge, _crowds(outcome), *apart


def _ends(outcome: reference.Outcome) -> int:
    """Count the jobs that a budget or a finish timer ended."""
    return sum(record.reason != "complete" for record in outcome.records)


def _crowds(outcome: reference.Outcome) -> int:
    """Count the jobs that a timer ended at the very instant of another job's start."""
    starts = {record.start for record in outcome.records}
    return sum(record.reason != "complete" and record.instant in starts for record in outcome.records)


def _time_driven(rng: random.Random) -> tuple[object, ...]:
    """Run a random table, whose tasks ask for less or more than their slots have."""
    owners = [rng.randrange(3) for _ in range(rng.randint(0, 3))] + [0, 1, 2]
    rng.shuffle(owners)
    slots, now = [], 0
    for owner in owners:
        start = now + rng.randint(0, 2)
        now = start + rng.randint(1, 4)
        slots.append((NAMES[owner], start, now))
    cycle = now + rng.randint(0, 2)
    wcets = {name: sum(end - start for owner, start, end in slots if owner == name) for name in NAMES}
    tasks = [
        Drawn(name, cycle, wcets[name], offset=rng.choice((0, 0, 1, 3)), demands=_around(rng, wcets[name]))
        for name in NAMES
    ]
    return _run_table(tasks, cycle, slots)


def _around(rng: random.Random, wcet: int) -> tuple[int, ...]:
    """Draw demands, some of which are overruns."""
    return tuple(rng.randint(1, wcet + 3) for _ in range(rng.randint(1, 3)))


def _run_table(tasks: list[Drawn], cycle: int, slots: list[tuple[str, int, int]]) -> tuple[object, ...]:
    """Run a table in Takt and in the framework."""
    system = takt.System(policy="time-driven", options=table_of(cycle, slots), tasks=[task.task() for task in tasks])
    result = takt.simulate(system, HORIZON)
    own = {name: tuple((start, end) for owner, start, end in slots if owner == name) for name in NAMES}
    works = [reference.Task(task.name, reference.TimeTable(own[task.name], cycle), task.work()) for task in tasks]
    outcome = reference.simulate(reference.System(tuple(works), reference.EFFECTIVE["time-driven"]), HORIZON)
    apart = differences(executed(result), reference.executed(outcome))
    return float(load(tasks)), result.missed > 0, _ends(outcome), 0, _crowds(outcome), apart, None


def _shares(rng: random.Random) -> tuple[object, ...]:
    """Run two to four flows with chunks that come at random."""
    flows = [
        (f"F{i}", rng.randint(1, 6), rng.randint(1, 5), sorted(rng.sample(range(HORIZON), rng.randint(1, 16))))
        for i in range(rng.randint(2, 4))
    ]
    whole = sum(weight for _, weight, _, _ in flows)
    works = [
        reference.Task(
            name,
            reference.TotalBandwidth(Fraction(weight, whole)),
            tuple((instant, chunk) for instant in arrivals),
        )
        for name, weight, chunk, arrivals in flows
    ]
    load_of_all = sum(chunk * len(arrivals) for _, _, chunk, arrivals in flows) / HORIZON
    return load_of_all, *_compare_shares(by_weight(flows), works)


def _servers(rng: random.Random) -> tuple[object, ...]:
    """Run two to four flows that always have work in servers, with shares of at most the processor."""
    parts = [rng.randint(1, 6) for _ in range(rng.randint(2, 4))]
    whole = sum(parts) + rng.choice((0, 1))
    works = [
        reference.Task(f"F{i}", reference.Chunks(Fraction(part, whole), part), ((0, ENDLESS),))
        for i, part in enumerate(parts)
    ]
    system = by_servers([(f"F{i}", part, whole) for i, part in enumerate(parts)])
    return sum(parts) / whole, *_compare_shares(system, works)


def _compare_shares(system: takt.System, works: list[reference.Task]) -> tuple[object, ...]:
    """Run flows in Takt and in the framework."""
    found = executed(takt.simulate(system, HORIZON))
    outcome = reference.simulate(reference.System(tuple(works), reference.EFFECTIVE["shares"]), HORIZON)
    return False, _ends(outcome), 0, _crowds(outcome), differences(found, reference.executed(outcome)), None


def _sums(sets: pl.DataFrame) -> pl.DataFrame:
    """Add up each row of the table."""
    return sets.group_by("row", maintain_order=True).agg(
        pl.len().alias("sets"),
        (pl.col("framework") == 0).sum().alias("equal_to_framework"),
        pl.col("late").sum().alias("with_a_late_job"),
        ((pl.col("direct") == 0) & ~pl.col("late")).sum().alias("direct_if_none_is_late"),
        ((pl.col("direct") == 0) & pl.col("late")).sum().alias("direct_if_some_are_late"),
        pl.col("ends").sum().alias("jobs_ended_by_a_timer"),
    )


# ---- attributes and keys ----------------------------------------------------------------------------


def list_attributes() -> pl.DataFrame:
    """Return the four attributes of one job from the allocators: that of the second period, slot or chunk."""
    table = reference.TimeTable(((0, 2), (5, 7)), 10)
    rows: list[tuple[str, reference.Job, str]] = [
        ("RM, period 5, e = 2", reference.rm(5, 2).jobs_of(1)[0], "rm"),
        ("EDF, period 5, e = 2", reference.edf(5, 2).jobs_of(1)[0], "edf"),
        ("TD, slots 0-2 and 5-7 of 10", table.jobs_of(1)[0], "time-driven"),
        ("SD, share 1/2, e = 2", reference.second_chunk(Fraction(1, 2), 2), "shares"),
    ]
    values = [
        (name, job.priority or None, job.start, job.finish, job.budget.left, reference.EFFECTIVE[mapping][0])
        for name, job, mapping in rows
    ]
    return pl.DataFrame(values, schema=["row", "priority", "start", "finish", "budget", "effective"], orient="row")


class ByPeriod(takt.Policy):
    """The attribute priority is the effective one; it is the period."""

    def release(self, job: takt.Job) -> int:
        """Return the priority."""
        return job.period or 1


class ByFinish(takt.Policy):
    """The attribute finish_time is the effective priority."""

    def release(self, job: takt.Job) -> int:
        """Return the finish time."""
        return job.deadline


class ByStartThenPriority(takt.Policy):
    """The paper's pair: the start time first, the priority second."""

    def release(self, job: takt.Job) -> int:
        """Return a key that combines two numbers."""
        return 1 + job.release * 1000 + (job.period or 0)


def compare_keys(count: int) -> pl.DataFrame:
    """Run an effective priority alone as a policy in Python: against rm, edf, and the framework."""
    rng = random.Random(SEED + 1)
    sets = [random_set(rng, Fraction(5, 4)) for _ in range(count)]
    pair = ("start", "priority")
    cases: dict[str, tuple[takt.Policy, Callable[[list[Drawn]], Ticks]]] = {
        "priority, against rm": (ByPeriod(), lambda tasks: executed(takt.simulate(direct("rm", tasks), HORIZON))),
        "finish, against edf": (ByFinish(), lambda tasks: executed(takt.simulate(direct("edf", tasks), HORIZON))),
        "start, then priority, against the framework": (
            ByStartThenPriority(),
            lambda tasks: reference.run(reference.keyed(reference.mapped("rm", tasks, on_finish="keep"), pair)),
        ),
    }
    rows = []
    for name, (policy, expected) in cases.items():
        systems = [takt.System(policy=policy, tasks=[task.task() for task in tasks]) for tasks in sets]
        found = [executed(takt.simulate(system, HORIZON)) for system in systems]
        equal = sum(ran == expected(tasks) for ran, tasks in zip(found, sets, strict=True))
        rows.append((name, count, equal))
    return pl.DataFrame(rows, schema=["effective_priority", "sets", "equal"], orient="row")


# ---- claims -----------------------------------------------------------------------------------------


def _four_attributes_claim(sets: pl.DataFrame) -> Claim:
    """Judge that four attributes are enough for the rows of the table."""
    equal = sets.filter(framework=0).height
    return Claim(
        "S3-01",
        "Section 3.1",
        "A job has four attributes: priority, start_time, finish_time and budget.",
        f"Takt's keys, windows and budgets run as the framework's jobs in {equal:,} of {sets.height:,} random sets of "
        "Table 2, SD in two ways.",
        verdict(equal == sets.height),
        "For these rows they are enough; S3-24 lists what other algorithms need besides.",
        {"sets": sets.height, "differ": sets.height - equal},
    )


def _continued_claim() -> Claim:
    """Judge that unfinished work continues in the next job."""
    cut = executed(takt.simulate(enforced("rm", TWO), 35))
    plain = executed(takt.simulate(direct("rm", TWO), 35))
    wrong = differences(tasks_of(cut), golden_ticks("red_rm_57", 35))
    ends = [1 + max(tick for tick, owner in enumerate(ran) if owner == "B#1") for ran in (cut, plain)]
    return Claim(
        "S3-02",
        "Section 3.1",
        "Unfinished work in one job will be continued by the next job from the same task, unless it aborts.",
        f"RM of A (5, 2), B (7, 4): the job of B is removed at 7 with one tick left, which its next job does, "
        f"whose own work ends at {ends[0]}, directly at {ends[1]}. {wrong} ticks differ from the golden schedule.",
        verdict(wrong == 0 and ends == [15, 14]),
        "The tick comes out of the budget of the next job, so that a task that was late once stays behind.",
        {"differ": wrong, "end_cut": ends[0], "end_direct": ends[1]},
    )


def _timers_claim(sets: pl.DataFrame) -> Claim:
    """Judge start, finish and budget timers."""
    ends, crowds = int(sets["ends"].sum()), int(sets["at_once"].sum())
    wrong = int(sets["framework"].sum())
    return Claim(
        "S3-04",
        "Section 4.1",
        "Three timers for each job: start, finish, and a budget timer that is set at each dispatch to now + what is "
        "left.",
        f"{ends:,} jobs of the random sets were ended by a finish or budget timer, {crowds:,} of them at the very "
        f"instant at which another job starts; {wrong} ticks differ from the framework.",
        verdict(wrong == 0 and ends > 0 < crowds),
        "Takt keeps no timer per job: the next instant that matters is worked out at each decision.",
        {"ended_by_timer": ends, "at_once": crowds, "differ": wrong},
    )


def _order_claim(sets: pl.DataFrame) -> Claim:
    """Judge the steps of the dispatcher."""
    edge, wrong = int(sets["on_the_edge"].sum()), int(sets["framework"].sum())
    return Claim(
        "S3-05",
        "Section 4.1 (steps 1 to 3)",
        "Test the next event; if there are more, repeat; then select the active job of the highest effective priority.",
        f"{edge:,} jobs of the random sets complete at the very instant of their finish or with the last tick of their "
        f"budget. In the fixed order, completions first, they are complete; {wrong} ticks differ.",
        verdict(wrong == 0 and edge > 0, correction=True),
        "The paper leaves the order of events of one instant open: with the timer first those jobs would be removed "
        "as unfinished. Order here: completions, budgets, finishes, new jobs, starts, selection.",
        {"on_the_edge": edge},
    )


EXPECTED_ATTRIBUTES = [(5, 5, 10, 2), (None, 5, 10, 2), (None, 5, 7, 2), (None, 2, 8, 2)]


def _mapping_claim(attributes: pl.DataFrame) -> Claim:
    """Judge that the QoS of a task is mapped to attributes as the table says."""
    found = attributes.select("priority", "start", "finish", "budget").rows()
    effective = attributes["effective"].to_list()
    return Claim(
        "S3-06",
        "Sections 3.2 and 4.2",
        "The allocator, at which tasks register, maps their QoS parameters to the four attributes.",
        f"Attributes of one job of each row: {', '.join(map(str, found))}; effective {', '.join(effective)}.",
        verdict(found == EXPECTED_ATTRIBUTES and effective == ["priority", "finish", "start", "finish"]),
        "In the framework of the tests. In Takt the task-set file is the registration, and the policy the mapping; "
        "tests/c/test_calls.c checks the attributes of its windows.",
        {"rows": len(found)},
    )


def _key_claim(keys: pl.DataFrame) -> Claim:
    """Judge that attributes make policies."""
    return Claim(
        "S3-07",
        "Section 3.2",
        "One attribute, or two such as start_time and then priority, as the effective priority make the dispatcher "
        "follow a discipline; the smaller value goes first.",
        "; ".join(f"{name}: equal in {equal} of {count}" for name, count, equal in keys.iter_rows()) + ".",
        verdict(keys["sets"].equals(keys["equal"])),
        "Each is a policy in Python of one line, which gives the value of the attribute as the key.",
        {"cases": keys.height, "unequal": int((keys["sets"] - keys["equal"]).sum())},
    )


def table_claim(worked: pl.DataFrame, sets: pl.DataFrame) -> Claim:
    """Judge the table as a whole."""
    sums = {row["row"]: row for row in _sums(sets).iter_rows(named=True)}
    rm, edf = sums["RM"], sums["EDF"]
    in_time = {name: row["sets"] - row["with_a_late_job"] for name, row in (("RM", rm), ("EDF", edf))}
    is_equal = int(sets["framework"].sum()) == int(worked["differ"].sum()) == 0
    is_direct = all(sums[name]["direct_if_none_is_late"] == count for name, count in in_time.items())
    return Claim(
        "S3-08",
        "Section 5.1, Table 2",
        "RM, EDF, TD and SD are the effective priorities priority, finish, start and finish.",
        f"All {worked.height} worked examples and {sets.height:,} random sets run as in the framework. Equal to RM "
        f"itself in {rm['direct_if_none_is_late']} of {in_time['RM']} sets in which nothing is late, to EDF itself in "
        f"{edf['direct_if_none_is_late']} of {in_time['EDF']}; with late jobs to RM in "
        f"{rm['direct_if_some_are_late']} of {rm['with_a_late_job']}.",
        verdict(is_equal and is_direct and edf["with_a_late_job"] == 0, correction=True),
        "With a budget of e and a timer at the end of the period a row is its policy only while nothing is late; then "
        "work moves to the next job and waits behind its start and budget.",
        {
            "worked": worked.height,
            "worked_differ": int(worked["differ"].sum()),
            "differ": int(sets["framework"].sum()),
            "late_rm": rm["with_a_late_job"],
            "late_edf": edf["with_a_late_job"],
        },
    )
