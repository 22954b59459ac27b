# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Input files: limits that hold for every reader and every command, and cells of CSV files that are no formulas.

Hostile files are read in processes of their own, with a limit of memory and of time: what needs either with the square
of the file's size fails.
"""

from __future__ import annotations

import csv
import io
import random
import resource
import subprocess
import sys
import tomllib
import tracemalloc
from pathlib import Path

import polars as pl
import pytest
import takt
from places import EXAMPLES
from sampling import count
from takt import formats
from takt.base import csv_files, input_files
from takt.base.errors import InputError
from test_outputs import INPUTS

COMMAND = str(Path(sys.executable).with_name("takt"))
SERVERS = EXAMPLES / "servers.toml"
TRACES = {"replay", "estimate"}
"""Commands whose input is a trace."""
HEAD = "schema = 1\n"
LEADS = "=+-@\t\r\uff1d\uff0b\uff0d\uff20"
MEMORY = 3 * 2**30
SECONDS = 60
SIZE = 400_000

TOML = {
    "dotted key": HEAD + "a." * (SIZE // 2) + "a = 1\n",
    "dotted table": "[" + "a." * (SIZE // 2) + "a]\n",
    "dotted key of an inline table": HEAD + "x = {" + "a." * (SIZE // 2) + "a = 1}\n",
    "dotted key in quotes": HEAD + '"a" . ' * (SIZE // 6) + "a = 1\n",
    "dotted keys, many": HEAD + "".join(f"{'a.' * 31}b{number} = 1\n" for number in range(SIZE // 70)),
    "arrays in one another": HEAD + "x = " + "[" * (SIZE // 2) + "]" * (SIZE // 2),
    "inline tables in one another": HEAD + "x = " + "{a = " * (SIZE // 6) + "1" + "}" * (SIZE // 6),
    "arrays beside one another": HEAD + "x = [" + "[]," * (SIZE // 3) + "]\n",
    "tables": HEAD + "[[task]]\n" * (input_files.MAX_TABLES + 1),
    "names": HEAD + "[[change]]\nat = 1\nremove = [" + '"a",' * (SIZE // 4) + "]\n",
    "different names": HEAD + "[[change]]\nat = 1\nremove = [" + ",".join(f'"{n}"' for n in range(SIZE // 8)) + "]\n",
    "quotes": HEAD + 'x = "' + '\\"' * (SIZE // 2),
    "escapes": HEAD + 'x = "' + "\\n" * (SIZE // 2) + '"\n',
    "digits": HEAD + "x = " + "1" * SIZE,
    "arrivals": HEAD
    + '[[task]]\nname = "A"\nwcet = 1\ndeadline = 5\narrivals = ['
    + ",".join(str(10 * number) for number in range(SIZE // 8))
    + "]\n",
    "values of an axis": HEAD + "[grid]\nutilization = [" + ",".join(f"0.{n}1" for n in range(SIZE // 8)) + "]\n",
}
OTHERS = {
    "columns.csv": "name" + "".join(f",x{number}" for number in range(SIZE // 6)) + "\n",
    "empty columns.csv": "name" + "," * SIZE + "\n",
    "spaces.csv": "# a" + " " * (SIZE // 4) + "b\nname,period,wcet\nA,5,1\n",
    "rows.csv": "name,period,wcet\n" + "".join(f"a{number},5,1\n" for number in range(input_files.MAX_TABLES + 1)),
    "attributes.xml": "<simulation " + " ".join(f'a{number}="1"' for number in range(SIZE // 9)) + "/>",
    "elements.xml": "<simulation>" + "<a/>" * (SIZE // 4) + "</simulation>",
    "elements in one another.xml": "<simulation>" + "<a>" * (SIZE // 7) + "</a>" * (SIZE // 7) + "</simulation>",
    "elements.xmlv3": "<cheddar>" + "<a/>" * (SIZE // 4) + "</cheddar>",
}


def start(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with little memory and time."""
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


# ---- limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", sorted({command for command, what in INPUTS if what in ("file", "files", "source")} - TRACES)
)
def test_a_file_without_an_end_is_refused_by_every_command(command: str, tmp_path: Path) -> None:
    found = start(*command.split(), "/dev/zero", *([str(tmp_path / "out.toml")] if command == "convert" else []))
    expected = f"/dev/zero: expected at most {input_files.MAX_BYTES} bytes, found more; split the file\n"
    assert (found.returncode, found.stderr) == (2, expected)


@pytest.mark.parametrize("command", sorted(TRACES))
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/"])
def test_what_is_no_regular_file_is_no_trace(name: str, command: str) -> None:
    found = start(command, name)
    assert found.returncode == 2
    assert len(found.stderr.splitlines()) == 1


