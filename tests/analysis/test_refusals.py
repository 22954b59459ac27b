# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is called "not schedulable" has a witness: a run that the system allows, in which a job misses.

Small systems of all paradigms are drawn so that many are refused. `tests/support/witnesses.py` has the runs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import takt
from places import ROOT
from sampling import SYSTEMS, count, expect_cases
from takt.analysis import Verdict, refusals, result
from witnesses import late_in, refusals_of, runs_of, without_witness

Keys = dict[str, Any]
Family = Callable[[random.Random], takt.System]


def any_tasks(rng: random.Random, most: int = 3, longest: int = 6, **keys: Callable[[Keys], Any]) -> list[Keys]:
    """Draw a few tasks that ask for about all of the processor, or a little more."""
    number = rng.randint(2, most)
    tasks = []
    for name in "ABCD"[:number]:
        period = rng.randint(2, longest)
        wcet = max(1, min(period, round(period * rng.uniform(0.3, 1.7) / number)))
        deadline = rng.choice([period, rng.randint(wcet, period), rng.randint(wcet, 2 * period)])
        task = {"name": name, "period": period, "wcet": wcet, "deadline": deadline, "priority": rng.randint(1, 3)}
        task["class_"] = rng.choice(["hard", "hard", "soft"])
        tasks.append(task | {key: draw(task) for key, draw in keys.items()})
    return tasks


def system(tasks: list[Keys], policy: str | takt.Policy, **more: Any) -> takt.System:
    """Return the system of some tasks."""
    return takt.System(tasks=[takt.Task(**task) for task in tasks], policy=policy, **more)


def plain(rng: random.Random) -> takt.System:
    """Preemptive tasks, some of which end when they are late."""
    tasks = any_tasks(rng, on_miss=lambda _: rng.choice(["continue", "continue", "abort", "skip"]))
    return system(tasks, rng.choice(["fp", "rm", "dm", "edf", "edf", "llf"]))


def aborting(rng: random.Random) -> takt.System:
    """Tasks that nearly all end when they are late."""
    tasks = any_tasks(rng, on_miss=lambda _: rng.choice(["abort", "abort", "skip", "continue"]))
    return system(tasks, rng.choice(["fp", "rm", "edf", "edf"]))


def limited(rng: random.Random) -> takt.System:
    """Tasks that are not displaced everywhere."""
    policy = rng.choice(["fp", "rm", "edf", "edf"])
    tasks = any_tasks(rng, preemption=lambda _: rng.choice(["preemptive", "non-preemptive"]))
    for task in tasks if rng.random() < 0.4 else []:
        task |= {"preemption": "preemptive", "threshold": rng.choice([3, None] if policy == "fp" else ["A", None])}
    for task in tasks if rng.random() < 0.3 else []:
        task["on_miss"] = rng.choice(["continue", "abort"])
    return system(tasks, policy)


def jittery(rng: random.Random) -> takt.System:
    """Two tasks that are released late."""
    return system(any_tasks(rng, 2, 5, jitter=lambda _: rng.choice([0, 1])), rng.choice(["fp", "dm", "edf", "llf"]))


def windows(rng: random.Random) -> takt.System:
    """Tasks with a budget in each period, or parts that may be left out."""
    policy = rng.choice(["fp", "rm", "edf", "imprecise", "imprecise", "pinwheel"])
    tasks = any_tasks(rng)
    for task in tasks:
        task["deadline"] = min(task["deadline"], task["period"])
        if policy == "imprecise":
            task["mandatory"] = rng.randint(0, task["wcet"])
        elif policy != "pinwheel":
            task["on_overrun"] = rng.choice(["continue", "suspend", "suspend", "abort"])
    return system(tasks, policy)


def slotted(rng: random.Random) -> takt.System:
    """Two tasks with slots in turn."""
    tasks = any_tasks(rng, 2, 4, offset=lambda _: rng.randint(0, 3))
    for task in tasks:
        task |= {"period": rng.randint(4, 12), "deadline": rng.randint(3, 9), "wcet": rng.randint(1, 2)}
    slots = [{"task": name, "start": 3 * place, "length": rng.randint(1, 3)} for place, name in enumerate("AB")]
    return system(tasks, "time-driven", options=[takt.TimeDriven(cycle=6, slots=slots)])


