# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What SimSo's XML says: each construct, what is told of it, and what is wrong with it.

That SimSo reads what Takt writes, and schedules it alike, is asked of SimSo itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import takt
from foreign_files import lines, read, refusal
from hypothesis import given
from hypothesis import strategies as st
from sampling import tries
from simso_runs import configuration, file_of, ran_in_simso, ran_in_takt
from takt import formats


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
    [("RM", "rm", 0), ("FP", "fp", 0), ("LLF", "llf", 1), ("EDF_mono", "edf", 0), ("PD2", "edf", 1)],
)
def test_scheduler_classes(name: str, policy: str, warnings: int, tmp_path: Path) -> None:
    imported = read(simso(sched=f'class="simso.schedulers.{name}"'), tmp_path)
    assert (imported.system.policy, len(imported.warnings)) == (policy, warnings)


def test_late_jobs_are_aborted_unless_a_file_says_no(tmp_path: Path) -> None:
    text = simso()
    assert read(text, tmp_path).system.tasks[0].on_miss == "continue"
    assert read(text.replace(' abort_on_miss="no"', ""), tmp_path).system.tasks[0].on_miss == "abort"


def test_dm_is_written_as_priorities_that_deadlines_make(tmp_path: Path) -> None:
    deadlines = {"A": 9, "B": 5, "C": 9, "D": 7}
    tasks = [takt.Task(name=name, period=10, wcet=1, deadline=deadline) for name, deadline in deadlines.items()]
    losses = formats.write(takt.System(name="set", policy="dm", tasks=tasks), tmp_path / "set.xml", "simso")
    assert [str(loss) for loss in losses] == [
        '[system] policy: lost: "dm" in Takt, "fp" in the file',
        '[[task]] "B" priority: lost: 0 in Takt, 2 in the file',
        '[[task]] "D" priority: lost: 0 in Takt, 1 in the file',
        '[system] policy: scheduled otherwise: "A" and "C" can have equal priorities; '
        "of equals SimSo does not displace the running one and puts a displaced one behind its equals",
    ]


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
    text = text.replace("<processors>", '<processors><field name="heat" type="int"/>')
    text = text.replace("</simulation>", "<batteries><battery/></batteries></simulation>")
    text = text.replace("<caches/>", '<caches><cache name="L1" id="1"/></caches>')
    assert sorted(lines(read(text, tmp_path))) == [
        '[[task]] "T" mix: not read: "0.7" (line 1)',
        '[[task]] "T" preemption_cost: not read: "3" (line 1)',
        '[[task]] "T" stack: not read: "s.csv" (line 1)',
        '[system] caches: not read: "L1" (line 1)',
        '[system] cs_overhead: not read: "4" (line 1)',
        '[system] etm: not read: "cache" (line 1)',
        '[system] processors: not read: field "heat" (line 1)',
        '[system] speed: not read: "2.0" (line 1)',
        "batteries: not read: 1 elements (line 1)",
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
        (simso('WCET="many"'), 'line 1: WCET: expected milliseconds of 0 or more, found "many"'),
        (simso('period="-1"'), 'line 1: period: expected milliseconds of 0 or more, found "-1"'),
        (simso('WCET="nan"'), 'line 1: WCET: expected milliseconds of 0 or more, found "nan"'),
        (simso('priority="1.5"'), 'line 1: priority: expected a whole number, found "1.5"'),
        (simso('name=""'), 'line 1: name: expected a name, found ""'),
        (simso(duration="1e300"), 'line 1: duration: expected a whole number of 1 or more, found "1e300"'),
        (simso(head='cycles_per_ms="0"'), 'line 1: cycles_per_ms: expected a whole number of 1 or more, found "0"'),
        (simso().replace("<sched", "<sch"), "line 1: <simulation>: expected <sched> in it, found none"),
        (simso().replace(' WCET="2.5"', ""), "line 1: WCET: missing; every <task> needs one"),
        (
            simso('period="0"'),
            '[[task]] "T" period: missing; every task needs one, for instance period = "10ms", or min_separation, '
            "arrivals or after",
        ),
    ],
)
def test_wrong_configurations_are_refused_in_one_line(text: str, line: str, tmp_path: Path) -> None:
    assert refusal(text, tmp_path) == [line]


