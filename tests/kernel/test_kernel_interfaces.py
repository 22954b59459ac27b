# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The papers' interfaces on the kernel: servers, jobs, points, rates, allocators; exact, in virtual time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import sampling
from rate_oracle import SCALE, Outcome, System, Task
from rate_oracle import simulate as reference
from rate_oracle.model import CLASSES
from rate_oracle.sharing import longest_section, marks_of, used_by
from recipes import PORTS, emulator, run
from test_kernel_objects import DEBUG, FULL_PASS, Build, built, link, recipe

__all__ = ["built"]

HORIZON = 400
SETS = 60
NO_RECORD = "-34"


def play(program: Path, text: str) -> tuple[str, list[str]]:
    """Run a program; give who has executed in each tick, and the lines after that."""
    done = run([program], text)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    first, *rest = done.stdout.splitlines()
    return first, rest


# ---- scenarios -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scenarios(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of named scenarios."""
    return link(built, "posix", "scenarios", tmp_path_factory.mktemp("scenarios"), [])


def told(lines: list[str], *whats: str) -> list[tuple[int, str, int]]:
    """Read what was said about some things."""
    words = [line.split() for line in lines]
    return [(int(now), what, int(number)) for now, what, number in words if what in whats]


def test_a_server_in_a_server_has_what_both_budgets_leave(scenarios: Path) -> None:
    ticks, said = play(scenarios, "nested")
    assert ticks == "aaaabbcccc" * 4
    assert told(said, "outer") == [(0, "outer", 6), (2, "outer", 4), (5, "outer", 1), (12, "outer", 4)]
    assert told(said, "inner") == [(0, "inner", 4), (2, "inner", 2), (5, "inner", 0), (12, "inner", 2)]
    assert told(said, "next")[1:] == [(2, "next", 10), (5, "next", 10), (12, "next", 20)]


def test_arrivals_that_come_too_early_are_put_off_and_one_too_many_is_told(scenarios: Path) -> None:
    ticks, said = play(scenarios, "separated")
    assert ticks == "bbaabbbaabbbaabbbbbbbbbbaabbbbbbbbbbbbbb"
    assert [number for _, _, number in told(said, "arrive")] == [0, 0, 0, -31, 0]
    assert {number for _, _, number in told(said, "answer")} == {0}


def test_an_aperiodic_thread_takes_its_arrivals_as_they_come(scenarios: Path) -> None:
    ticks, said = play(scenarios, "aperiodic")
    assert ticks == "bbaabaaaaaabbbbbbbbbbbbbbbaabbbbbbbbbbbb"
    assert [number for _, _, number in told(said, "arrive")] == [0] * 5


@pytest.mark.parametrize(
    ("name", "ticks", "numbers", "answers"),
    [
        ("continued", "aabbbbbbbbaaaaaaaaaaaaaaabbbbbaabbbbbbbb", [0, 1, 2, 3, 4], [0, 1, 0, 0]),
        ("aborted", "aabbbbbbbbaaaaaabbbbaabbbbbbbbaabbbbbbbb", [0, 1, 2, 3, 4], [0, 0, 0]),
        ("skipped", "aabbbbbbbbaaaaaaaaaaaaabbbbbbbaabbbbbbbb", [0, 1, 3, 4], [0, 1, 0]),
        ("dropped", "aabbbbbbbbaaaaaaaaaaaabbbbbbbbaabbbbbbbb", [0, 1, 3, 4], [0, 0]),
        ("overtaken", "aabbbbbbbbaaaaaaaaaaaaaaabbbbbaabbbbbbbb", [0, 1, 2, 3, 4], [0, 3, 0, 0]),
    ],
)
def test_a_late_job_ends_as_its_thread_says_and_is_told(
    scenarios: Path, name: str, ticks: str, numbers: list[int], answers: list[int]
) -> None:
    found, said = play(scenarios, name)
    assert found == ticks
    assert [number for _, _, number in told(said, "number")] == numbers
    assert [number for _, _, number in told(said, "answer")][: len(answers)] == answers


def test_a_non_preemptive_job_yields_at_points_only_and_reads_the_flag(scenarios: Path) -> None:
    ticks, said = play(scenarios, "limited")
    assert ticks == "bbbabbbbbbbbbba....." * 2
    assert told(said, "flag")[:3] == [(3, "flag", 1), (4, "flag", 0), (13, "flag", 1)]


def test_a_preemptive_job_is_displaced_anywhere_and_its_points_do_nothing(scenarios: Path) -> None:
    ticks, said = play(scenarios, "preemptive")
    assert ticks == "babbbbbbbbbabbb....." * 2
    assert {number for _, _, number in told(said, "flag")} == {0}


def test_jobs_of_equal_priority_go_on_until_they_yield(scenarios: Path) -> None:
    assert play(scenarios, "equals")[0] == "aabbab.............." * 2