def rated(rng: random.Random) -> takt.System:
    """Rate-based execution of events that come more or less densely than their rates."""
    tasks = any_tasks(rng)
    for task in tasks:
        task |= {"events": 1, "interval": task["period"] + rng.choice([0, 0, 1])}
    task = rng.choice(tasks)
    task |= rng.choice([{}, {}, {"events": 2}, {"interval": 12}, {"jitter": 1}, {"preemption": "non-preemptive"}])
    return system(tasks, "rbe")


class LatestFirst(takt.Policy):
    """The latest job first."""

    def release(self, job: takt.Job) -> int:
        return 2**40 - job.release


def overloaded(rng: random.Random) -> takt.System:
    """Tasks that may ask for more than there is, under orders without a test of their own, or several processors."""
    tasks = any_tasks(rng, 4, on_miss=lambda _: rng.choice(["continue", "abort"]))
    policies: list[str | takt.Policy] = [LatestFirst(), "share", "edf", "fp", "rm"]
    policy = rng.choice(policies)
    if policy in ("edf", "fp", "rm"):
        return system(tasks, policy, cpus=2)
    return system([task | {"wcet": min(task["period"], task["wcet"] + rng.randint(0, 1))} for task in tasks], policy)


def elsewhere(rng: random.Random) -> takt.System:
    """A scheduler that takes time."""
    tasks = any_tasks(rng, 2, on_miss=lambda _: "continue")
    models: list[Keys] = [{"model": "software", "interval": rng.randint(2, 5)}, {"model": "hardware"}]
    keys = rng.choice(models)
    return system(tasks, rng.choice(["fp", "edf"]), platform=takt.Platform(context_switch=rng.randint(0, 2), **keys))


def listed(rng: random.Random) -> takt.System:
    """Tasks with lists of arrivals, and demands beyond the wcet."""
    tasks = any_tasks(rng)
    for task in tasks:
        task["demand"] = rng.choice([task["wcet"], [1, task["wcet"] + 1]])
        if rng.random() < 0.5:
            task["min_separation"] = task.pop("period")
            task["arrivals"] = [0, task["min_separation"] + 1]
    return system(tasks, rng.choice(["fp", "dm", "edf", "llf"]))


FAMILIES: dict[str, tuple[Family, int]] = {
    each.__name__: (each, sample)
    for each, sample in [
        (plain, 120),
        (aborting, 120),
        (limited, 120),
        (jittery, 40),
        (windows, 120),
        (slotted, 40),
        (rated, 120),
        (overloaded, 100),
        (elsewhere, 40),
        (listed, 60),
    ]
}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_not_schedulable_misses_in_some_run(family: str) -> None:
    draw, sample = FAMILIES[family]
    seen: Counter[bool] = Counter()
    rng = random.Random(family if SYSTEMS is None else None)
    for _ in range(count(sample)):
        try:
            drawn = draw(rng)
        except takt.InputError:
            continue
        assert without_witness(drawn) == [], drawn
        seen[bool(refusals_of(drawn))] += 1
    expect_cases(min(seen[True], seen[False]) >= 5, seen)


def test_one_place_makes_a_refusal_definite() -> None:
    """All others read that verdict: of a test alone it never follows, and a new test refuses nothing."""
    sources = {path.name: path.read_text() for path in (ROOT / "python/takt/analysis").glob("*.py")}
    assert [name for name, text in sources.items() if "is_exact=True" in text] == ["refusals.py"]
    assert [name for name, text in sources.items() if "verdict=Verdict.NOT_SCHEDULABLE" in text] == ["refusals.py"]
    assert result.Test("new", "").verdict(is_schedulable=False) is Verdict.NOT_GUARANTEED
    assert result.Test("new", "") not in {**refusals.OF_ROWS, **refusals.JOINT}


# ---- cases that were refused though no run misses -----------------------------------------------------


def verdicts_of(given: takt.System) -> list[str]:
    """Return the verdict of the system, and of each task."""
    found = takt.analyse(given)
    return [found.verdict.value, *(row.verdict.value for row in found.tasks)]


Y = {"name": "Y", "period": 2, "wcet": 1, "priority": 3}
X = {"name": "X", "class_": "soft", "period": 10, "wcet": 2, "deadline": 2, "priority": 2}
BELOW = {"name": "B", "period": 20, "wcet": 3, "deadline": 9, "priority": 1}


