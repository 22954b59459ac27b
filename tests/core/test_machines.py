# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Machines of domains: simulator and replay against one oracle for each domain, and what always holds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine_oracle
import oracle
import pytest
import takt
from global_oracle.systems import systems as plain_systems
from hypothesis import given
from hypothesis import strategies as st
from machine_oracle import Domain
from oracle.model import RULE_KINDS
from oracle.systems import CHANGES, EVERYTHING, RESOURCES, SERVER_KINDS, horizons, systems
from places import GOLDEN
from sampling import tries
from summaries import counted
from takt.board import emulation
from takt.files.task_set_reading import loads
from takt.run import measurement
from test_random_systems import as_change, as_server, as_task, outcome

some = tries(60)

FEATURES = (EVERYTHING | SERVER_KINDS | RESOURCES | CHANGES) - {"costs"}


def named(system: oracle.System, number: int) -> oracle.System:
    """Return the members of a system with names of their own."""

    def name(old: str | None) -> str | None:
        return None if old is None else f"{old}-{number}"

    def renamed(item: str) -> str:
        word, _, rest = item.partition(" ")
        return f"{word} {name(rest)}" if word in ("lock", "unlock") else item

    def task(old: oracle.Task) -> oracle.Task:
        threshold = name(old.threshold) if isinstance(old.threshold, str) else old.threshold
        body = None if old.body is None else tuple(map(renamed, old.body))
        return replace(old, name=f"{old.name}-{number}", server=name(old.server), threshold=threshold, body=body)

    def names(old: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{each}-{number}" for each in old)

    changes = [
        replace(old, add=names(old.add), remove=names(old.remove), task=name(old.task), policy=None)
        for old in system.changes
        if old.add or old.remove or old.task
    ]
    return replace(
        system,
        tasks=tuple(map(task, system.tasks)),
        servers=tuple(replace(old, name=f"{old.name}-{number}", parent=name(old.parent)) for old in system.servers),
        resources=tuple(replace(old, name=f"{old.name}-{number}") for old in system.resources),
        changes=tuple(changes),
    )


@st.composite
def machines(draw: st.DrawFn, *, has_clusters: bool = True) -> list[Domain]:
    """Return domains of one processor, and plain ones of several."""
    order = draw(st.permutations(range(8)))
    domains: list[Domain] = []
    used = 0
    for number in range(draw(st.integers(1, 3))):
        count = draw(st.sampled_from([1, 1, 1, 2, 3])) if has_clusters else 1
        system = draw(systems(features=FEATURES) if count == 1 else plain_systems())
        domains.append(Domain(tuple(sorted(order[used : used + count])), named(system, number)))
        used += count
    return domains


def mixed(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the members of all domains in one file, turn by turn."""
    longest = max(map(len, lists))
    return [members[place] for place in range(longest) for members in lists if place < len(members)]


def as_machine(domains: Sequence[Domain], key: str = "cluster") -> takt.System:
    """Return domains in Takt's words."""
    tasks, servers = [], []
    for number, domain in enumerate(domains):
        place = {key: number if key == "cluster" else domain.processors[0]}
        rules = [server.name for server in domain.system.servers if server.kind in RULE_KINDS]
        tasks.append([as_task(task, rules).replace(**place) for task in domain.system.tasks])
        servers.append([as_server(server).replace(**place) for server in domain.system.servers])
    clusters = [takt.Cluster(cpus=domain.processors, policy=domain.system.policy) for domain in domains]
    return takt.System(
        policy=domains[0].system.policy,
        cpus=8,
        clusters=clusters if key == "cluster" else (),
        tasks=mixed(tasks),
        servers=mixed(servers),
        resources=[
            takt.Resource(name=resource.name, protocol=resource.protocol)
            for domain in domains
            for resource in domain.system.resources
        ],
        changes=mixed([[as_change(change) for change in domain.system.changes] for domain in domains]),
    )


def expected_of(system: takt.System, domains: Sequence[Domain], horizon: int) -> tuple[oracle.Outcome, list[int]]:
    """What the oracles say, without what Takt does not tell."""
    tasks, servers = [task.name for task in system.tasks], [server.name for server in system.servers]
    found, cpus = machine_oracle.simulate(domains, tasks, servers, horizon)
    return replace(found, invocations=0), cpus


@some
@given(machines(), horizons())
def test_a_machine_runs_what_an_oracle_says_of_each_domain(domains: list[Domain], horizon: int) -> None:
    system = as_machine(domains)
    result = takt.simulate(system, horizon)
    expected, cpus = expected_of(system, domains, horizon)
    assert outcome(result) == expected
    assert result.segments["cpu"].to_list() == cpus


@some
@given(machines(has_clusters=False), horizons())
def test_clusters_of_one_processor_are_processors(domains: list[Domain], horizon: int) -> None:
    same = [replace(each, system=replace(each.system, policy="edf")) for each in domains]
    try:
        clusters, processors = as_machine(same), as_machine(same, "cpu")
    except takt.InputError:
        return  # something drawn goes with another policy only
    one, other = takt.simulate(clusters, horizon), takt.simulate(processors, horizon)
    assert one.segments.equals(other.segments)
    assert one.summary.equals(other.summary)


@some
@given(plain_systems(), st.integers(1, 4), horizons())
def test_one_cluster_is_a_global_system(system: oracle.System, cpus: int, horizon: int) -> None:
    cluster = as_machine([Domain(tuple(range(cpus)), system)]).replace(cpus=cpus)
    whole = takt.System(policy=system.policy, cpus=cpus, tasks=[as_task(task) for task in system.tasks])
    one, other = takt.simulate(cluster, horizon), takt.simulate(whole, horizon)
    for name in ("segments", "jobs", "summary", "deadlines"):
        assert getattr(one, name).equals(getattr(other, name)), name
    assert (one.decisions, one.switches) == (other.decisions, other.switches)


@some
@given(machines(), horizons())
def test_a_trace_of_a_machine_replays_identically(domains: list[Domain], horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "machine.takt")
        result = takt.simulate(as_machine(domains), horizon, trace=path)
        replay = takt.replay(path)
        records = list(replay.trace.records())
    assert replay.difference is None
    assert replay.decisions == result.decisions
    assert [record.now for record in records] == sorted(record.now for record in records)
    owners = {cpu: number for number, domain in enumerate(domains) for cpu in domain.processors}
    entities = [(owners[record.cpu], record.entity) for record in records if record.entity < 2**32 - 1]
    assert len({entity for _, entity in entities}) == len({*entities})
    if all(len(domain.processors) == 1 for domain in domains):
        assert measurement.segments_of(replay.trace).equals(result.segments)


# ---- worked out by hand, and by others ------------------------------------------------------------------


def plain(name: str, period: int, wcet: int, **keys: Any) -> takt.Task:
    return takt.Task(name=name, period=period, wcet=wcet, **keys)


WORST_FIT = takt.System(
    policy="edf",
    cpus=2,
    tasks=[
        plain("A", 6, 3, cpu=0),
        plain("B", 10, 5, cpu=1),
        plain("C", 12, 4, cpu=1),
        plain("D", 5, 2, cpu=0),
        plain("E", 15, 2, cpu=1),
        plain("F", 20, 2, cpu=0),
    ],
)
"""Partitioned by worst fit, in the order of utilization."""


def test_the_golden_schedule_of_two_processors_comes_out_with_its_processors() -> None:
    found = takt.simulate(WORST_FIT, 60).segments.write_csv(quote_style="never")
    assert found == (GOLDEN / "mp_part_wf.csv").read_text()


def alone(system: takt.System, cpu: int, policy: str) -> takt.System:
    """Return the system of one processor of a partitioned machine, as an author would write it."""
    tasks = [task.replace(cpu=None) for task in system.tasks if task.cpu == cpu]
    servers = [server.replace(cpu=None) for server in system.servers if server.cpu == cpu]
    used = {item.resource for task in tasks for item in task.items}
    resources = [resource for resource in system.resources if resource.name in used]
    return takt.System(policy=policy, tasks=tasks, servers=servers, resources=resources)


MIXED = takt.System(
    policy="fp",
    cpus=2,
    servers=[
        takt.Server(name="S", period=10, budget=4, priority=3, cpu=1),
        takt.Server(name="I", period=20, budget=3, parent="S", cpu=1),
    ],
    resources=[takt.Resource(name="Q", protocol="icpp"), takt.Resource(name="R", protocol="pcp")],
    tasks=[
        takt.Task(name="low", period=20, priority=1, threshold=2, body=["run 1", "lock R", "run 2"], cpu=0),
        plain("in S", 20, 4, server="S", cpu=1),
        takt.Task(name="high", period=10, priority=3, body=["lock R", "run 1", "unlock R", "run 1"], cpu=0),
        plain("in I", 40, 2, server="I", cpu=1),
        takt.Task(name="beside", period=40, priority=1, body=["lock Q", "run 5"], cpu=1),
    ],
)


def test_each_processor_has_the_responses_and_the_bounds_of_a_run_of_its_tasks_alone() -> None:
    result, analysis = takt.simulate(MIXED, 80), takt.analyse(MIXED)
    for number, domain in enumerate(MIXED.domains):
        one = alone(MIXED, domain.processors[0], "fp")
        assert domain.system.replace(name="system") == one.replace(seed=domain.system.seed)
        expected = takt.simulate(one, 80)
        names = [task.name for task in one.tasks]
        found = result.summary.filter(result.summary["task"].is_in(names))
        assert found.equals(expected.summary)
        bounds = takt.analyse(one)
        assert [replace(row, domain="") for row in analysis.tasks if row.task in names] == list(bounds.tasks)
        assert [replace(row, domain="") for row in analysis.servers if row.domain == domain.label] == list(
            bounds.servers
        )
        assert {row.domain for row in analysis.tasks if row.task in names} == {f"processor {number}"}


# ---- verdicts -------------------------------------------------------------------------------------------


def verdict_of(system: takt.System) -> tuple[str, str]:
    found = takt.analyse(system, sensitivity=False)
    return found.verdict.value, found.reason


def with_task(system: takt.System, task: takt.Task) -> takt.System:
    return system.replace(tasks=[*system.tasks, task])


def test_a_machine_is_schedulable_if_all_its_domains_are() -> None:
    assert verdict_of(WORST_FIT) == (
        "schedulable",
        "processor 0: all 3 tasks meet their deadlines; processor 1: all 3 tasks meet their deadlines",
    )
    late = with_task(WORST_FIT, plain("G", 10, 2, cpu=1))
    assert verdict_of(late) == ("not schedulable", "processor 1: the tasks demand more than the whole processor")


def test_what_is_not_known_of_one_domain_is_not_known_of_the_machine() -> None:
    unknown = takt.System(
        policy="edf",
        cpus=3,
        clusters=[takt.Cluster(cpus=[0]), takt.Cluster(cpus=[1, 2], policy="rm")],
        tasks=[plain("A", 5, 2, cluster=0), plain("B", 5, 2, cluster=1)],
    )
    assert verdict_of(unknown)[0] == "not known"
    late = with_task(unknown, plain("C", 5, 4, cluster=0))
    assert verdict_of(late)[0] == "not schedulable"


def test_domains_without_hard_tasks_count_if_no_domain_has_any() -> None:
    def soft(name: str, wcet: int, cpu: int) -> takt.Task:
        return plain(name, 5, wcet, cpu=cpu, class_="soft")

    overloaded = takt.System(policy="edf", cpus=2, tasks=[soft("A", 6, 0), soft("B", 1, 1)])
    assert verdict_of(overloaded)[0] == "not schedulable"
    assert verdict_of(with_task(overloaded, plain("C", 5, 1, cpu=1)))[0] == "schedulable"


def test_advice_is_of_the_one_domain_that_does_not_fit_and_not_of_the_system() -> None:
    late = [plain("A", 5, 2, priority=2, cpu=1), plain("B", 7, 4, priority=1, cpu=1)]
    fine = plain("C", 5, 1, cpu=0)
    single = takt.analyse(takt.System(policy="fp", tasks=[task.replace(cpu=None) for task in late]))
    found = takt.analyse(takt.System(policy="fp", cpus=2, tasks=[fine, *late]))
    kept = [advice for advice in single.advice if all(change[0] != "system" for change in advice.changes)]
    assert 0 < len(kept) < len(single.advice)
    assert [advice.what for advice in found.advice] == [f"{advice.what} on processor 1" for advice in kept]
    assert [advice.changes for advice in found.advice] == [advice.changes for advice in kept]
    assert found.scaling == single.scaling
    twice = [*late, *(task.replace(name=f"{task.name}2", cpu=0) for task in late)]
    assert takt.analyse(takt.System(policy="fp", cpus=2, tasks=twice)).advice == ()


# ---- traces ---------------------------------------------------------------------------------------------


RECORD_BYTES = 32
CPU_AT = 25
LOOKS = (5, 15)
"""Kinds of records that change nothing where nothing is due: steps and choices."""


def recorded(tmp_path: Path, change: int | None = None, at: int = 0, to: int = 0) -> Path:
    """Record a machine; change a byte of record number `change`."""
    path = tmp_path / "machine.takt"
    takt.simulate(MIXED, 80, trace=path)
    data = bytearray(path.read_bytes())
    if change is not None:
        count = len(takt.replay(path).trace)
        place = len(data) - RECORD_BYTES * (count + 1 - change) + at
        assert data[place] != to
        data[place] = to
        path.write_bytes(data)
    return path


def test_a_record_of_no_domain_is_damage(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match="a record is of a processor that no domain has"):
        takt.replay(recorded(tmp_path, change=3, at=CPU_AT, to=7))


def is_whole(path: Path) -> bool:
    """True if a trace replays identically."""
    try:
        return takt.replay(path).is_identical
    except takt.InputError:
        return False


def test_a_record_of_another_domain_is_damage_or_a_difference(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    records = list(takt.replay(path).trace.records())
    for number, record in list(enumerate(records))[::5]:
        changed = recorded(tmp_path, change=number, at=CPU_AT, to=1 - record.cpu)
        assert record.kind in LOOKS or not is_whole(changed), record


def test_a_difference_tells_its_place_in_the_file_and_its_processor(tmp_path: Path) -> None:
    records = list(takt.replay(recorded(tmp_path)).trace.records())
    number = max(place for place, record in enumerate(records) if record.kind == 16 and record.cpu == 1)
    changed = recorded(tmp_path, change=number, at=8, to=(records[number].value + 1) % 256)
    difference = takt.replay(changed).difference
    assert difference is not None
    assert difference.record == number
    assert f"different at record {number} of processor 1" in difference.text


def header_with(path: Path, change: Any) -> Path:
    """Write the names of a header anew, which must not become longer."""
    data = path.read_bytes()
    begin = data.index(b'{"software"')
    text = data[begin : data.index(b"]}]}", begin) + 4]
    names = json.loads(text)
    change(names)
    names["software"] = ""
    new = json.dumps(names).encode()
    assert len(new) <= len(text)
    path.write_bytes(data[:begin] + new.ljust(len(text)) + data[begin + len(text) :])
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda names: names.update(domains=3), "domains is of the wrong type, or not one for each image"),
        (lambda names: names["domains"].pop(), "domains is of the wrong type, or not one for each image"),
        (lambda names: names.update(domains=[1, 2]), "domains is of the wrong type"),
        (lambda names: names["domains"][0].pop("processors"), "processors is missing or of the wrong type"),
        (lambda names: names["domains"][0].update(processors=[]), "processors are not those of a domain"),
        (lambda names: names["domains"][0].update(processors=[99]), "processors are not those of a domain"),
        (lambda names: names["domains"][0].update(processors=[1]), "a processor is in two domains"),
    ],
)
def test_wrong_domains_of_a_header_are_damage(change: Any, message: str, tmp_path: Path) -> None:
    path = header_with(recorded(tmp_path), change)
    with pytest.raises(takt.InputError, match=message):
        takt.replay(path)


