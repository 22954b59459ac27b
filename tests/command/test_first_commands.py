# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The first commands of a new user, in an empty folder: demo, new, and files that are not there or have no name."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import takt
from places import EXAMPLES, ROBOTS
from takt.base import input_files
from takt.command import main
from takt.model import catalogue
from typer.testing import CliRunner, Result

COMMAND = str(Path(sys.executable).with_name("takt"))
IOT = (EXAMPLES / "iot_node.toml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def start(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a process."""
    return subprocess.run(
        [COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=False, encoding="utf-8"
    )


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main.app, arguments)


def start_in_a_terminal(answers: list[str], *arguments: str) -> tuple[int, str]:
    """Run the command in a terminal of its own, and type answers; return exit status and all that it wrote."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(COMMAND, [COMMAND, *arguments], os.environ | {"TERM": "dumb"})
    os.write(terminal, "".join(f"{answer}\n" for answer in answers).encode())
    written = b""
    try:
        while part := os.read(terminal, 2**16):
            written += part
    except OSError:  # Linux tells the end by an error
        pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written.decode()


# ---- takt demo ------------------------------------------------------------------------------------------


def test_demo_needs_no_file_and_prints_what_run_prints() -> None:
    done, ran = start("demo"), start("run", "examples/iot_node.toml", "--report", "other.html")
    assert done.returncode == 0
    assert done.stdout.startswith(ran.stdout)
    assert "page: takt_demo.html" in done.stdout
    assert Path("takt_demo.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_each_question_of_the_demo_is_a_command_that_works_when_typed() -> None:
    lines = start("demo").stdout.splitlines()
    typed = [line.split() for line in lines if line.startswith("    takt ")]
    assert len(typed) == 3
    for command in typed:
        done = start(*command[1:])
        assert done.returncode == 0, done.stderr
        assert done.stdout
    what_if = start(*typed[2][1:], "--check")  # no frame of multimedia delays a packet too long
    assert what_if.returncode == 0


def test_the_page_of_the_demo_goes_where_it_is_asked_to() -> None:
    assert "page: sub.html" in start("demo", "--report", "sub.html").stdout
    assert Path("sub.html").exists()
    done = start("demo", "--report", "none/sub.html")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


# ---- takt new -------------------------------------------------------------------------------------------


def test_a_new_file_has_the_tasks_that_were_asked_for() -> None:
    done = start("new", "--task", "sensor:10ms:2ms", "--task", "a b:25ms:1500us", "--policy", "edf", "-o", "two.toml")
    assert (done.returncode, done.stdout) == (0, "")
    system = takt.load("two.toml")
    assert [(task.name, task.period, task.wcet) for task in system.tasks] == [
        ("sensor", "10ms", "2ms"),
        ("a b", "25ms", "1500us"),
    ]
    assert (system.name, system.policy, system.cpus) == ("two", "edf", 1)


@pytest.mark.parametrize("policy", [each.name for each in catalogue.policies()])
@pytest.mark.parametrize("cpus", ["1", "2"])
def test_a_new_file_is_taken_by_run_and_analyse_under_each_policy(policy: str, cpus: str) -> None:
    made = invoke("new", "--policy", policy, "--cpus", cpus, "-o", "new.toml")
    if made.exit_code == 2:  # the policy needs more than tasks, or one processor
        assert "--example" in made.stderr or "cpus" in made.stderr
        assert not Path("new.toml").exists()
        return
    assert max(map(len, Path("new.toml").read_text(encoding="utf-8").splitlines())) <= 120
    for command in (["run"], ["analyse", "--no-sensitivity"]):
        done = invoke(*command, "new.toml")
        assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.parametrize("count", ["1", "2", "7", "50"])
def test_invented_tasks_fit(count: str) -> None:
    Path("many.toml").write_text(invoke("new", "--tasks", count).stdout, encoding="utf-8")
    system = takt.load("many.toml")
    assert len(system.tasks) == int(count)
    assert takt.analyse(system, sensitivity=False).is_schedulable


def test_a_new_file_says_what_its_keys_mean() -> None:
    text = invoke("new").stdout
    for words in ("# length of a tick", "# worst-case execution time", "#   deadline: relative to the arrival"):
        assert words in text
    assert "larger is more urgent" not in invoke("new", "--policy", "edf").stdout


def test_times_below_a_microsecond_get_a_finer_tick() -> None:
    assert 'resolution = "1ns"' in invoke("new", "--task", "a:10ms:1500ns").stdout
    assert 'resolution = "1us"' in invoke("new", "--task", "a:10ms:1500us").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "a:10ms"], '--task: expected NAME:PERIOD:WCET such as sensor:10ms:2ms, found "a:10ms"'),
        (["--task", "a:10ms:0ms"], '--task: "a:10ms:0ms": wcet: expected a positive time such as "10ms", found "0ms"'),
        (["--policy", "edff"], '--policy: unknown policy "edff"; did you mean "edf"?'),
        (["--horizon", "2x"], "--horizon: "),
        (["--cpus", "x"], "--cpus: "),
        (["--task", "a:1:1", "--tasks", "2"], "--tasks: expected none beside --task; leave one of both out"),
        (["--task", "a:2:1", "--task", "a:2:1"], '[[task]] "a" name: duplicate name'),
        (["--example", "iot_nod"], '--example: no example "iot_nod"; did you mean "iot_node"?'),
        (["--example", "iot_node", "--cpus", "2"], "--example: expected no other option than -o beside it"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], message: str) -> None:
    done = invoke("new", *arguments, "-o", "new.toml")
    assert done.exit_code == 2
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
    assert not Path("new.toml").exists()


def test_what_an_installer_has_compiled_is_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = tmp_path / "examples" / "__pycache__" / "mine.cpython-311.pyc"
    compiled.parent.mkdir(parents=True)
    compiled.write_bytes(b"")
    (tmp_path / "examples" / "mine.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(input_files, "_EXAMPLES", tmp_path / "examples")
    assert list(input_files.examples()) == ["mine.py"]


def test_an_example_is_copied_and_no_file_is_replaced() -> None:
    assert start("new", "--example", "iot_node").returncode == 0
    assert Path("iot_node.toml").read_text(encoding="utf-8") == IOT
    Path("iot_node.toml").write_text("mine", encoding="utf-8")
    for arguments in (["--example", "examples/iot_node.toml"], ["-o", "iot_node.toml"]):
        done = start("new", *arguments)
        assert done.returncode == 2
        assert done.stderr == '--output: expected a new file, found "iot_node.toml"; give another name with -o\n'
    assert Path("iot_node.toml").read_text(encoding="utf-8") == "mine"
    done = start("new", "-o", ".")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        '--output: expected a new file, found "."; give another name with -o',
    )


def test_without_an_option_it_asks_in_a_terminal() -> None:
    answers = ["sensor:10ms:2ms", "sensor:10ms", "control:20ms:5ms", "", "edff", "edf", "0", "1", "mine.toml"]
    status, written = start_in_a_terminal(answers, "new")
    assert status == 0, written
    assert "expected NAME:PERIOD:WCET" in written
    assert 'did you mean "edf"?' in written
    system = takt.load("mine.toml")
    assert [task.name for task in system.tasks] == ["sensor", "control"]
    assert system.policy == "edf"


# ---- the package's examples, and the standard input ---------------------------------------------------------


def test_an_example_that_is_not_there_is_read_from_the_package() -> None:
    done = start("run", "examples/iot_node.toml")
    assert done.returncode == 0
    assert done.stderr == "examples/iot_node.toml: read from the package; takt new --example iot_node copies it\n"
    Path("examples").mkdir()
    Path("examples/iot_node.toml").write_text(IOT.replace('"iot-node"', '"mine"'), encoding="utf-8")
    own = start("run", "examples/iot_node.toml")
    assert own.stdout.startswith("mine")
    assert own.stderr == ""
    for name in ("examples/none.toml", "examples/../__init__.py", "iot_node.toml", "examples"):
        assert start("run", name).returncode == 2


@pytest.mark.parametrize("command", ["run", "compare", "analyse"])
def test_a_dash_is_the_standard_input(command: str) -> None:
    Path("iot.toml").write_text(IOT, encoding="utf-8")
    piped, named = start(command, "-", "--json", stdin=IOT), start(command, "iot.toml", "--json")
    assert piped.returncode == 0
    assert piped.stdout == named.stdout.replace('"iot.toml"', '"-"')
    wrong = start(command, "-", stdin="schema = 2\n")
    assert wrong.returncode == 2
    assert all(line.startswith("-: ") for line in wrong.stderr.splitlines())


def test_the_standard_input_is_read_once() -> None:
    done = start("run", "-", "-", stdin=IOT)
    assert done.returncode == 0
    assert done.stdout.count("iot-node") == 2


def test_convert_reads_and_writes_streams() -> None:
    simso = start("convert", "-", "-", "--to", "simso", stdin=IOT).stdout
    assert simso.startswith("<?xml")
    back = start("convert", "-", "back.toml", stdin=simso)
    assert back.returncode == 0
    assert [task.name for task in takt.load("back.toml").tasks] == [
        "control",
        "sensor",
        "multimedia",
        "packets",
        "logging",
    ]
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["back.toml"]


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.suffix)
def test_the_format_of_a_stream_is_known_by_its_content(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    piped, named = start("convert", "-", "piped.toml", stdin=text), start("convert", str(path), "named.toml")
    assert (piped.returncode, named.returncode) == (0, 0), piped.stderr
    assert takt.load("piped.toml").tasks == takt.load("named.toml").tasks


@pytest.mark.parametrize(
    ("command", "file", "answer"),
    [
        ("run", "examples/studies/acceptance.toml", "this is a study: takt study"),
        ("analyse", "examples/recipes/automotive.toml", "this is a recipe: takt generate"),
        ("study", "examples/iot_node.toml", "this is a task set: takt run"),
        ("generate", "examples/iot_node.toml", "this is a task set: takt run"),
    ],
)
def test_a_file_of_another_command_is_one_line_that_names_the_command(command: str, file: str, answer: str) -> None:
    done = start(command, file)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}: {answer} {file}" in done.stderr.splitlines()
