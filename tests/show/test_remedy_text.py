# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What helps, as it is printed and applied by `takt analyse`, at 80 columns."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import takt
from places import CASES
from takt.analysis.result import Remedies, Remedy, Step
from takt.command import main
from takt.show import remedy_text
from takt.show.text_tables import Clock
from typer.testing import CliRunner, Result

PEOPLE = CASES / "people"


@pytest.fixture(autouse=True)
def in_a_folder_with_task_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("ecu", "adv", "wd", "ch"):
        shutil.copy(PEOPLE / f"{name}.toml", tmp_path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main.app, ["analyse", *arguments])


def block(*arguments: str) -> list[str]:
    """Lines of what helps."""
    lines = invoke(*arguments, "--no-sensitivity").stdout.splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith(("What helps", "Nothing found")))
    end = next(at for at, line in enumerate(lines) if line.startswith(("It would fit", "Policy ")))
    assert all(len(line) <= 80 for line in lines)
    return [line for line in lines[begin:end] if line]


# ---- text --------------------------------------------------------------------------------------------------

ECU = """\
What helps, each step proved. No single change is enough (48 single changes and
69 pairs tried):
  1    flash.preemption=preemptive               9 unproved -> 1
  2  + protocol above can_tx                     1 unproved -> 0, all 12 proved
       can_tx.priority=10 protocol.priority=11
Or:
  3    flash.preemption=preemptive               9 unproved -> 1
  4  + system.policy=dm                          1 unproved -> 0, all 12 proved
Write it: takt analyse ecu.toml --apply 2 -o NEW.toml
"""


def test_the_steps_of_the_ecu_with_their_effects_and_edits() -> None:
    assert "\n".join(block("ecu.toml")) + "\n" == ECU


def test_nothing_found_says_what_was_tried_and_what_came_nearest() -> None:
    assert " ".join(block("wd.toml")) == (
        "Nothing found that helps: 5 single changes, 5 pairs, 5 chains of three and 5 chains of four tried; "
        "nothing brings it nearer: B has no bound"
    )


def test_a_search_that_ends_at_its_limit_says_so() -> None:
    step = Step("", ("a.priority=2",), 1, 0)
    for remedies in (Remedies((Remedy((step,)),), (40,), is_limited=True), Remedies((), (40,), is_limited=True)):
        head = remedy_text._head(remedies, Clock(1))
        assert "40 single changes tried, up to the limit of effort" in head
        assert remedy_text._head(replace(remedies, is_limited=False), Clock(1)) == head.replace(
            ", up to the limit of effort", ""
        )
    assert '"limited": false' in CliRunner().invoke(main.app, ["analyse", str(PEOPLE / "wd.toml"), "--json"]).stdout


def test_the_command_that_writes_it_has_the_options_of_the_analysis() -> None:
    *_, last = block("adv.toml", "--policy", "edf", "--set", "motor.wcet=300us")
    assert last == "takt analyse adv.toml --set motor.wcet=300us --policy edf --apply 1 -o NEW.toml"


def test_what_helps_a_policy_that_no_file_can_name_is_not_offered_as_a_file() -> None:
    shutil.copy(CASES / "people" / "mine.py", "mine.py")
    output = invoke("ch.toml", "--policy", "mine.py:HalfSlack").stdout
    assert "What helps" in output
    assert "--apply" not in output


def test_single_changes_stand_below_one_another() -> None:
    assert [line[:40].rstrip() for line in block("ch.toml")] == [
        "What helps, each proved (8 single change",
        "  1    3 processors",
        "       system.cpus=3",
        "  2    fits on 3 processors (worst fit)",
        "       system.cpus=3 A.cpu=0 B.cpu=1 C.c",
        "Write it: takt analyse ch.toml --apply 1",
    ]


def lines(*steps: Step, width: int = 80) -> list[str]:
    system = takt.load(PEOPLE / "wd.toml")
    found = takt.analyse(system, sensitivity=False)
    remedies = Remedies((Remedy(steps, others=2),), (1,))
    analysis = type(found)(**{name: getattr(found, name) for name in found.__slots__} | {"remedies": remedies})
    return list(remedy_text.lines_of(analysis, Clock(1), "takt analyse x.toml", width))


def test_long_edits_are_cut_and_counted() -> None:
    edits = tuple(f"task_of_a_long_name_{number}.priority={number}" for number in range(9))
    shown = lines(Step("searched priorities", edits, 3, 0))
    assert shown[2].split("  ")[:4] == ["", "1", "", "searched priorities"]
    assert shown[2].endswith("  3 unproved -> 0, both proved; 2 others unproved")
    assert shown[3:6] == [
        "       task_of_a_long_name_0.priority=0 task_of_a_long_name_1.priority=1",
        "       task_of_a_long_name_2.priority=2 task_of_a_long_name_3.priority=3",
        "       and 5 more",
    ]
    assert all(len(line) <= 80 for line in shown)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_but_a_command_is_longer_than_the_terminal(width: int) -> None:
    pieces = ", ".join(['"17us"'] * 40)
    edit = f"flash.subjobs=[{pieces}]"
    shown = lines(
        Step("flash in 40 subjobs", (edit, "flash.preemption="), 3, 1), Step(edit, (edit,), 1, 0), width=width
    )
    assert all(len(line) <= width for line in shown)
    assert sum("\u2026" in line for line in shown) >= 2
    assert "An edit that ends with = takes the key out of the file." in shown