# ---- random numbers, files, reports ---------------------------------------------------------------------


def test_domains_draw_their_own_numbers_and_the_seed_says_all() -> None:
    demand = takt.Uniform(min=1, max=100)
    tasks = [takt.Task(name=name, period=100, wcet=100, demand=demand, cpu=cpu) for cpu, name in enumerate("AB")]
    system = takt.System(cpus=2, tasks=tasks, seed=7)
    jobs = takt.simulate(system, 5000).jobs
    responses = [jobs.filter(jobs["task"] == name)["response"].to_list() for name in "AB"]
    assert responses[0] != responses[1]
    assert takt.simulate(system, 5000).jobs.equals(jobs)
    first = takt.simulate(takt.System(tasks=[tasks[0].replace(cpu=None)], seed=7), 5000)
    assert first.jobs["response"].to_list() == responses[0]


def test_files_keep_machines() -> None:
    clustered = as_machine([Domain((0, 2), oracle.System("rm", (oracle.Task("A", period=5, demand=2),)))])
    for system in (MIXED, WORST_FIT, clustered):
        assert loads(takt.to_toml(system), "system.toml") == system


def test_other_formats_say_that_they_lose_domains(tmp_path: Path) -> None:
    lost = [str(problem) for problem in takt.formats.write(WORST_FIT, tmp_path / "out.xml", "simso")]
    assert '[[task]] "A" cpu: lost: 0 in Takt, none in the file' in lost
    assert takt.formats.write(WORST_FIT, tmp_path / "out.csv") == ()
    with pytest.raises(takt.InputError, match="cheddar has no domains, and without them this is no task set"):
        takt.formats.write(MIXED, tmp_path / "out.xmlv3")


