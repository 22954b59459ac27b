# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bad task-set files: every problem is one exact line, the exit status is 2, nothing is a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import takt
from bad_inputs import BAD, HEAD, NAMES, TASK, TIME
from places import EXAMPLES
from takt.base.errors import Problem
from takt.command import main
from typer.testing import CliRunner

POLICIES = ", ".join(NAMES)


def task(keys: str) -> str:
    """A task set with further keys in its task."""
    return f"{HEAD}{TASK}{keys}\n"


def source(keys: str) -> str:
    """A task set whose task has other keys instead of a period."""
    return HEAD + TASK.replace("period = 5", keys)


def task_with(key: str, value: str) -> str:
    """A task set whose task has another period or wcet."""
    return HEAD + TASK.replace({"period": "= 5", "wcet": "= 2", "name": '= "A"'}[key], f"= {value}")


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(main.app, ["run", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gives_its_exact_lines_and_exit_status_2(name: str) -> None:
    text, lines = BAD[name]
    Path("iot.toml").write_text(text)
    assert run("iot.toml") == (2, "", "".join(f"iot.toml: {line}\n" for line in lines))


def test_a_file_that_is_not_there_is_named() -> None:
    assert run("none.toml") == (2, "", "none.toml: cannot read: No such file or directory\n")


def test_a_folder_is_no_file() -> None:
    Path("folder").mkdir()
    assert run("folder") == (2, "", "folder: cannot read: Is a directory\n")


def test_a_file_that_is_not_utf_8_is_said_to_be_so_with_the_place() -> None:
    Path("iot.toml").write_bytes(b"schema = 1 # caf\xe9\n")
    assert run("iot.toml") == (2, "", "iot.toml: not UTF-8 text at byte 16\n")


def test_a_byte_order_mark_is_welcome() -> None:
    Path("iot.toml").write_bytes(b"\xef\xbb\xbf" + (HEAD + TASK).encode())
    assert run("iot.toml")[0] == 0


def test_an_input_error_says_in_fields_what_it_says_in_words() -> None:
    Path("iot.toml").write_text(task_with("period", '"10 parsecs"'))
    with pytest.raises(takt.InputError) as caught:
        takt.load("iot.toml")
    message = f'expected a positive time such as "10ms", found "10 parsecs"; {TIME}'
    assert caught.value.problems == (
        Problem(message, "wrong-unit", file="iot.toml", table="task", entity="A", number=1, key="period"),
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--policy", "edff"], '--policy: unknown policy "edff"; did you mean "edf"?'),
        (["--policy", "fp,"], f'--policy: unknown policy ""; expected one of {POLICIES}'),
        (["--horizon", "soon"], f'--horizon: expected a positive time such as "10ms", found "soon"; {TIME}'),
        (["--horizon", "0"], '--horizon: expected a positive time such as "10ms", found 0'),
        (
            ["--horizon", "0.5ms"],
            'good.toml: --horizon: expected a multiple of the resolution "1ms", found "0.5ms"; '
            'resolution = "500us" would do',
        ),
        (["--policy", "fp,edf", "--jobs", "J.csv"], "--jobs: expected one file and one policy, found 2 runs"),
        (["good.toml", "--trace", "T.takt"], "--trace: expected one file and one policy, found 2 runs"),
        (["--segments", "none/S.csv"], "none/S.csv: cannot write: No such file or directory"),
        (["--jobs", "none/J.csv"], "none/J.csv: cannot write: No such file or directory"),
        (["--budgets", "none/B.csv"], "none/B.csv: cannot write: No such file or directory"),
        (["--trace", "none/T.takt"], "none/T.takt: cannot write: No such file or directory"),
    ],
)
def test_a_bad_option_is_named(arguments: list[str], line: str) -> None:
    Path("good.toml").write_text(HEAD + TASK)
    status, _, errors = run("good.toml", *arguments)
    assert (status, errors) == (2, line + "\n")


def test_a_policy_that_does_not_fit_the_file_is_refused() -> None:
    Path("good.toml").write_text(task("threshold = 3"))
    line = '[[task]] "A" threshold: found a priority, and the policy "edf" over this task has none; name a task instead'
    assert run("good.toml", "--policy", "edf") == (2, "", f"good.toml: {line}\n")


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_file_is_simulated_or_refused_but_never_ends_in_a_traceback(seed: int) -> None:
    source = random.Random(seed)
    example = EXAMPLES / source.choice(["iot_node.toml", "servers.toml", "smallest.toml"])
    text = bytearray(example.read_bytes())
    for _ in range(source.randint(1, 8)):
        place = source.randrange(len(text))
        text[place : place + source.randint(0, 3)] = bytes(
            source.choices(b'"=[]{}.-#\n0789msxe,\xff', k=source.randint(0, 2))
        )
    Path("damaged.toml").write_bytes(text)
    status, output, errors = run("damaged.toml", "--horizon", "200")
    assert (status, bool(output), bool(errors)) in ((0, True, False), (2, False, True))
    assert all(line.startswith("damaged.toml: ") or "--horizon" in line for line in errors.splitlines())


def test_the_longest_separation_without_arrivals_is_taken() -> None:
    Path("good.toml").write_text(source("min_separation = 2305843009213693951"))
    assert run("good.toml", "--horizon", "10")[0] == 0