def test_times_are_rounded_to_nanoseconds_with_a_line(tmp_path: Path) -> None:
    text = simso('WCET="0.3333333333" period="33.333333333333336" deadline="66.66666666666667"')
    imported = read(text, tmp_path)
    (task,) = imported.system.tasks
    assert (task.wcet, task.period, task.deadline) == ("333333ns", "33.333333ms", "66.666667ms")
    assert sorted(lines(imported)) == [
        '[[task]] "T" WCET: not read: 0.3333333333 ms, so 333333ns takes its place (line 1)',
        '[[task]] "T" deadline: not read: 66.66666666666667 ms, so 66666667ns takes its place (line 1)',
        '[[task]] "T" period: not read: 33.333333333333336 ms, so 33333333ns takes its place (line 1)',
    ]
    imported = read(simso(duration="8", head='cycles_per_ms="7"'), tmp_path)
    assert imported.system.horizon == "1.142857ms"
    assert lines(imported)[-1] == "[system] horizon: not read: 8/7 ms, so 1142857ns takes its place (line 1)"


def test_a_deadline_of_zero_is_the_period_with_a_line(tmp_path: Path) -> None:
    imported = read(simso('deadline="0"'), tmp_path)
    assert imported.system.tasks[0].deadline is None
    assert lines(imported) == ['[[task]] "T" deadline: not read: 0, so the period takes its place (line 1)']


def test_many_dates_that_are_not_exact_are_one_line(tmp_path: Path) -> None:
    dates = ", ".join(f"{number}.00000001" for number in range(0, 900, 10))
    imported = read(simso(f'task_type="Sporadic" list_activation_dates="{dates}"'), tmp_path)
    assert [line.partition(":")[0] for line in lines(imported)] == ['[[task]] "T" list_activation_dates']


@pytest.mark.parametrize("scheduler", ["RM", "RM_mono"])
def test_periods_that_are_no_separations_are_priorities_under_rm(scheduler: str, tmp_path: Path) -> None:
    tasks: list[dict[str, object]] = [
        {"task_type": "Sporadic", "period": 8, "list_activation_dates": "1,3,20", "WCET": 2},
        {"period": 6, "deadline": 6, "WCET": 2},
        {"task_type": "Sporadic", "period": 0, "list_activation_dates": "4,30", "WCET": 3},
        {"period": 20, "deadline": 20, "WCET": 3, "priority": 7},
    ]
    imported = read(file_of(tasks, scheduler, 60_000_000), tmp_path)
    assert imported.system.policy == "fp"
    assert [task.priority for task in imported.system.tasks] == [1, 2, 3, 0]
    assert lines(imported) == [
        '[[task]] "T1" period: not read: 8, since dates are closer (line 1)',
        "[system] policy: not read: periods of which dates are independent, so fp with priorities by period takes its "
        "place (line 1)",
    ]
    assert ran_in_simso(tmp_path / "set.xml") == ran_in_takt(imported.system)


def test_laxity_on_several_processors_is_edf_with_a_line(tmp_path: Path) -> None:
    imported = read(simso(sched='class="simso.schedulers.LLF"', cpus=2), tmp_path)
    assert imported.system.policy == "edf"
    assert lines(imported) == ['[system] policy: not read: "llf" for 2 processors, so edf takes its place (line 1)']


def simso_tasks(path: Path) -> list[Any]:
    """What SimSo itself reads."""
    return list(configuration(path).task_info_list)


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
        assert [loss for loss in formats.write(system, path, "simso") if loss.code == "lost"] == []
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
    assert ran_in_simso(tmp_path / "set.xml") == ran_in_takt(system)
