# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands, through the interpreter and as processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from takt.command import main
from typer.testing import CliRunner, Result

SMALLEST = str(EXAMPLES / "smallest.toml")
SERVERS = str(EXAMPLES / "servers.toml")

TABLE = """\
smallest: 1 of 12 jobs late in 35 ms.  policy fp, 2 tasks, load 97.1 %
First late: B, due at 7 ms, 1 ms late, because A ran for 4 ms and has a higher
priority.
See it: takt run FILE --report smallest.html

task  period  deadline  wcet  worst seen  of it  late  of jobs    mean    load
──────────────────────────────────────────────────────────────────────────────
A       5 ms      5 ms  2 ms        2 ms   40 %     -        7    2 ms  40.0 %
B       7 ms      7 ms  4 ms        8 ms  1.1 x   1 !        5  6.8 ms  57.1 %
──────────────────────────────────────────────────────────────────────────────
all                                               1 !       12          97.1 %
Not shown: min (--wide)
"""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main.app, arguments)


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process."""
    command = [str(Path(sys.executable).with_name("takt")), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | environment
    )


def words(text: str) -> list[list[str]]:
    """A text as lines of words, without rules and blank lines."""
    lines = [line.split() for line in text.splitlines() if not set(line) <= set(" ─")]
    return [line for line in lines if line]


def check_table(text: str) -> None:
    """Check what the run of the smallest example prints; its hint has the file as it was named."""
    lines = text.splitlines()
    (hint,) = [number for number, line in enumerate(lines) if line.startswith("See it")]
    (end,) = [number for number, line in enumerate(lines) if line.startswith("task")]
    command = f"See it: takt run {SMALLEST} --report smallest.html"
    assert "".join(lines[hint:end]).replace(" ", "") == command.replace(" ", "")
    told = TABLE.splitlines()
    assert [*lines[:hint], "", *lines[end:]] == [*told[:3], *told[4:]]


def columns(text: str) -> list[list[str]]:
    """The rows of a table, its headings first, as cells."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("task"))
    return [re.split(r"  +", line.strip()) for line in lines[begin:] if not set(line) <= set(" ─")]


def test_run_prints_a_line_for_each_task_and_the_totals() -> None:
    result = invoke("run", SMALLEST)
    assert result.exit_code == 0
    check_table(result.stdout)


def test_numbers_are_aligned_to_the_right() -> None:
    lines = [line for line in invoke("run", SMALLEST).stdout.splitlines() if line.endswith((" load", " %"))][1:]
    assert [line.split()[0] for line in lines] == ["task", "A", "B", "all"]
    assert len(set(map(len, lines))) == 1


def test_run_prints_one_table_for_each_policy_and_file() -> None:
    result = invoke("run", SMALLEST, SERVERS, "--policy", "fp,edf")
    titles = [line for line in result.stdout.splitlines() if " late in " in line]
    assert titles == [
        "smallest: 1 of 12 jobs late in 35 ms.  policy fp, 2 tasks, load 97.1 %",
        "smallest: none of 12 jobs late in 35 ms.  policy edf, 2 tasks, load 97.1 %",
        "servers: none of 16 jobs late in 120 ms.  policy fp, 3 tasks, load 50.0 %",
        "servers: none of 16 jobs late in 120 ms.  policy edf, 3 tasks, load 50.0 %",
    ]


def test_the_server_of_a_task_is_shown_where_there_are_servers() -> None:
    assert columns(invoke("run", SERVERS, "--wide").stdout)[:2] == [
        [
            "task",
            "server",
            "period",
            "deadline",
            "wcet",
            "worst seen",
            "of it",
            "late",
            "of jobs",
            "min",
            "mean",
            "load",
        ],
        ["T1", "S1", "20 ms", "20 ms", "4 ms", "6 ms", "30 %", "-", "6", "4 ms", "4.67 ms", "20.0 %"],
    ]


