"""Resources that servers share (SPEC.md, 9): golden schedules and numbers, directed cases, refusals.

Every directed case is asked of the oracle and of Takt; random systems are in test_random_systems.py.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import oracle
import pytest

GOLDEN = Path(__file__).parent / "golden"
PROTOCOLS = ("global-srp", "hsrp", "hsrp-payback", "sirap")


def two_servers(protocol: str) -> oracle.System:
    """The golden example: SA above SB, and B comes to its section when SB has 2 of the 3 ticks left that it takes."""
    return oracle.System(
        policy="fp",
        tasks=(
            oracle.Task("A", 20, offset=4, server="SA", body=("run 1", "lock G", "run 2", "unlock G", "run 1")),
            oracle.Task("B", 45, server="SB", body=("run 3", "lock G", "run 3", "unlock G", "run 5")),
        ),
        servers=(oracle.Server("SA", 10, 4, priority=2), oracle.Server("SB", 15, 5, priority=1)),
        resources=(oracle.Resource("G", protocol),),
    )


def marked_runs(outcome: oracle.Outcome) -> list[tuple[int, int, str]]:
    """Give who ran, with a star while the job held something."""
    runs = []
    for start, end, _, task, _ in outcome.segments:
        steps = [(row[0], 1 if row[4] == "lock" else -1) for row in outcome.locks if row[1] == task and row[4] != "wait"]
        cuts = sorted({start, end, *(instant for instant, _ in steps if start < instant < end)})
        held = [sum(change for instant, change in steps if instant <= at) for at in cuts]
        runs += [(a, b, task + "*" * (depth > 0)) for (a, b), depth in zip(pairwise(cuts), held, strict=False)]
    return runs


@pytest.mark.parametrize(("name", "protocol"), [("none", "global-srp"), ("hsrp", "hsrp"), ("sirap", "sirap")])
def test_the_golden_schedules_come_out(name: str, protocol: str) -> None:
    with (GOLDEN / f"hsfsync_{name}.csv").open(newline="") as file:
        golden = [(int(row["start"]), int(row["end"]), row["task"]) for row in csv.DictReader(file)]
    assert marked_runs(oracle.simulate(two_servers(protocol), 60)) == golden


@pytest.mark.parametrize(("protocol", "of_a", "of_b"), zip(PROTOCOLS, (16, 6, 6, 4), (31, 20, 31, 33), strict=True))
def test_the_first_jobs_take_as_long_as_the_literature_says(protocol: str, of_a: int, of_b: int) -> None:
    rows = oracle.simulate(two_servers(protocol), 60).jobs
    assert [row[4] for row in rows if row[1] == 0] in ([of_a, of_b], [of_b, of_a])
