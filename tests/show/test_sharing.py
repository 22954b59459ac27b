# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Who held what when, who waited, and deadlocks as sentences, in the frame and in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from shared_systems import circle, inversion
from takt.command import main
from takt.show import report, resource_use
from typer.testing import CliRunner

COLUMNS = ("task", "resource", "start", "end", "waits", "depth", "holder")


def test_sections_begin_with_a_wait_or_a_lock_and_end_with_the_next_step() -> None:
    assert resource_use.sections(takt.simulate(inversion("none"), 20)).select(COLUMNS).rows() == [
        ("L", "R", 1, 12, False, 0, "L"),
        ("H", "R", 4, 12, True, 0, "L"),
        ("H", "R", 12, 14, False, 0, "H"),
    ]


def test_sections_are_short_for_bodies() -> None:
    """The example of SPEC.md, 7.1, and what two runs hold in common stays locked between them."""
    task = takt.Task(name="A", period=9, sections=[1, "2 R", "1 R S", 1])
    body = ["run 1", "lock R", "run 2", "lock S", "run 1", "unlock S", "unlock R", "run 1"]
    assert task.items == takt.Task(name="A", period=9, body=body).items
    kept = takt.Task(name="A", period="9ms", sections=["1ms R S", "1.5us R T"])
    names = ["lock R", "lock S", "run 1ms", "unlock S", "lock T", "run 1.5us", "unlock T", "unlock R"]
    assert kept.items == takt.Task(name="A", period="9ms", body=names).items


def test_what_a_deadlock_holds_lasts_to_the_horizon_and_what_an_abort_ends_to_the_deadline() -> None:
    held = [("L", "A", 1), ("H", "B", 3)]
    for system, ends in ((circle(), (20, 20, 20, 20)), (circle(deadline=10, on_miss="abort"), (13, 12, 12, 12))):
        rows = resource_use.sections(takt.simulate(system, 20)).select(COLUMNS).rows()[:4]
        assert [row[:3] for row in rows] == [*held, ("H", "A", 4), ("L", "B", 6)]
        assert tuple(row[3] for row in rows) == ends
        assert [row[4:] for row in rows] == [(False, 0, "L"), (False, 0, "H"), (True, 1, "L"), (True, 1, "H")]


def test_a_free_resource_that_a_ceiling_forbids_is_held_by_nobody() -> None:
    tasks = [
        takt.Task(name="H", period=40, offset=2, priority=3, body=["lock A", "run 2", "unlock A"]),
        takt.Task(name="M", period=40, offset=1, priority=2, body=["lock B", "run 2", "unlock B"]),
        takt.Task(name="L", period=40, priority=1, body=["lock A", "run 3", "unlock A"]),
    ]
    resources = [takt.Resource(name=name, protocol="pcp") for name in "AB"]
    rows = (
        resource_use.sections(takt.simulate(takt.System(tasks=tasks, resources=resources), 20)).select(COLUMNS).rows()
    )
    assert rows[:3] == [
        ("L", "A", 0, 3, False, 0, "L"), ("M", "B", 1, 5, True, 0, None), ("H", "A", 2, 3, True, 0, "L")
    ]  # fmt: skip


def test_a_circle_of_three_goes_once_around() -> None:
    tasks = [
        takt.Task(name=name, period=90, offset=offset, priority=priority, body=body)
        for name, offset, priority, body in [
            ("X", 4, 3, ["lock A", "run 1", "lock B", "run 1"]),
            ("Y", 2, 2, ["lock B", "run 3", "lock C", "run 1"]),
            ("Z", 0, 1, ["lock C", "run 3", "lock A", "run 1"]),
        ]
    ]
    resources = [takt.Resource(name=name, protocol="none") for name in "ABC"]
    (found,) = resource_use.deadlocks(takt.simulate(takt.System(tasks=tasks, resources=resources), 40))
    assert found.instant == 7
    assert str(found) == "Z waits for A, which X holds; X waits for B, which Y holds; Y waits for C, which Z holds"


def test_runs_without_resources_have_no_deadlocks_whatever_was_kept() -> None:
    system = takt.System(tasks=[takt.Task(name="T", period=5, wcet=1)])
    assert resource_use.deadlocks(takt.simulate(system, locks=False)) == ()
    assert report.report_of(takt.simulate(circle(), 20, locks=False)).deadlocks == ()


SET = """schema = 1
[system]
horizon = "90ms"
[[resource]]
name = "A"
[[resource]]
name = "[bold]B"
[[task]]
name = "H"
period = "40ms"
offset = "2ms"
priority = 3
body = ["run 1", "lock [bold]B", "run 1", "lock A", "run 1", "unlock A", "unlock [bold]B"]
deadline = "10ms"
on_miss = "abort"
[[task]]
name = "L"
period = "40ms"
priority = 1
body = ["run 1", "lock A", "run 3", "lock [bold]B", "run 1", "unlock [bold]B", "unlock A"]
"""


@pytest.mark.parametrize(
    ("command", "prefix"), [(["run"], ""), (["compare", "--policy", "fp,rm"], "fp (own): ")], ids=["run", "compare"]
)
def test_the_terminal_tells_deadlocks_below_the_table(tmp_path: Path, command: list[str], prefix: str) -> None:
    (tmp_path / "set.toml").write_text(SET)
    arguments = [command[0], str(tmp_path / "set.toml"), *command[1:]]
    lines = CliRunner().invoke(main.app, arguments, env={"COLUMNS": "120"}).stdout.splitlines()
    around = "L waits for [bold]B, which H holds; H waits for A, which L holds"
    assert f"{prefix}deadlock at 6 ms: {around}" in lines
    assert f"{prefix}deadlock at 46 ms: {around}" in lines


def test_the_inversion_of_the_examples_misses_without_a_protocol_and_not_with_inheritance() -> None:
    system = takt.load(EXAMPLES / "resources.toml")
    late = takt.simulate(system).jobs.filter(missed=True).select("task", "job", "finish").rows()
    assert late == [("distribute", 1, 285)]
    inherited = system.replace(resources=[system.resources[0].replace(protocol="pip")])
    assert takt.simulate(inherited).missed == 0


def test_json_has_the_circles(tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text(SET)
    output = CliRunner().invoke(main.app, ["run", str(tmp_path / "set.toml"), "--json"]).stdout
    waits = [
        {"task": "L", "resource": "[bold]B", "holder": "H"},
        {"task": "H", "resource": "A", "holder": "L"},
    ]
    (run,) = json.loads(output)["runs"]
    assert [circle["instant"] for circle in run["deadlocks"]] == [6, 46, 86]
    assert all(circle["waits"] == waits for circle in run["deadlocks"])