def test_times_are_shown_in_the_unit_that_a_reader_would_choose_or_in_ticks() -> None:
    Path("us.toml").write_text(
        'schema = 1\n[system]\nresolution = "0.5us"\n[[task]]\nname = "A"\nperiod = "1ms"\nwcet = "1.5us"\n'
    )
    assert columns(invoke("run", "us.toml", "--wide").stdout)[1][1:9] == [
        "1 ms", "1 ms", "1.5 µs", "1.5 µs", "0 %", "-", "1", "1.5 µs",
    ]  # fmt: skip
    assert columns(invoke("run", "us.toml", "--wide", "--ticks").stdout)[1][1:9] == [
        "2000", "2000", "3", "3", "0 %", "-", "1", "3",
    ]  # fmt: skip
    for command in ("run", "compare"):
        assert " in 2000 ticks" in invoke(command, "us.toml", "--ticks").stdout.splitlines()[0]
        assert " in 1 ms" in invoke(command, "us.toml").stdout.splitlines()[0]


def test_a_task_without_finished_jobs_has_no_responses() -> None:
    assert columns(invoke("run", SMALLEST, "--horizon", "1", "--wide").stdout)[1] == [
        "A", "5 ms", "5 ms", "2 ms", "-", "-", "-", "1", "-", "-", "40.0 %",
    ]  # fmt: skip


def test_a_table_of_very_many_tasks_says_what_it_leaves_out() -> None:
    tasks = "".join(f'[[task]]\nname = "T{n}"\nperiod = 1000\nwcet = 1\n' for n in range(600))
    Path("many.toml").write_text("schema = 1\n" + tasks)
    lines = words(invoke("run", "many.toml").stdout)
    assert len(lines) == 2 + 500 + 3
    assert " ".join(lines[0]) == "many: none of 600 jobs late in 1 s. policy fp, 600 tasks, load 60.0 %"
    assert lines[-3:] == [
        ["all", "-", "600", "60.0", "%"],
        ["Not", "shown:", "min", "(--wide)"],
        ["500", "of", "600", "tasks", "shown;", "--json", "has", "all"],
    ]


def test_horizon_overrides_the_file() -> None:
    assert "late in 12 ms." in invoke("run", SMALLEST, "--horizon", "12").stdout
    assert "late in 1 s." in invoke("run", SERVERS, "--horizon", "1s").stdout


def test_json_says_the_same_in_ticks() -> None:
    report = json.loads(invoke("run", SMALLEST, "--policy", "fp,edf", "--json").stdout)
    assert report["version"] == takt.__version__
    fp, edf = report["runs"]
    assert (fp["file"], fp["policy"], fp["horizon"], fp["missed"], edf["missed"]) == (SMALLEST, "fp", 35, 1, 0)
    assert fp["tasks"][1] == {
        "task": "B",
        "server": "",
        "class": "hard",
        "period": 7,
        "deadline": 7,
        "wcet": 4,
        "jobs": 5,
        "finished": 5,
        "response_min": 6,
        "response_avg": 6.8,
        "response_max": 8,
        "missed": 1,
        "aborted": 0,
        "skipped": 0,
        "overruns": 0,
        "missed_requested": 1,
        "grant": None,
        "migrations": 0,
        "cut": 0,
        "optional_executed": 0,
        "optional_wanted": 0,
        "allocator_calls": 0,
        "feedback_calls": 0,
        "utilization": 4 / 7,
        "parameters": [{"start": 0, "period": 7, "deadline": 7, "wcet": 4}],
    }


def test_files_have_the_headers_and_the_rows_of_their_contracts() -> None:
    files = ["--segments", "S.csv", "--jobs", "J.csv", "--budgets", "B.csv", "--trace", "T.takt"]
    assert invoke("run", SERVERS, "--horizon", "7", *files).exit_code == 0
    assert Path("S.csv").read_text().splitlines() == [
        "start,end,cpu,server,task,job",
        "0,2,0,S1,T2,0",
        "2,6,0,S1,T1,0",
        "6,7,0,S2,T3,0",
    ]
    assert Path("J.csv").read_text().splitlines() == [
        "task,job,release,finish,response,missed",
        "T2,0,0,2,2,0",
        "T1,0,0,6,6,0",
        "T3,0,0,,,0",
    ]
    assert Path("B.csv").read_text().splitlines() == [
        "tick,S1,S2", "0,10,15", "1,9,15", "2,8,15", "3,7,15", "4,6,15", "5,5,15", "6,4,15",
    ]  # fmt: skip


