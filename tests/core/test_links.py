# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks that other tasks release (SPEC.md, 17): golden schedules, an oracle, replay, refusals."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import link_oracle
import oracle
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from link_oracle import Edge, Target
from machine_oracle import Domain
from oracle.model import RULE_KINDS
from oracle.systems import EVERYTHING, RESOURCES, SERVER_KINDS, horizons, systems
from places import GOLDEN
from sampling import expect_cases, tries
from takt.command import main
from takt.files.task_set_reading import loads
from takt.files.task_set_writing import to_toml
from takt.model import image as images
from test_machines import mixed, named
from test_random_systems import as_server, as_task
from typer.testing import CliRunner

LINKS = GOLDEN / "links"
NAMES = sorted(path.stem for path in LINKS.glob("*.toml"))
FEATURES = (EVERYTHING | SERVER_KINDS | RESOURCES) - {"costs", "jitter", "arrivals", "events"}
AT_END = 10**6
"""Place of an item behind the last run, which a longer demand extends."""

some = tries(100)


# ---- golden schedules ---------------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def texts(rows: Sequence[Mapping[str, Any]], like: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return rows with the columns of others, as a file has them."""
    return [
        {
            key: "" if row[key] is None else str(int(row[key]) if isinstance(row[key], bool) else row[key])
            for key in like[0]
        }
        for row in rows
    ]


@pytest.mark.parametrize("name", NAMES)
def test_golden_schedules_come_out(name: str, tmp_path: Path) -> None:
    system = takt.load(LINKS / f"{name}.toml")
    result = takt.simulate(system, trace=tmp_path / "run.takt")
    for frame in ("segments", "jobs"):
        expected = rows_of(LINKS / f"{name}.{frame}.csv")
        assert texts(getattr(result, frame).to_dicts(), expected) == expected
    counts = LINKS / f"{name}.counts.csv"
    if counts.exists():
        lost = {(row["from"], row["to"]): int(row["value"]) for row in rows_of(counts)}
        assert {(edge.source, edge.target): edge.lost for edge in result.edges} == lost
    assert takt.replay(tmp_path / "run.takt").is_identical


# ---- the oracle -----------------------------------------------------------------------------------------------------


@st.composite
def edges(draw: st.DrawFn, source: oracle.Task, *, may_replace: bool, is_bounded: bool) -> Edge:
    """Return an edge from a task, with some of the keys."""
    limit = draw(st.sampled_from([1, 2, 3] if is_bounded else [None, None, 0, 1, 2]))
    places = None
    if source.subjobs is None and draw(st.booleans()):
        places = tuple(sorted(draw(st.lists(st.sampled_from(places_in(source)), min_size=1, max_size=2))))
    return Edge(
        source.name,
        every=draw(st.sampled_from([1, 1, 1, 2, 3])),
        first=draw(st.sampled_from([None, None, 1, 2, 5])),
        delay=draw(st.sampled_from([(0,), (0,), (3,), (5, 0, 2)])),
        limit=limit,
        full=draw(st.sampled_from(["drop", "replace"])) if limit and may_replace else "drop",
        initial=draw(st.sampled_from([0, 0, 0, 1, 2])),
        places=places,
    )