def test_a_header_of_a_trace_that_is_longer_than_any_is_refused(tmp_path: Path) -> None:
    """A sparse file, which takes no room on a disk, must not take any in memory."""
    path = tmp_path / "long.takt"
    good = tmp_path / "good.takt"
    takt.simulate(takt.load(SERVERS), trace=good)
    with path.open("wb") as file:
        file.write(good.read_bytes()[:12] + (2**32 - 1).to_bytes(4, "little"))
        file.truncate(2**32 + 2**20)
    tracemalloc.start()
    with pytest.raises(InputError, match="header has 4294967295 bytes, expected at most"):
        takt.replay(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**24


@pytest.mark.parametrize("what", TOML)
def test_hostile_toml_is_refused_or_read_in_bounded_time(what: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.toml"
    path.write_text(TOML[what])
    command = ["study", str(path)] if "axis" in what else ["convert", str(path), str(tmp_path / "out.toml")]
    found = start(*command)
    assert found.returncode == (0 if what == "arrivals" else 2)
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("name", OTHERS)
def test_hostile_files_of_other_formats_are_refused_or_read_in_bounded_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(OTHERS[name])
    found = start("convert", str(path), str(tmp_path / "out.toml"))
    assert found.returncode == (0 if name == "spaces.csv" else 2)
    assert "Traceback" not in found.stderr


def test_a_limit_names_the_line_and_what_is_allowed() -> None:
    with pytest.raises(InputError) as caught:
        input_files.check_toml("file.toml", HEAD + "\n[" + "a." * 32 + "a]\n")
    assert str(caught.value) == "file.toml: line 3: expected keys and values in at most 32 levels, found more"


def test_characters_in_texts_and_remarks_nest_nothing() -> None:
    deep = "[{" * 40 + "a." * 40
    for text in (f"# {deep}\n", f'x = "{deep}"\n', f"x = '{deep}'\n", f'x = """\n{deep}"""\n', f"x = '''\n{deep}'''\n"):
        tomllib.loads(text)
        input_files.check_toml("file.toml", text + "y = 1\n")


def test_the_depth_that_is_found_is_that_of_the_parsed_file() -> None:
    numbers = random.Random(1)
    for _ in range(count(300)):
        depth = numbers.choice([1, 5, 31, 32, 33, 40])
        text = nested(numbers, depth)
        tomllib.loads(text)
        if depth <= input_files.MAX_DEPTH:
            input_files.check_toml("file.toml", text)
        else:
            with pytest.raises(InputError):
                input_files.check_toml("file.toml", text)


def nested(numbers: random.Random, depth: int) -> str:
    """A file with one value at a depth, or one key of as many parts, beside noise that means nothing."""
    noise = [
        '# [[{{ a.b.c "\n',
        'n1 = "[{ \\" a.b #"\n',
        "n2 = '[{ \" a.b'\n",
        'n3 = """[{ " \\" \n a.b"""\n',
        "n4 = 1.5\n",
    ]
    if numbers.random() < 0.5:
        parts = (numbers.choice(["a", '"b.c"', "'d e'", "1-_"]) for _ in range(depth))
        value = numbers.choice([".", " . ", "\t."]).join(parts) + " = 1\n"
    else:
        kinds = [numbers.choice(["[]", "{}"]) for _ in range(depth)]
        value = "v = " + "".join("[" if kind == "[]" else "{ a = " for kind in kinds) + "1"
        value += "".join("]" if kind == "[]" else "}" for kind in reversed(kinds)) + "\n"
    lines = [*numbers.sample(noise, 3), value]
    numbers.shuffle(lines)
    return "".join(lines)


# ---- formulas ---------------------------------------------------------------------------------------


def test_a_guarded_cell_is_no_formula_and_gives_its_text_back() -> None:
    numbers = random.Random(2)
    for _ in range(count(3000)):
        text = "".join(numbers.choice(LEADS + "''a1. ") for _ in range(numbers.randrange(6)))
        cell = csv_files.guarded(text)
        assert csv_files.unguarded(cell) == text
        assert not cell.startswith(tuple(LEADS)) or float(cell) <= 0 or float(cell) > 0


@pytest.mark.parametrize("text", ["-1", "+2.5", "-1e3", "0", "", "sensor", "'quoted'"])
def test_numbers_and_plain_texts_stay_as_they_are(text: str) -> None:
    assert csv_files.guarded(text) == csv_files.unguarded(text) == text


def dangerous() -> takt.System:
    """A system whose names are formulas."""
    tasks = [takt.Task(name=name, period=10, wcet=1, server="@S") for name in ("=1+1|x", "-2+3", "'=a", "-1")]
    return takt.System(name="=name", tasks=tasks, servers=[takt.Server(name="@S", period=5, budget=3)])


def test_no_output_of_a_run_has_a_cell_that_is_a_formula(tmp_path: Path) -> None:
    takt.save(dangerous(), tmp_path / "set.toml")
    names = ("segments", "jobs", "budgets")
    options = [word for name in names for word in (f"--{name}", str(tmp_path / f"{name}.csv"))]
    assert start("run", str(tmp_path / "set.toml"), *options).returncode == 0
    for name in names:
        rows = list(csv.reader(io.StringIO((tmp_path / f"{name}.csv").read_text())))
        cells = {cell for row in rows for cell in row}
        assert not [cell for cell in cells if cell.startswith(tuple(LEADS)) and cell != "-1"]
        assert "@S" in {csv_files.unguarded(cell) for cell in cells} or name == "jobs"
    jobs = pl.read_csv(tmp_path / "jobs.csv", infer_schema_length=0)
    assert {csv_files.unguarded(name) for name in jobs["task"]} == {task.name for task in dangerous().tasks}


def test_names_that_are_formulas_come_back_from_a_table_of_tasks(tmp_path: Path) -> None:
    system = takt.System(tasks=[task.replace(server=None) for task in dangerous().tasks])
    assert formats.write(system, tmp_path / "set.csv") == ()
    text = (tmp_path / "set.csv").read_text()
    assert "\n'=1+1|x," in text
    assert [task.name for task in formats.read(tmp_path / "set.csv").system.tasks] == [t.name for t in system.tasks]


def test_an_input_has_at_most_sixteen_mebibytes(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes(16_777_216))
    assert len(input_files.read(path)) == 16_777_216
    path.write_bytes(bytes(16_777_217))
    with pytest.raises(InputError, match="expected at most 16777216 bytes, found more"):
        input_files.read(path)
