# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hypothesis strategies that make random systems for the rate-based reference and whatever is compared with it.

Small numbers on purpose: periods that divide 24 bring many deadlines onto one instant, small budgets bring exhaustion.
Shrinking leads to few tasks, offsets 0, no task that leaves, no overruns, and the default settings.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from .model import CLASSES, FORMULA3, System, Task
from .rbe import RbeTask

MIN_TASKS = 2
MAX_TASKS = 6
MIN_PERIOD = 2
MAX_PERIOD = 24
LONG_PERIODS = (30, 48, 60, 80, 100)
LAST_REQUEST = 60
MAX_DEMANDS = 4
MAX_REQUESTS = 3
MAX_EVENTS = 8
HORIZON = 240
SAFE_RULES = ("in-flight", "boundary")
RESOURCES = ("A", "B", "C")
MAX_SECTION = 3
BETAS = (Fraction(1, 10), Fraction(0), Fraction(1, 4), FORMULA3)


def periods() -> st.SearchStrategy[int]:
    """Return a period: a divisor of 24, any up to MAX_PERIOD, or a long one."""
    harmonic = [period for period in range(MIN_PERIOD, MAX_PERIOD + 1) if MAX_PERIOD % period == 0]
    return st.one_of(st.sampled_from(harmonic), st.integers(MIN_PERIOD, MAX_PERIOD), st.sampled_from(LONG_PERIODS))


def instants() -> st.SearchStrategy[int]:
    """Return the instant of an entry, often 0."""
    return st.one_of(st.just(0), st.integers(0, LAST_REQUEST))


@st.composite
def tasks(
    draw: st.DrawFn, name: str, *, overruns: bool = True, adapts: bool = True, requests: int = MAX_REQUESTS
) -> Task:
    """Return one task.

    Args:
        draw: given by Hypothesis.
        name: its name.
        overruns: whether jobs may demand more than the wcet.
        adapts: whether a soft task may adapt its estimate.
        requests: how often it asks for other parameters at most.
    """
    task = draw(_first_versions(name, overruns, adapts))
    instants = draw(st.lists(st.integers(0, 2 * LAST_REQUEST), max_size=requests))
    return replace(task, requests=tuple((at, draw(_versions(task, overruns))) for at in sorted(instants)))


