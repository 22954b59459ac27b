# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What Cheddar's XML says: each construct, what is told of it, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from foreign_files import lines, read, refusal
from takt import formats

FIXED = "POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL"


def scheduling(scheduler: str = FIXED, more: str = "") -> str:
    """How the tasks of a core or an address space are ordered."""
    parameters = f"<scheduler_type>{scheduler}</scheduler_type>{more}"
    return f"<scheduling><scheduling_parameters>{parameters}</scheduling_parameters></scheduling>"


def periodic(name: str, more: str = "", kind: str = "periodic", place: str = "cpu") -> str:
    """A task of 3 in 10."""
    return (
        f"<{kind}_task><name>{name}</name><cpu_name>{place}</cpu_name><capacity>3</capacity><deadline>9</deadline>"
        f"<period>10</period>{more}</{kind}_task>"
    )


def cheddar(tasks: str = periodic("T"), more: str = "", core: str = scheduling(), cores: int = 1) -> str:
    """A model of one processor."""
    units = "".join(f'<core_unit id="c{number}"><name>c</name>{core}</core_unit>' for number in range(cores))
    references = "".join(f'<core_unit ref="c{number}"/>' for number in range(cores))
    processor = f"<multi_cores_processor><name>cpu</name><cores>{references}</cores></multi_cores_processor>"
    return (
        f"<cheddar><core_units>{units}</core_units><processors>{processor}</processors><tasks>{tasks}</tasks>"
        f"{more}</cheddar>"
    )


@pytest.mark.parametrize(
    ("scheduler", "policy", "warnings"),
    [
        (FIXED, "fp", 0),
        ("RATE_MONOTONIC_PROTOCOL", "rm", 0),
        ("DEADLINE_MONOTONIC_PROTOCOL", "dm", 0),
        ("EARLIEST_DEADLINE_FIRST_PROTOCOL", "edf", 0),
        ("LEAST_RUNTIME_LAXITY_FIRST_PROTOCOL", "llf", 0),
        ("LEAST_LAXITY_FIRST_PROTOCOL", "llf", 1),
        ("ROUND_ROBIN_PROTOCOL", "fp", 1),
    ],
)
def test_schedulers_become_policies(scheduler: str, policy: str, warnings: int, tmp_path: Path) -> None:
    imported = read(cheddar(core=scheduling(scheduler)), tmp_path)
    assert (imported.system.policy, len(imported.warnings)) == (policy, warnings)
    if warnings:
        assert lines(imported) == [f'[system] policy: not read: "{scheduler}", so {policy} takes its place (line 1)']


def test_numbers_of_a_task(tmp_path: Path) -> None:
    more = "<start_time>4</start_time><priority>7</priority><jitter>2</jitter>"
    (task,) = read(cheddar(periodic("T", more)), tmp_path).system.tasks
    expected = takt.Task(name="T", period=10, wcet=3, deadline=9, offset=4, priority=7, jitter=2)
    assert task == expected


def test_a_missing_or_zero_deadline_is_the_period(tmp_path: Path) -> None:
    text = cheddar(periodic("T").replace("<deadline>9</deadline>", "<deadline>0</deadline>"))
    assert read(text, tmp_path).system.resolved.tasks[0].deadline == 10


def test_offsets_delay_every_release_or_are_told(tmp_path: Path) -> None:
    entry = "<offset_type><offset_value>{}</offset_value><activation>{}</activation></offset_type>"
    more = f"<start_time>1</start_time><offsets>{entry.format(5, 0)}{entry.format(2, 3)}</offsets>"
    imported = read(cheddar(periodic("T", more)), tmp_path)
    assert imported.system.tasks[0].offset == 6
    assert lines(imported) == ['[[task]] "T" offsets: not read: 2 at activation 3 (line 1)']


