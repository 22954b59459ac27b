# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What `takt analyse` says of the files of new users: first line, worst task, table, reasons and warnings."""

from __future__ import annotations

import json
from io import StringIO

import pytest
import takt
from places import CASES, EXAMPLE_FILES, EXAMPLES
from takt.analysis import Analysis
from takt.command.main import app
from takt.show import analysis_page, analysis_text
from takt.show.text_tables import Terminal, width_of
from typer.testing import CliRunner

PEOPLE = CASES / "people"

BLOCKED_BY_FLASH = [4439, 4116, 4948, 7388, 9600, 13679, 19619, 23742, 43809, 57900, 57900, 89623]
IN_PIECES = [178, 146, 423, 1528, 1797, 5651, 7850, 4942, 13806, 17924, 89623, 49649]

ANSWERS = {
    "two": ("schedulable, both deadlines proved", [25, 3175], []),
    "t1": ("schedulable, all 3 deadlines proved", [1, 3, 10], []),
    "adv2": ("schedulable, all 4 deadlines proved", [200, 500, 2900, 8400], []),
    "adv": ("not schedulable, 2 of 4 deadlines proved, 2 missed; flash blocks both", [6799, 6299, 5999, 6900], [0, 1]),
    "a7": ("not guaranteed, 1 of 3 deadlines proved, 2 open; flash blocks both", [4199, 5499, 4500], [0, 1]),
    "block_icpp_icpp": ("schedulable, all 5 deadlines proved", [25, 244, 949, 1819, 2650], []),
    "block_pip_icpp": ("schedulable, all 5 deadlines proved", [25, 244, 988, 1819, 2650], []),
    "block_pip_pip": ("schedulable, all 5 deadlines proved", [25, 244, 988, 1819, 2650], []),
    "wd": (
        "not schedulable, 1 of 2 deadlines proved, 1 missed; the wcet of B is above the deadline",
        [2, None],
        [1],
    ),
    "ch": ("not guaranteed, 0 of 3 deadlines proved, 3 open", [None] * 3, [0, 1, 2]),
    "g4": ("not guaranteed, 0 of 8 deadlines proved, 8 open", [None] * 8, list(range(8))),
    "ecu": (
        "not guaranteed, 3 of 12 deadlines proved, 9 open; flash blocks all of them",
        BLOCKED_BY_FLASH,
        list(range(9)),
    ),
    "ecu_subjobs": (
        "not guaranteed, 10 of 12 deadlines proved, 2 open; imu and motor delay them most",
        IN_PIECES,
        [5, 7],
    ),
}
"""Of each file the first line behind its name, the bounds in ticks, and the places of tasks that are not proved."""


def analysed(name: str, *, sensitivity: bool = False) -> Analysis:
    return takt.analyse(takt.load(PEOPLE / f"{name}.toml"), sensitivity=sensitivity)


def said(found: Analysis, width: int = 80, most: int | None = analysis_text.REASONS, *, is_wide: bool = False) -> str:
    out = StringIO()
    analysis_text.print_analysis(Terminal(out, width, is_wide=is_wide), found, most)
    return out.getvalue()


@pytest.mark.parametrize("name", ANSWERS)
def test_new_users_get_the_right_answer(name: str) -> None:
    first, bounds, late = ANSWERS[name]
    found = analysed(name)
    assert [row.response for row in found.tasks] == bounds
    assert [place for place, row in enumerate(found.tasks) if row.verdict.value != "schedulable"] == late
    assert " ".join(said(found, 200).splitlines()[0].split()) == f"{found.name}: {first}"


def test_fifty_tasks_are_proved() -> None:
    found = analysed("n50")
    assert found.is_schedulable
    assert [row.response for row in found.tasks[:6]] == [7, 19, 35, 56, 81, 111]
    assert said(found).splitlines()[:2] == [
        "x: schedulable, all 50 deadlines proved",
        "Least slack: T50, 61.3 ms of 152 ms.",
    ]