def test_boards_refuse_machines(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match="the board has one processor, found 2"):
        emulation.run(WORST_FIT, tmp_path / "T.takt", emulation.POSIX)


def test_what_is_not_kept_is_not_there_and_changes_nothing() -> None:
    counting = takt.simulate(MIXED, 80, segments=False, jobs=False, budgets=False, points=False, locks=False)
    assert counted(counting.summary).equals(counted(takt.simulate(MIXED, 80).summary))
    assert counting.summary["response_p99"].null_count() == len(counting.summary)
    for name in ("segments", "jobs", "deadlines", "budgets", "points", "locks"):
        with pytest.raises(ValueError, match=r"kept|asked"):
            getattr(counting, name)


def test_progress_goes_on_from_domain_to_domain() -> None:
    told: list[int] = []
    takt.simulate(WORST_FIT.replace(horizon=10_000_000), jobs=False, segments=False, progress=told.append)
    assert told == sorted(told)
    assert told[0] < 5_000_000 < told[-1] <= 10_000_000


class Shortest(takt.Policy):
    """Counts the jobs that it has seen."""

    seen = 0

    def release(self, job: takt.Job) -> int:
        self.seen += 1
        return job.wcet


ALONE: list[tuple[str | takt.Policy, dict[str, Any]]] = [
    ("fp", {"on_overrun": "abort", "demand": [3, 1]}),
    ("fp", {"on_overrun": "suspend", "demand": [3, 1]}),
    ("dual-priority", {}),
    ("pinwheel", {}),
    ("imprecise", {"mandatory": 1, "wcet": 9}),
    ("rbe", {"events": 2}),
    ("share", {"weight": 3}),
    ("llf", {}),
    (Shortest(), {}),
]


