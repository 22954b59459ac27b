"""Task sets on the emulated Cortex-M board: measured, replayed, and refused where the board cannot take them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import systems
from sampling import tries
from takt import boards, cli, firmware_tables, measurement, times
from takt import trace as trace_file
from takt.resolved import ResolvedSystem
from test_random_systems import as_system
from typer.testing import CliRunner

EXAMPLES = Path(__file__).parents[1] / "examples"
COST_BOUND_NS = 500_000


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def task_set(folder: Path, text: str) -> str:
    """Write a task set."""
    path = folder / "set.toml"
    path.write_text("schema = 1\n" + text)
    return str(path)


@pytest.mark.parametrize("policy", boards.POLICIES)
@pytest.mark.parametrize("example", ["iot", "servers", "smallest"])
def test_every_example_runs_on_the_board_and_replays_identically(example: str, policy: str, tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / f"{example}.toml").replace(policy=policy)
    trace = boards.run(system, tmp_path / "T.takt")
    replay = takt.replay(tmp_path / "T.takt")
    measured = measurement.report_of(trace)
    assert replay.difference is None
    assert replay.decisions == measured.decisions > 0
    assert [row.jobs for row in measured.rows] == takt.simulate(system).summary["released"].to_list()


def test_policies_with_windows_rates_and_rules_do_not_run_on_the_board(tmp_path: Path) -> None:
    for policy in ("rbe", "dual-priority"):
        with pytest.raises(takt.InputError, match=f"the board runs the policies dm, edf, fp, llf, rm, found {policy}"):
            boards.run(takt.load(EXAMPLES / "smallest.toml").replace(policy=policy), tmp_path / "T.takt")


def test_jobs_on_the_board_end_in_the_simulated_order_and_a_little_later(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "servers.toml")
    trace = boards.run(system, tmp_path / "T.takt")
    columns = ("task", "job", "finish")
    measured = measurement.jobs_of(trace).select(columns).rows()
    simulated = takt.simulate(system).jobs.select(columns).rows()
    for (task, job, finish), (simulated_task, simulated_job, simulated_finish) in zip(measured, simulated, strict=True):
        late_ns = finish * trace.system.resolution_ns - simulated_finish * system.resolution_ns
        assert (task, job) == (simulated_task, simulated_job)
        assert 0 <= late_ns <= COST_BOUND_NS


def test_segments_on_the_board_do_not_overlap_and_lie_inside_their_jobs(tmp_path: Path) -> None:
    trace = boards.run(takt.load(EXAMPLES / "iot.toml"), tmp_path / "T.takt")
    segments = measurement.segments_of(trace)
    jobs = {(task, job): (release, finish) for task, job, release, finish, *_ in measurement.jobs_of(trace).rows()}
    assert (segments["start"][1:] >= segments["end"][:-1]).all()
    for start, end, _, _, task, job in segments.rows():
        release, finish = jobs[task, job]
        assert release <= start < end <= (finish or trace.horizon)


def on_the_board(system: System) -> takt.System:
    """Make a random system one that the board can take: servers at the root, ticks of 50 us."""
    servers = [server.replace(parent=None) for server in as_system(system).servers]
    return as_system(system).replace(servers=servers, resolution="50us")


@tries(8)
@given(systems(), st.integers(20, 200))
def test_random_systems_on_the_board_replay_identically(system: System, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        boards.run(on_the_board(system).replace(horizon=horizon), Path(folder, "T.takt"))
        assert takt.replay(Path(folder, "T.takt")).difference is None


def test_the_command_prints_measured_beside_simulated(tmp_path: Path) -> None:
    trace = tmp_path / "T.takt"
    status, output, errors = invoke("run", str(EXAMPLES / "servers.toml"), "--on", "cortex_m", "--trace", str(trace))
    lines = output.splitlines()
    assert (status, errors) == (0, "")
    assert lines[0] == "servers  policy fp  horizon 120ms  on cortex_m"
    assert lines[1].split() == [
        "task", "server", "period", "jobs", "min", "avg", "max", "sim", "min", "sim", "avg", "sim", "max", "misses",
        "simulated",
    ]  # fmt: skip
    assert lines[3].split()[:4] == ["T1", "S1", "20ms", "6"]
    assert lines[3].split()[7:10] == ["4ms", "4.667ms", "6ms"]
    decisions = takt.replay(trace).decisions
    assert lines[-1] == f"replayed on the host: {decisions} decisions, identical"
    assert invoke("replay", str(trace)) == (0, f"identical: {decisions} decisions\n", "")


def test_the_command_writes_what_the_board_did(tmp_path: Path) -> None:
    segments, jobs = tmp_path / "S.csv", tmp_path / "J.csv"
    arguments = ["run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m", "--check"]
    status, *_ = invoke(*arguments, "--segments", str(segments), "--jobs", str(jobs))
    assert status == 3
    assert segments.read_text().startswith("start,end,cpu,server,task,job\n")
    assert pl.read_csv(jobs).columns == ["task", "job", "release", "finish", "response", "missed"]
    assert set(pl.read_csv(jobs)["missed"]) == {0, 1}


TASK = '[[task]]\nname = "A"\nperiod = 50\nwcet = 2\n'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            '[system]\nresolution = "10ns"\n' + TASK + "offset = 3\ndeadline = 25\n",
            [
                '[[task]] "A" period: expected a multiple of the board\'s tick of 40ns, found 500ns',
                '[[task]] "A" deadline: expected a multiple of the board\'s tick of 40ns, found 250ns',
                '[[task]] "A" offset: expected a multiple of the board\'s tick of 40ns, found 30ns',
            ],
        ),
        (
            TASK
            + '[[server]]\nname = "S"\nperiod = 9\nbudget = 3\n'
            + '[[server]]\nname = "R"\nperiod = 9\nbudget = 2\nparent = "S"\n',
            ['[[server]] "R" parent: the board has servers at the root only; leave it out'],
        ),
        (
            "".join(TASK.replace("A", f"T{n}") + f"priority = {n}\n" for n in range(31)),
            ["the board has 30 levels of priority in a dispatcher, found 31 at the root"],
        ),
        (
            '[[server]]\nname = "S"\nperiod = 9\nbudget = 3\n'
            + "".join(TASK.replace("A", f"T{n}") + f'server = "S"\npriority = {n}\n' for n in range(32)),
            ['[[server]] "S": the board has 30 levels of priority in a dispatcher, found 32'],
        ),
        (
            "".join(TASK.replace("A", f"T{n}") for n in range(2047)),
            ["the board takes at most 2046 tasks and servers, found 2047"],
        ),
    ],
)
def test_what_the_board_cannot_do_is_bad_input(text: str, lines: list[str], tmp_path: Path) -> None:
    path = task_set(tmp_path, text)
    assert invoke("run", path, "--on", "cortex_m") == (2, "", "".join(f"{path}: {line}\n" for line in lines))


def test_what_the_firmware_refuses_is_bad_input(tmp_path: Path) -> None:
    path = task_set(tmp_path, '[system]\npolicy = "edf"\n' + "".join(TASK.replace("A", f"T{n}") for n in range(1100)))
    status, output, errors = invoke("run", path, "--on", "cortex_m")
    assert (status, output) == (2, "")
    assert errors.startswith(f"{path}: the board refuses the task set: ")
    assert errors.count("\n") == 1


def test_a_trace_that_fills_the_memory_of_the_board_is_bad_input(tmp_path: Path) -> None:
    path = task_set(tmp_path, '[system]\nresolution = "40ns"\nhorizon = "60s"\n' + TASK.replace("50", "10000"))
    status, output, errors = invoke("run", path, "--on", "cortex_m")
    assert (status, output) == (2, "")
    assert errors.startswith(f"{path}: [system] horizon: the board's memory is full of 52")
    assert errors.endswith("; shorten the horizon\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--on", "riscv"], '--on: "riscv" is not supported by this version yet; it has cortex_m'),
        (["--on", "cortexm"], '--on: unknown board "cortexm"; did you mean "cortex_m"?'),
        (["--on", "cortex_m", "--budgets", "B.csv"], "--budgets: a board records no budgets; leave out --on"),
    ],
)
def test_a_wrong_board_or_output_is_bad_input(arguments: list[str], line: str) -> None:
    assert invoke("run", str(EXAMPLES / "smallest.toml"), *arguments) == (2, "", line + "\n")


def test_a_missing_compiler_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m") == (
        1,
        "",
        "arm-none-eabi-gcc is not installed; on Debian: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi\n",
    )


def test_a_replay_that_differs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    write = trace_file.write

    def write_another_decision(path: Path, system: ResolvedSystem, platform: str, horizon: int, records: bytes) -> None:
        at = next(at for at in range(0, len(records), 32) if records[at + 24] == 16)
        write(path, system, platform, horizon, records[: at + 8] + b"\1" + records[at + 9 :])

    monkeypatch.setattr(trace_file, "write", write_another_decision)
    status, output, errors = invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m")
    assert (status, output) == (1, "")
    assert ": different at record " in errors


def test_names_of_all_kinds_become_c_strings(tmp_path: Path) -> None:
    name = 'Fühler "1" \\ ??/ 5%'
    system = takt.System(tasks=[takt.Task(name=name, period=10, wcet=1)], horizon=20)
    assert '"F\\303\\274hler \\0421\\042 \\134 \\077\\077/ 5%"' in firmware_tables.generate(
        system.resolved, [1_000_000], 20, 6, "T"
    )
    assert boards.run(system, tmp_path / "T.takt").system.tasks[0].name == name


def test_a_time_longer_than_32_bits_of_board_ticks_is_a_time_like_any_other(tmp_path: Path) -> None:
    tasks = [
        takt.Task(name="A", period="10s", wcet="1ms"),
        takt.Task(name="B", period="400s", wcet="1ms", offset="200s"),
    ]
    trace = boards.run(takt.System(tasks=tasks, horizon="300s"), tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt").is_identical
    assert 200 * times.UNITS["s"] // 40 > 2**32
    assert [row.finished for row in measurement.report_of(trace).rows] == [30, 1]