def test_the_first_line_of_a_controller_names_what_blocks() -> None:
    lines = said(analysed("ecu")).splitlines()
    assert lines[:3] == [
        "ecu: not guaranteed, 3 of 12 deadlines proved, 9 open; flash blocks all of them",
        "can_rx_isr can be 3.92 ms late: flash may just have started (4 ms,",
        "non-preemptive).",
    ]
    assert "adc_isr        500 µs  <= 4.44 ms  -3.94 ms ?  flash 4 ms  can_rx_isr 270 µs" in lines
    begin = lines.index("") + 1
    reasons = lines[lines.index("", begin) + 1 :][:6]
    assert reasons == [
        "flash blocks for 4 ms (non-preemptive): can_rx_isr, adc_isr, motor and 6 more",
        "temperature holds spi for 400 µs: protocol, filter, imu, estimator and 2 more",
        "estimator holds state for 40 µs: motor, filter, imu",
        "motor takes up to 7.92 ms (44 x 180 µs): protocol, filter, imu and 3 more",
        "imu takes up to 7.04 ms (22 x 320 µs): protocol, filter, estimator and 2 more",
        "7 more reasons: --reasons all",
    ]


@pytest.mark.parametrize("path", [*sorted(PEOPLE.glob("*.toml")), *EXAMPLE_FILES], ids=lambda path: path.stem)
@pytest.mark.parametrize("most", [analysis_text.REASONS, None])
def test_no_line_is_longer_than_the_terminal(path: object, most: int | None) -> None:
    try:
        found = takt.analyse(takt.load(str(path)), sensitivity=False)
    except takt.InputError:  # a study
        return
    for width in (80, 60, 130):
        assert max(map(width_of, said(found, width, most).splitlines())) <= width


def test_all_reasons_have_all_parts() -> None:
    text = " ".join(said(analysed("ecu"), most=None).split())
    assert (
        "motor <= 4.95 ms: blocked by flash 4 ms (non-preemptive), blocked by estimator 40 µs (state),"
        " can_rx_isr 20 x 15 µs, adc_isr 10 x 25 µs, own 180 µs, kernel 178 µs" in text
    )


def test_the_interval_with_too_much_to_do_is_said() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=3, deadline=4),
        takt.Task(name="B", period=10, wcet=3, deadline=5),
        takt.Task(name="C", period=40, wcet=3, preemption="non-preemptive"),
    ]
    found = takt.analyse(takt.System(name="s", tasks=tasks, policy="edf"))
    lines = said(found).splitlines()
    assert lines[0].startswith("s: not schedulable, 1 of 3 deadlines proved, 2 missed; ")
    assert "5 ms due in 4 ms: blocked by C 2 ms (non-preemptive), A 3 ms" in lines


def test_what_blocks_an_interval_is_said_in_the_first_line() -> None:
    found = takt.analyse(takt.load(PEOPLE / "ecu.toml").replace(policy="edf"), sensitivity=False)
    assert " ".join(said(found).splitlines()[:4]).startswith(
        "ecu: not guaranteed, 0 of 12 deadlines proved, 12 open; flash blocks what is due in 200 µs"
        " Up to 4.05 ms are due in 200 µs: flash may just have started (4 ms, non-preemptive), the kernel takes 31 µs,"
        " can_rx_isr takes 15 µs."
    )


def test_columns_that_do_not_fit_are_named_and_wide_has_all() -> None:
    found = analysed("ecu")
    assert "Not shown: period, wcet, blocking, kernel, deadline is (--wide)" in said(found).splitlines()
    wide = said(found, is_wide=True)
    assert "Not shown" not in wide
    heading = " ".join(next(line for line in wide.splitlines() if line.startswith("task")).split())
    assert heading == "task period wcet deadline bound slack blocked by delayed by blocking kernel deadline is"


# ---- growth and cuts ----------------------------------------------------------------------------------------------


def test_growth_stands_only_where_the_set_fits_and_a_cut_is_advice() -> None:
    fits, late = said(analysed("two", sensitivity=True)), said(analysed("a7", sensitivity=True))
    assert "wcet may grow" in fits
    assert "+325 µs" in fits
    assert "It would fit with one wcet" not in fits
    assert "may grow" not in late
    assert "may be multiplied" not in late
    assert "It would fit with one wcet cut: flash by 3.20 ms" in late
    assert "It would fit with all wcets cut to 23.8 %" in late


def advised(system: takt.System) -> list[str]:
    """The lines on cuts of one wcet."""
    return [line for line in said(takt.analyse(system), 200).splitlines() if "wcet cut" in line]