@st.composite
def _versions(draw: st.DrawFn, task: Task, overruns: bool) -> Task:
    """Return a task with other parameters."""
    period = draw(st.one_of(st.just(task.period), periods()))
    wcet = draw(st.integers(1, max(1, period // 2)))
    if task.wcet is not None and task.wcet <= period:
        wcet = draw(st.sampled_from((wcet, task.wcet)))
    is_greedy = task.class_ == "none" and task.demand is None
    demand = draw(_demands(wcet, overruns).filter(lambda demand: is_greedy or task.class_ != "none" or demand))
    is_short = task.class_ == "hard" and draw(st.booleans())
    return replace(
        task,
        wcet=None if task.class_ == "none" else wcet,
        period=period,
        deadline=draw(st.integers(wcet, period)) if is_short else None,
        weight=draw(st.integers(1, 3)) if task.class_ == "none" else 1,
        demand=None if is_greedy else demand,
    )


@st.composite
def _first_versions(draw: st.DrawFn, name: str, overruns: bool, adapts: bool) -> Task:
    """Return one task that requests no other parameters."""
    class_ = draw(st.sampled_from(CLASSES))
    period = draw(periods())
    wcet = draw(st.integers(1, max(1, period // 2)))
    offset = draw(instants())
    stay = draw(st.one_of(st.none(), st.integers(1, LAST_REQUEST)))
    is_short = class_ == "hard" and draw(st.booleans())
    return Task(
        name=name,
        class_=class_,
        wcet=None if class_ == "none" else wcet,
        period=period,
        deadline=draw(st.integers(wcet, period)) if is_short else None,
        weight=draw(st.integers(1, 3)) if class_ == "none" else 1,
        demand=draw(_demands(wcet, overruns)),
        offset=offset,
        leaves=None if stay is None else offset + stay,
        adapts=class_ == "soft" and adapts and draw(st.booleans()),
    )


def _demands(wcet: int, overruns: bool) -> st.SearchStrategy[int | tuple[int, ...] | None]:
    """Return demands: the wcet, or a few that are repeated, smaller and, if wanted, larger ones among them."""
    largest = 3 * wcet + 2 if overruns else wcet
    several = st.lists(st.integers(1, largest), min_size=1, max_size=MAX_DEMANDS).map(tuple)
    return st.one_of(st.none(), several)


@st.composite
def systems(
    draw: st.DrawFn,
    *,
    overruns: bool = True,
    adapts: bool = True,
    rules: tuple[str, ...] = SAFE_RULES,
    betas: tuple[Fraction | str, ...] = BETAS,
    options: bool = True,
    requests: int = MAX_REQUESTS,
) -> System:
    """Return a system of MIN_TASKS to MAX_TASKS tasks that enter and leave.

    Args:
        draw: given by Hypothesis.
        overruns: whether hard and soft jobs may demand more than the wcet.
        adapts: whether estimates may adapt.
        rules: the rules to draw from.
        betas: the values of beta to draw from.
        options: whether grid, sigma, compression and the shrinking of class none may differ from the default.
        requests: how often a task asks for other parameters at most.
    """
    names = [f"T{number}" for number in range(1, draw(st.integers(MIN_TASKS, MAX_TASKS)) + 1)]
    made = tuple(draw(tasks(name, overruns=overruns, adapts=adapts, requests=requests)) for name in names)
    rule, beta = draw(st.sampled_from(rules)), draw(st.sampled_from(betas))
    if not options:
        return System(made, beta, rule=rule)
    return System(
        tasks=made,
        beta=beta,
        sigma=draw(st.sampled_from((Fraction(0), Fraction(1, 10)))),
        grid=draw(st.sampled_from((1, 1, 5))),
        rule=rule,
        compression=draw(st.booleans()),
        nrt_shrink=draw(st.booleans()),
        background=draw(st.booleans()),
        estimate_jobs=draw(st.integers(1, 3)),
    )


@st.composite
def bodies(draw: st.DrawFn, resources: tuple[str, ...] = RESOURCES) -> tuple[str, ...]:
    """Return runs and sections, perhaps one in another."""
    name = draw(st.sampled_from(resources))
    before, inside, after = (draw(st.integers(least, MAX_SECTION)) for least in (0, 1, 0))
    items = [f"lock {name}", f"run {inside}", f"unlock {name}"]
    others = tuple(other for other in resources if other != name)
    is_nested = draw(st.booleans())
    if is_nested and others:
        items = [*items[:2], *draw(bodies(others)), *items[2:]]
    first = [f"run {before}"] if before else []
    return (*first, *items, *([f"run {after}"] if after else []))


@st.composite
def sharing_tasks(draw: st.DrawFn, name: str, *, overruns: bool, adapts: bool, requests: int) -> Task:
    """Return a task that most likely locks something, with room for others beside it.

    One that is not hard may ask for other parameters.
    """
    task = draw(tasks(name, overruns=overruns, adapts=adapts, requests=0))
    if draw(st.integers(0, 3)) == 0:
        return task
    body = draw(bodies())
    runs = replace(task, body=body).runs
    wcet = None if task.class_ == "none" else runs + draw(st.integers(0, 2))
    most = 2 * runs + 3 if overruns else runs
    demand = draw(st.one_of(st.none(), st.lists(st.integers(1, most), min_size=1, max_size=MAX_DEMANDS).map(tuple)))
    period = max(task.period, runs * draw(st.integers(3, 12)))
    deadline = (
        draw(st.one_of(st.none(), st.integers(max(2 * runs, wcet or 0), period))) if task.class_ == "hard" else None
    )
    made = replace(task, body=body, wcet=wcet, demand=demand, period=period, deadline=deadline)
    instants = [] if task.class_ == "hard" else draw(st.lists(st.integers(0, 2 * LAST_REQUEST), max_size=requests))
    return replace(made, requests=tuple((at, draw(_paces(made))) for at in sorted(instants)))


@st.composite
def _paces(draw: st.DrawFn, task: Task) -> Task:
    """Return a task with another period or weight."""
    period = draw(st.integers(max(MIN_PERIOD, task.wcet or 0), 2 * task.period))
    return replace(task, period=period, weight=draw(st.integers(1, 3)) if task.class_ == "none" else 1)


@st.composite
def sharing_systems(
    draw: st.DrawFn,
    *,
    overruns: bool = True,
    adapts: bool = True,
    rules: tuple[str, ...] = SAFE_RULES,
    requests: int = 0,
) -> System:
    """Return a system of tasks that share resources; the arguments are those of systems."""
    made = draw(systems(overruns=overruns, adapts=adapts, rules=rules, betas=BETAS[:3]))
    some = [draw(sharing_tasks(task.name, overruns=overruns, adapts=adapts, requests=requests)) for task in made.tasks]
    return replace(made, tasks=tuple(some))


@st.composite
def rbe_tasks(draw: st.DrawFn, name: str) -> RbeTask:
    """Return one RBE task with bursts and gaps."""
    y = draw(st.sampled_from((1, 2, 3, 4, 6, 8, 12)))
    gaps = draw(st.lists(st.one_of(st.just(0), st.integers(0, 2 * y)), max_size=MAX_EVENTS))
    return RbeTask(
        name=name,
        x=draw(st.integers(1, 3)),
        y=y,
        d=draw(st.one_of(st.just(y), st.integers(1, 2 * y))),
        c=draw(st.integers(1, 3)),
        arrivals=tuple(sum(gaps[: number + 1]) for number in range(len(gaps))),
        class_=draw(st.sampled_from(CLASSES)),
    )


@st.composite
def rbe_sets(draw: st.DrawFn) -> tuple[RbeTask, ...]:
    """Return one to three RBE tasks."""
    count = draw(st.integers(1, 3))
    return tuple(draw(rbe_tasks(f"T{number}")) for number in range(1, count + 1))