def test_kinds_of_tasks(tmp_path: Path) -> None:
    tasks = periodic("S", kind="sporadic") + periodic("P", kind="poisson") + periodic("A", kind="aperiodic")
    sporadic, poisson, aperiodic = read(cheddar(tasks), tmp_path).system.tasks
    assert (sporadic.min_separation, sporadic.arrivals) == (10, takt.Exponential(mean=10))
    assert (poisson.min_separation, poisson.arrivals) == (None, takt.Exponential(mean=10))
    assert (aperiodic.period, aperiodic.arrivals) == (None, (0,))


def test_tasks_of_other_kinds_and_of_other_processors_are_told(tmp_path: Path) -> None:
    tasks = periodic("T") + periodic("U", kind="parametric") + periodic("V", place="other")
    imported = read(cheddar(tasks), tmp_path)
    assert [task.name for task in imported.system.tasks] == ["T"]
    assert lines(imported) == [
        '[[task]] "U": not read: a task of the kind "parametric" (line 1)',
        '[[task]] "V": not read: a task of another processor, "other" (line 1)',
    ]


def test_other_processors_are_told(tmp_path: Path) -> None:
    other = '<mono_core_processor><name>cpu2</name><core ref="c0"/></mono_core_processor></processors>'
    imported = read(cheddar().replace("</processors>", other), tmp_path)
    assert lines(imported) == ['[system] processors: not read: "cpu2" (line 1)']


def test_what_asks_for_nothing_is_not_told(tmp_path: Path) -> None:
    more = "<blocking_time>0</blocking_time><cfg_name/><predictable>FALSE</predictable><parameters></parameters>"
    assert lines(read(cheddar(periodic("T", more)), tmp_path)) == []


def test_what_takt_has_no_place_for_is_told(tmp_path: Path) -> None:
    more = "<blocking_time>4</blocking_time><every>2</every><policy>SCHED_RR</policy>"
    rest = "<buffers><buffer/><buffer/></buffers><messages/><caches><data_cache/></caches>"
    imported = read(cheddar(periodic("T", more), rest, core=scheduling(more="<quantum>2</quantum>")), tmp_path)
    assert sorted(lines(imported)) == [
        '[[task]] "T" blocking_time: not read: "4" (line 1)',
        '[[task]] "T" every: not read: "2" (line 1)',
        '[[task]] "T" policy: not read: "SCHED_RR", so SCHED_FIFO takes its place (line 1)',
        '[system] quantum: not read: "2" (line 1)',
        "buffers: not read: 2 buffer (line 1)",
        "caches: not read: 1 data_cache (line 1)",
    ]


def test_cores_are_processors_and_may_be_non_preemptive(tmp_path: Path) -> None:
    core = scheduling("EARLIEST_DEADLINE_FIRST_PROTOCOL", "<preemptive_type>NOT_PREEMPTIVE</preemptive_type>")
    system = read(cheddar(core=core, cores=3), tmp_path).system
    assert (system.cpus, system.tasks[0].is_non_preemptive) == (3, True)


def test_cores_without_migration_are_told(tmp_path: Path) -> None:
    bound = "<migration_type>NO_MIGRATION_TYPE</migration_type></multi_cores_processor>"
    imported = read(cheddar(cores=2).replace("</multi_cores_processor>", bound), tmp_path)
    assert lines(imported) == ["[system] migration_type: not read: NO_MIGRATION_TYPE, so jobs may go anywhere (line 1)"]


def resource(name: str, uses: list[tuple[str, int, int]], protocol: str = "PRIORITY_INHERITANCE_PROTOCOL") -> str:
    """A resource with its critical sections."""
    sections = "".join(
        f"<task_name>{task}</task_name><critical_section><task_begin>{begin}</task_begin><task_end>{end}</task_end>"
        "</critical_section>"
        for task, begin, end in uses
    )
    return (
        f"<pip_resource><name>{name}</name><state>1</state><protocol>{protocol}</protocol>"
        f"<critical_sections>{sections}</critical_sections></pip_resource>"
    )