# ---- --apply -----------------------------------------------------------------------------------------------


def test_one_option_makes_all_deadlines_of_the_ecu_met() -> None:
    done = invoke("ecu.toml", "--apply", "2", "-o", "ecu-fits.toml")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "ecu-fits.toml: schedulable: all 12 tasks meet their deadlines\n"
    before, after = (Path(name).read_text().splitlines() for name in ("ecu.toml", "ecu-fits.toml"))
    changed = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    assert changed == [
        ("priority = 11", "priority = 10"),
        ("priority = 10", "priority = 11"),
        ('preemption = "non-preemptive"', 'preemption = "preemptive"'),
    ]
    assert invoke("ecu-fits.toml", "--check", "--no-sensitivity").exit_code == 0


def test_a_file_goes_to_the_standard_output_with_its_comments() -> None:
    done = invoke("ecu.toml", "--apply", "1")
    assert done.stdout == Path("ecu.toml").read_text().replace('"non-preemptive"', '"preemptive"')
    assert done.stderr == "ecu.toml: not guaranteed: 1 of 12 deadlines are not proved\n"
    assert invoke("ecu.toml", "--apply", "1", "--check").exit_code == 3
    assert invoke("ecu.toml", "--apply", "2", "--check").exit_code == 0


def test_edits_and_policy_of_the_analysis_are_written_too() -> None:
    done = invoke("adv.toml", "--apply", "1", "--policy", "edf", "--set", "motor.wcet=300us")
    expected = Path("adv.toml").read_text().replace('"non-preemptive"', '"preemptive"')
    assert done.stdout == expected.replace('"fp"', '"edf"').replace('"200us"', '"300us"')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("adv.toml --apply 9", "--apply: expected a step from 1 to 6, found 9; see takt analyse adv.toml"),
        ("wd.toml --apply 1", "--apply: nothing was found that helps; see takt analyse wd.toml"),
        ("adv.toml --set flash.wcet=1us --set log.wcet=1us --apply 1", "--apply: adv.toml needs no change: all 4 "),
        ("adv.toml wd.toml --apply 1", "--apply: expected one file, found 2"),
        ("adv.toml --policy rm,edf --apply 1", "--apply: expected one policy, found 2"),
        ("adv.toml -o x.toml", "--output: expected --apply N beside it, which says what is written"),
        ("adv.toml --apply 1 --no-remedies", "--apply: --no-remedies leaves out the search for changes; "),
        ("adv.toml --apply 1 -o adv.toml", '--output: expected a file of its own, found "adv.toml"'),
        ("adv.toml --apply 1 --json", "--json: expected none beside --apply or --output; analyse the new file so"),
        ("adv.toml --apply 1 --report r.html", "--report: expected none beside --apply or --output"),
        ("none.toml --apply 1", "none.toml: cannot read: No such file or directory"),
    ],
)
def test_what_cannot_be_applied_is_bad_input(arguments: str, message: str) -> None:
    done = invoke(*arguments.split())
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(message)
    assert not Path("x.toml").exists()


# ---- JSON --------------------------------------------------------------------------------------------------


def test_json_has_the_steps_with_the_numbers_to_apply() -> None:
    found = json.loads(invoke("adv.toml", "--json", "--no-sensitivity").stdout)["analyses"][0]["remedies"]
    assert found["found"][0] == {
        "steps": [
            {
                "number": 1,
                "what": "flash.preemption=preemptive",
                "edits": ["flash.preemption=preemptive"],
                "before": 2,
                "after": 1,
            },
            {"number": 2, "what": "motor above log", "edits": ["motor.priority=4"], "before": 1, "after": 0},
        ],
        "edits": ["flash.preemption=preemptive", "motor.priority=4"],
        "processors": 0,
        "others": 0,
    }
    assert found["nearest"] is None
    assert [step["number"] for remedy in found["found"] for step in remedy["steps"]] == [1, 2, 3, 4, 5, 6]
    nothing = json.loads(invoke("wd.toml", "--json", "--no-sensitivity").stdout)["analyses"][0]["remedies"]
    nearest: dict[str, object] = {"steps": [], "task": "B", "late": None}
    assert nothing == {"found": [], "tried": [5, 5, 5, 5], "limited": False, "nearest": nearest}


def test_without_a_search_the_changes_of_one_kind_are_in_documents_and_on_pages() -> None:
    done = json.loads(invoke("ecu.toml", "--json", "--no-sensitivity", "--no-remedies").stdout)["analyses"][0]
    assert "remedies" not in done
    short = [str(CASES / "ecu.toml"), "--no-sensitivity", "--no-remedies"]
    found = json.loads(invoke(*short, "--json").stdout)["analyses"][0]["advice"]
    assert found[0] == {
        "what": "with other preemption: flash preemptive",
        "changes": [["task", "flash", "preemption", "preemptive"]],
    }
    assert "would fit" not in invoke(*short).stdout
    invoke(*short, "--report", "R.html")
    assert "It would fit with other preemption: flash preemptive" in Path("R.html").read_text(encoding="utf-8")
