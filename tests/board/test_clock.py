# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The clock of emulated boards, what Takt costs at it, and the sentences beside a run."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import takt
from places import EXAMPLES, ROOT
from takt.base.errors import InputError
from takt.board import clock, emulation
from takt.command import main
from takt.run import board_costs, measurement
from takt.show import board_report, report
from typer.testing import CliRunner

SUBJOBS = ROOT / "tests" / "cases" / "people" / "ecu_subjobs.toml"
EMULATED = Fraction(15_625_000)


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(main.app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.stdout.split()), result.stderr


@pytest.mark.parametrize(
    ("text", "hertz"),
    [
        ("168MHz", 168_000_000),
        ("15.625 mhz", 15_625_000),
        ("1GHz", 10**9),
        ("1000kHz", 10**6),
        ("72000000Hz", 72 * 10**6),
    ],
)
def test_a_clock_is_read_as_data_sheets_write_it(text: str, hertz: int) -> None:
    assert clock.parse(text) == hertz


@pytest.mark.parametrize(
    "text", ["", "168", "fast", "-1MHz", "0MHz", "999kHz", "1.1GHz", "1e3MHz", "168 MHz x", "٣MHz"]
)
def test_a_clock_that_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError, match=r"^--clock: expected ") as found:
        clock.parse(text)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("option", ["--clock=168MHz", "--platform-out=never.toml"])
@pytest.mark.parametrize("place", [[], ["--on", "posix"], ["--on", "linux"]])
def test_only_emulated_boards_have_a_clock(option: str, place: list[str]) -> None:
    status, _, error = invoke("run", str(EXAMPLES / "smallest.toml"), *place, option)
    found = " ".join(place) or "no --on"
    boards = "cortex_m, cortex_m0, cortex_m4f, cortex_m7f, cortex_m33, riscv, riscv_f, riscv64 or soc"
    message = f"it needs --on {boards}, found {found}"
    assert (status, error) == (2, f"{option.split('=')[0]}: {message}\n")
    assert not Path("never.toml").exists()


def test_times_between_ticks_of_a_clock_are_refused_with_those_that_are_whole() -> None:
    status, _, error = invoke("run", str(SUBJOBS), "--on", "cortex_m", "--clock", "33.33MHz")
    assert status == 2
    assert "expected a multiple of 125us, which is whole ticks of the board at this clock, found 240us" in error


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.RISCV])
@pytest.mark.parametrize("hertz", [10**6 * 5, 10**6 * 125, 10**9])
def test_demands_and_instants_are_those_of_the_file_at_any_clock(board: str, hertz: int, tmp_path: Path) -> None:
    """Whatever the clock: each job is released when the file says, takes its demand at least, and Takt's own work on
    top, which is a number of instructions."""
    tasks = [takt.Task(name="A", period="10ms", wcet="2ms"), takt.Task(name="B", period="20ms", wcet="3ms")]
    system = takt.System(tasks=tasks, policy="rm", resolution="100us", horizon="100ms")
    target = emulation.load_board(board, Fraction(hertz))
    trace = emulation.run(system, tmp_path / "T.takt", board, hertz=Fraction(hertz))
    measured = board_report.in_real_time(board_report.report_of(trace), target.stretch)
    first, second = measured.rows
    assert (measured.resolution_ns, measured.horizon) == (1, 100_000_000)
    assert (first.period, first.deadline, second.period) == (10_000_000, 10_000_000, 20_000_000)
    assert (first.jobs, second.jobs, measured.missed) == (10, 5, 0)
    own = 10_000 * 10**9 / hertz  # no more than ten thousand instructions
    assert first.response_min is not None
    assert second.response_max is not None
    assert 2_000_000 - 10 <= first.response_min < 2_000_000 + own
    assert 5_000_000 - 10 <= second.response_max < 5_000_000 + own


def test_the_clock_of_the_emulator_changes_nothing(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "smallest.toml")
    traces = [
        emulation.run(system, tmp_path / f"{number}.takt", hertz=hertz) for number, hertz in enumerate((None, EMULATED))
    ]
    assert traces[0].data == traces[1].data


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.RISCV])
@pytest.mark.parametrize("policy", ["fp", "edf", "llf"])
def test_costs_are_those_that_a_job_has(board: str, policy: str, tmp_path: Path) -> None:
    """A job that preempts another one is as much longer than its demand as the costs say, to a tenth."""
    found = board_costs.measure(board, policy)
    assert min(found.release, found.scheduling) > 100
    assert found.context_switch >= 0
    assert found.policy == ("fp" if policy == "llf" else policy)
    tasks = [
        takt.Task(name="A", period="5ms", wcet="500us", offset="1ms", deadline="2ms", priority=2),
        takt.Task(name="B", period="5ms", wcet="4ms", priority=1),
    ]
    system = takt.System(tasks=tasks, policy=found.policy, resolution="100us", horizon="50ms")
    target = emulation.load_board(board)
    jobs = measurement.jobs_of(emulation.run(system, tmp_path / "T.takt", board))
    response = sorted(jobs.filter(task="A")["response"])[5]
    own = target.instructions(response - 500 * target.scale(1_000).ticks)
    assert own == pytest.approx(float(found.begin), rel=0.1)


