# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Edits of task-set files: one key becomes another, and all else of the file stays."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLE_FILES
from sampling import tries
from takt.files import edits
from takt.files.edits import applied_to_text
from takt.files.task_set_reading import loads

FILE = """\
# head
schema = 1 # contract

[system]
resolution = "1us" # fine

# the motor
[[task]]
name     = "motor"
period   = "1ms" # fast
wcet     = 5
# end of the motor

# the bus
[[resource]]
name = "bus"

[[task]]
name = "S"
\tperiod = 7
\tthreshold = "motor" # more than it seems
wcet = 1

[[server]]
name = "S"
period = 7
budget = 2
"""


def changes(text: str, *made: str) -> list[str]:
    """Lines that edits remove and add."""
    lines = difflib.ndiff(text.splitlines(), applied_to_text(text, made).splitlines())
    return [line for line in lines if line[0] in "+-"]


def error_of(*made: str, text: str = FILE) -> str:
    with pytest.raises(takt.InputError) as caught:
        applied_to_text(text, made)
    return str(caught.value)


# ---- what changes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        ("motor.period=2ms", ['- period   = "1ms" # fast', '+ period   = "2ms" # fast']),
        ("motor.wcet=7", ["- wcet     = 5", "+ wcet     = 7"]),
        ("motor.wcet = 7", ["- wcet     = 5", "+ wcet     = 7"]),
        ("motor.wcet=3.5µs", ["- wcet     = 5", '+ wcet     = "3.5µs"']),
        ("system.resolution=100ns", ['- resolution = "1us" # fine', '+ resolution = "100ns" # fine']),
        ("bus.protocol=icpp", ['+ protocol = "icpp"']),
        ("motor.priority=3", ["+ priority = 3"]),
        ("motor.preemption=non-preemptive", ['+ preemption = "non-preemptive"']),
        ('motor.sections=["1us", "4us bus"]', ['+ sections = ["1us", "4us bus"]']),
        ('motor.demand={distribution="uniform", min=1}', ['+ demand   = {distribution = "uniform", min = 1}']),
        ("task.S.threshold=", ['- \tthreshold = "motor" # more than it seems']),
        ("task.S.deadline=", []),
        ("server.S.budget=1", ["- budget = 2", "+ budget = 1"]),
        ("task.S.class=soft", ['+ class = "soft"']),
        ("motor.name=5", ['- name     = "motor"', '+ name     = "5"']),
        ("platform.tick=1us", ["+ ", "+ [platform]", '+ tick = "1us"']),
        ("policy.share.variant=eevdf", ["+ ", "+ [policy.share]", '+ variant = "eevdf"']),
    ],
)
def test_an_edit_changes_the_lines_of_its_key(edit: str, lines: list[str]) -> None:
    assert changes(FILE, edit) == lines


def test_a_new_key_stands_behind_the_keys_of_its_table() -> None:
    after = applied_to_text(FILE, ["motor.deadline=900us", "system.policy=edf"])
    assert 'wcet     = 5\ndeadline = "900us"\n# end of the motor\n\n# the bus\n' in after
    assert '[system]\nresolution = "1us" # fine\npolicy     = "edf"\n\n# the motor\n' in after


def test_edits_are_made_in_their_order() -> None:
    assert changes(FILE, "motor.wcet=7", "motor.wcet=5") == []
    assert changes(FILE, "motor.name=drive", "drive.wcet=6")[-1] == "+ wcet     = 6"


@pytest.mark.parametrize(
    ("text", "edit", "after"),
    [
        ('task = [{name="A", period=5}] # c\n', "A.period=6", 'task = [{name="A", period=6}] # c\n'),
        ('system.policy = "fp"\n', "system.policy=dm", 'system.policy = "dm"\n'),
        ("", "system.policy=dm", '[system]\npolicy = "dm"\n'),
        ("[system]\n# none\n", "system.policy=dm", '[system]\npolicy = "dm"\n# none\n'),
        ('[[task]]\r\n\tname="A"\r\n', "A.class=soft", '[[task]]\r\n\tname="A"\r\n\tclass = "soft"\r\n'),
        ('[[task]]\nname="A"', "A.wcet=3", '[[task]]\nname="A"\nwcet = 3\n'),
    ],
)
def test_files_in_other_layouts_are_edited(text: str, edit: str, after: str) -> None:
    assert applied_to_text(text, [edit]) == after


def test_a_name_with_dots_and_signs_is_found() -> None:
    text = '[[task]]\nname = "a = b.c"\nperiod = 1\n[[task]]\nname = "x.y"\nperiod = 2\n'
    assert changes(text, '"a = b.c".period=3') == ["- period = 1", "+ period = 3"]
    assert changes(text, 'task."a = b.c".period=3') == ["- period = 1", "+ period = 3"]
    assert changes(text, "x.y.period=3") == ["- period = 2", "+ period = 3"]
    assert changes(text, "task.x.y.period=3") == ["- period = 2", "+ period = 3"]


def test_a_table_comes_before_a_task_of_its_name() -> None:
    text = '[system]\nname = "set"\n[[task]]\nname = "system"\n'
    assert changes(text, "system.name=other") == ['- name = "set"', '+ name = "other"']
    assert changes(text, "task.system.wcet=3") == ["+ wcet = 3"]