@pytest.mark.parametrize(("policy", "keys"), ALONE)
def test_every_policy_of_a_domain_decides_as_if_it_were_alone(
    policy: str | takt.Policy, keys: dict[str, Any], tmp_path: Path
) -> None:
    first = takt.Task(**{"name": "A", "period": 10, "wcet": 4, "priority": 2, **keys})
    tasks = [first, plain("B", 14, 5, deadline=12, priority=1)]
    beside = [plain("C", 7, 2, cluster=0), plain("D", 14, 9, cluster=0)]
    clusters = [takt.Cluster(cpus=[2]), takt.Cluster(cpus=[0], policy=policy)]
    inside = [task.replace(cluster=1) for task in tasks]
    machine = takt.System(policy="edf", cpus=3, clusters=clusters, tasks=[*inside, *beside])
    result = takt.simulate(machine, 103, trace=tmp_path / "T.takt")
    single = takt.simulate(takt.System(policy=policy, tasks=tasks), 103)
    for name in ("jobs", "deadlines", "summary", "points"):
        found = getattr(result, name)
        assert found.filter(found["task"].is_in(["A", "B"])).equals(getattr(single, name)), name
    assert list(map(vars, result.policies.values())) == list(map(vars, single.policies.values()))
    assert {*result.policies} <= {"cluster 1"}
    assert takt.replay(tmp_path / "T.takt", [each for each in (policy,) if isinstance(each, takt.Policy)]).is_identical