@pytest.mark.parametrize(
    ("uses", "body"),
    [
        ({"R": [(1, 1)]}, ("lock R", "run 1", "unlock R", "run 2")),
        ({"R": [(2, 3)]}, ("run 1", "lock R", "run 2", "unlock R")),
        ({"R": [(1, 3)], "S": [(2, 2)]}, ("lock R", "run 1", "lock S", "run 1", "unlock S", "run 1", "unlock R")),
        ({"R": [(1, 1), (3, 3)]}, ("lock R", "run 1", "unlock R", "run 1", "lock R", "run 1", "unlock R")),
        ({"S": [(2, 3)], "R": [(1, 1)]}, ("lock R", "run 1", "unlock R", "lock S", "run 2", "unlock S")),
    ],
)
def test_critical_sections_count_units_from_one_and_include_both(
    uses: dict[str, list[tuple[int, int]]], body: tuple[str, ...], tmp_path: Path
) -> None:
    parts = "".join(resource(name, [("T", *section) for section in sections]) for name, sections in uses.items())
    imported = read(cheddar(more=f"<resources>{parts}</resources>"), tmp_path)
    assert imported.system.tasks[0].body == body
    assert lines(imported) == []


def test_sections_that_cross_are_told(tmp_path: Path) -> None:
    parts = resource("R", [("T", 1, 2)]) + resource("S", [("T", 2, 3)]) + resource("Q", [("X", 1, 1)])
    imported = read(cheddar(more=f"<resources>{parts}</resources>"), tmp_path)
    assert imported.system.tasks[0].body == ("lock R", "run 2", "unlock R", "run 1")
    assert lines(imported) == [
        '[[task]] "T" body: not read: "S" from 2 to 3, which crosses another (line 1)',
        '[[resource]] "Q": not read: the user "X" (line 1)',
    ]


@pytest.mark.parametrize(
    ("word", "protocol"),
    [
        ("NO_PROTOCOL", "none"),
        ("PRIORITY_INHERITANCE_PROTOCOL", "pip"),
        ("PRIORITY_CEILING_PROTOCOL", "pcp"),
        ("IMMEDIATE_PRIORITY_CEILING_PROTOCOL", "icpp"),
    ],
)
def test_protocols(word: str, protocol: str, tmp_path: Path) -> None:
    more = f"<resources>{resource('R', [('T', 1, 1)], word)}</resources>"
    imported = read(cheddar(more=more), tmp_path)
    assert (imported.system.resources[0].protocol, imported.warnings) == (protocol, ())


def test_other_protocols_semaphores_and_given_ceilings_are_told(tmp_path: Path) -> None:
    text = resource("R", [("T", 1, 1)], "POOL_BASED_PRIORITY_CEILING_PROTOCOL").replace(
        "<state>1</state>",
        "<state>2</state><priority>9</priority><priority_assignment>MANUAL_ASSIGNMENT</priority_assignment>",
    )
    imported = read(cheddar(more=f"<resources>{text}</resources>"), tmp_path)
    assert lines(imported) == [
        '[[resource]] "R" priority: not read: "9" (line 1)',
        '[[resource]] "R" state: not read: 2, so one job holds it (line 1)',
        '[[resource]] "R" protocol: not read: "POOL_BASED_PRIORITY_CEILING_PROTOCOL", so none takes its place (line 1)',
    ]


@pytest.mark.parametrize("kind", ["polling", "deferrable", "sporadic"])
def test_aperiodic_servers(kind: str, tmp_path: Path) -> None:
    numbers = "<capacity>2</capacity><period>5</period><priority>10</priority>"
    core = scheduling(f"HIERARCHICAL_{kind.upper()}_APERIODIC_SERVER_PROTOCOL", numbers)
    imported = read(cheddar(periodic("T") + periodic("A", kind="aperiodic"), core=core), tmp_path)
    assert imported.system.servers == (takt.Server(name="server", kind=kind, budget=2, period=5, priority=10),)
    assert [task.server for task in imported.system.tasks] == [None, "server"]
    assert imported.warnings == ()
    assert formats.write(imported.system, tmp_path / "set.xmlv3") == ()