def test_check_ends_with_status_3_after_a_miss_and_only_then() -> None:
    assert invoke("run", SMALLEST).exit_code == 0
    assert invoke("run", SMALLEST, "--check").exit_code == 3
    assert invoke("run", SMALLEST, "--check", "--policy", "edf").exit_code == 0
    assert invoke("run", SMALLEST, "--check", "--policy", "edf,fp").exit_code == 3


REJECTED = """\
schema = 1
[system]
policy = "rate-based"
horizon = 300
[[task]]
name = "H1"
period = 10
wcet = 3
[[task]]
name = "H2"
period = 10
wcet = 4
offset = 50
[[change]]
at = 10
task = "H1"
wcet = 6
"""


def test_check_ends_with_status_3_if_a_hard_task_is_rejected() -> None:
    Path("hard.toml").write_text(REJECTED)
    Path("soft.toml").write_text(REJECTED.replace('name = "H2"', 'name = "H2"\nclass = "soft"'))
    Path("late.toml").write_text(REJECTED.replace("at = 10", "at = 60"))
    for name, status in (("hard", 3), ("soft", 0), ("late", 0)):
        assert invoke("run", f"{name}.toml", "--check").exit_code == status
        assert invoke("compare", f"{name}.toml", "--policy", "rate-based", "--check").exit_code == status


def test_replay_says_identical_and_how_many_decisions() -> None:
    invoke("run", SERVERS, "--trace", "T.takt")
    result = invoke("replay", "T.takt")
    assert (result.exit_code, result.stdout) == (0, "identical: 28 decisions\n")


def test_replay_says_the_first_difference_and_ends_with_status_1() -> None:
    invoke("run", SERVERS, "--trace", "T.takt")
    data = bytearray(Path("T.takt").read_bytes())
    data[-32 - 24] ^= 1  # of the last record before the closing one
    Path("T.takt").write_bytes(data)
    result = invoke("replay", "T.takt")
    assert result.exit_code == 1
    assert re.fullmatch(
        r"T\.takt: different at record \d+, instant 107 \(107ms\): "
        r"recorded idle until 121 \(121ms\), replayed idle until 120 \(120ms\)\n",
        result.stdout,
    )


