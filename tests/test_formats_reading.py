"""What files of other tools say: each construct of Cheddar's XML, SimSo's XML and CSV, and what is wrong with it.

That SimSo reads what Takt writes, and schedules it alike, is asked of SimSo itself.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from sampling import tries
from simso.configuration import Configuration
from simso.core import Model
from takt import formats

# ---- Cheddar ----------------------------------------------------------------------------------------

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


def read(text: str, folder: Path, suffix: str = ".xml") -> formats.Imported:
    """Read a text."""
    path = folder / f"set{suffix}"
    path.write_text(text, encoding="utf-8")
    return formats.read(path)


def lines(imported: formats.Imported) -> list[str]:
    """The warnings without the file."""
    return [str(warning).partition(": ")[2] for warning in imported.warnings]


def refusal(text: str, folder: Path, suffix: str = ".xml") -> list[str]:
    """The lines with which a text is refused, without the file."""
    with pytest.raises(takt.InputError) as caught:
        read(text, folder, suffix)
    found = [str(problem).partition(": ") for problem in caught.value.problems]
    assert {file for file, _, _ in found} == {str(folder / f"set{suffix}")}
    return [line for _, _, line in found]


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


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<other/>", "expected a file in one of the formats toml, cheddar, simso, csv, found none"),
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
    names = ["a b", "a_b", "2nd", "Größe"]
    system = takt.System(name="set", tasks=[takt.Task(name=name, period=9, wcet=1) for name in names])
    formats.write(system, tmp_path / "set.xmlv3")
    back = formats.read(tmp_path / "set.xmlv3").system
    assert [task.name for task in back.tasks] == ["a_b_2", "a_b", "n2nd", "Gr__e"]


# ---- SimSo ------------------------------------------------------------------------------------------


def simso(
    task: str = "",
    duration: str = "100000000",
    sched: str = 'class="simso.schedulers.EDF"',
    head: str = "",
    cpus: int = 1,
) -> str:
    """A configuration of one task of 2.5 in 10 ms."""
    usual = {
        "name": "T",
        "id": "1",
        "task_type": "Periodic",
        "abort_on_miss": "no",
        "period": "10",
        "deadline": "9",
        "WCET": "2.5",
        "base_cpi": "1.0",
        "instructions": "0",
        "mix": "0.5",
    }
    given = usual | dict(re.findall(r'(\w+)="([^"]*)"', task))
    attributes = " ".join(f'{key}="{value}"' for key, value in given.items())
    processors = "".join(f'<processor name="CPU {one}" id="{one}"/>' for one in range(1, cpus + 1))
    return (
        f'<simulation duration="{duration}" {head}><sched {sched}/><caches/><processors>{processors}</processors>'
        f'<tasks><field name="priority" type="int"/><task {attributes}/></tasks></simulation>'
    )


def test_a_configuration(tmp_path: Path) -> None:
    imported = read(simso('activationDate="1.25" priority="3"', cpus=2), tmp_path)
    assert imported.system == takt.System(
        name="set",
        resolution="10us",
        policy="edf",
        horizon="100ms",
        cpus=2,
        tasks=[takt.Task(name="T", period="10ms", deadline="9ms", wcet="2.5ms", offset="1.25ms", priority=3)],
    )
    assert imported.warnings == ()


@pytest.mark.parametrize(
    ("name", "policy", "warnings"),
    [("RM", "rm", 0), ("FP", "fp", 0), ("LLF", "llf", 0), ("EDF_mono", "edf", 0), ("PD2", "edf", 1)],
)
def test_scheduler_classes(name: str, policy: str, warnings: int, tmp_path: Path) -> None:
    imported = read(simso(sched=f'class="simso.schedulers.{name}"'), tmp_path)
    assert (imported.system.policy, len(imported.warnings)) == (policy, warnings)


def test_a_scheduler_in_a_file_is_told(tmp_path: Path) -> None:
    imported = read(simso(sched='className="./mine.py" overhead="5"'), tmp_path)
    assert lines(imported) == [
        '[system] overhead: not read: "5" (line 1)',
        '[system] policy: not read: "./mine.py", so edf takes its place (line 1)',
    ]


def test_dates_are_arrivals_and_the_period_is_the_least_separation_if_it_is(tmp_path: Path) -> None:
    sporadic = 'task_type="Sporadic" list_activation_dates="30, 2.5,14"'
    (task,) = read(simso(sporadic), tmp_path).system.tasks
    assert (task.arrivals, task.min_separation, task.period) == (("2.5ms", "14ms", "30ms"), "10ms", None)
    imported = read(simso(sporadic.replace("14", "4")), tmp_path)
    assert imported.system.tasks[0].min_separation is None
    assert lines(imported) == ['[[task]] "T" period: not read: 10, since dates are closer (line 1)']


def test_tasks_that_others_release_are_told(tmp_path: Path) -> None:
    text = simso('followed_by="2"').replace("</tasks>", '<task name="U" id="2" task_type="APeriodic"/></tasks>')
    assert lines(read(text, tmp_path)) == [
        '[[task]] "T" followed_by: not read: "2" (line 1)',
        '[[task]] "U": not read: a task that others release, "APeriodic" (line 1)',
    ]


def test_demands_are_drawn_only_where_simso_draws_them(tmp_path: Path) -> None:
    drawn = 'ACET="2" et_stddev="0.5"'
    (task,) = read(simso(drawn, head='etm="acet"'), tmp_path).system.tasks
    assert task.demand == takt.Normal(mean="2ms", deviation="500us")
    imported = read(simso(drawn), tmp_path)
    assert imported.system.tasks[0].demand is None
    assert lines(imported) == [
        '[[task]] "T" ACET: not read: "2" (line 1)',
        '[[task]] "T" et_stddev: not read: "0.5" (line 1)',
    ]
    assert read(simso('ACET="2"', head='etm="acet"'), tmp_path).system.tasks[0].demand == "2ms"


def test_what_takt_has_no_place_for_in_a_configuration_is_told(tmp_path: Path) -> None:
    text = simso('preemption_cost="3" stack="s.csv" mix="0.7"', head='etm="cache"')
    text = text.replace('id="1"/></processors>', 'id="1" speed="2.0" cs_overhead="4"/></processors>')
    text = text.replace("<caches/>", '<caches><cache name="L1" id="1"/></caches>')
    assert sorted(lines(read(text, tmp_path))) == [
        '[[task]] "T" mix: not read: "0.7" (line 1)',
        '[[task]] "T" preemption_cost: not read: "3" (line 1)',
        '[[task]] "T" stack: not read: "s.csv" (line 1)',
        '[system] caches: not read: "L1" (line 1)',
        '[system] cs_overhead: not read: "4" (line 1)',
        '[system] etm: not read: "cache" (line 1)',
        '[system] speed: not read: "2.0" (line 1)',
    ]


@pytest.mark.parametrize(
    ("task", "duration", "resolution"),
    [
        ("", "100000000", "100us"),
        ('period="12"', "100000000", "100us"),
        ('WCET="2"', "100000000", "1ms"),
        ('WCET="2.123456"', "100000000", "1ns"),
        ('WCET="2.12345"', "100000000", "10ns"),
        ('WCET="2"', "100000500", "100ns"),
    ],
)
def test_a_tick_is_the_longest_that_holds_all(task: str, duration: str, resolution: str, tmp_path: Path) -> None:
    assert read(simso(task, duration), tmp_path).system.resolution == resolution


def test_a_cycle_that_somebody_chose_is_a_tick(tmp_path: Path) -> None:
    system = read(simso('WCET="2"', "100000", head='cycles_per_ms="1000"'), tmp_path).system
    assert (system.resolution, system.horizon) == ("1us", "100ms")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            simso('WCET="0.3333333333"'),
            'line 1: WCET: expected a multiple of 1ns, found "0.3333333333" ms; '
            "round it, as SimSo rounds to whole cycles",
        ),
        (simso('WCET="many"'), 'line 1: WCET: expected milliseconds of 0 or more, found "many"'),
        (simso('period="-1"'), 'line 1: period: expected milliseconds of 0 or more, found "-1"'),
        (simso('WCET="nan"'), 'line 1: WCET: expected milliseconds of 0 or more, found "nan"'),
        (simso('priority="1.5"'), 'line 1: priority: expected a whole number, found "1.5"'),
        (simso('name=""'), 'line 1: name: expected a name, found ""'),
        (simso(duration="1e300"), 'line 1: duration: expected a whole number of 1 or more, found "1e300"'),
        (simso(head='cycles_per_ms="0"'), 'line 1: cycles_per_ms: expected a whole number of 1 or more, found "0"'),
        (
            simso(duration="1", head='cycles_per_ms="7"'),
            "line 1: duration: expected a multiple of 1ns, found 1/7 ms; choose a whole number of nanoseconds",
        ),
        (simso().replace("<sched", "<sch"), "line 1: <simulation>: expected <sched> in it, found none"),
        (simso().replace(' WCET="2.5"', ""), "line 1: WCET: missing; every <task> needs one"),
        (
            simso('period="0"'),
            '[[task]] "T" period: missing; every task needs one, for instance period = "10ms", or min_separation, or '
            "arrivals",
        ),
    ],
)
def test_wrong_configurations_are_refused_in_one_line(text: str, line: str, tmp_path: Path) -> None:
    assert refusal(text, tmp_path) == [line]


def simso_tasks(path: Path) -> list[Any]:
    """What SimSo itself reads."""
    configuration = Configuration(str(path))
    configuration.check_all()
    return list(configuration.task_info_list)


@st.composite
def plain_systems(draw: st.DrawFn) -> takt.System:
    """Systems that SimSo can hold, but for on_miss = "skip"."""
    tasks = []
    for number in range(draw(st.integers(1, 4))):
        period = draw(st.integers(2, 40))
        arrivals = draw(st.lists(st.integers(0, 99), max_size=3))
        source: dict[str, Any] = {"period": period, "offset": draw(st.integers(0, 9))}
        if arrivals:
            source = {"arrivals": sorted(arrivals), "deadline": 7}
        tasks.append(
            takt.Task(
                name=f"T{number}",
                wcet=draw(st.integers(1, period)),
                priority=draw(st.integers(0, 9)),
                on_miss=draw(st.sampled_from(["continue", "abort"])),
                **source,
            )
        )
    resolution = draw(st.sampled_from(["1ms", "100us", "1us"]))
    policy = draw(st.sampled_from(["rm", "edf", "fp"]))
    policy = "edf" if policy == "rm" and any(task.period is None for task in tasks) else policy
    return takt.System(name="set", policy=policy, resolution=resolution, horizon=200, tasks=tasks)


def test_simso_reads_what_takt_writes(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"

    @tries(40)
    @given(system=plain_systems())
    def check(system: takt.System) -> None:
        assert formats.write(system, path, "simso") == ()
        tick = system.resolution_ns / 10**6
        for task, found in zip(system.resolved.tasks, simso_tasks(path), strict=True):
            assert (found.name, found.data["priority"]) == (task.name, task.priority)
            assert found.abort_on_miss == (task.on_miss == "abort")
            assert found.task_type == ("Periodic" if task.arrivals is None else "Sporadic")
            assert (found.wcet, found.deadline) == (
                pytest.approx(task.wcet * tick),
                pytest.approx(task.deadline * tick),
            )
            if task.arrivals is None:
                assert found.period == pytest.approx(task.period * tick)
                assert found.activation_date == pytest.approx(task.offset * tick)
            else:
                assert found.list_activation_dates == pytest.approx([date * tick for date in task.arrivals.values])

    check()


@pytest.mark.parametrize("policy", ["rm", "edf", "fp"])
def test_simso_schedules_what_takt_writes_as_takt_does(policy: str, tmp_path: Path) -> None:
    tasks = [
        takt.Task(name="A", period="10ms", wcet="3ms", priority=3),
        takt.Task(name="B", period="14ms", wcet="4ms", priority=2, offset="1ms"),
        takt.Task(name="C", period="30ms", wcet="6.5ms", priority=1, offset="2ms"),
    ]
    system = takt.System(name="set", policy=policy, resolution="100us", horizon="210ms", tasks=tasks)
    assert formats.write(system, tmp_path / "set.xml", "simso") == ()
    configuration = Configuration(str(tmp_path / "set.xml"))
    configuration.check_all()
    model = Model(configuration)
    model.run_model()
    theirs = {
        task.name: [round(job.end_date / 100_000) for job in task.jobs if job.end_date is not None]
        for task in model.results.tasks.values()
    }
    jobs = takt.simulate(system).jobs.drop_nulls("finish")
    ours = {name: jobs.filter(task=name).sort("job")["finish"].to_list() for name in "ABC"}
    assert {name: ends[: len(theirs[name])] for name, ends in ours.items()} == theirs
    assert min(map(len, theirs.values())) >= 6


# ---- CSV --------------------------------------------------------------------------------------------


def test_what_a_spreadsheet_saves(tmp_path: Path) -> None:
    text = (
        "\ufeff# policy = edf;;\r\n\r\n Name ;WCET; Min Separation;Comment\r\n A ; 2,5ms;10,0;\r\nB;2;20ms;\r\n;;;\r\n"
    )
    text = text.replace("# policy = edf;;", '"# policy = edf";;;\r\n# resolution = 100us;;;')
    imported = read(text, tmp_path, ".csv")
    assert imported.system.policy == "edf"
    assert imported.system.resolution == "100us"
    assert imported.system.tasks == (
        takt.Task(name="A", wcet="2.5ms", min_separation=10),
        takt.Task(name="B", wcet=2, min_separation="20ms"),
    )
    assert [line.partition(";")[0] for line in lines(imported)] == ["comment: not read: a column that is no key"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator: str, tmp_path: Path) -> None:
    text = "name,period,wcet\nA,5,2\n".replace(",", separator)
    assert read(text, tmp_path, ".csv").system.tasks == (takt.Task(name="A", period=5, wcet=2),)


def test_lists_distributions_and_names(tmp_path: Path) -> None:
    text = (
        "# name = one, two\n# horizon = 60\n# resource R = pcp\n# remark\n"
        "name,period,arrivals,wcet,deadline,demand,body,subjobs,threshold\n"
        "A,,0 | 3ms | 9,4,8,2|3,,,\n"
        "B,9,,6,,uniform min=1 max=6,run 1 | lock R | run 2 | unlock R | run 3,,A\n"
        "C,9,,,,,,2 | 1ms,\n"
        "D,,weibull scale=9 shape=1.5,2,9,,,,3\n"
    )
    imported = read(text, tmp_path, ".csv")
    assert imported.system.name == "one, two"
    assert imported.system.resources == (takt.Resource(name="R", protocol="pcp"),)
    first, second, third, fourth = imported.system.tasks
    assert (first.arrivals, first.demand) == ((0, "3ms", 9), (2, 3))
    assert (second.demand, second.threshold) == (takt.Uniform(min=1, max=6), "A")
    assert second.body == ("run 1", "lock R", "run 2", "unlock R", "run 3")
    assert third.subjobs == (2, "1ms")
    assert (fourth.arrivals, fourth.threshold) == (takt.Weibull(scale=9, shape=1.5), 3)
    assert lines(imported) == ['not read: "# remark" (line 4)']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["expected a row of headings such as name,period,wcet, found none"]),
        ("period,wcet\n5,2\n", ['line 1: expected a column name among the headings, found "period, wcet"']),
        ("name,wcet,WCET\nA,1,2\n", ['line 1: expected each column once, found "wcet" twice']),
        ("name,period,wcet\nA,5,2,9\n", ["expected 3 cells as there are headings, found 4 (line 2)"]),
        (
            "name,period,wcet\nA,5,two\nB,0,1\n",
            [
                '[[task]] "A" wcet: expected a positive time such as "10ms", found "two"; write a number followed by '
                "ns, us, ms or s in quotes, or a whole number of ticks (line 2)",
                '[[task]] "B" period: expected a positive time such as "10ms", found 0 (line 3)',
            ],
        ),
        (
            "name,period,wcet,priority\nA,5,2,high\n",
            ['[[task]] "A" priority: expected a priority from 0 to 2147483647, found "high" (line 2)'],
        ),
        (
            "name,period,wcet,demand\nA,5,2,normal mean=1\n",
            [
                '[[task]] demand: deviation: missing; every distribution needs one, for instance deviation = "500us" '
                "(line 2)"
            ],
        ),
        (
            "name,period,wcet\nA,5,2\nA,5,2\n",
            ['[[task]] "A" name: expected a name of its own, found that of another task'],
        ),
        (
            "# cpus = many\nname,period,wcet\nA,5,2\n",
            ['[system] cpus: expected a number of processors from 1 to 64, found "many"'],
        ),
        ("name,period,wcet\n", ["[[task]]: missing; a task set needs at least one [[task]]"]),
    ],
)
def test_wrong_tables_are_refused_with_row_and_column(text: str, expected: list[str], tmp_path: Path) -> None:
    assert refusal(text, tmp_path, ".csv") == expected


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "set.csv").write_bytes(b"name\n\xff\n")
    with pytest.raises(takt.InputError, match="not UTF-8 text at byte 5"):
        formats.read(tmp_path / "set.csv")


# ---- anything ---------------------------------------------------------------------------------------

EXAMPLES = sorted((Path(__file__).parents[1] / "examples" / "formats").glob("robot.*"))
PIECES = ["0", "-1", "9" * 40, "1e99", "1.5", "", "T", "<", ">", "&", "&x;", '"', ";", "|", "\0", "nan", "\n", "normal"]


def mutated(text: str, choice: random.Random) -> str:
    """A text with some words replaced, moved or left out."""
    words = re.split(r"(\W+)", text)
    for _ in range(choice.randint(1, 2)):
        place = choice.randrange(len(words))
        words[place] = choice.choice([*PIECES, choice.choice(words), words[place] * 2])
    return "".join(words)


def problems_of(path: Path) -> tuple[bool, tuple[takt.Problem, ...]]:
    """Whether a file is taken, and the lines that it gives rise to."""
    try:
        return True, formats.read(path).warnings
    except takt.InputError as error:
        return False, error.problems


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.suffix)
def test_whatever_a_file_says_it_is_taken_or_refused_in_lines(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    target = tmp_path / f"set{path.suffix}"
    outcomes = []

    @tries(120)
    @given(seed=st.integers(0, 2**32))
    def check(seed: int) -> None:
        target.write_text(mutated(text, random.Random(seed)), encoding="utf-8")
        is_taken, problems = problems_of(target)
        outcomes.append(is_taken)
        assert all(len(str(problem).splitlines()) == 1 for problem in problems)
        assert all(len(str(problem)) < 600 for problem in problems)

    check()
    assert min(outcomes.count(True), outcomes.count(False)) > 5


@pytest.mark.parametrize("suffix", [".xml", ".xmlv3", ".csv", ".toml", ""])
def test_any_bytes_are_taken_or_refused_in_lines(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"set{suffix}"

    @tries(40)
    @given(
        data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
    )
    def check(data: bytes) -> None:
        path.write_bytes(data)
        assert all(len(str(problem).splitlines()) == 1 for problem in problems_of(path)[1])

    check()