def test_a_kind_of_servers_that_cheddar_lacks_is_told(tmp_path: Path) -> None:
    """A server without premature replenishments is none of Cheddar's, and not written as the sporadic one."""
    server = takt.Server(name="S", kind="sporadic-strict", budget=2, period=5, priority=10)
    tasks = [takt.Task(name="A", period=20, wcet=1, server="S")]
    told = formats.write(takt.System(policy="fp", tasks=tasks, servers=[server]), tmp_path / "set.xmlv3")
    assert '[[server]] "S": lost: the file has no such server' in [str(line) for line in told]
    assert "SPORADIC" not in (tmp_path / "set.xmlv3").read_text()


def test_address_spaces_that_take_turns_are_idling_servers(tmp_path: Path) -> None:
    spaces = "".join(
        f"<address_space><name>{name}</name><cpu_name>cpu</cpu_name>"
        f"{scheduling('RATE_MONOTONIC_PROTOCOL', f'<capacity>{turn}</capacity>')}</address_space>"
        for name, turn in (("one", 2), ("two", 3))
    )
    tasks = "".join(
        periodic(name, f"<address_space_name>{space}</address_space_name>")
        for name, space in (("T", "one"), ("U", "two"))
    )
    text = cheddar(tasks, f"<address_spaces>{spaces}</address_spaces>", scheduling("HIERARCHICAL_CYCLIC_PROTOCOL"))
    imported = read(text, tmp_path)
    assert imported.system.servers == (
        takt.Server(name="one", kind="idling", period=5, budget=2, policy="rm"),
        takt.Server(name="two", kind="idling", period=5, budget=3, offset=2, policy="rm"),
    )
    assert imported.warnings == ()
    assert formats.write(imported.system, tmp_path / "set.xmlv3") == ()
    budgets = [max(0, min(2, 2 - instant % 5)) > 0 for instant in range(20)]
    ran = takt.simulate(imported.system, 20).segments
    in_one = {
        tick for start, end in ran.filter(server="one").select("start", "end").rows() for tick in range(start, end)
    }
    assert in_one
    assert all(budgets[tick] for tick in in_one)


def test_release_2(tmp_path: Path) -> None:
    text = """<?xml version="1.0"?>
<!DOCTYPE cheddar SYSTEM "cheddar.dtd">
<Cheddar>
 <processors>
  <processor><name>cpu</name><scheduler> RATE_MONOTONIC_PROTOCOL </scheduler>
   <network_link>No_Network</network_link></processor>
 </processors>
 <tasks>
  <task task_type="PERIODIC_TYPE"><cpu_name>cpu</cpu_name><name>T</name><capacity>3</capacity><period>10</period>
   <priority>2</priority><start_time>0</start_time></task>
 </tasks>
 <resources>
  <resource><cpu_name>cpu</cpu_name><name>R</name><state>1</state><protocol>PRIORITY_CEILING_PROTOCOL</protocol>
   <resource_used_by><resource_user>T 1 3</resource_user></resource_used_by></resource>
 </resources>
</Cheddar>
"""
    imported = read(text, tmp_path)
    assert (imported.system.policy, imported.system.resources[0].protocol) == ("rm", "pcp")
    assert imported.system.tasks[0] == takt.Task(
        name="T", period=10, wcet=3, priority=2, body=["lock R", "run 3", "unlock R"]
    )
    assert imported.warnings == ()
    imported = read(text.replace("<scheduler>", '<scheduler quantum="2">'), tmp_path)
    assert lines(imported) == ['[system] scheduler: not read: quantum "2" (line 5)']


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<other/>", "expected a file in one of the formats toml, cheddar, simso, rt-app, csv, found none"),
        ("<cheddar/>", 'line 1: <cheddar>: expected the processor "" of a task in <processors>, found none'),
        ("<cheddar>", "line 1: not valid XML: Premature end of data in tag cheddar line 1"),
        (
            cheddar().replace("<capacity>3", "<capacity>3.5"),
            'line 1: <capacity>: expected a whole number of 0 or more, found "3.5"',
        ),
        (
            cheddar().replace("<period>10", "<period>-1"),
            'line 1: <period>: expected a whole number of 0 or more, found "-1"',
        ),
        (
            cheddar().replace("<capacity>3", "<capacity>0"),
            '[[task]] "T" wcet: expected a positive time such as "10ms", found 0',
        ),
        (cheddar().replace("<name>T</name>", ""), 'line 1: <periodic_task>: expected a name, found ""'),
        (cheddar().replace('ref="c0"', 'ref="x"'), "line 1: <multi_cores_processor>: expected references to its cores"),
        (
            cheddar(more=f"<resources>{resource('R', [('T', 2, 4)])}</resources>"),
            'line 1: "R" of "T": expected units from 1 to the capacity 3, found 2 to 4',
        ),
        (
            cheddar(more=f"<resources>{resource('R', [('T', 0, 1)])}</resources>"),
            'line 1: "R" of "T": expected units from 1 to the capacity 3, found 0 to 1',
        ),
        (
            '<!DOCTYPE cheddar [<!ENTITY e "3">]>' + cheddar().replace("<capacity>3", "<capacity>&e;"),
            "expected XML without entities of its own, found a declaration",
        ),
    ],
)
def test_wrong_models_are_refused_in_one_line(text: str, line: str, tmp_path: Path) -> None:
    assert refusal(text, tmp_path) == [line]


