# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Help, its examples, the manual page that is made of it, and completion."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from takt.command import help as helping
from takt.command import main
from takt.files import edits
from takt.model import catalogue
from typer.testing import CliRunner

FOLDER = Path(sys.executable).parent
COMMANDS = dict(helping.commands_of(typer.main.get_command(main.app)))
GROUPS = [path for path, command in COMMANDS.items() if hasattr(command, "commands")]
EXAMPLES = {
    " ".join(path): re.findall(r"Example: `([^`]+)`", command.help)
    for path, command in COMMANDS.items()
    if path[:2] != ("takt", "linux")
}
TAKTD = {"load", "status", "detach", "trace"}
"""Commands that ask a daemon, which is not there."""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line as a user types it."""
    path = {"PATH": f"{FOLDER}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        line,
        shell=True,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | path | environment,
    )


def test_each_command_has_an_example() -> None:
    without = [path for path, command in COMMANDS.items() if "Example: `takt " not in command.help]
    assert set(without) <= set(GROUPS)


@pytest.mark.parametrize(("command", "lines"), EXAMPLES.items(), ids=EXAMPLES)
def test_each_example_of_each_help_runs_in_an_empty_folder(command: str, lines: list[str]) -> None:
    assert lines
    for line in lines:
        done = shell(line)
        assert done.returncode == 0, f"{line}: {done.stderr}"


@pytest.mark.parametrize("name", sorted(TAKTD))
def test_examples_that_need_the_daemon_say_so(name: str) -> None:
    (line,) = re.findall(r"Example: `([^`]+)`", COMMANDS["takt", "linux", name].help)
    done = shell(line)
    assert done.returncode == 1
    assert "taktd" in done.stderr


@pytest.mark.parametrize("words", [(), ("run",), ("linux", "check")], ids=" ".join)
def test_help_prints_what_the_option_prints(words: tuple[str, ...]) -> None:
    asked = CliRunner().invoke(main.app, ["help", *words], prog_name="takt")
    option = CliRunner().invoke(main.app, [*words, "--help"], prog_name="takt")
    assert asked.exit_code == 0
    assert asked.stdout == option.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["analise"], 'no command "takt analise"; did you mean "analyse"?\n'),
        (["linux", "chek"], 'no command "takt linux chek"; did you mean "check"?\n'),
        (["run", "fast"], 'no command "takt run fast"; it has no commands of its own\n'),
    ],
)
def test_an_unknown_command_is_one_line(words: list[str], message: str) -> None:
    done = CliRunner().invoke(main.app, ["help", *words])
    assert (done.exit_code, done.stderr) == (2, message)


def test_the_manual_page_has_each_command_and_each_option() -> None:
    page = CliRunner().invoke(main.app, ["help", "--man"]).stdout
    plain = page.replace("\\-", "-")
    for path, command in COMMANDS.items():
        assert path == ("takt",) or f'.SS "{" ".join(path)}' in plain
        for option in command.params:
            assert option.param_type_name != "option" or not option.help or ", ".join(option.opts) in plain
    assert not re.search(r"^\.(?!TH |SH |SS |PP$|TP$|B |I )", page, re.MULTILINE)


@pytest.mark.parametrize("words", [("run",), ("linux",), ("linux", "load")])
def test_the_manual_page_of_a_command_has_that_command_alone(words: tuple[str, ...]) -> None:
    page = CliRunner().invoke(main.app, ["help", "--man", *words]).stdout
    title, name = "-".join(("takt", *words)), " ".join(("takt", *words))
    assert page.startswith(f'.TH {title.upper()} 1 "" "takt ')
    plain = page.replace("\\-", "-")
    assert f".SH NAME\n{title} - " in plain
    assert f".SH SYNOPSIS\n.B {name}\n" in plain
    assert ".SS" not in page if words != ("linux",) else '.SS "takt linux load FILE"' in plain
    for option in COMMANDS[("takt", *words)].params:
        assert option.param_type_name != "option" or not option.help or f".B {option.opts[0]}" in plain
    done = CliRunner().invoke(main.app, ["help", "--man", "rnu"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith('no command "takt rnu"; ')


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_reads_the_manual_page_without_a_warning() -> None:
    done = shell("takt help --man > takt.1 && groff -man -ww -Tascii -P-cbou takt.1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "examples/iot_node.toml" in done.stdout


# ---- completion -----------------------------------------------------------------------------------------


def completed(line: str) -> list[str]:
    """Return what bash offers behind a line."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    return shell("takt", _TAKT_COMPLETE="complete_bash", **words).stdout.split()


def test_commands_and_options_are_completed() -> None:
    assert completed("takt ana") == ["analyse"]
    assert "--policy" in completed("takt run --po")


def test_names_of_policies_are_completed_also_behind_others() -> None:
    names = [policy.name for policy in catalogue.policies()]
    assert completed("takt compare --policy d") == [name for name in names if name.startswith("d")]
    assert completed("takt run --policy rm,ed") == ["rm,edf"]
    assert completed("takt new --policy ed") == ["edf"]


def test_boards_are_completed() -> None:
    assert completed("takt run a.toml --on ri") == ["riscv", "riscv_f", "riscv64"]
    assert completed("takt run a.toml --on linux") == ["linux", "linux-host"]


def test_edits_are_completed_up_to_their_values() -> None:
    file = "examples/overload.toml"  # it is in the package
    assert completed(f"takt run {file} --set contr") == ["control."]
    assert completed(f"takt run {file} --set control.wc") == ["control.wcet="]
    assert completed("takt analyse --set system.pol") == ["system.policy="]
    assert completed("takt compare none.toml --set contr") == []


def test_names_in_edits_are_those_that_an_edit_takes() -> None:
    tasks = [{"name": name} for name in ("a", "both", "two words", "x.y", "system", 'q"q')]
    document = {"task": tasks, "server": [{"name": "both"}], "resource": "none"}
    found = edits.completions(document, "")
    assert found[:7] == ["a.", "task.both.", "two words.", "x.y.", "task.system.", '"q\\"q".', "server.both."]
    assert {"system.", "platform.", "policy.share."} <= set(found)
    for text in found[:7]:
        (longer,) = [each for each in edits.completions(document, f"{text}name") if each.endswith(".name=")]
        changed = copy.deepcopy(document)
        edits.apply(changed, [f"{longer}new"])
        assert "new" in [each["name"] for each in (*changed["task"], *changed["server"])]  # type: ignore[index]


def test_examples_of_the_package_are_completed() -> None:
    assert completed("takt new --example iot_n") == ["iot_node"]


def test_the_script_that_is_installed_is_that_of_the_shell() -> None:
    script = shell("bash -c 'takt --show-completion; true'").stdout
    assert "_TAKT_COMPLETE=complete_bash" in script
