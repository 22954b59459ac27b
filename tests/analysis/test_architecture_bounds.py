# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds where the scheduler takes time and learns late: never below simulations, and as the oracle computes them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import product

import pytest
import takt
from analysis_oracle.architectures import Scheduler, Task, edf_responses, fp_responses
from columns import column
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLES
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

SEEDS = st.integers(0, 2**32)
EXAMPLE = EXAMPLES / "architectures.toml"
MODELS = {
    "rearm": _analysis.REARMED,
    "fixed": _analysis.FIXED,
    "coprocessor": _analysis.COPROCESSOR,
    "hardware": _analysis.HARDWARE,
}

seen: Counter[object] = Counter()


def draw_scheduler(generator: random.Random) -> Scheduler:
    """A scheduler of any model, with costs and times of the order of short jobs."""
    return Scheduler(
        model=generator.choice(list(MODELS)),
        context_switch=generator.choice([0, 1, 2, 3, 4, 5, 8]),
        interval=generator.choice([1, 3, 8, 13, 20, 32, 40]),
        latency=generator.choice([0, 1, 2, 5, 9]),
    )


def draw_task(generator: random.Random, share: float, max_jitter: int = 0) -> Task:
    """A task that takes about a share of the processor."""
    period = generator.choice([20, 40, 80, 160, generator.randint(20, 200), generator.randint(20, 200)])
    wcet = max(1, round(period * share * generator.uniform(0.4, 1.4)))
    deadline = generator.choice([period, generator.randint(period // 2, period), generator.randint(period, 2 * period)])
    return Task(wcet, period, deadline, min(generator.randint(0, max_jitter), deadline - 1))


def draw(generator: random.Random, max_jitter: int = 0) -> tuple[list[Task], Scheduler]:
    """Tasks and a scheduler."""
    count = generator.randint(1, 4)
    share = generator.uniform(0.1, 0.9) / count
    return [draw_task(generator, share, max_jitter) for _ in range(count)], draw_scheduler(generator)


# ---- the formulas --------------------------------------------------------------------------------------------


def times_of(scheduler: Scheduler) -> tuple[int, int, int]:
    """Return the times in the binding's form."""
    return scheduler.context_switch, scheduler.interval, scheduler.latency


def fp_bounds(tasks: list[Task], scheduler: Scheduler, above: list[int] | None = None) -> list[int]:
    """The bounds under fixed priorities."""
    places = None if above is None else column(above)
    wcet, period, jitter = (column([getattr(task, name) for task in tasks]) for name in ("wcet", "period", "jitter"))
    model = MODELS[scheduler.model]
    found = _analysis.scheduled_fp_responses(
        Tasks(wcet, period, jitter=jitter, above=places), model, times_of(scheduler)
    )
    return list(map(int, found))


def edf_bounds(tasks: list[Task], scheduler: Scheduler) -> list[int]:
    """The bounds under EDF."""
    names = ("wcet", "period", "deadline", "jitter")
    wcet, period, deadline, jitter = (column([getattr(task, name) for task in tasks]) for name in names)
    model = MODELS[scheduler.model]
    found = _analysis.scheduled_edf_responses(Tasks(wcet, period, deadline, jitter), model, times_of(scheduler))
    return list(map(int, found))


@tries(200)
@given(SEEDS)
def check_fp(seed: int) -> None:
    generator = random.Random(seed)
    tasks, scheduler = draw(generator, 9)
    strict = list(range(len(tasks)))
    above = generator.choice([strict, [len(tasks)] * len(tasks)])
    expected = fp_responses(tasks, above, scheduler)
    for bound, ticks in zip(fp_bounds(tasks, scheduler, above), expected, strict=True):
        assert ticks is None or bound == ticks, (tasks, scheduler, above)
        seen[scheduler.model, ticks is None] += 1


def test_bounds_under_fixed_priorities_are_those_of_the_oracle() -> None:
    seen.clear()
    check_fp()
    expect_cases(len(seen) == 8, seen)


@tries(150)
@given(SEEDS)
def check_edf(seed: int) -> None:
    tasks, scheduler = draw(random.Random(seed), 9)
    expected = edf_responses(tasks, scheduler)
    bounds = edf_bounds(tasks, scheduler)
    assert bounds == [_analysis.UNBOUNDED if ticks is None else ticks for ticks in expected], (tasks, scheduler)
    seen[scheduler.model, expected[0] is None] += 1


def test_bounds_under_edf_are_those_of_the_oracle() -> None:
    seen.clear()
    check_edf()
    expect_cases(len(seen) == 8, seen)


# ---- simulation ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Phase:
    """What a simulation adds to a task: its first release, and what its jobs execute."""

    offset: int
    demand: int


def platform_of(scheduler: Scheduler) -> takt.Platform:
    """The platform of a file."""
    is_software = scheduler.model in ("rearm", "fixed")
    return takt.Platform(
        model="software" if is_software else scheduler.model,
        context_switch=scheduler.context_switch,
        interval=scheduler.interval if is_software else None,
        timer=scheduler.model if is_software else None,
        latency=scheduler.latency if scheduler.model == "coprocessor" else None,
    )


def system_of(
    tasks: list[Task], phases: list[Phase], scheduler: Scheduler, policy: str, ranks: list[int], classes: list[str]
) -> takt.System:
    """A system; the larger its rank the more urgent is a task under fp."""
    rows = zip(tasks, phases, ranks, classes, strict=True)
    made = [
        takt.Task(
            name=f"T{place}",
            period=task.period,
            wcet=task.wcet,
            demand=phase.demand,
            deadline=task.deadline,
            offset=phase.offset,
            priority=rank,
            class_=class_,
        )
        for place, (task, phase, rank, class_) in enumerate(rows)
    ]
    return takt.System(resolution="1us", policy=policy, tasks=made, platform=platform_of(scheduler))


def draw_phase(generator: random.Random, task: Task) -> Phase:
    """A phase, at once with others or anywhere, mostly with the whole wcet."""
    offset = generator.choice([0, generator.randint(0, 5), generator.randint(0, task.period)])
    return Phase(offset, generator.choice([task.wcet, task.wcet, task.wcet, generator.randint(1, task.wcet)]))


def verdicts_of(system: takt.System) -> dict[str, TaskBound]:
    """Return the analysis' row of each task."""
    return {row.task: row for row in judge(view_of(system)).rows()}


def worst_of(system: takt.System, horizon: int) -> dict[str, tuple[int | None, bool]]:
    """Simulate: the longest response of each task, and whether any of its jobs failed."""
    rows = takt.simulate(system, horizon, segments=False).jobs.select("task", "response", "missed").rows()
    found: dict[str, tuple[int | None, bool]] = {task.name: (None, False) for task in system.tasks}
    for name, response, missed in rows:
        worst, has_failed = found[name]
        found[name] = worst if response is None else max(response, worst or 0), has_failed or missed
    return found


@tries(200)
@given(SEEDS)
def check_simulation(seed: int) -> None:
    generator = random.Random(seed)
    tasks, scheduler = draw(generator)
    policy = generator.choice(["fp", "rm", "dm", "edf"])
    ranks = [generator.randint(0, 3) for _ in tasks]
    classes = [generator.choice(["hard", "hard", "soft"]) for _ in tasks]
    for _ in range(3):
        phases = [draw_phase(generator, task) for task in tasks]
        system = system_of(tasks, phases, scheduler, policy, ranks, classes)
        rows = verdicts_of(system)
        for name, (response, has_failed) in worst_of(system, 3000).items():
            row = rows[name]
            assert row.response is None or response is None or response <= row.response, (system, row)
            assert row.verdict is not Verdict.SCHEDULABLE or not has_failed, (system, row)
            assert row.verdict is not Verdict.NOT_SCHEDULABLE or any_fails(system), (system, row)
            note(scheduler.model, policy, row, response)


def any_fails(system: takt.System) -> bool:
    """True if some job fails, where all execute their maximum, within a long time."""
    tasks = [task.replace(demand=task.wcet) for task in system.tasks]
    return takt.simulate(system.replace(tasks=tasks), 100_000, segments=False).missed > 0


def note(model: str, policy: str, row: TaskBound, response: int | None) -> None:
    """Count a verdict, and how far its bound is from what was seen."""
    kind = "edf" if policy == "edf" else "fixed"
    seen[model, kind, row.verdict] += 1
    if row.verdict is Verdict.SCHEDULABLE and row.response is not None and response is not None:
        seen[model, kind, "met"] += response == row.response
        seen[model, kind, "within a tenth"] += 10 * response >= 9 * row.response


def test_no_simulation_contradicts_a_verdict_or_a_bound() -> None:
    seen.clear()
    check_simulation()
    for model, kind in product(MODELS, ("fixed", "edf")):
        expect_cases(seen[model, kind, Verdict.SCHEDULABLE] > 5, (model, kind, seen))
        expect_cases(seen[model, kind, Verdict.NOT_GUARANTEED] > 5, (model, kind, seen))
    for model in MODELS:
        expect_cases(seen[model, "fixed", "met"] + seen[model, "edf", "met"] > 0, (model, seen))
    expect_cases(seen["rearm", "fixed", Verdict.NOT_SCHEDULABLE] > 0)
    expect_cases(seen["fixed", "fixed", Verdict.NOT_SCHEDULABLE] > 0)


# ---- bounds that are reached ---------------------------------------------------------------------------------

THREE = [Task(3, 20, 20), Task(3, 40, 40), Task(4, 65, 65)]
SLOW = [Task(6, 59, 59), Task(3, 40, 40), Task(7, 80, 80)]
SHORT = [Task(2, 38, 38), Task(2, 43, 43), Task(4, 80, 80)]
ODD = [Task(1, 56, 56), Task(2, 40, 40), Task(7, 80, 80)]


@pytest.mark.parametrize(
    ("scheduler", "policy", "tasks", "offsets", "place", "ticks"),
    [
        (Scheduler("rearm", 2, 8), "fp", SLOW, [6, 37, 15], 0, 18),
        (Scheduler("rearm", 2, 8), "fp", SLOW, [57, 39, 69], 1, 25),
        (Scheduler("rearm", 2, 8), "edf", SLOW, [22, 32, 60], 0, 25),
        (Scheduler("fixed", 3, 8), "fp", SHORT, [31, 28, 32], 1, 22),
        (Scheduler("fixed", 2, 6), "edf", ODD, [45, 35, 21], 0, 15),
        (Scheduler("coprocessor", 3, latency=2), "fp", THREE, [18, 34, 9], 1, 17),
        (Scheduler("coprocessor", 3, latency=2), "edf", THREE, [18, 34, 9], 1, 17),
        (Scheduler("hardware", 3), "fp", THREE, [9, 6, 9], 2, 15),
        (Scheduler("hardware", 3), "edf", THREE, [9, 6, 9], 1, 9),
    ],
)
def test_a_bound_is_reached(
    scheduler: Scheduler, policy: str, tasks: list[Task], offsets: list[int], place: int, ticks: int
) -> None:
    phases = [Phase(offset, task.wcet) for offset, task in zip(offsets, tasks, strict=True)]
    system = system_of(tasks, phases, scheduler, policy, [3, 2, 1], ["hard"] * 3)
    assert verdicts_of(system)[f"T{place}"].response == ticks
    assert worst_of(system, 2000)[f"T{place}"] == (ticks, False)


def test_a_release_just_behind_a_tick_waits_for_an_interval() -> None:
    alone = [Task(5, 40, 40)]
    assert fp_bounds(alone, Scheduler("fixed", 0, 10)) == edf_bounds(alone, Scheduler("fixed", 0, 10)) == [9 + 5]
    assert fp_bounds(alone, Scheduler("hardware", 0)) == edf_bounds(alone, Scheduler("hardware", 0)) == [5]
    assert fp_bounds(alone, Scheduler("coprocessor", 0, latency=4)) == [2 * 4 + 5]


# ---- verdicts of files -----------------------------------------------------------------------------------------


def changed(**keys: object) -> takt.System:
    """The example with another platform."""
    return takt.load(EXAMPLE).replace(platform=takt.Platform(context_switch="75us", **keys))


def test_the_example_is_schedulable_with_a_longer_interval_and_beside_the_processor() -> None:
    fails = takt.analyse(takt.load(EXAMPLE))
    assert fails.verdict is Verdict.NOT_GUARANTEED
    assert fails.reason == (
        "supervision may miss by 3.837 ms: 13.837 ms > 10 ms; the scheduler may take 31 % of the processor"
    )
    responses = {
        "software": [930, 1864, 5496, 7839],
        "coprocessor": [421, 1261, 3239, 6597],
        "hardware": [380, 1163, 3027, 5776],
    }
    for model, expected in responses.items():
        system = changed(model=model, interval="400us" if model == "software" else None)
        found = takt.analyse(system)
        assert found.verdict is Verdict.SCHEDULABLE
        assert [row.response for row in found.tasks] == expected
        worst = worst_of(system, 1_000_000)
        assert all((worst[row.task][0] or 0) > 0.7 * (row.response or 0) for row in found.tasks)


# Period and wcet of the tasks of the benchmarks, in us, and of the tasks with very short deadlines.
BENCHMARKS = (
    ((2000, 307), (4000, 709), (8000, 1409), (10000, 1511)),
    ((10000, 3001), (20000, 5003), (40000, 8009), (80000, 8011)),
    ((1000, 151), (3000, 503), (5000, 907), (20000, 3001)),
    ((5000, 1499), (10000, 3001), (20000, 2999), (40000, 5987)),
    ((1850, 353), (4700, 907), (9300, 1709), (21100, 4001)),
)
SHORT_DEADLINES = ((450, 40), (900, 80), (5000, 400))
PLACES = (("software", 250), ("software", 400), ("software", 500), ("coprocessor", None), ("hardware", None))


def benchmark(
    numbers: tuple[tuple[int, int], ...], policy: str, cost: int, model: str, interval: int | None
) -> takt.System:
    """A system in us."""
    tasks = [takt.Task(name=f"T{place}", period=period, wcet=wcet) for place, (period, wcet) in enumerate(numbers)]
    platform = takt.Platform(model=model, context_switch=cost, interval=interval)
    return takt.System(resolution="1us", policy=policy, tasks=tasks, platform=platform)


@pytest.mark.parametrize(("policy", "quiet"), [("rm", 5), ("edf", 2)])
def test_verdicts_on_the_benchmarks_are_those_of_simulation_but_for_a_few(policy: str, quiet: int) -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    for numbers, cost, (model, interval) in product(BENCHMARKS, (25, 50, 75, 100), PLACES):
        system = benchmark(numbers, policy, cost, model, interval)
        is_met = takt.analyse(system).verdict is Verdict.SCHEDULABLE
        assert is_met or model == "software"
        found[is_met, takt.simulate(system, 400_000, segments=False, jobs=False).missed > 0] += 1
    assert found[True, True] == 0
    assert found[False, False] == quiet
    assert found[False, True] > 20


def test_a_longer_interval_is_too_long_for_very_short_deadlines() -> None:
    verdicts = {
        interval: takt.analyse(benchmark(SHORT_DEADLINES, "rm", 25, "software", interval)).tasks[0]
        for interval in (250, 400, 500)
    }
    assert [(row.response, row.verdict) for row in verdicts.values()] == [
        (363, Verdict.SCHEDULABLE),
        (513, Verdict.NOT_GUARANTEED),
        (613, Verdict.NOT_GUARANTEED),
    ]


def test_more_than_the_processor_has_is_not_schedulable() -> None:
    found = takt.analyse(changed(model="software", interval="20us"))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.reason == "the tasks and the scheduler demand more than the whole processor"
    unbounded = takt.analyse(changed(model="software", interval="150us"))
    assert unbounded.verdict is Verdict.NOT_GUARANTEED
    assert unbounded.reason == (
        "supervision, others and the scheduler may demand more than the whole processor; "
        "the scheduler may take 41 % of the processor"
    )


def test_a_job_that_the_next_release_drops_is_not_guaranteed_although_its_deadline_is_later() -> None:
    tasks = [takt.Task(name="A", period=40, wcet=16), takt.Task(name="B", period=60, wcet=29, deadline=90)]
    system = takt.System(tasks=tasks, policy="rm", platform=takt.Platform(model="hardware", context_switch=2))
    row = judge(view_of(system)).tasks[1]
    assert (row.response, row.deadline, row.verdict) == (66, 90, Verdict.NOT_GUARANTEED)
    assert row.reason.startswith(
        "B may be unfinished at its next release, which drops that job, by 6 ms: 66 ms > 60 ms"
    )
    assert takt.simulate(system, 1000).missed > 0


def test_jobs_that_are_dropped_do_not_harm_who_is_guaranteed() -> None:
    tasks = [takt.Task(name="A", period=20, wcet=15, deadline=10), takt.Task(name="B", period=90, wcet=5)]
    system = takt.System(tasks=tasks, policy="rm", platform=takt.Platform(model="hardware", context_switch=2))
    first, second = takt.analyse(system).tasks
    assert (first.verdict, second.verdict) == (Verdict.NOT_GUARANTEED, Verdict.SCHEDULABLE)
    assert worst_of(system, 1000) == {"A": (None, True), "B": (16, False)}


def test_equals_under_fp_wait_for_each_other_and_under_rm_for_those_before_in_the_file() -> None:
    tasks = [takt.Task(name="A", period=40, wcet=3), takt.Task(name="B", period=40, wcet=5)]
    platform = takt.Platform(model="hardware")
    responses = {
        policy: [row.response for row in takt.analyse(takt.System(tasks=tasks, policy=policy, platform=platform)).tasks]
        for policy in ("fp", "rm")
    }
    assert responses == {"fp": [8, 8], "rm": [3, 8]}


def test_under_edf_nobody_is_guaranteed_where_somebody_may_be_late() -> None:
    found = takt.analyse(changed(model="software", interval="150us").replace(policy="edf"))
    assert found.verdict is Verdict.NOT_GUARANTEED
    assert found.reason == (
        "the demand of tasks and scheduler may exceed the processor; the scheduler may take 41 % of the processor"
    )


def test_what_takes_too_much_effort_is_not_known() -> None:
    reason = takt.analyse(changed(model="hardware"), effort=0).reason
    assert reason.startswith("the answer for current exceeds the granted effort")


def test_demand_is_not_drawn_where_a_scheduler_takes_part_of_the_processor() -> None:
    assert takt.analyse(changed(model="hardware")).charts == ()


# ---- what cannot be decided, and bad input ----------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_huge_numbers_and_no_effort_decide_nothing(model: str) -> None:
    huge = [Task(_analysis.TIME_MAX, _analysis.TIME_MAX, _analysis.TIME_MAX)]
    assert fp_bounds(huge, Scheduler(model, 1)) == edf_bounds(huge, Scheduler(model, 1)) == [_analysis.UNKNOWN]
    wcet, period = column([1, 5]), column([90, 200])
    for effort, is_known in ((0, False), (3, False), (1000, True)):
        times = (1, 5, 1)
        fixed = _analysis.scheduled_fp_responses(Tasks(wcet, period), MODELS[model], times, effort=effort)
        edf = _analysis.scheduled_edf_responses(Tasks(wcet, period, period), MODELS[model], times, effort=effort)
        assert bool((fixed < _analysis.UNKNOWN).all()) == bool((edf < _analysis.UNKNOWN).all()) == is_known


def test_edf_has_no_bound_where_nothing_is_left() -> None:
    assert edf_bounds([Task(2, 4, 4), Task(2, 4, 4)], Scheduler("hardware", 0)) == [_analysis.UNBOUNDED] * 2


def test_bad_input_is_refused() -> None:
    one, ten = column([1]), column([10])
    for model, times, message in (
        (4, (0, 1, 0), "model"),
        (-1, (0, 1, 0), "model"),
        (_analysis.REARMED, (0, 0, 0), "interval"),
        (_analysis.HARDWARE, (2**62, 0, 0), "times"),
    ):
        with pytest.raises(ValueError, match=message):
            _analysis.scheduled_fp_responses(Tasks(one, ten), model, times)
    with pytest.raises(ValueError, match="jitter"):
        _analysis.scheduled_edf_responses(Tasks(one, ten, ten, ten), _analysis.HARDWARE, (0, 0, 0))
