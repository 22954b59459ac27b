# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Two levels: ties at both, a server that is the whole processor, instants beyond 32 bits, resources in a server."""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Section, Table, golden, merged, verdict
from studies.s4_hierarchical_scheduling.systems import HORIZON, PAPER_KINDS, paper_system, run_paper

SEED = 10
SETS = {True: 40, False: 400}
WRAP = 2**32 - HORIZON // 2

Shifted = list[tuple[int, int, str, str]]


def run(is_quick: bool) -> Section:
    """Run the cases."""
    ties = run_ties()
    return Section(
        "Two levels",
        "Two servers of equal priority, the first of which has two tasks of equal priority. Random sets in one idling "
        "server with P = Q against the same sets without servers. Test 1 begun half of its length before tick 2^32. "
        "Three tasks that share a resource under the stack resource policy within a server.",
        [
            _ties_claim(ties),
            _plain_claim(SETS[is_quick]),
            _wrap_claim(),
            _interface_claim(),
            _periodic_claim(),
            _resource_claim(),
        ],
        [Table("ties", "Equal priorities at both levels", pl.DataFrame(ties, schema=_COLUMNS, orient="row"))],
    )


_COLUMNS = ["start", "end", "server", "task"]
_TIES = [(0, 3, "SA", "A1"), (3, 4, "SA", "A2"), (4, 9, "SB", "B"), (20, 22, "SA", "A2")]


def run_ties() -> Shifted:
    """Run two servers and two tasks of equal priorities; A2 and B come at 1."""
    servers = [takt.Server(name=name, period=20, budget=budget) for name, budget in (("SA", 4), ("SB", 6))]
    tasks = [
        takt.Task(name=name, server=server, arrivals=[first], deadline=40, wcet=wcet)
        for name, server, first, wcet in (("A1", "SA", 0, 3), ("A2", "SA", 1, 3), ("B", "SB", 1, 5))
    ]
    return merged(takt.simulate(takt.System(servers=servers, tasks=tasks), 40).segments)


def _ties_claim(ties: Shifted) -> Claim:
    """Judge FIFO at both levels."""
    return Claim(
        "S4-01",
        "Sections III-C and IV-B",
        "Both levels are fixed-priority preemptive; equals are served first in, first out.",
        "A1 runs 0-3, A2 3-4, then SA is depleted and SB's B runs 4-9: neither the equal task nor the equal server "
        "preempts, and the job that came first goes first.",
        verdict(ties == _TIES),
    )


def _plain_claim(count: int) -> Claim:
    """Judge that a server that is the whole processor changes nothing."""
    rng = random.Random(SEED)
    equal = sum(_is_plain(_random_tasks(rng)) for _ in range(count))
    return Claim(
        "S4-10",
        "Sections IV-F and V",
        "A macro chooses between the hierarchy and the original scheduler, whose API stays.",
        f"Without servers tasks stand at the root. {equal} of {count} random sets run the same there and in one idling "
        "server with P = Q.",
        verdict(equal == count, correction=True),
        "No choice at compile time: one build has both, and a system may mix tasks and servers.",
        {"sets": count, "equal": equal},
    )


