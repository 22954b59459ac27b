# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`takt compare`, and what `takt run` writes besides tables: pages, charts, Perfetto traces; nonsense gets one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from takt.command import command_class, main
from typer.testing import CliRunner

POLICIES = ", ".join(policy.name for policy in takt.policies())
SMALLEST = str(EXAMPLES / "smallest.toml")
OVERLOAD = str(EXAMPLES / "overload.toml")
SHORTEST = str(EXAMPLES / "shortest_job_first.py")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(main.app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_policies_stand_beside_one_another() -> None:
    status, output, errors = invoke("compare", SMALLEST, "--policy", "rm,edf,llf")
    assert (status, errors) == (0, "")
    assert output.splitlines() == [
        "smallest: edf, llf meet all deadlines in 35 ms.",
        "Late jobs of 12: rm 1; edf 0; llf 0.",
        "First late under rm: B, due at 7 ms, 1 ms late, because A ran for 4 ms and has a",
        "higher priority.",
        "",
        "                ──── rm ────  ─── edf ────  ─── llf ────",
        "task  deadline  worst   late  worst   late  worst   late",
        "────────────────────────────────────────────────────────",
        "A         5 ms   2 ms*     -   4 ms      -   4 ms      -",
        "B         7 ms   8 ms    1 !   6 ms*     -   6 ms*     -",
        "────────────────────────────────────────────────────────",
        "all                      1 !             -             -",
        "*  best of its row by 1 % or more.  Each policy got the same jobs.",
    ]


def test_the_policy_of_the_file_stands_first_and_policies_that_do_not_fit_stand_below() -> None:
    status, output, _ = invoke("compare", SMALLEST)
    assert status == 0
    assert "Late jobs of 12: fp (own), rm, dm 1; edf 0." in output.splitlines()
    many = invoke("compare", OVERLOAD, "--policy", "rm,edf,llf,fp,rbe,share")[1].splitlines()
    assert sum(line.startswith("task") for line in many) == 2
    assert max(map(len, many)) <= 80
    assert sum(line.startswith("task") for line in invoke("compare", OVERLOAD, "--wide")[1].splitlines()) == 1


def test_a_policy_of_the_default_that_cannot_order_the_tasks_is_left_out_with_its_reason() -> None:
    flows = str(EXAMPLES / "flows.toml")
    status, output, errors = invoke("compare", flows)
    assert status == 0
    assert errors == (
        'rm is left out: [[task]] "half" min_separation: missing; rm orders by period: give one, for instance '
        'min_separation = "10ms" (and 10 more)\n'
    )
    assert output.startswith("flows: each of 3 policies meets all deadlines in 21 µs; dm, edf give the same.")
    runs = json.loads(invoke("compare", flows, "--json")[1])["runs"]
    assert [run["policy"] for run in runs] == ["share", "dm", "edf"]
    for policies in ("rm", "edf,rm", "share, rm"):  # what was named is an error
        status, output, errors = invoke("compare", flows, "--policy", policies)
        assert (status, output) == (2, "")
        assert errors.startswith(f'{flows}: [[task]] "half" min_separation: missing; rm orders by period')


def test_what_is_compared_is_what_is_simulated_alone() -> None:
    status, output, _ = invoke("compare", OVERLOAD, "--policy", "fp,edf", "--json")
    assert status == 0
    for run in json.loads(output)["runs"]:
        alone = takt.simulate(takt.load(OVERLOAD).replace(policy=run["policy"]))
        assert [task["missed"] for task in run["tasks"]] == alone.summary["missed"].to_list()
        assert [task["aborted"] for task in run["tasks"]] == alone.summary["aborted"].to_list()


def test_a_check_looks_at_every_policy() -> None:
    assert invoke("compare", SMALLEST, "--policy", "edf,rm", "--check")[0] == 3
    assert invoke("compare", SMALLEST, "--policy", "edf,llf", "--check")[0] == 0


def test_a_policy_in_a_python_file_is_compared_too() -> None:
    status, output, _ = invoke("compare", SMALLEST, "--policy", f"rm,{SHORTEST}:ShortestJobFirst")
    assert status == 0
    assert "shortest-job-first" in output


def test_a_seed_changes_what_is_drawn() -> None:
    runs = [invoke("run", str(EXAMPLES / "avionics.toml"), "--seed", seed)[1] for seed in ("1", "1", "2")]
    assert runs[0] == runs[1] != runs[2]


def test_costs_are_told_below_the_table() -> None:
    assert "kernel 135 ms (1.4 %), 1,350 switches." in invoke("run", str(EXAMPLES / "avionics.toml"))[1]


def test_pages_charts_and_traces_are_written(folder: Path) -> None:
    arguments = ["--report", "R.html", "--gantt", "G.svg", "--perfetto", "P"]
    assert invoke("run", SMALLEST, *arguments)[0] == 0
    assert invoke("compare", SMALLEST, "--policy", "rm,edf", "--report", "C.html")[0] == 0
    assert {path.name for path in folder.iterdir()} == {"R.html", "G.svg", "P", "C.html"}


def test_the_schema_is_printed() -> None:
    for arguments, title in ((["schema"], "Takt task set"), (["schema", "--recipe"], "Takt recipe")):
        status, output, _ = invoke(*arguments)
        assert status == 0
        assert json.loads(output)["title"] == title


POLICIES = ", ".join(policy.name for policy in takt.policies())
BAD = [
    (["compare", SMALLEST, "--policy", ""], f'--policy: unknown policy ""; expected one of {POLICIES}'),
    (
        ["compare", SMALLEST, "--policy", "fp,edf, fp"],
        '--policy: expected policies that differ, found "fp" twice; leave one of both out',
    ),
    (
        ["run", SMALLEST, "--policy", SHORTEST],
        f'--policy: expected FILE.py:CLASS, found "{SHORTEST}"; name the class of the policy too',
    ),
    (["compare", "none.toml"], "none.toml: cannot read: No such file or directory"),
    (["run", SMALLEST, "--seed", "-1"], '--seed: expected a whole number from 0 to 18446744073709551615, found "-1"'),
    (["run", SMALLEST, "--gantt", "G.gif"], "G.gif: "),
    (["run", SMALLEST, "--report", "none/R.html"], "none/R.html: cannot write: No such file or directory"),
    (["run", SMALLEST, "--perfetto", "none/P"], "none/P: cannot write: No such file or directory"),
    (["run", SMALLEST, "--policy", "none.py:P"], "none.py: cannot read: No such file or directory"),
    (
        ["run", SMALLEST, "--policy", f"{SHORTEST}:Shortest"],
        f"{SHORTEST}: --policy: expected a subclass of takt.Policy",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "line"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_nonsense_gets_one_line_and_status_2(arguments: list[str], line: str, folder: Path) -> None:
    status, _, errors = invoke(*arguments)
    assert status == 2
    assert errors.startswith(line)
    assert errors.count("\n") == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    status, output, _ = invoke("--show-completion", shell)
    assert status == 0
    assert "_TAKT_COMPLETE" in output or "TAKT" in output


def test_the_last_of_some_policies_is_completed() -> None:
    assert command_class.complete_policies("rm,e") == ["rm,edf"]


@pytest.mark.parametrize("command", ["run", "compare", "replay", "generate", "policies", "schema"])
def test_every_help_has_an_example(command: str) -> None:
    status, output, _ = invoke(command, "--help")
    assert status == 0
    assert f"takt {command}" in output.replace("\n", " ")
