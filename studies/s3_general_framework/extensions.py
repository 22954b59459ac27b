# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Extensions of the four attributes for algorithms that the paper and its peers name (S3, 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from studies.common import Claim, Section, Table, verdict
from studies.s3_general_framework import reference
from studies.s3_general_framework.shares import ELEVEN, alternating, in_framework
from studies.s3_general_framework.systems import Drawn, Ticks, differences, golden_ticks, tasks_of
from studies.s3_general_framework.table_2 import TWO
from studies.s3_general_framework.two_bands import endless_in_framework, endless_in_takt

HSF_TASKS = (("T1", 0, 20, 4, 2), ("T2", 0, 15, 6, 1), ("T3", 1, 60, 10, 1))
"""Name, server, period, demand, rank: Table II of the paper on hierarchical scheduling, in Test 2."""
HSF_SERVERS = ((20, 10), (40, 15))
FPDS = ((5, (2,)), (12, (3, 4)))
"""Period and subjobs."""


@dataclass(frozen=True)
class Need:
    """An algorithm and what it needs.

    Args:
        algorithm: its name.
        needs: the extension.
        expected: the job that runs in each tick.
        run: runs the framework, with the extension or without.
    """

    algorithm: str
    needs: str
    expected: Callable[[], Ticks]
    run: Callable[[bool], Ticks]


def run() -> Section:
    """Run each algorithm with and without what it needs."""
    table = run_needs()
    return Section(
        "What the framework needs besides",
        "The specification of the algorithms names six small extensions: E1 budgets that jobs share or are held by, E2 "
        "attributes that change later, E3 a finish that only orders, E4 feedback, E5 jobs that are not preempted, E6 "
        "effective priorities that read what is left. Run in the framework of the tests, with and without.",
        [_claim(table)],
        [Table("extensions", "Ticks that differ from the schedule of the algorithm", table)],
    )


def run_needs() -> pl.DataFrame:
    """Count the ticks that differ."""
    needs = [
        Need("dual priority, jobs that never end", "E1", endless_in_takt, endless_in_framework),
        Need("WF2Q", "E2, E3, E5", alternating, _line),
        Need("FPDS, subjobs 3 and 4", "E5", lambda: golden_ticks("fpds_example_FPDS_off0_0", 60), _deferred),
        Need("LLF", "E6", lambda: golden_ticks("basic_llf_57", 35), _laxity),
        Need("deferrable servers, two levels", "E1, E3", _servers_golden, _servers),
    ]
    rows = [
        (need.algorithm, need.needs, *(differences(need.run(extended), need.expected()) for extended in (True, False)))
        for need in needs
    ]
    return pl.DataFrame(rows, schema=["algorithm", "needs", "with", "without"], orient="row")


def _line(is_extended: bool) -> Ticks:
    """Run the eleven flows under WF2Q, or under WFQ, whose starts stay."""
    return tasks_of(reference.run(in_framework("wf2q" if is_extended else "wfq", ELEVEN), 21))


def _deferred(is_extended: bool) -> Ticks:
    """Run T1 (5, 2) and T2 (12, 3 + 4) with non-preemptive subjobs, or as two plain tasks."""
    works = []
    for rank, (period, subjobs) in enumerate(FPDS):
        task = Drawn(f"T{rank + 1}", period, sum(subjobs), rank)
        plain = reference.mapped("fp", [task]).tasks[0].allocator
        own = reference.Subjobs(rank, period, subjobs) if is_extended else plain
        works.append(reference.Task(task.name, own, task.work()))
    return tasks_of(reference.run(reference.System(tuple(works), reference.EFFECTIVE["subjobs"]), 60))


def _laxity(is_extended: bool) -> Ticks:
    """Run A (5, 2), B (7, 4) by laxity, or by their finish times, which is as near as one attribute comes."""
    system = reference.mapped("edf", TWO)
    effective = reference.EFFECTIVE["llf" if is_extended else "edf"]
    return tasks_of(reference.run(reference.keyed(system, effective), 35))


def _servers_golden() -> Ticks:
    """Read Test 2 of the paper on hierarchical scheduling."""
    return ["" if job == "idle" else job for job in golden_ticks("hsf_test2_deferrable", 120)]


def _servers(is_extended: bool) -> Ticks:
    """Run tasks in deferrable servers, or with the pair of priorities alone."""
    budgets = [reference.Budget(0 if is_extended else None) for _ in HSF_SERVERS]
    refills = [
        reference.Task(f"S{i}", reference.ServerRefill(budgets[i], period, capacity))
        for i, (period, capacity) in enumerate(HSF_SERVERS)
    ]
    inside = [
        reference.Task(
            name,
            reference.InServer(server, rank, period, budgets[server]),
            tuple((instant, demand) for instant in range(0, 120, period)),
        )
        for name, server, period, demand, rank in HSF_TASKS
    ]
    tasks = (*refills, *inside) if is_extended else tuple(inside)
    return tasks_of(reference.run(reference.System(tasks, reference.EFFECTIVE["hierarchical"]), 120))


def _claim(table: pl.DataFrame) -> Claim:
    """Judge that the framework expresses many algorithms."""
    wrong, missing = int(table["with"].sum()), table["without"].to_list()
    return Claim(
        "S3-24",
        "Sections 1, 3.1 and 5",
        "A minimum set of four attributes implements many well-known and advanced algorithms easily.",
        f"{wrong} ticks differ in {table.height} algorithms with the extensions; without them "
        f"{', '.join(map(str, missing))}.",
        verdict(wrong == 0 and all(missing), correction=True),
        "RM, DM, FP, EDF, TD, SD, imprecise computation and pinwheel need nothing more; these do. The paper says so "
        "itself of dual priority only. Deferred preemption and servers are not the paper's examples.",
        {"with": wrong, "without": sum(missing)},
    )