def test_a_job_with_an_extension_suspends_itself(scenarios: Path) -> None:
    assert play(scenarios, "suspending")[0] == "aabbbabbbbbbbbbbbbbb" * 2


def test_the_monitor_lets_no_job_execute_more_than_its_wcet_in_a_period(scenarios: Path) -> None:
    ticks, said = play(scenarios, "monitored")
    assert ticks == "aabbbbb...aabbbbb...abbbbb....aabbbbb..."
    assert [(now, number) for now, _, number in told(said, "left")] == [(1, 1), (31, 1)]
    assert (30, "answer", 1) in told(said, "answer")


def test_rates_are_negotiated_and_in_force_when_there_is_room(scenarios: Path) -> None:
    ticks, said = play(scenarios, "negotiated")
    assert ticks == "aabbbbb...bbbbb.....aaabbbbb..bbbbb....."
    assert told(said, "more", "other", "leave") == [(10, "more", 4), *[(10, "other", 0)] * 6, (23, "leave", 0)]
    assert told(said, "percent") == [(10, "percent", 20), (21, "percent", 40)]
    assert told(said, "budget", "left")[-2:] == [(21, "left", 3), (21, "budget", 4)]


def test_who_does_not_fit_is_rejected_and_never_runs(scenarios: Path) -> None:
    ticks, said = play(scenarios, "rejected")
    assert ticks == "bbbbb....." * 4
    assert told(said, "first", "second", "record") == [(0, "first", 0), (0, "second", 4), (0, "record", -34)]


def test_a_job_goes_on_without_budget_in_a_section_and_pays_that_back(scenarios: Path) -> None:
    """The soft one: 2 ticks in 10, and a section of 4. At 6 it owes 3, which two more budgets leave 1 of."""
    ticks, said = play(scenarios, "sectioned")
    assert ticks == "baaaaaa..." + "b........." * 3
    assert told(said, "left", "budget", "deadline") == [
        *[(4, "left", 0), (4, "budget", 2), (4, "deadline", 10)],
        *[(6, "left", 1), (6, "budget", 2), (6, "deadline", 30)],
    ]


def test_components_are_made_by_one_call(scenarios: Path) -> None:
    assert play(scenarios, "components")[0] == "aaaabbbbcc" * 4


@pytest.mark.parametrize(
    ("name", "ticks"),
    [
        ("slices", "aaabdbbccd" * 4),
        ("slices_in_server", "aaaabbccccbbaaaaccccbbbbaaccccaabbbbcccc"),
        ("slice_of_one", "aaaaa" + "b" * 35),
        ("slices_under_keys", "aaaaabbbbb" * 4),
    ],
)
def test_equals_take_turns_by_slices(scenarios: Path, name: str, ticks: str) -> None:
    assert play(scenarios, name)[0] == ticks


# ---- rates, natively and over fixed priorities -----------------------------------------------------