def test_replay_of_something_else_is_bad_input() -> None:
    result = invoke("replay", SERVERS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{SERVERS}: not a Takt trace: it does not begin with TAKTTRC\n"


def test_policies_lists_what_there_is() -> None:
    lines = [line.split() for line in invoke("policies").stdout.splitlines() if line.strip(" ─") and line[0] != " "]
    names = ["policies", "name", *(policy.name for policy in takt.policies()), "equals:", "kinds", "name"]
    names += [*(kind.name for kind in takt.server_kinds()), "protocols", "hsrp-payback,", "architectures:"]
    assert [line[0] for line in lines] == names
    assert "fixed priority: the largest priority first; equals: first in," in invoke("policies").stdout


def test_version_is_that_of_the_package() -> None:
    assert invoke("--version").stdout == f"takt {takt.__version__}\n"


@pytest.mark.parametrize("command", [[], ["run"], ["replay"], ["policies"]])
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    result = invoke(*command, "--help")
    assert result.exit_code == 0
    assert "Example: takt " in " ".join(result.stdout.split())


@pytest.mark.parametrize("arguments", [["run"], ["run", SMALLEST, "--polcy", "fp"], ["simulate"], ["replay"]])
def test_a_wrong_command_line_is_bad_input(arguments: list[str]) -> None:
    result = start(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


# ---- processes ----------------------------------------------------------------------------------------


def test_the_installed_command_runs() -> None:
    result = start("run", SMALLEST)
    assert (result.returncode, result.stderr) == (0, "")
    check_table(result.stdout)


def test_the_installed_command_refuses_bad_input_without_a_traceback() -> None:
    Path("bad.toml").write_text("schema = 1\n[[task]]\n[[server]]\n")
    result = start("run", "bad.toml")
    assert result.returncode == 2
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["bad.toml"] * 4


@pytest.mark.long
def test_no_colour_is_written_where_nobody_watches_or_wants_it() -> None:
    assert "\x1b" not in start("run", SMALLEST).stdout
    assert "\x1b" in start("run", SMALLEST, FORCE_COLOR="1").stdout
    assert "\x1b" not in start("run", SMALLEST, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_a_narrow_terminal_has_fewer_columns_and_cuts_no_number() -> None:
    lines = start("run", SMALLEST, COLUMNS="36").stdout.splitlines()
    assert max(map(len, lines)) <= 36
    begin = lines.index("task  deadline  worst seen  late")
    assert lines[begin + 2 : begin + 4] == ["A         5 ms        2 ms     -", "B         7 ms        8 ms   1 !"]
    assert " ".join(lines[begin + 6 :]) == "Not shown: period, wcet, of it, of jobs, min, mean, load (--wide)"


@pytest.mark.long
def test_a_terminal_of_80_columns_is_wide_enough_for_the_examples() -> None:
    for example in (EXAMPLES / f"{name}.toml" for name in ("iot_node", "servers", "smallest", "fpds", "overload")):
        assert max(map(len, start("run", str(example), COLUMNS="80").stdout.splitlines())) <= 80


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{Path(sys.executable).with_name('takt')} run {SMALLEST} --json | head -1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (result.stdout, result.stderr) == ("{\n", "")


def test_a_name_that_the_terminal_cannot_show_is_no_error() -> None:
    Path("name.toml").write_text('schema = 1\n[[task]]\nname = "Fühler"\nperiod = 2\nwcet = 1\n', encoding="utf-8")
    result = start("run", "name.toml", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert "F?hler" in result.stdout
    assert "-----" in result.stdout


# ---- edits -------------------------------------------------------------------------------------------------


def test_a_file_is_read_with_other_values_of_keys() -> None:
    whatif = ("--set", "B.wcet=5", "--set", "system.policy=edf", "--json")
    done = {command: json.loads(invoke(command, SMALLEST, *whatif).stdout) for command in ("run", "analyse")}
    for found in (done["run"]["runs"][0], done["analyse"]["analyses"][0]):
        assert (found["policy"], found["edits"]) == ("edf", ["B.wcet=5", "system.policy=edf"])
    assert [row["wcet"] for row in done["analyse"]["analyses"][0]["tasks"]] == [2, 5]
    compared = json.loads(invoke("compare", SMALLEST, *whatif, "--policy", "rm,dm").stdout)["runs"]
    assert [found["policy"] for found in compared] == ["rm", "dm"]
    assert "edits" not in json.loads(invoke("run", SMALLEST, "--json").stdout)["runs"][0]


@pytest.mark.parametrize("command", ["run", "compare", "analyse"])
@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("C.wcet=5", '{file}: "C.wcet=5": no task, server, resource or table "C"; expected one of A, B, system, '),
        ("B.wct=5", '{file}: "B.wct=5": unknown key "wct" of task.B; did you mean "wcet"?'),
        ("B.wcet=soon", '{file} with B.wcet=soon: [[task]] "B" wcet: expected a positive time such as "10ms"'),
        ("B", '{file}: "B": expected NAME.KEY=VALUE such as sensor.wcet=2ms'),
    ],
)
def test_an_edit_that_is_not_right_is_bad_input(command: str, edit: str, message: str) -> None:
    done = invoke(command, SMALLEST, "--set", edit)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(message.format(file=SMALLEST))


def test_an_error_of_a_run_names_the_edits_of_its_file() -> None:
    done = invoke("run", SMALLEST, "--set", f"A.period={10**9 + 7}")
    assert done.stderr.startswith(f"{SMALLEST} with A.period={10**9 + 7}: [system] horizon: missing")