def test_entities_cannot_grow_or_look_elsewhere(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 12))
    bomb = f'<!DOCTYPE cheddar [<!ENTITY e0 "0123456789">{levels}]>' + cheddar().replace("<name>T", "<name>&e11;")
    assert "entit" in refusal(bomb, tmp_path)[0]
    in_attribute = bomb.replace('id="c0"', 'id="&e11;"')
    assert "not valid XML" in refusal(in_attribute, tmp_path)[0]
    (tmp_path / "secret").write_text("secret")
    outside = f'<!DOCTYPE cheddar [<!ENTITY e SYSTEM "{tmp_path}/secret">]>' + cheddar().replace("<name>T", "<name>&e;")
    assert refusal(outside, tmp_path) == ["expected XML without entities of its own, found a declaration"]


def test_priorities_beyond_cheddars_keep_their_order(tmp_path: Path) -> None:
    tasks = [takt.Task(name=name, period=9, wcet=1, priority=value) for name, value in (("A", 1000), ("B", 7))]
    losses = formats.write(takt.System(name="set", tasks=tasks), tmp_path / "set.xmlv3")
    assert [str(loss) for loss in losses] == [
        '[[task]] "A" priority: lost: 1000 in Takt, 2 in the file',
        '[[task]] "B" priority: lost: 7 in Takt, 1 in the file',
    ]


def test_names_become_what_cheddar_allows_and_stay_apart(tmp_path: Path) -> None:
    names = ["a b", "a_b", "a-b", "2nd", "Größe"]
    system = takt.System(name="set", tasks=[takt.Task(name=name, period=9, wcet=1) for name in names])
    formats.write(system, tmp_path / "set.xmlv3")
    back = formats.read(tmp_path / "set.xmlv3").system
    assert [task.name for task in back.tasks] == ["a_b_2", "a_b", "a_b_3", "n2nd", "Gr__e"]


@pytest.mark.parametrize(("home", "scheduler"), [(None, True), ("S", False)])
def test_a_server_is_cheddars_only_if_it_holds_single_arrivals_alone(
    home: str | None, scheduler: bool, tmp_path: Path
) -> None:
    single = takt.Task(name="A", arrivals=[3], deadline=20, wcet=1, priority=3, server="S")
    periodic = takt.Task(name="B", period=20, wcet=1, priority=2, server=home)
    server = takt.Server(name="S", kind="polling", period=10, budget=2, priority=1)
    formats.write(takt.System(tasks=[single, periodic], servers=[server]), tmp_path / "two.xmlv3", "cheddar")
    text = (tmp_path / "two.xmlv3").read_text()
    assert ("HIERARCHICAL_POLLING_APERIODIC_SERVER_PROTOCOL" in text) == scheduler
