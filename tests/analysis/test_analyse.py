# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`takt.analyse`: what it says is never contradicted by a simulation, and says what is known from the literature."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import oracle
import polars as pl
import pytest
import takt
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from oracle.systems import CHANGES, RESOURCES, SERVER_KINDS, chains, crowds, horizons, households, systems
from oracle.systems import EVERYTHING as ANYTHING
from sampling import expect_cases, tries
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from test_random_systems import as_system

EVERYTHING = ANYTHING | SERVER_KINDS | RESOURCES
EXAMPLES = sorted(Path("examples").glob("*.toml"))

many = tries(200)


def contradictions(system: takt.System, horizon: int | None = None) -> list[str]:
    """Return what a simulation shows that the analysis denies."""
    rows = {row.task: row for row in judge(view_of(system)).rows()}
    result = takt.simulate(system, horizon, jobs=True, segments=False)
    # A job without a finish has taken until now; but an imprecise one may have been cut, which has no finish either.
    last = None if system.policy == "imprecise" else result.horizon
    told = result.jobs.join(pl.DataFrame({"task": list(rows)}), on="task", how="semi")
    return [
        f"{task}: job {job} arrives at {arrival}, finishes at {finish}, missed {missed}; {rows[task]}"
        for task, job, arrival, finish, missed in told.select("task", "job", "release", "finish", "missed").rows()
        if _denies(rows[task], arrival, last if finish is None and not missed else finish, missed=missed)
    ]


def _denies(row: TaskBound, arrival: int, until: int | None, *, missed: bool) -> bool:
    """True if a job does what its task cannot do; it has come to the instant `until`, unless it was ended."""
    is_late = row.response is not None and until is not None and until - arrival > row.response
    return is_late or (row.verdict is Verdict.SCHEDULABLE and missed)


DRAWN = {
    "plain": systems(),
    "whatever tasks have": systems(parents_first=False, features=EVERYTHING),
    "of servers": systems(features=SERVER_KINDS, always=SERVER_KINDS),
    "of deep hierarchies": chains(kinds=True),
    "where tasks contend": crowds(features=EVERYTHING),
    "of what servers share": households(),
    "of changes": systems(features=EVERYTHING | CHANGES, always=CHANGES),
}
"""Strategies of systems whose simulation may not contradict their analysis."""


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)
def test_no_simulation_contradicts_the_analysis(drawn: st.SearchStrategy[oracle.System]) -> None:
    @many
    @given(drawn, horizons())
    def agree(system: oracle.System, horizon: int) -> None:
        assert contradictions(as_system(system), horizon) == []

    agree()


@many
@given(systems(), horizons(), st.integers(1, 6), st.integers(0, 99))
def test_no_simulation_contradicts_the_analysis_of_jitter(
    system: oracle.System, horizon: int, jitter: int, seed: int
) -> None:
    plain = as_system(system)
    tasks = [task.replace(jitter=jitter) if task.period is not None else task for task in plain.tasks]
    assert contradictions(plain.replace(tasks=tasks, seed=seed), horizon) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_simulation_contradicts_the_analysis_of_an_example(path: Path) -> None:
    system = takt.load(path)
    systems = [domain.system for domain in system.domains] or [system]
    assert [line for each in systems for line in contradictions(each)] == []


# ---- policies that the oracle's systems do not have -----------------------------------------------------


OWN = ("rate-based", "dual-priority", "imprecise", "pinwheel", "rbe", "share", "global")


@st.composite
def own_systems(draw: st.DrawFn) -> takt.System:
    """Return a system under a policy with a test of its own."""
    policy = draw(st.sampled_from([*OWN, "enforced"]))
    count = draw(st.integers(1, 5))
    tasks = [draw(_own_task(f"T{number}", policy, count)) for number in range(1, count + 1)]
    options = [takt.Share(variant=draw(st.sampled_from(["generic", "wfq", "wf2q"])))] * (policy == "share")
    cpus = draw(st.integers(2, 4)) if policy == "global" else 1
    try:
        shown = {"global": "edf", "enforced": draw(st.sampled_from(["fp", "rm", "edf"]))}.get(policy, policy)
        return takt.System(tasks=tasks, policy=shown, options=options, cpus=cpus)
    except takt.InputError:
        reject()