@tries(60)
@given(st.data())
def test_random_edits_change_no_other_value_and_no_comment(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(EXAMPLE_FILES))
    text = path.read_text()
    before = tomllib.loads(text)
    tables = ["task", *(table for table in ("server", "resource") if before.get(table))]
    made = []
    for _ in range(data.draw(st.integers(1, 4))):
        table = data.draw(st.sampled_from(tables))
        member = data.draw(st.sampled_from(before[table]))
        key, value = data.draw(st.sampled_from([*edits.NAMED[table].keys()][1:])), data.draw(st.integers(0, 99))
        made.append((table, member["name"], key, value))
    after = applied_to_text(text, [f"{table}.{name}.{key}={value}" for table, name, key, value in made])
    expected: dict[str, Any] = before
    for table, name, key, value in made:
        member = next(each for each in expected[table] if each["name"] == name)
        member[key] = str(value) if key in edits.NAMED[table].text_keys() else value
    assert tomllib.loads(after) == expected
    assert comments(after) == comments(text)


def comments(text: str) -> list[str]:
    return [line[line.index("#") :].strip() for line in text.splitlines() if "#" in line and '"#' not in line]


NAMES = st.text(st.sampled_from('ab.=" \\µ5#['), min_size=1, max_size=6).filter(str.strip)


@tries(200)
@given(st.lists(NAMES, min_size=1, max_size=3, unique=True), NAMES, st.sampled_from(["task", "system.x", "platform"]))
def test_an_edit_that_is_written_is_read_for_any_names(names: list[str], resource: str, odd: str) -> None:
    tasks = [takt.Task(name=name, period=9, wcet=1) for name in [*names, odd]]
    system = takt.System(tasks=tasks, resources=[takt.Resource(name=resource)])
    for name in [*names, odd]:
        edit = edits.written(system, "task", name, "period", 7)
        after = loads(applied_to_text(takt.to_toml(system), [edit]), "set")
        assert [task.name for task in after.tasks if task.period == 7] == [name], edit
    edit = edits.written(system, "resource", resource, "protocol", "icpp")
    assert loads(applied_to_text(takt.to_toml(system), [edit]), "set").resources[0].protocol == "icpp"


# ---- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("motr.wcet=3", '"motr.wcet=3": no task, server, resource or table "motr"; did you mean "motor"?'),
        ("sistem.policy=dm", '"sistem.policy=dm": no task, server, resource or table "sistem"; did you mean "system"?'),
        ("motor.prio=3", '"motor.prio=3": unknown key "prio" of task.motor; did you mean "priority"?'),
        ("platform.tik=3", '"platform.tik=3": unknown key "tik" of platform; did you mean "tick"?'),
        ("motor", '"motor": expected NAME.KEY=VALUE such as sensor.wcet=2ms'),
        ("motor=3", '"motor=3": expected NAME.KEY=VALUE such as sensor.wcet=2ms'),
        ("", '"": expected NAME.KEY=VALUE such as sensor.wcet=2ms'),
        ("=3", '"=3": expected NAME.KEY=VALUE such as sensor.wcet=2ms'),
        ("S.period=9", '"S.period=9": "S" is a task and a server; write task.S.period=9 or server.S.period=9'),
    ],
)
def test_what_is_no_edit_of_the_file_is_refused_in_one_line(edit: str, message: str) -> None:
    assert error_of(edit) == message


def test_a_name_that_nothing_is_like_has_all_names_beside_it() -> None:
    message = error_of("X.wcet=3")
    assert message.startswith(
        '"X.wcet=3": no task, server, resource or table "X"; expected one of motor, S, bus, system'
    )


def test_a_name_of_a_task_and_a_resource_is_ambiguous() -> None:
    text = '[[task]]\nname = "A = 1"\n[[resource]]\nname = "A = 1"\n'
    message = error_of('"A = 1".name=B', text=text)
    assert message.endswith('is a task and a resource; write task."A = 1".name=B or resource."A = 1".name=B')


# ---- reading with edits ------------------------------------------------------------------------------------


def test_a_file_is_read_with_edits(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text('schema = 1\n[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n')
    assert takt.load(path, ["A.wcet=3", "system.policy=edf"]) == takt.load(path).replace(
        policy="edf", tasks=[takt.Task(name="A", period=5, wcet=3)]
    )


def test_edits_that_are_right_only_together_are_made_together(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text('schema = 1\n[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n')
    assert takt.load(path, ["A.period=", "A.min_separation=5"]).tasks[0].min_separation == 5


def test_an_error_after_edits_names_them(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text('schema = 1\n[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n')
    for made, message in [
        (["A.wcet=two"], f'{path} with A.wcet=two: [[task]] "A" wcet: expected a positive time'),
        (["A.wcet=3", "A.server=S"], f'{path} with A.wcet=3, A.server=S: [[task]] "A" server: '),
        (["B.wcet=3"], f'{path}: "B.wcet=3": no task, '),
    ]:
        with pytest.raises(takt.InputError) as caught:
            takt.load(path, made)
        assert str(caught.value).startswith(message)