def with_wcet(system: takt.System, name: str, wcet: int | str) -> takt.System:
    return system.replace(tasks=[each.replace(wcet=wcet) if each.name == name else each for each in system.tasks])


def priority_tasks(*rows: tuple[str, int, int, str, int]) -> takt.System:
    """A system of tasks: name, period, wcet, class, processor; the first has the highest priority."""
    return takt.System(
        policy="fp",
        resolution="1ms",
        cpus=1 + max(row[4] for row in rows),
        tasks=[
            takt.Task(name=name, period=period, wcet=wcet, class_=kind, priority=9 - place, cpu=cpu)
            for place, (name, period, wcet, kind, cpu) in enumerate(rows)
        ],
    )


def test_where_the_hard_tasks_fit_a_cut_is_for_the_task_that_does_not() -> None:
    system = takt.load(EXAMPLES / "overload.toml")
    assert advised(system) == ["log would meet its deadline too with its wcet cut by 14 ms"]
    cut, less = (takt.analyse(with_wcet(system, "log", wcet), sensitivity=False) for wcet in ("6ms", "7ms"))
    assert {row.verdict.value for row in cut.tasks} == {"schedulable"}
    assert less.tasks[3].verdict.value == "not schedulable"
    several = priority_tasks(("a", 10, 4, "hard", 0), ("b", 10, 7, "soft", 0), ("c", 20, 9, "none", 0))
    assert advised(several) == ["b would meet its deadline too with its wcet cut by 1 ms"]  # no cut of c is enough
    each = priority_tasks(
        ("a", 10, 4, "hard", 0), ("b", 10, 7, "soft", 0), ("d", 10, 4, "hard", 1), ("e", 9, 7, "none", 1)
    )
    assert advised(each) == [
        "b would meet its deadline too with its wcet cut by 1 ms",
        "e would meet its deadline too with its wcet cut by 2 ms",
    ]


def test_where_other_tasks_stay_late_a_cut_is_for_the_hard_ones() -> None:
    system = priority_tasks(
        ("a", 10, 6, "hard", 0), ("b", 10, 6, "hard", 0), ("c", 10, 3, "soft", 0), ("d", 20, 3, "soft", 0)
    )
    assert advised(system) == ["Its hard tasks would fit with one wcet cut: a by 2 ms or b by 2 ms"]
    assert "Its hard tasks would fit with all wcets cut to 83.3 %" in said(takt.analyse(system))
    cut = takt.analyse(with_wcet(system, "b", 4), sensitivity=False)
    assert [row.verdict.value for row in cut.tasks] == ["schedulable"] * 2 + ["not schedulable"] * 2


def test_with_two_processors_that_do_not_fit_a_cut_is_for_one_of_them() -> None:
    system = priority_tasks(("a", 10, 6, "hard", 0), ("b", 10, 6, "hard", 0), ("c", 9, 9, "hard", 1))
    assert advised(system) == ["It would fit with one wcet cut: a by 2 ms or b by 2 ms"]
    both = system.replace(tasks=[*system.tasks, takt.Task(name="d", period=9, wcet=1, priority=1, cpu=1)])
    assert advised(both) == [
        "processor 0 would fit with one wcet cut: a by 2 ms or b by 2 ms",
        "processor 1 would fit with one wcet cut: c by 1 ms",
    ]


def test_a_tick_that_hides_growth_is_said() -> None:
    found = analysed("t1", sensitivity=True)
    assert (found.scaling, found.scaling_finer) == (1000, 1200)
    assert "All wcets together may be multiplied by 1.00 in steps of 1 ms; 1.20 at a finer\nresolution." in said(found)
    assert "in steps of" not in said(analysed("adv2", sensitivity=True))


def test_the_finer_factor_is_that_of_the_set_in_finer_ticks() -> None:
    tasks = [("A", 4, 1), ("B", 6, 2), ("C", 12, 3)]
    for policy in ("fp", "rm", "edf"):
        coarse, fine = (
            takt.analyse(
                takt.System(
                    policy=policy,
                    tasks=[
                        takt.Task(name=name, period=period * ticks, wcet=wcet * ticks, priority=9 - place)
                        for place, (name, period, wcet) in enumerate(tasks)
                    ],
                )
            )
            for ticks in (1, 1000)
        )
        assert coarse.scaling_finer == fine.scaling
        assert fine.scaling_finer is None


