# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files with thousands of problems: at most 50 lines and a count, in time that grows with the file alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import takt
from takt.base.errors import InputError
from takt.command import main
from typer.testing import CliRunner

MANY = 4000
SECONDS = 15
"""Of processor time; help that is looked for at each problem among all names takes more than 30."""


def tasks(keys: Callable[[int], str], before: str = "") -> str:
    """A task-set file."""
    rows = (f'[[task]]\nname = "t{number}"\n{keys(number)}\n' for number in range(MANY))
    return f"schema = 1\n{before}" + "".join(rows)


def servers() -> str:
    """Servers whose names are near to a wrong one."""
    return "".join(f'[[server]]\nname = "abc{number}"\nperiod = 10\nbudget = 1\n' for number in range(MANY))


def changes(key: str) -> str:
    """A task, and changes of tasks that there are not."""
    rows = (f"[[change]]\nat = {number}\n{key.format(number)}\n" for number in range(MANY))
    return tasks(lambda _: "period = 10\nwcet = 1") + "".join(rows)


PLAIN = "period = 10\nwcet = 1\n"
TASK_SETS = {
    "nothing": tasks(lambda _: ""),
    "a key": tasks(lambda _: f"{PLAIN}periot = 1"),
    "keys": "schema = 1\n[[task]]\n" + "".join(f"kay{number} = 1\n" for number in range(8 * MANY)),
    "a word": tasks(lambda number: f'{PLAIN}class = "sofd{number}"'),
    "a server": tasks(lambda number: f'{PLAIN}server = "ab{number}"', servers()),
    "a resource": tasks(
        lambda number: f'period = 10\nwcet = 1\nbody = ["lock r{number}", "run 1", "unlock r{number}"]',
        "".join(f'[[resource]]\nname = "R{number}"\n' for number in range(10)),
    ),
    "a resource of its own": tasks(
        lambda number: f'period = 10\nwcet = 1\nbody = ["lock r{number}", "run 1", "unlock r{number}"]',
        "".join(f'[[resource]]\nname = "R{number}"\n' for number in range(MANY)),
    ),
    "a threshold": tasks(lambda number: f'{PLAIN}threshold = "u{number}"'),
    "a time": tasks(lambda _: 'period = "10.5ms"\nwcet = 1'),
    "a finer time": tasks(lambda _: 'period = "1.5ns"\nwcet = 1'),
    "a relation": tasks(lambda _: f"{PLAIN}priority = 5\nthreshold = 1"),
    "removed tasks": changes('remove = ["x{}"]'),
    "changed tasks": changes('task = "x{}"\nperiod = 20'),
    "slots": tasks(
        lambda _: PLAIN, '[system]\npolicy = "time-driven"\n[policy.time-driven]\ncycle = 8000\nslots = ['
    ).replace(
        "slots = [", "slots = [" + ", ".join(f'["x{number}", {2 * number}, 1]' for number in range(MANY)) + "]\n"
    ),
}
COLUMNS = "name,period,wcet,server,class\n"
CONVERTED = {
    "csv": COLUMNS + "".join(f"t{number},10,1,s{number},sofd{number}\n" for number in range(MANY)),
    "json": '{"tasks": {' + ", ".join(f'"t{number}": {{"runn": 1}}' for number in range(MANY)) + "}}",
    "xml": '<simulation cpus="1" duration="10" cycles_per_ms="1000"><tasks>'
    + "".join(f'<task id="{number}" name="t{number}" period="x" />' for number in range(MANY))
    + "</tasks></simulation>",
}
RECIPES = {
    "generate": "schema = 1\n[generate]\n" + "".join(f"tasc{number} = 1\n" for number in range(MANY)),
    "study": 'schema = 1\n[[measure]]\nkind = "acceptance"\ntests = ["edf"]\n'
    + "".join(f'[[measure]]\nkind = "acceptence{number}"\n' for number in range(MANY)),
}
FILES = {
    **{f"analyse {name}": ("analyse", "set.toml", text) for name, text in TASK_SETS.items()},
    **{f"convert {suffix}": ("convert", f"set.{suffix}", text) for suffix, text in CONVERTED.items()},
    **{name: (name, "file.toml", text) for name, text in RECIPES.items()},
}

LOSES = "convert json"
"""The one that is read, with a warning for each row."""


@pytest.mark.parametrize("name", FILES)
def test_thousands_of_problems_are_fifty_lines_and_a_count(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command, file, text = FILES[name]
    Path(file).write_text(text)
    begin = time.process_time()
    found = CliRunner().invoke(main.app, [command, file, *(["out.toml"] if command == "convert" else [])])
    assert time.process_time() - begin < SECONDS
    lines = found.stderr.splitlines()
    assert (found.exit_code, found.stdout) == (0 if name == LOSES else 2, ""), found.output[:500]
    assert 1 <= len(lines) <= 51
    assert len(lines) < 51 or lines[-1].startswith("... and ")
    assert Path("out.toml").exists() == (name == LOSES)


def test_the_count_is_that_of_the_others_and_a_program_gets_all() -> None:
    with pytest.raises(InputError) as caught:
        takt.System(tasks=[takt.Task(name=f"t{number}", period=10, wcet=1, server="x") for number in range(1050)])
    assert len(caught.value.problems) == 1050
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (51, "... and 1,000 more")
    with pytest.raises(InputError) as few:
        takt.System(tasks=[takt.Task(name=f"t{number}", period=10, wcet=1, server="x") for number in range(50)])
    assert len(str(few.value).splitlines()) == 50


def test_thousands_of_resources_that_a_task_each_locks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    resources = "".join(f'[[resource]]\nname = "R{number}"\n' for number in range(MANY))
    text = tasks(lambda n: f'period = 100000\nbody = ["lock R{n}", "run 1", "unlock R{n}"]', resources)
    Path("set.toml").write_text(text)
    begin = time.process_time()
    assert len(takt.load("set.toml").tasks) == MANY
    assert time.process_time() - begin < SECONDS