@st.composite
def _own_task(draw: st.DrawFn, name: str, policy: str, count: int) -> takt.Task:
    """Return a periodic task that about fits beside its neighbours."""
    period = draw(st.integers(2, 24))
    wcet = draw(st.integers(1, max(1, 2 * period // count)))
    more: dict[str, object] = {"priority": draw(st.integers(0, 5)), "weight": draw(st.integers(1, 5))}
    if policy in ("dual-priority", "imprecise", "global"):
        more["deadline"] = draw(st.integers((period + 1) // 2, period))
    if policy == "imprecise":
        more["mandatory"] = draw(st.integers(0, wcet))
    if policy in ("rate-based", "dual-priority"):
        more["class_"] = draw(st.sampled_from(["hard", "hard", "soft", "none"]))
    if policy == "rbe":
        more |= {"events": draw(st.integers(1, 3)), "interval": draw(st.integers(period, 3 * period))}
        more["deadline"] = draw(st.integers(wcet, 2 * period))
    if policy == "enforced":
        more["on_overrun"] = draw(st.sampled_from(["continue", "suspend", "abort"]))
    demand = draw(st.lists(st.integers(1, wcet + draw(st.sampled_from([0, 0, 2]))), min_size=1, max_size=3))
    return takt.Task(
        name=name, period=period, wcet=min(wcet, period), demand=demand, offset=draw(st.integers(0, 8)), **more
    )


@st.composite
def negotiations(draw: st.DrawFn) -> takt.System:
    """Return a rate-based system of which some tasks come, leave, or request other parameters."""
    count = draw(st.integers(2, 5))
    tasks = [draw(_own_task(f"T{number}", "rate-based", count)) for number in range(1, count + 1)]
    changes = []
    for task in tasks[1:]:
        kind = draw(st.sampled_from(["none", "come", "leave", "period", "wcet"]))
        at = draw(st.integers(1, 60))
        if kind == "come":
            changes.append(takt.Change(at=at, add=[task.name]))
        elif kind == "leave":
            changes.append(takt.Change(at=at, remove=[task.name]))
        elif kind != "none":
            wcet = draw(st.integers(1, 6))
            asked = {"period": draw(st.integers(6, 30))} if kind == "period" else {"wcet": wcet, "demand": wcet}
            changes.append(takt.Change(at=at, task=task.name, **asked))
    coming = {name for change in changes for name in change.add}
    tasks = [task.replace(initially="absent") if task.name in coming else task for task in tasks]
    rule = draw(st.sampled_from(["boundary", "in-flight"]))
    try:
        return takt.System(tasks=tasks, policy="rate-based", options=[takt.RateBased(changes=rule)], changes=changes)
    except takt.InputError:
        reject()


@many
@given(negotiations(), st.integers(1, 300))
def test_no_simulation_contradicts_the_analysis_of_negotiations(system: takt.System, horizon: int) -> None:
    assert contradictions(system, horizon) == []


@many
@given(own_systems(), st.integers(1, 400))
def test_no_simulation_contradicts_the_analysis_of_policies_with_a_test_of_their_own(
    system: takt.System, horizon: int
) -> None:
    assert contradictions(system, horizon) == []


@tries(100)
@given(st.data())
def test_no_simulation_contradicts_the_analysis_of_a_table(data: st.DataObject) -> None:
    cycle = data.draw(st.integers(4, 16))
    cuts = sorted(data.draw(st.sets(st.integers(0, cycle), min_size=3, max_size=7)))
    names = [data.draw(st.sampled_from(["A", "B"])) for _ in cuts[1:]]
    slots = [
        takt.Slot(task=name, start=start, length=end - start)
        for name, start, end in zip(names, cuts[:-1], cuts[1:], strict=True)
    ]
    tasks = [
        takt.Task(
            name=name,
            period=data.draw(st.integers(2, 2 * cycle)),
            deadline=data.draw(st.integers(2, 3 * cycle)),
            wcet=data.draw(st.integers(1, 5)),
            offset=data.draw(st.integers(0, cycle)),
        )
        for name in sorted(set(names))
    ]
    system = takt.System(tasks=tasks, policy="time-driven", options=[takt.TimeDriven(cycle=cycle, slots=slots)])
    horizon = cycle + 4 * math.lcm(cycle, *(task.period for task in tasks if isinstance(task.period, int)))
    result = takt.simulate(system, horizon, segments=False)
    for row in judge(view_of(system)).rows():
        worst = result.summary.filter(pl.col("task") == row.task)["response_max"].item()
        assert row.response is None or row.response == worst


@pytest.mark.long
def test_the_random_systems_have_every_verdict() -> None:
    seen: Counter[tuple[str, Verdict]] = Counter()

    @settings(max_examples=1000, derandomize=True, deadline=None, database=None)
    @given(own_systems())
    def look(system: takt.System) -> None:
        found = judge(view_of(system))
        for verdict in (found.verdict, *(row.verdict for row in found.rows())):
            seen["global" if system.cpus > 1 else str(system.policy), verdict] += 1

    look()
    for policy in OWN:
        expect_cases(seen[policy, Verdict.SCHEDULABLE] > 0, policy)
    for policy in ("imprecise", "rbe"):
        expect_cases(seen[policy, Verdict.NOT_SCHEDULABLE] > 0, policy)
    for policy in ("rate-based", "dual-priority", "share", "global"):
        expect_cases(seen[policy, Verdict.NOT_GUARANTEED] > 0, policy)


@st.composite
def late_systems(draw: st.DrawFn, policy: str) -> takt.System:
    """Return a system whose jobs may be late, and are dropped or aborted then."""
    tasks = []
    for name in "ABC"[: draw(st.integers(2, 3))]:
        period = draw(st.integers(2, 6))
        tasks.append(
            takt.Task(
                name=name,
                period=2 * period,
                wcet=draw(st.integers(1, period)),
                deadline=draw(st.integers(2 * period, 4 * period)),
                offset=draw(st.integers(0, 2 * period)),
                on_miss=draw(st.sampled_from(["skip", "skip", "abort"])),
            )
        )
    return takt.System(tasks=tasks, policy=policy)


@pytest.mark.parametrize("policy", ["fp", "edf", "llf", "rbe"])
def test_no_simulation_contradicts_the_analysis_of_jobs_that_are_dropped(policy: str) -> None:
    @many
    @given(late_systems(policy))
    def agree(system: takt.System) -> None:
        assert contradictions(system, 240) == []

    agree()


# ---- what no test admits --------------------------------------------------------------------------------

DOUBTS: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "a job that drops the next one": (
        {"deadline": 15, "on_miss": "skip"},
        {},
        "A drops jobs that come before the deadline of the one before",
    ),
    "a job that suspends itself and locks": (
        {"wcet": None, "body": ["run 1", "suspend 1", "lock R", "run 1", "unlock R"]},
        {"resources": [takt.Resource(name="R", protocol="pip")]},
        "A suspends itself and locks resources",
    ),
    "a job that is longer than all time": (
        {"period": 2**62 - 1, "deadline": 2**62 - 1, "wcet": None}
        | {"body": [f"run {2**61}", f"suspend {2**61}", "run 1"]},
        {},
        "jobs take longer than can be computed",
    ),
    "another policy": (
        {"deadline": 1},
        {"changes": [takt.Change(at=5, policy="dm")]},
        "the policy changes while it runs",
    ),
}


@pytest.mark.parametrize(
    ("policy", "doubt"),
    [
        (policy, doubt)
        for policy in ("fp", "dm", "edf", "llf", "rbe")
        for doubt in DOUBTS
        if policy != "rbe" or doubt != "another policy"  # which it does not have
    ],
)
def test_no_test_of_a_policy_answers_what_none_admits(policy: str, doubt: str) -> None:
    """Beside a task of which all is known."""
    of_task, of_system, reason = DOUBTS[doubt]
    first = {"name": "A", "period": 10, "wcet": 1, "deadline": 10} | of_task
    second = takt.Task(name="B", period=10, wcet=1)
    system = takt.System(tasks=[takt.Task(**first), second], policy=policy, **of_system)
    row = next(row for row in judge(view_of(system)).rows() if row.task == "A")
    assert row.verdict in (Verdict.NOT_KNOWN, Verdict.NOT_GUARANTEED)
    assert reason in row.reason


def test_jobs_any_number_of_which_come_at_a_time_are_admitted_where_deadlines_are_postponed() -> None:
    burst = {"name": "A", "arrivals": [0, 0, 3], "wcet": 1, "deadline": 9}
    for policy, is_admitted in (("rbe", True), ("edf", False)):
        task = takt.Task(**burst, **({"interval": 10} if is_admitted else {}))
        unsupported = view_of(takt.System(tasks=[task], policy=policy)).dispatchers[0].all_unsupported
        assert (not unsupported) == is_admitted
        assert is_admitted or unsupported == ("jobs of A may arrive any number at a time; give it a min_separation",)