def places_in(task: oracle.Task) -> list[int]:
    """Return after how much execution a body may release a task: right behind its runs."""
    if not task.body:
        return [AT_END] if task.declared_wcet == 1 else [task.declared_wcet // 2, AT_END]
    places, total = [], 0
    for item in task.body:
        if item.startswith("run"):
            total += int(item.split()[1])
            places.append(total)
    return [*places[:-1], AT_END]


@st.composite
def linked(draw: st.DrawFn) -> tuple[list[Domain], dict[str, Target]]:
    """Return domains in which some tasks release others, also of other domains."""
    count = draw(st.sampled_from([1, 1, 2, 3]))
    domains = [Domain((number,), named(draw(systems(features=FEATURES)), number)) for number in range(count)]
    tasks = mixed([domain.system.tasks for domain in domains])
    targets: dict[str, Target] = {}
    for place, task in enumerate(tasks):
        domain = next(each for each in domains if task in each.system.tasks)
        if place == 0 or policy_over(domain.system, task) in ("rm", "rbe") or not draw(st.booleans()):
            continue
        in_rule = any(each.name == task.server and each.kind in RULE_KINDS for each in domain.system.servers)
        sources = draw(
            st.lists(st.sampled_from(tasks[:place]), min_size=1, max_size=3, unique_by=lambda each: each.name)
        )
        is_joined = len(sources) > 1
        join = draw(st.sampled_from(["all", "any"])) if is_joined else "all"
        found = [
            draw(edges(source, may_replace=not in_rule, is_bounded=is_joined and join == "all")) for source in sources
        ]
        is_replacing = any(edge.full == "replace" for edge in found)
        targets[task.name] = Target(
            tuple(found),
            join,
            from_origin=not in_rule and may_count_from_origin(domain.system, task) and draw(st.booleans()),
            offset=0 if is_replacing else draw(st.sampled_from([0, 0, 4, 9])),
            jitter=(0,) if is_replacing else draw(st.sampled_from([(0,), (0,), (3,)])),
        )
    return domains, targets


def may_count_from_origin(system: oracle.System, task: oracle.Task) -> bool:
    """True if the level of a job does not follow from its deadline."""
    policy = policy_over(system, task)
    return policy in ("fp", "llf") or (policy == "edf" and not task.resources and task.threshold is None)


def policy_over(system: oracle.System, task: oracle.Task) -> str:
    """Return the policy that orders a task."""
    servers = {server.name: server for server in system.servers}
    home = servers.get(task.server or "")
    while home is not None and home.kind in RULE_KINDS:
        home = servers.get(home.parent or "")
    return system.policy if home is None else home.policy


def entry(edge: Edge) -> takt.Edge:
    keys = {"every": edge.every, "first": edge.first, "limit": edge.limit, "full": edge.full, "initial": edge.initial}
    return takt.Edge(task=edge.source, delay=list(edge.delay), **keys)


def with_releases(task: takt.Task, source: oracle.Task, targets: Mapping[str, Target]) -> takt.Task:
    """Return a task whose body releases others where their edges say so."""
    places = [
        (before, name)
        for name, target in targets.items()
        for edge in target.edges
        for before in edge.places or ()
        if edge.source == task.name
    ]
    last = sum(int(item.split()[1]) for item in source.body or () if item.startswith("run")) or source.declared_wcet
    places = [(min(before, last), name) for before, name in places]
    if not places:
        return task
    body, total = [], 0
    for item in cut_body(task, source, {before for before, _ in places}):
        body.append(item)
        if item.startswith("run"):
            total += int(item.split()[1])
            body += [f"release {name}" for before, name in places if before == total]
    return task.replace(body=body)


def cut_body(task: takt.Task, source: oracle.Task, places: set[int]) -> Sequence[str]:
    """Return the body of a task; of one without a body runs that end at these places."""
    if task.body:
        return task.body
    ends = sorted({*places, source.declared_wcet})
    return [f"run {end - begin}" for begin, end in zip([0, *ends], ends, strict=False)]


def as_linked(domains: Sequence[Domain], targets: Mapping[str, Target]) -> takt.System:
    """Return linked domains in Takt's words."""
    tasks, servers = [], []
    for number, domain in enumerate(domains):
        rules = [server.name for server in domain.system.servers if server.kind in RULE_KINDS]
        own = []
        for old in domain.system.tasks:
            task = with_releases(as_task(old, rules), old, targets)
            if old.name in targets:
                target = targets[old.name]
                task = task.replace(
                    period=None,
                    min_separation=None,
                    arrivals=None,
                    after=[entry(edge) for edge in target.edges],
                    join=target.join,
                    deadline_from="origin" if target.from_origin else "arrival",
                    offset=target.offset,
                    jitter=target.jitter[0],
                )
            own.append(task.replace(cluster=number))
        tasks.append(own)
        servers.append([as_server(server).replace(cluster=number) for server in domain.system.servers])
    return takt.System(
        policy=domains[0].system.policy,
        cpus=len(domains),
        clusters=[takt.Cluster(cpus=domain.processors, policy=domain.system.policy) for domain in domains],
        tasks=mixed(tasks),
        servers=mixed(servers),
        resources=[
            takt.Resource(name=each.name, protocol=each.protocol)
            for domain in domains
            for each in domain.system.resources
        ],
    )


def drawn_jitter(system: takt.System, name: str, most: int) -> tuple[int, ...]:
    """Return the jitter of the first jobs of a task: that of a periodic task in its place."""
    if most == 0:
        return (0,)
    part = next(each.system for each in system.domains if any(task.name == name for task in each.system.tasks))
    place = [task.name for task in part.tasks].index(name)
    alone = takt.System(
        seed=part.seed,
        tasks=[takt.Task(name=str(number), period=100, wcet=1, jitter=most) for number in range(place + 1)],
    )
    program = images.program(alone.resolved, images.pack(alone.resolved, 10_000))
    instants, nominal, _, tasks = takt._core.inputs(program)
    return tuple(now - then for now, then, task in zip(instants, nominal, tasks, strict=True) if task == place)


def expected_of(
    system: takt.System, domains: Sequence[Domain], targets: Mapping[str, Target], horizon: int
) -> link_oracle.Found:
    """What the oracle says of a system."""
    drawn = {name: replace(each, jitter=drawn_jitter(system, name, each.jitter[0])) for name, each in targets.items()}
    plain = [
        replace(
            domain.system,
            tasks=tuple(
                replace(task, period=None, min_separation=None, deadline=task.relative_deadline, offset=0)
                if task.name in targets
                else task
                for task in domain.system.tasks
            ),
        )
        for domain in domains
    ]
    return link_oracle.simulate(plain, drawn, horizon)


def segments_of(domains: Sequence[Domain], found: link_oracle.Found) -> list[tuple[Any, ...]]:
    rows = [
        (start, end, domain.processors[0], server, task, job)
        for domain, outcome in zip(domains, found.outcomes, strict=True)
        for start, end, server, task, job in outcome.segments
    ]
    return sorted(rows, key=lambda row: (row[0], row[2]))


def check(system: takt.System, domains: Sequence[Domain], targets: Mapping[str, Target], horizon: int) -> takt.Result:
    """Compare a run with the oracle, and with its replay."""
    expected = expected_of(system, domains, targets, horizon)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.takt")
        result = takt.simulate(system, horizon, trace=path)
        replay = takt.replay(path)
    assert result.segments.rows() == segments_of(domains, expected)
    jobs = [row for outcome in expected.outcomes for row in outcome.jobs]
    assert sorted(result.jobs.rows(), key=str) == sorted(jobs, key=str)
    lost = [
        count for name in [task.name for task in system.tasks if task.name in targets] for count in expected.lost[name]
    ]
    assert [edge.lost for edge in result.edges] == lost
    assert replay.is_identical
    assert replay.decisions == result.decisions
    return result


SEEN: set[str] = set()


@some
@given(linked(), horizons())
def test_linked_tasks_run_what_the_oracle_says(drawn: tuple[list[Domain], dict[str, Target]], horizon: int) -> None:
    domains, targets = drawn
    refused = list[takt.Problem]()
    try:
        system = as_linked(domains, targets)
    except takt.InputError as error:
        refused.extend(error.problems)
    assert all(problem.key == "body" for problem in refused), refused
    if refused:
        return
    result = check(system, domains, targets, horizon)
    SEEN.update({"linked"} if targets else ())
    SEEN.update({"lost"} if any(edge.lost for edge in result.edges) else ())
    SEEN.update({"across"} if len(domains) > 1 and targets else ())


def test_the_oracle_meets_lost_events_and_edges_between_domains() -> None:
    expect_cases(not {"linked", "lost", "across"} - SEEN, SEEN)


@some
@given(linked(), horizons())
def test_a_linked_system_is_read_as_it_was_written(drawn: tuple[list[Domain], dict[str, Target]], horizon: int) -> None:
    try:
        system = as_linked(*drawn)
    except takt.InputError:
        return
    again = loads(to_toml(system), "again")
    assert again == system
    assert takt.simulate(again, horizon).jobs.equals(takt.simulate(system, horizon).jobs)


# ---- worked out by hand ----------------------------------------------------------------------------------------------


def jobs_of(text: str, task: str, horizon: int = 60) -> list[tuple[int, int, int | None, bool]]:
    """Return job, release, finish and whether it missed of all jobs of a task."""
    jobs = takt.simulate(loads(f"schema = 1\n{text}", "by_hand"), horizon).jobs
    return [row[1:4] + row[5:] for row in jobs.rows() if row[0] == task]


SLOW = """
[system]
cpus = 2
[[task]]
name = "A"
period = 4
wcet = 1
cpu = 0
[[task]]
name = "B"
wcet = 11
deadline = 30
cpu = 1
"""


def test_replace_drops_the_job_that_waits_and_counts_its_event() -> None:
    """B#0 runs 1 to 12 and events come at 1, 5, 9, 13: B#1 waits from 5 on and goes at 9 for B#2."""
    text = SLOW + 'after = { task = "A", limit = 1, full = "replace" }'
    rows = [(1, 5, None, True), (0, 1, 12, False), (2, 9, None, False), (3, 13, None, False)]
    assert jobs_of(text, "B", 14) == rows
    result = takt.simulate(loads(f"schema = 1\n{text}", "replace"), 14)
    assert [edge.lost for edge in result.edges] == [1]
    assert result.summary.filter(task="B")["skipped"].to_list() == [1]


def test_a_job_that_waits_for_its_offset_waits_behind_the_first_one() -> None:
    """Origins are 0 and 4: B#0 arrives at 20, B#1 would at 24; with limit 1 the event at 9 is lost."""
    text = SLOW.replace("wcet = 11", "wcet = 2") + 'after = { task = "A", limit = 1 }\noffset = 20'
    assert jobs_of(text, "B", 30)[:2] == [(0, 20, 22, False), (1, 24, 26, False)]
    assert takt.simulate(loads(f"schema = 1\n{text}", "offset"), 20).edges[0].lost == 3


def test_an_absent_task_loses_events_and_a_source_counts_on() -> None:
    text = """
[[task]]
name = "A"
period = 10
wcet = 1
[[task]]
name = "B"
after = { task = "A", every = 2 }
wcet = 2
deadline = 10
[[change]]
at = 25
remove = ["B"]
[[change]]
at = 45
add = ["B"]
"""
    assert jobs_of(text, "B", 80) == [(0, 11, 13, False), (1, 51, 53, False), (2, 71, 73, False)]
    assert takt.simulate(loads(f"schema = 1\n{text}", "absent"), 80).edges[0].lost == 1


def test_global_processors_may_have_linked_tasks() -> None:
    """A and C run at once; both completions at 3 release M twice, in the order of `after`."""
    tasks = [
        takt.Task(name="A", period=20, wcet=3),
        takt.Task(name="C", period=20, wcet=3),
        takt.Task(name="M", after=["A", "C"], join="any", wcet=2, deadline=9),
    ]
    result = takt.simulate(takt.System(policy="edf", cpus=2, tasks=tasks), 20)
    assert [row[1:4] for row in result.jobs.rows() if row[0] == "M"] == [(0, 3, 5), (1, 3, 7)]


def test_costs_of_the_kernel_count_a_delivery_as_a_release() -> None:
    tasks = [takt.Task(name="A", period=50, wcet=3), takt.Task(name="B", after="A", wcet=2)]
    result = takt.simulate(takt.System(tasks=tasks, platform=takt.Platform(release=4)), 40)
    assert result.jobs.rows() == [("A", 0, 0, 7, 7, False), ("B", 0, 7, 13, 6, False)]


def test_the_inherited_period_is_that_of_events() -> None:
    tasks = [
        takt.Task(name="A", period=30, body=["run 1", "release B", "run 1", "release B", "run 1"]),
        takt.Task(name="B", after=takt.Edge(task="A", every=3), wcet=1),
        takt.Task(name="C", after="B", wcet=1),
    ]
    system = takt.System(tasks=tasks, policy="rm")
    assert [task.period for task in system.resolved.tasks] == [30, 45, 45]
    assert [task.deadline for task in system.resolved.tasks] == [30, 45, 45]


# ---- where it is not supported ---------------------------------------------------------------------------------


def test_the_analysis_knows_nothing_of_the_domain(tmp_path: Path) -> None:
    system = takt.load(LINKS / "join_all.toml")
    found = takt.analyse(system)
    assert found.verdict.value == "not known"
    assert "there is no test of tasks that others release, here J" in found.reason
    verdicts = {row.task: row.verdict.value for row in found.tasks}
    assert (verdicts["A"], verdicts["B"], verdicts["J"]) == ("not known", "schedulable", "not known")


def test_json_counts_lost_events(tmp_path: Path) -> None:
    output = CliRunner().invoke(main.app, ["run", str(LINKS / "limit_drop.toml"), "--json"]).stdout
    assert json.loads(output)["runs"][0]["edges"] == [{"from": "A", "to": "B", "lost": 5}]


@pytest.mark.parametrize("board", ["posix", "linux", "cortex_m"])
def test_boards_refuse_them(board: str) -> None:
    done = CliRunner().invoke(main.app, ["run", str(LINKS / "after_two.toml"), "--on", board])
    assert done.exit_code == 2
    assert "only the simulator has tasks that release tasks in this version" in done.stderr


@pytest.mark.parametrize("word", ["chain", "precedence", "predecessor", "release", "trigger"])
def test_words_of_others_lead_to_after(word: str) -> None:
    with pytest.raises(takt.InputError, match=r"unknown key; expected one of after|did you mean .after"):
        takt.Task(name="B", wcet=1, **{word: "A"})