def test_costs_become_the_platform_of_a_copy_that_runs_and_is_analysed(tmp_path: Path) -> None:
    target = tmp_path / "measured.toml"
    status, said, error = invoke(
        "run",
        str(SUBJOBS),
        "--on",
        "cortex_m",
        "--clock",
        "168MHz",
        "--horizon",
        "100ms",
        "--platform-out",
        str(target),
    )
    assert (status, error) == (0, "")
    assert "clock 168MHz (emulated): release 1." in said
    text = target.read_text()
    assert text.startswith(SUBJOBS.read_text().partition("[platform]")[0])
    assert text.endswith(SUBJOBS.read_text().partition("[[resource]]")[2])
    table = tomllib.loads(text)["platform"]
    assert list(table) == ["release", "scheduling", "context_switch"]
    costs = board_costs.measure("cortex_m", "fp")
    for name, value in table.items():
        exact = getattr(costs, name) * 10**6 / 168_000_000
        assert exact <= int(value.removesuffix("us")) < exact + 1
    assert invoke("run", str(target), "--check")[0] == 0
    assert invoke("analyse", str(target), "--no-sensitivity")[0] == 0


def test_a_file_without_costs_gets_them(tmp_path: Path) -> None:
    target = tmp_path / "measured.toml"
    source = EXAMPLES / "smallest.toml"
    assert invoke("run", str(source), "--on", "riscv", "--platform-out", str(target))[0] == 0
    assert target.read_text().startswith(source.read_text().rstrip())
    before, after = takt.load(source), takt.load(target)
    assert (after.tasks, after.policy, after.horizon) == (before.tasks, before.policy, before.horizon)
    assert after.platform is not None
    assert after.platform.release != 0


def test_two_runs_have_no_one_platform() -> None:
    status, _, error = invoke(
        "run", str(SUBJOBS), "--on", "cortex_m", "--policy", "rm,dm", "--platform-out", "never.toml"
    )
    assert (status, error) == (2, "--platform-out: expected one file and one policy, found 2 runs\n")


def test_an_overload_by_takt_is_named_with_the_clock_that_it_needs() -> None:
    status, said, _ = invoke("run", str(SUBJOBS), "--on", "cortex_m", "--horizon", "500ms")
    assert status == 0
    assert "clock 15.625MHz" in said
    found = re.search(
        r" misses here, 0 simulated: overload, the tasks need 91\.4 % and Takt ([\d.]+) % of the processor; "
        r"at least (\d+)MHz are needed a job of can_rx_isr that takes 15 µs simulated takes ([\d.]+) µs here: "
        r"([\d.]+) µs are Takt's at 15\.625MHz",
        said,
    )
    assert found is not None
    own, needed, here, more = map(float, found.groups())
    assert own == pytest.approx(56.5, abs=1)
    assert needed == pytest.approx(own / 100 * 15.625 / (1 - 0.914), abs=2)
    assert here == pytest.approx(89.7, abs=2)
    assert more == pytest.approx(here - 15)
    assert (
        "overload" not in invoke("run", str(SUBJOBS), "--on", "cortex_m", "--horizon", "500ms", "--clock", "168MHz")[1]
    )


def test_json_has_the_clock_and_the_costs() -> None:
    result = CliRunner().invoke(
        main.app, ["run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m", "--clock", "125MHz", "--json"]
    )
    simulated, measured = json.loads(result.stdout)["runs"]
    assert "clock_hz" not in simulated
    assert measured["clock_hz"] == 125_000_000
    costs = measured["costs"]
    assert costs.pop("policy") == "fp"
    assert list(costs) == ["release_ns", "scheduling_ns", "context_switch_ns"]
    assert all(0 <= value < 10_000 for value in costs.values())
    assert measured["resolution_ns"] == 1


def row_of(**members: int | None) -> report.TaskRow:
    """Return a row of a task of 1 ms with a wcet of 100 us."""
    row = report.TaskRow("A", "", "hard", 1000, 1000, 100, 10, 10, 100, 100, 1000, 0)
    return replace(row, **members)  # type: ignore[arg-type]


def sentences(measured: report.TaskRow, costs: board_costs.Costs, policy: str = "fp") -> list[str]:
    """Return what is said of a task at 100 MHz."""
    simulated = report.Report("x", policy, "simulator", 1000, 10_000, 20, [row_of()])
    board = report.Report("x", policy, "cortex_m", 1000, 10_000, 20, [measured])
    return list(board_report.sentences(costs, Fraction(100_000_000), board, simulated))[1:]


def test_what_is_no_work_of_takt_is_not_called_so() -> None:
    """Costs of 1 us a preemption: a job that is late by more has another reason, such as another order."""
    costs = board_costs.Costs(Fraction(40), Fraction(40), Fraction(20), "fp")
    assert not sentences(row_of(), costs)
    assert not sentences(row_of(response_min=101), costs)
    assert not sentences(row_of(response_min=900), costs)
    (late,) = sentences(row_of(response_min=900, missed=1), costs)
    assert late == "1 miss here, 0 simulated: Takt's own work takes time here, 1.6 µs or more for each job"
    none = row_of(response_min=None, response_max=None, response_sum=None, finished=0, missed=10)
    assert sentences(none, costs) == [late.replace("1 miss", "10 misses")]


def test_costs_of_another_policy_are_called_those() -> None:
    costs = board_costs.Costs(Fraction(40), Fraction(40), Fraction(20), "fp")
    simulated = report.Report("x", "llf", "simulator", 1000, 10_000, 20, [row_of()])
    (said,) = board_report.sentences(costs, EMULATED, simulated, simulated)
    assert said.endswith("preemption 6.4 µs (under fp)")