# ---- warnings -----------------------------------------------------------------------------------------------------


def test_a_wcet_above_its_deadline_and_a_load_above_one_are_warned_of() -> None:
    found = analysed("wd")
    assert found.warnings == (
        "wcet 9 ms of B is above its deadline 3 ms",
        "utilization 1.69 is above 1: the tasks demand more than the processor can execute",
    )
    assert "Warning: wcet 9 ms of B is above its deadline 3 ms" in said(found).splitlines()
    assert all(analysed(name).warnings == () for name in ANSWERS if name != "wd")


def test_jitter_counts_and_so_does_the_share_of_a_server() -> None:
    server = takt.Server(name="S", period=10, budget=2)
    tasks = [
        takt.Task(name="A", period=10, wcet=2, deadline=4, jitter=3),
        takt.Task(name="B", period=10, wcet=3, server="S"),
    ]
    found = takt.analyse(takt.System(tasks=tasks, servers=[server]), sensitivity=False)
    assert found.warnings == (
        "wcet, jitter of A together are 5 ms, above its deadline 4 ms",
        "utilization 0.30 of the tasks in S is above its share 0.20",
    )


def test_a_deadline_that_counts_as_the_period_is_warned_of() -> None:
    task = takt.Task(name="A", period=10, wcet=2, deadline=12)
    several = takt.System(tasks=[task], policy="edf", cpus=2)
    costly = takt.System(tasks=[task], policy="fp", platform=takt.Platform(model="software", interval=5))
    plain = takt.System(tasks=[task], policy="fp")
    for system, rest in (
        (several, ("the test of several processors counts the period in its place",)),
        (costly, ("under a model of the scheduler a job ends at the next release",)),
        (plain, ()),
    ):
        found = takt.analyse(system, sensitivity=False)
        assert found.warnings == tuple(f"deadline 12 ms of A is above its period 10 ms: {each}" for each in rest)


def test_json_has_warnings_and_page_has_causes() -> None:
    result = CliRunner().invoke(app, ["analyse", str(PEOPLE / "wd.toml"), "--json"])
    (document,) = json.loads(result.stdout)["analyses"]
    assert document["warnings"][0] == "wcet 9 ms of B is above its deadline 3 ms"
    assert document["scaling_finer"] is not None
    page = analysis_page.page([analysed("ecu")])
    assert "ecu: not guaranteed, 3 of 12 deadlines proved, 9 open; flash blocks all of them" in page
    assert 'class="blocking" style="width:97.18%" title="blocked by flash 4 ms (non-preemptive)"' in page
    assert '<u style="left:4.86%"></u>' in page  # 200 of 4116 us
    assert "can_rx_isr &lt;= 4.12 ms: blocked by flash 4 ms (non-preemptive), kernel 101 µs, own 15 µs" in page


# ---- options ------------------------------------------------------------------------------------------------------


def test_without_a_test_the_last_line_ends_with_the_load() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=2)]
    found = takt.analyse(takt.System(tasks=tasks, policy="fp", cpus=2), sensitivity=False)
    assert found.tasks[0].test is None
    assert said(found).splitlines()[-1].replace("\u00a0", " ") == "Policy fp, load 20.0 %."


def test_options_choose_reasons_width_and_ticks() -> None:
    def run(*options: str) -> str:
        return CliRunner(env={"COLUMNS": "80"}).invoke(app, ["analyse", str(PEOPLE / "ecu.toml"), *options]).stdout

    assert "8 more reasons: --reasons all" in run("--reasons", "4", "--no-sensitivity")
    assert "more reasons" not in run("--reasons", "all", "--no-sensitivity")
    assert "adc_isr 25 500 <= 4439 -3939 ? flash 4000 can_rx_isr 270" in " ".join(
        run("--ticks", "--no-sensitivity").split()
    )
    firsts = [line for line in run("--policy", "fp,edf", "--no-sensitivity").splitlines() if line.startswith("ecu ")]
    assert [line.partition(":")[0] for line in firsts] == ["ecu under fp", "ecu under edf"]
    refused = CliRunner().invoke(app, ["analyse", str(PEOPLE / "ecu.toml"), "--reasons", "some"])
    assert refused.exit_code == 2
    assert refused.stderr.strip() == '--reasons: expected a number or "all", found "some"'