@pytest.mark.parametrize("on_miss", ["abort", "skip"])
@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_tasks_below_jobs_that_end_when_they_are_late_are_not_refused(policy: str, on_miss: str) -> None:
    given = system([Y, X | {"on_miss": on_miss}, BELOW], policy)
    found = takt.analyse(given)
    above, late, below = found.tasks
    assert (above.verdict, late.verdict) == (Verdict.SCHEDULABLE, Verdict.NOT_SCHEDULABLE) or policy == "edf"
    assert below.verdict in (Verdict.NOT_GUARANTEED, Verdict.SCHEDULABLE)
    assert found.verdict is not Verdict.NOT_SCHEDULABLE
    if policy == "fp":
        assert (below.response, below.is_tight, below.verdict) == (10, False, Verdict.NOT_GUARANTEED)
        assert found.reason.startswith("B may miss by 1")
    assert takt.analyse(system([Y, X, BELOW], "fp")).tasks[2].verdict is Verdict.NOT_SCHEDULABLE


def test_tasks_below_imprecise_parts_that_are_cut_off_are_not_refused() -> None:
    tasks = [Y, X | {"mandatory": 2}, BELOW | {"mandatory": 3}]
    assert verdicts_of(system(tasks, "imprecise")) == [
        "not guaranteed",
        "schedulable",
        "not schedulable",
        "not guaranteed",
    ]


def test_tasks_below_jobs_that_lose_their_window_are_not_refused() -> None:
    tasks = [Y, X | {"on_overrun": "suspend"}, BELOW]
    assert verdicts_of(system(tasks, "fp"))[2:] == ["not schedulable", "not guaranteed"]


def test_a_hard_task_is_not_refused_by_a_tie_that_its_class_decides() -> None:
    tasks = [Y, X]
    found = takt.analyse(system(tasks, "edf"))
    assert [(row.verdict.value, row.response, row.is_tight) for row in found.tasks] == [
        ("not guaranteed", 3, False),
        ("not schedulable", 3, True),
    ]
    assert found.reason == "Y may miss by 1 ms: 3 ms > 2 ms; in 2 ms up to 3 ms may be demanded"
    runs = [late_in(run) for run in runs_of(system(tasks, "edf"))]
    assert not any("Y" in late for late in runs)
    assert any("X" in late for late in runs)


def test_a_hard_task_is_not_refused_by_the_demand_of_soft_ones() -> None:
    """Least laxity first bounds no response by itself: some job misses, and it is not known whose."""
    found = takt.analyse(system([Y, X], "llf"))
    assert found.verdict is Verdict.NOT_GUARANTEED
    assert found.tasks[0].verdict is Verdict.NOT_GUARANTEED
    both = takt.analyse(system([Y, X | {"class_": "hard"}], "llf"))
    assert both.verdict is Verdict.NOT_SCHEDULABLE
    assert "in 2 ms up to 3 ms may be demanded" in both.reason


RATED = [
    {"name": "A", "period": 5, "wcet": 2, "deadline": 8, "events": 2, "interval": 10},
    {"name": "B", "period": 12, "wcet": 8, "deadline": 12, "interval": 15},
]


@pytest.mark.parametrize("key", [{"preemption": "non-preemptive"}, {"jitter": 1}])
def test_postponed_deadlines_may_make_more_work_than_time_fit(key: Keys) -> None:
    tasks = [RATED[0] | key, RATED[1]]
    assert verdicts_of(system(tasks, "rbe")) == ["not guaranteed"] * 3


def test_events_that_cannot_come_together_are_not_refused_for_that() -> None:
    """Two events in an interval of 10 may come at once, but not where they are 5 apart."""
    apart = {"name": "A", "period": 5, "wcet": 2, "deadline": 3, "events": 2, "interval": 10}
    below = {"name": "B", "period": 20, "wcet": 4, "deadline": 20, "events": 1, "interval": 20}
    assert verdicts_of(system([apart, below], "rbe")) == ["not guaranteed", "not guaranteed", "schedulable"]
    burst = apart | {"period": None, "arrivals": [0, 0]}
    assert verdicts_of(system([burst, below], "rbe"))[0] == "not schedulable"


def test_what_is_refused_together_is_no_claim_about_each() -> None:
    """More work than two processors have: the most urgent task is met all the same."""
    tasks = [{"name": name, "period": 3, "wcet": 2, "priority": 9 - place} for place, name in enumerate("ABCD")]
    found = takt.analyse(system(tasks, "fp", cpus=2))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert {row.verdict for row in found.tasks} == {Verdict.NOT_GUARANTEED}
    assert found.reason == "the tasks demand more than 2 processors"