@pytest.fixture(scope="module")
def rates(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of rate-based tasks."""
    return link(built, "posix", "rates", tmp_path_factory.mktemp("rates"), [])


def draw_task(draw: random.Random, number: int, class_: str | None = None) -> Task:
    """Draw a task whose jobs have demands, some of them above the wcet."""
    class_ = class_ or draw.choice(["hard", "hard", "soft", "soft", "none"])
    period = draw.choice([6, 8, 10, 12, 15, 20, 24, 30])
    wcet = draw.randint(1, max(1, period // 3))
    demand = tuple(draw.randint(1, wcet + draw.choice([0, 0, 2])) for _ in range(draw.randint(1, 4)))
    offset = draw.choice([0, 0, 0, draw.randrange(HORIZON)])
    return Task(
        name="abcdefgh"[number],
        class_=class_,
        wcet=None if class_ == "none" else wcet,
        period=period,
        deadline=draw.randint(wcet, period) if class_ == "hard" else None,
        weight=draw.randint(1, 3),
        demand=demand,
        offset=offset,
        leaves=draw.choice([None, None, offset + draw.randrange(1, HORIZON)]),
    )


def draw_system(seed: int) -> System:
    """Draw a system without new parameters."""
    draw = random.Random(seed)
    return System(
        tasks=tuple(draw_task(draw, number) for number in range(draw.randint(2, 6))),
        beta=Fraction(draw.randrange(3), 10),
        sigma=Fraction(draw.randrange(3), 10),
        rule=draw.choice(["boundary", "in-flight"]),
        background=draw.random() < 0.5,
    )


def with_requests(system: System, seed: int) -> System:
    """Return a system in which some tasks request other parameters; in every other one hard tasks overrun."""
    draw = random.Random(seed)
    tasks = []
    for task in system.tasks:
        requests = []
        if task.class_ == "hard" and seed % 2 == 1:
            task = replace(task, demand=(2 * task.requested + 2,), leaves=None)
        for instant in sorted(draw.sample(range(1, HORIZON), draw.randrange(9))):
            period = draw.choice([6, 9, 14, 25])
            wcet = None if task.class_ == "none" else draw.randint(1, 5)
            deadline = period if task.class_ == "hard" else None
            requests.append((instant, replace(task, wcet=wcet, period=period, deadline=deadline)))
        tasks.append(replace(task, requests=tuple(requests)))
    return replace(system, tasks=tuple(tasks))


def demand_text(task: Task) -> str:
    """Write what a task asks for, as rates.c reads it."""
    return f"{task.wcet or 0} {task.period} {task.window} {task.weight}"


Request = tuple[int, int, int, str]


def requests_of(system: System) -> list[Request]:
    """Return instant, order, task and the rest; at one instant leaves come first, then entries, then parameters."""
    requests: list[Request] = []
    for number, task in enumerate(system.tasks):
        requests.append((task.offset, 1, number, f"0 {demand_text(task)}"))
        if task.leaves is not None:
            requests.append((task.leaves, 0, number, f"1 {demand_text(task)}"))
        requests += [(instant, 2, number, f"2 {demand_text(asked)}") for instant, asked in task.requests]
    return sorted(request for request in requests if request[0] < HORIZON)


def draw_requests(system: System, draw: random.Random) -> list[Request]:
    """Draw requests at random instants, of tasks that are there or not; who leaves may come back."""
    requests = []
    for place in range(draw.randrange(40)):
        number, kind = draw.randrange(len(system.tasks)), draw.choice([0, 0, 1, 2, 2])
        asked = draw_task(draw, number, system.tasks[number].class_)
        instant = draw.choice([0, 8 * draw.randrange(HORIZON // 8), draw.randrange(HORIZON)])
        requests.append((instant, place, number, f"{kind} {demand_text(asked)}"))
    return sorted(requests)


def words_of(rows: Iterable[Iterable[int]]) -> str:
    """Write rows of numbers."""
    return " ".join(str(number) for row in rows for number in row)


def text_of(system: System, is_hybrid: bool, requests: list[Request], records: int) -> str:
    """Write a system as rates.c reads it."""
    assert isinstance(system.beta, Fraction)
    rule = ["boundary", "in-flight"].index(system.rule)
    lines = [f"{int(is_hybrid)} {HORIZON}", f"{int(system.beta * SCALE)} {int(system.sigma * SCALE)} {system.grid}"]
    names = sorted({name for task in system.tasks for name in used_by(task)})
    lines += [f"{rule} {int(system.background)} {records} {len(names)}", str(len(system.tasks))]
    for task in system.tasks:
        assert isinstance(task.demand, tuple)
        sections = [(names.index(name), longest_section(task, name)) for name in sorted(used_by(task))]
        marks = [(mark.at, int(mark.is_lock), names.index(mark.resource)) for mark in marks_of(task)]
        lines.append(f"{CLASSES.index(task.class_)} {demand_text(task)}")
        lines += [f"{len(task.demand)} {words_of([task.demand])}"]
        lines += [f"{len(rows)} {words_of(rows)}" for rows in (sections, marks)]
    lines.append(str(len(requests)))
    lines += [f"{instant} {number} {rest}" for instant, _, number, rest in requests]
    return "\n".join(lines) + "\n"


def ticks_of(system: System) -> str:
    """Return the task of each tick according to the reference."""
    ticks = ["."] * HORIZON
    for start, end, name, _ in reference(system, HORIZON).segments:
        ticks[start:end] = name * (end - start)
    return "".join(ticks)


def play_both(rates: Path, system: System, requests: list[Request], records: int) -> tuple[str, list[str]]:
    """Return the native output, which equals that over fixed priorities, the answers included."""
    native = play(rates, text_of(system, is_hybrid=False, requests=requests, records=records))
    assert play(rates, text_of(system, is_hybrid=True, requests=requests, records=records)) == native
    return native


@pytest.mark.parametrize("part", range(4))
def test_over_fixed_priorities_who_runs_is_who_runs_natively_and_in_the_reference(rates: Path, part: int) -> None:
    for seed in range(part, sampling.count(SETS), 4):
        system = draw_system(seed)
        assert play_both(rates, system, requests_of(system), 0)[0] == ticks_of(system), seed


@pytest.mark.parametrize("part", range(4))
def test_those_that_negotiate_run_as_the_reference_says(rates: Path, part: int) -> None:
    """With a few records for each task, so that most are used again: unless there is none left."""
    for seed in range(part, sampling.count(SETS), 4):
        system = with_requests(draw_system(seed), seed)
        ticks, answers = play_both(rates, system, requests_of(system), 2 * len(system.tasks) + seed % 6)
        assert ticks == ticks_of(system) or NO_RECORD in answers, seed


@pytest.mark.parametrize("part", range(4))
def test_over_fixed_priorities_whatever_is_asked_for_is_answered_as_it_is_natively(rates: Path, part: int) -> None:
    for seed in range(part, sampling.count(SETS), 4):
        play_at_random(rates, seed)


def play_at_random(rates: Path, seed: int) -> list[str]:
    """Play a system with any requests and few records; give the answers."""
    system, draw = draw_system(seed), random.Random(seed)
    return play_both(rates, system, draw_requests(system, draw), draw.randrange(12))[1]


# ---- rates that share resources --------------------------------------------------------------------


def draw_body(draw: random.Random, names: list[str]) -> list[str]:
    """Draw runs and sections, perhaps one in another."""
    name, *others = draw.sample(names, len(names))
    inside = [f"run {draw.randint(1, 4)}"]
    if others and draw.random() < 0.3:
        inside += draw_body(draw, others)
    before, after = ([f"run {ticks}"] if ticks else [] for ticks in (draw.randrange(3), draw.randrange(3)))
    return [*before, f"lock {name}", *inside, f"unlock {name}", *after]


def with_sections(system: System, seed: int) -> System:
    """Return a system in which most tasks share resources; some jobs end before they unlock, and some overrun."""
    draw = random.Random(seed)
    tasks = []
    for task in system.tasks:
        if draw.randrange(4) > 0:
            task = replace(task, body=tuple(draw_body(draw, ["R", "S"])), wcet=None)
            runs, period = task.runs, max(task.period, task.runs * draw.randint(3, 12))
            demand = tuple(draw.randint(1, runs + draw.choice([0, 0, runs])) for _ in range(draw.randint(1, 4)))
            wcet = None if task.class_ == "none" else runs + draw.randrange(2)
            deadline = draw.randint(2 * runs, period) if task.class_ == "hard" else None
            task = replace(task, wcet=wcet, period=period, deadline=deadline, demand=demand)
        tasks.append(task)
    return replace(system, tasks=tuple(tasks))


def play_sharing(rates: Path, seed: int) -> tuple[System, Outcome]:
    """Compare a system of threads that share resources with the reference: who runs, and who is rejected."""
    system = with_sections(draw_system(seed), seed)
    expected = reference(system, HORIZON)
    requests = requests_of(system)
    ticks, answers = play(rates, text_of(system, is_hybrid=False, requests=requests, records=0))
    assert ticks == ticks_of(system), seed
    rejected = {number for (*_, number, rest), answer in zip(requests, answers, strict=True) if answer == "4"}
    names = {who for _, event, who, _ in expected.log if event == "rejected"}
    assert {system.tasks[number].name for number in rejected} == names, seed
    return system, expected


@pytest.mark.parametrize("part", range(4))
def test_threads_that_share_resources_run_as_the_reference_says(rates: Path, part: int) -> None:
    for seed in range(part, sampling.count(2 * SETS), 4):
        play_sharing(rates, seed)


def test_the_systems_that_share_block_each_other(rates: Path) -> None:
    """Some wait for a section, some are rejected for b alone, and some budgets are used up in a section."""
    blocked, refilled, for_b = 0, 0, 0
    for seed in range(30):
        system, expected = play_sharing(rates, seed)
        unbound = reference(replace(system, counts_blocking=False), HORIZON)
        blocked += len(expected.blocked) > 0
        for_b += rejections(expected) > rejections(unbound)
        refilled += any(event in ("refilled", "overrun") for _, event, _, _ in expected.log)
    sampling.expect_cases(min(blocked, refilled, for_b) > 3)


def rejections(outcome: Outcome) -> int:
    """Count who was not let in."""
    return sum(event == "rejected" for _, event, _, _ in outcome.log)


def test_the_systems_tell_the_answers_apart(rates: Path) -> None:
    """Some are rejected, and some find no record: else the tests above would say little."""
    assert {answer for seed in range(20) for answer in play_at_random(rates, seed)} == {"0", "4", NO_RECORD}


# ---- programs for every port -----------------------------------------------------------------------


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("program", ["misuse_jobs", "sections"])
def test_every_misuse_of_jobs_is_told(
    built: Build, tmp_path: Path, port: str, defines: list[str], program: str
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, program, tmp_path, defines, DEBUG)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


RATES = ["-DCONFORMANCE_POLICY=takt_policy_rate_based"]


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS, RATES], ids=["plain", "traced", "rates"])
def test_a_job_that_may_be_ended_does_not_wait(built: Build, tmp_path: Path, port: str, defines: list[str]) -> None:
    done = run([*emulator(recipe(port)), link(built, port, "refused_waits", tmp_path, defines, DEBUG)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