def _random_tasks(rng: random.Random) -> list[takt.Task]:
    """Draw tasks; they may be overloaded, and priorities may be equal."""
    periods = [rng.randint(3, 20) for _ in range(rng.randint(1, 4))]
    return [
        takt.Task(name=f"T{number}", period=period, wcet=rng.randint(1, period // 2 + 1), priority=rng.randint(1, 3))
        for number, period in enumerate(periods)
    ]


def _is_plain(tasks: list[takt.Task]) -> bool:
    """Run a set with and without the server."""
    server = takt.Server(name="S", period=7, budget=7, kind="idling")
    inside = takt.System(servers=[server], tasks=[task.replace(server="S") for task in tasks])
    plain = takt.simulate(takt.System(tasks=tasks), 300)
    served = takt.simulate(inside, 300)
    return plain.jobs.equals(served.jobs) and _busy(plain) == _busy(served)


def _busy(result: takt.Result) -> list[tuple[int, int, str]]:
    """Return the executions, without servers and idle time."""
    return [(start, end, task) for start, end, _, task in merged(result.segments) if task != "idle"]


def _wrap_claim() -> Claim:
    """Judge that nothing happens where 32 bits end."""
    equal = [merged(run_paper(kind).segments) == _shifted(kind) for kind in PAPER_KINDS]
    return Claim(
        "S4-05",
        "Section V-A, appendix",
        "Servers stand in a ready list by priority, a release list by replenishment and an overflow list for the wrap "
        "of the tick counter.",
        f"Test 1 begun at tick 2^32 - {HORIZON // 2} is Test 1 shifted, across the end of 32 bits: "
        f"{'yes' if all(equal) else 'no'}, for both kinds.",
        verdict(all(equal), correction=True),
        "Instants have 64 bits, so there is no overflow list. The structure of ready sets and timers is tested in C, "
        "by test_ready and test_timers.",
    )


def _shifted(kind: str) -> Shifted:
    """Run Test 1 late, and shift it back."""
    system = paper_system(kind, offset=WRAP)
    result = takt.simulate(system, WRAP + HORIZON, budgets=False)
    return [(start - WRAP, end - WRAP, server, task) for start, end, server, task in merged(result.segments)]


def _interface_claim() -> Claim:
    """Judge the interface: servers, tasks in them, what is left of the budget."""
    result = run_paper("idling")
    left = result.budgets["S1"].to_list()
    return Claim(
        "S4-11",
        "Section IV-D, appendix",
        "Calls create a server from period, budget and priority, create a task in it, and tell the remaining budget.",
        f"takt.Server, the task's key server, and the result's budgets: S1 has {left[0]} at 0, {left[2]} at 2 and "
        f"{left[10]} at 10.",
        verdict((left[0], left[2], left[10]) == (10, 8, 0)),
        "The calls of a running program belong to the kernel, which has servers for threads.",
    )


def _periodic_claim() -> Claim:
    """Judge the paper's future periodic task model."""
    task = takt.Task(name="T", period=20, wcet=4, deadline=12, offset=3, server="S1")
    servers = paper_system("deferrable").servers
    jobs = takt.simulate(takt.System(servers=servers, tasks=[task]), 120).jobs
    releases = jobs["release"].to_list()
    return Claim(
        "S4-24",
        "Section VII (future work)",
        "Tasks have a period, an execution time, a deadline and an offset.",
        f"A task with T 20, C 4, D 12 and offset 3 in S1 comes at {releases[0]}, {releases[1]}, {releases[2]} ...; "
        f"{jobs['missed'].sum()} of {jobs.height} jobs miss.",
        verdict(releases == list(range(3, 120, 20)) and not jobs["missed"].any()),
    )


def _resource_claim() -> Claim:
    """Judge the stack resource policy within a server."""
    expected = [(int(row["start"]), int(row["end"]), row["task"].rstrip("*")) for row in golden("res_inversion_SRP")]
    found = _busy(takt.simulate(_sharing_system(), 17))
    return Claim(
        "S4-26",
        "Section VII (future work)",
        "The stack resource policy replaces priority inheritance for resources within a server.",
        f"The schedule of three tasks that share R within a server equals the golden one without a server: "
        f"{'yes' if found == _without_marks(expected) else 'no'}.",
        verdict(found == _without_marks(expected)),
        "Also none, npcs, pip, pcp and icpp.",
    )


def _sharing_system() -> takt.System:
    """Return H, M and L of the golden inversion, in a server that is the whole processor."""
    rows = (("H", 3, 3, ["run 1", "lock R", "run 2", "unlock R", "run 1"]), ("M", 4, 2, ["run 6"]),
            ("L", 0, 1, ["run 1", "lock R", "run 4", "unlock R", "run 2"]))  # fmt: skip
    tasks = [
        takt.Task(name=name, server="S", arrivals=[first], deadline=100, body=body, priority=priority)
        for name, first, priority, body in rows
    ]
    server = takt.Server(name="S", period=10, budget=10, kind="idling")
    return takt.System(servers=[server], tasks=tasks, resources=[takt.Resource(name="R", protocol="srp")])


def _without_marks(rows: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Merge what the golden file separates because a job holds something."""
    joined: list[tuple[int, int, str]] = []
    for start, end, task in rows:
        if joined and joined[-1][1:] == (start, task):
            start = joined.pop()[0]
        joined.append((start, end, task))
    return joined
