# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets as threads of Linux: traces replay, what ran is what was decided, and what goes wrong is named.

Systems run one after the other after a boot; many_runs.py runs 1,000 random ones in `make soak`. The checks themselves
are tested with traces of the simulator and switches that follow from them, each spoiled in one way.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import budget
import many_runs
import numpy as np
import polars as pl
import pytest
import takt
from hypothesis import strategies as st
from oracle import System
from places import EXAMPLES, ROOT
from sampling import count
from takt import _core
from takt.base.errors import BoardError
from takt.board import guest
from takt.files import trace_file
from takt.linux import board, check, daemon
from takt.run import linux_checks, linux_reference
from test_boards import GENERATORS, invoke

FOLDER = ROOT / "build" / "linux"
TOOLS = ("busybox", "cc", "clang-19", "llc-19", "opt-19", "llvm-link-19")
can_run = (FOLDER / "packages").exists() and all(map(shutil.which, TOOLS))
needs_linux = pytest.mark.skipif(not can_run, reason="no guest with Linux here: make linux fetches it")

RUN = (
    *("allocator", "fpds", "iot_65", "iot_node", "mode_change", "negotiation", "resources", "servers"),
    *("shared_rates", "shared_server_resources", "smallest", "time_driven"),
)

TWO = """schema = 1
[system]
policy  = "edf"
cpus    = 2
horizon = "100ms"
"""
TWO += "".join(
    f'[[task]]\nname = "{name}"\ncpu = {cpu}\nperiod = "{period}ms"\nwcet = "{wcet}ms"\n'
    for name, cpu, period, wcet in (("a", 0, 10, 3), ("b", 0, 25, 5), ("c", 1, 8, 2), ("d", 1, 40, 10))
)
FOUR = TWO.replace("cpus    = 2", "cpus    = 4") + "".join(
    f'[[task]]\nname = "{name}"\ncpu = {cpu}\nperiod = "{period}ms"\nwcet = "1ms"\n'
    for name, cpu, period in (("e", 2, 10), ("f", 2, 25), ("g", 3, 8))
)

Row = tuple[int, int, int, int, int, int, bool]


def loaded(text: str, folder: Path) -> takt.System:
    """Load a task set from text."""
    path = folder / "set.toml"
    path.write_text(text)
    return takt.load(path)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, board.Run]:
    """Run everything after a boot, and what has several processors after another one."""
    folder = tmp_path_factory.mktemp("runs")
    systems = {name: takt.load(EXAMPLES / f"{name}.toml") for name in RUN}
    systems |= {name: systems[name].replace(horizon="1s") for name in ("iot_65", "iot_node")}
    systems["iot_fp"] = systems["iot_65"].replace(policy="fp")
    systems |= {name: loaded(text, folder) for name, text in (("two", TWO), ("four", FOUR))}
    # At 3.2 ms a budget ends and a thread wakes whose server has none: nothing is selected.
    systems["wakes"] = many_runs.drawn(GENERATORS["households"], 39, 4, "100us")[3]
    systems |= {
        f"{kind} {number}": system
        for kind, generator in GENERATORS.items()
        for number, system in enumerate(many_runs.drawn(generator, 0, 2, "1ms"))
        if many_runs.is_taken(system)
    }
    for paradigm in (*many_runs.RECORDED, "machines"):
        systems |= many_runs.recorded(paradigm, 0, 2)
    systems |= {f"budget {kind}": budget.system_of(kind, "500ms", folder) for kind in budget.KINDS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(board.FOLDER_VARIABLE, str(FOLDER))
        found = board.run_all(list(systems.values()), [folder / f"{name}.takt" for name in systems])
    return dict(zip(systems, found, strict=True))


@needs_linux
def test_every_run_replays_and_its_threads_did_what_was_decided(runs: dict[str, board.Run]) -> None:
    found = {name: linux_checks.check(run).findings for name, run in runs.items()}
    assert {name: findings for name, findings in found.items() if findings} == {}


@needs_linux
def test_nine_jobs_of_ten_respond_within_half_a_millisecond_of_the_simulation(runs: dict[str, board.Run]) -> None:
    for name in ("iot_fp", "iot_node"):
        system, trace = runs[name].system, runs[name].trace
        ours = takt.run.measurement.jobs_of(trace)
        theirs = takt.simulate(system).jobs
        both = ours.join(theirs, on=["task", "job"])
        ticks = system.resolution_ns // trace.system.resolution_ns
        late = (both["response"].cast(pl.Int64) - both["response_right"].cast(pl.Int64) * ticks).abs()
        assert (len(both), len(late.filter(late > 500)) < len(both) // 10) == (len(theirs), True)


@needs_linux
@pytest.mark.parametrize("kind", budget.KINDS)
def test_a_budget_of_10_ms_ends_within_50_us(kind: str, runs: dict[str, board.Run]) -> None:
    late = budget.overruns(runs[f"budget {kind}"])
    assert len(late) >= 15
    assert max(map(abs, late)) <= 50_000


@needs_linux
def test_the_domains_of_a_machine_are_one_trace(runs: dict[str, board.Run]) -> None:
    for name, processors in (("two", 2), ("four", 4)):
        trace = runs[name].trace
        assert [each.processors for each in trace.domains] == [(cpu,) for cpu in range(processors)]
        assert takt.replay(trace.path).is_identical
        assert all(len(each.jobs) > 0 for each in runs[name].processors)


# ---- results that exist -----------------------------------------------------------------------------------------


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guest that stops after the second run of three, and programs that need no building."""

    def stream(*_: object, **__: object) -> Iterator[Mapping[str, bytes]]:
        yield {"0/report": b""}
        yield {"1/report": b""}
        raise BoardError("the guest stopped: no word")

    monkeypatch.setattr(board, "folder", lambda: Path())
    monkeypatch.setattr(board, "products", lambda place: {})
    monkeypatch.setattr(guest, "stream", stream)
    monkeypatch.setattr(board._Recorded, "written", lambda self: self.number)


@pytest.mark.usefixtures("stopping")
def test_runs_that_have_ended_are_handed_out_when_the_guest_stops(tmp_path: Path) -> None:
    systems, found = [loaded(PLAIN, tmp_path)] * 3, list[object]()
    with pytest.raises(BoardError, match=r"^the guest stopped: no word$"):
        found.extend(board.run_each(systems, ["T"] * 3))
    assert found == [(0, 0), (1, 1)]
    with pytest.raises(BoardError, match=r"^the guest stopped: no word; 2 of 3 runs have ended$"):
        board.run_all(systems, ["T"] * 3)


@pytest.mark.usefixtures("stopping")
def test_a_part_of_many_runs_is_run_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    system = loaded(PLAIN, tmp_path)
    monkeypatch.setattr(many_runs, "systems_of", lambda seed: dict.fromkeys(("a", "b", "c"), system))
    monkeypatch.setattr(linux_checks, "check", lambda run: linux_checks.Checked((), 0, 0, 0, 0))
    monkeypatch.setattr("sys.argv", ["many_runs.py", "--systems", "1", "--into", str(tmp_path / "many")])
    told = "seed 0: 3 systems, 1 findings{}\n  c: not run: the guest stopped: no word\n3 systems, 1 findings; "
    for end in ("", ", from before"):
        assert many_runs.main() == 1
        assert capsys.readouterr().out.startswith(told.format(end))


@pytest.mark.usefixtures("stopping")
def test_a_part_is_run_again_by_other_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {many_runs.folder_of(tmp_path)}
    for module in (_core, linux_checks, linux_reference):
        other = tmp_path / module.__name__
        other.touch()
        monkeypatch.setattr(module, "__file__", str(other))
        folders.add(many_runs.folder_of(tmp_path))
    assert len(folders) == 4


# ---- the checks ------------------------------------------------------------------------------------------------

PLAIN = """schema = 1
[system]
resolution = "1us"
policy  = "fp"
horizon = "40ms"
[[task]]
name = "A"
period = "5ms"
wcet = "1ms"
[[task]]
name = "B"
period = "20ms"
wcet = "6ms"
"""


def switched(system: takt.System, folder: Path) -> board.Run:
    """Return a run that does what the simulator does, with switches 10 us after decisions."""
    path = folder / "T.takt"
    takt.simulate(system, trace=path)
    trace = trace_file.read(path)
    first = trace.system.first_task
    threads = {100 + number: task.name for number, task in enumerate(trace.system.tasks, first)}
    rows, last = [], 0
    for record in trace.records():
        if record.kind == _core.RECORD_DECISION:
            thread = 100 + record.entity if 100 + record.entity in threads else 0
            rows.append((record.now * trace.system.resolution_ns + 10_000, last, thread))
            last = thread
    processor = board.Processor(
        trace=trace,
        threads=threads,
        switches=np.array(rows, dtype=[("at", "<i8"), ("off", "<u4"), ("on", "<u4")]),
        jobs=np.array(
            [
                (record.now * trace.system.resolution_ns, record.entity - first, record.job, 0)
                for record in trace.records()
                if record.kind == _core.RECORD_COMPLETE
            ],
            dtype=[("end", "<i8"), ("task", "<u4"), ("number", "<u4"), ("outcome", "<i4")],
        ),
    )
    return board.Run(system, trace, (processor,), ())


@pytest.fixture
def good(tmp_path: Path) -> board.Run:
    return switched(loaded(PLAIN, tmp_path), tmp_path)


def with_switches(run: board.Run, change: Callable[[Any], Any]) -> board.Run:
    """Change the switches of a run."""
    processor = run.processors[0]
    return replace(run, processors=(replace(processor, switches=change(processor.switches.copy())),))


def late(switches: Any) -> Any:
    switches["at"][3] += 1_200_000
    return switches


def swapped(switches: Any) -> Any:
    switches["on"][[0, 1]] = switches["on"][[1, 0]]
    return switches


def stray(switches: Any) -> Any:
    idle = int(np.flatnonzero(switches["on"] == 0)[0])
    switches["on"][idle] = 101
    return switches


def test_a_run_as_simulated_has_no_finding(good: board.Run) -> None:
    checked = linux_checks.check(good)
    assert checked.findings == ()
    assert (checked.largest_lag_ns, checked.lag_ns, checked.largest_late_ns) == (10_000, 30_000, 0)
    assert linux_checks.sentence(checked).startswith("kernel: 12 switches to threads of tasks, all as decided, 0.01ms")


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (late, r"B ran from .* not only while it was selected"),
        (swapped, r"B ran from .* not only while it was selected"),
        (stray, r"A ran from .* not only while it was selected"),
        (lambda switches: switches[1:], r"A was selected at 0ms, but B ran from 1\.01ms on"),
        (lambda switches: switches[:-2], r"A was selected at 35ms, but did not run"),
    ],
)
def test_switches_that_were_not_decided_are_found(good: board.Run, change: Callable[[Any], Any], finding: str) -> None:
    found = linux_checks.check(with_switches(good, change)).findings
    assert any(re.search(f"^processor 0: .*{finding}", line) for line in found), found


def test_a_thread_that_is_switched_off_at_once_is_no_finding(good: board.Run) -> None:
    def visit(switches: Any) -> Any:
        at = switches["at"][2]
        rows = np.array([(at - 60_000, 0, 102)], dtype=switches.dtype)
        return np.sort(np.concatenate((switches, rows)), order="at")

    assert linux_checks.check(with_switches(good, visit)).findings == ()


@pytest.mark.parametrize(("until", "finds"), [(8_129_000, False), (8_132_000, True)])
def test_a_thread_that_is_not_selected_any_more_is_switched_off_when_all_events_are_handled(
    good: board.Run, until: int, finds: bool
) -> None:
    def stay(switches: Any) -> Any:
        switches["at"][np.flatnonzero(switches["at"] == 8_010_000)] = until
        return switches

    found = list(linux_checks._switches(with_switches(good, stay).processors[0], linux_reference.ONE)[0])
    assert found == ["processor 0: A ran from 7.01ms to 8.132ms, not only while it was selected"] * finds


def test_a_thread_that_is_overtaken_by_one_that_ran_before_is_no_finding(good: board.Run) -> None:
    def overtake(switches: Any) -> Any:
        rows = np.array([(1_030_000, 102, 101), (1_060_000, 101, 102)], dtype=switches.dtype)
        return np.sort(np.concatenate((switches, rows)), order="at")

    assert linux_checks.check(with_switches(good, overtake)).findings == ()


def absent(until: int) -> Callable[[Any], Any]:
    """The thread of the decision at 7 ms sleeps until an instant."""

    def change(switches: Any) -> Any:
        place = int(np.flatnonzero(switches["at"] == 7_010_000)[0])
        row = np.array([(until, 0, 101)], dtype=switches.dtype)
        switches["on"][place] = 0
        return np.insert(switches, place + 1, row)

    return change


@pytest.mark.parametrize(
    ("until", "findings"),
    [
        (7_069_000, []),
        (
            7_110_000,
            [
                "A was selected at 7ms, but A ran from 7.11ms on",
                "from 7ms on A had the processor for 0.89ms, but 1ms were charged",
            ],
        ),
    ],
)
def test_a_thread_that_is_absent_for_a_moment_is_no_finding(good: board.Run, until: int, findings: list[str]) -> None:
    found = linux_checks.check(with_switches(good, absent(until))).findings
    assert found == tuple(f"processor 0: {line}" for line in findings)


def test_a_thread_whose_job_is_aborted_in_a_suspension_may_be_absent_until_that_ends(good: board.Run) -> None:
    way = linux_reference.Way(with_switches(good, absent(7_140_000)).processors[0], linux_reference.ONE)
    assert (way.lag("A", 7_000_000, 8_000_000), way.most("A", 7_000_000)) == (130_000, 60_000)
    way.suspended = {"A": [(3000, 6000), (6500, 7100)]}
    assert (way.lag("A", 7_000_000, 8_000_000), way.absence("A", 7_000_000, 8_000_000)) == (40_000, 140_000)


def test_a_thread_that_runs_is_not_absent_though_it_is_switched_off_within_a_tick(good: board.Run) -> None:
    way = linux_reference.Way(good.processors[0], linux_reference.ONE)
    way.tick = 1_000_000
    assert not way.is_absent("A", 7_900_000)
    way.suspended = {"A": [(7, 9)]}
    assert way.is_absent("A", 7_900_000)


def test_a_thread_that_is_switched_to_though_it_never_was_selected_is_found(good: board.Run) -> None:
    def visit(switches: Any) -> Any:
        rows = np.array([(15_500_000, 101, 102), (15_510_000, 102, 101)], dtype=switches.dtype)
        return np.sort(np.concatenate((switches, rows)), order="at")

    found = linux_checks.check(with_switches(good, visit)).findings
    assert found[-1] == "processor 0: B had the processor from 15.5ms to 15.51ms, but was not selected then"


def test_a_completion_of_another_job_is_found(good: board.Run) -> None:
    data = bytearray(good.trace.data)
    first = next(at for at in range(0, len(data), 32) if data[at + 24] == _core.RECORD_COMPLETE)
    data[first + 28] += 1
    trace = replace(good.trace, data=memoryview(bytes(data)))
    found = list(linux_checks._foreign_completions(trace))
    assert found == ["processor 0: A#1 completed at 1ms, but A#0 was selected"]


def test_a_job_that_its_thread_or_the_trace_lacks_is_found(good: board.Run) -> None:
    processor = good.processors[0]
    lost = replace(processor, jobs=processor.jobs[1:])
    found = linux_checks.check(replace(good, processors=(lost,))).findings
    assert found == ("processor 0: A#0 completed at 1ms, but its thread has not completed it",)
    made = replace(processor, jobs=np.concatenate((processor.jobs, processor.jobs[:1])))
    made.jobs["number"][-1] = 9
    found = linux_checks.check(replace(good, processors=(made,))).findings
    assert found == ("processor 0: A#9 completed at 1ms, but the trace has not completed it",)


def spoiled(rows: list[Row], first: int, last: int, place: int, value: int | bool) -> list[Row]:
    """Replace a value of the reference's rows from an instant to another one."""
    changed = [(*row[:place], value, *row[place + 1 :]) for row in rows]
    return [new if first <= row[NOW] < last else row for row, new in zip(rows, changed, strict=True)]  # type: ignore


NOW, DUE, SELECTED, JOB, DECIDED, DECIDED_JOB, SHOULD_YIELD = range(7)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda rows: spoiled(rows, 7000, 11000, SELECTED, 1), "A#0 was selected at 8ms, but was decided 2ms later"),
        (
            lambda rows: spoiled(rows, 1000, 5000, DUE, 2100),
            r"the scheduler was due at 2\.1ms, but was called 2\.9ms later",
        ),
        (lambda rows: spoiled(rows, 36000, 40000, DUE, 37000), "was due at 37ms, but was not called up to the horizon"),
    ],
)
def test_what_the_scheduler_did_too_late_is_found(
    good: board.Run, change: Callable[[list[Row]], list[Row]], finding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _core.reference(good.trace.program(), good.trace.data)
    monkeypatch.setattr(_core, "reference", lambda program, records: change(rows))
    found = linux_checks.check(good).findings
    assert len(found) == 1
    assert found[0].startswith("processor 0: ")
    assert re.search(finding, found[0]), found


def test_time_that_is_charged_though_another_class_had_it_is_found(good: board.Run) -> None:
    def steal(switches: Any) -> Any:
        rows = np.array([(2_000_000, 102, 9), (2_050_000, 9, 102)], dtype=switches.dtype)
        return np.sort(np.concatenate((switches, rows)), order="at")

    found = linux_checks.check(with_switches(good, steal)).findings
    assert found == ("processor 0: from 1ms on B had the processor for 3.94ms, but 4ms were charged",)


@pytest.mark.parametrize(("length", "finds"), [(55_000, False), (65_000, True)])
def test_a_job_is_charged_for_a_thread_that_is_switched_off_at_once(good: board.Run, length: int, finds: bool) -> None:
    def overtake(switches: Any) -> Any:
        rows = np.array([(2_000_000, 102, 101), (2_000_000 + length, 101, 102)], dtype=switches.dtype)
        return np.sort(np.concatenate((switches, rows)), order="at")

    processor = with_switches(good, overtake).processors[0]
    found = list(linux_reference._Reference(processor, good.system, linux_reference.ONE).charges())
    line = "from 1ms on B had the processor for 3.925ms, but 4ms were charged"
    assert found == [line] * finds


def test_a_completion_that_its_thread_made_at_another_time_is_found(good: board.Run) -> None:
    processor = good.processors[0]
    for shift, line in ((-500_000, "A#0 ended at 0.5ms, but completed at 1ms"), (500_000, "A#0 ended at 1.5ms")):
        jobs = processor.jobs.copy()
        jobs["end"][0] += shift
        found = linux_checks.check(replace(good, processors=(replace(processor, jobs=jobs),))).findings
        assert [line in each for each in found] == [True]


def test_a_job_that_is_to_yield_and_does_not_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PLAIN.replace('wcet = "6ms"', 'subjobs = ["5ms", "1ms"]')
    run = switched(loaded(text, tmp_path), tmp_path)
    assert linux_checks.check(run).findings == ()
    run = replace(run, system=loaded(text.replace('"5ms", "1ms"', '"3ms", "3ms"'), tmp_path))
    rows = _core.reference(run.trace.program(), run.trace.data)
    monkeypatch.setattr(_core, "reference", lambda program, records: spoiled(rows, 1000, 7000, SHOULD_YIELD, True))
    found = linux_checks.check(run).findings
    assert len(found) == 1
    assert re.search("B#0 was to yield from 1ms on, but reached no point for", found[0])


def test_an_arrival_at_another_instant_is_found(tmp_path: Path) -> None:
    text = PLAIN.replace('period = "20ms"', 'arrivals = ["3ms", "{}ms"]\ndeadline = "20ms"')
    run = switched(loaded(text.format(23), tmp_path), tmp_path)
    assert linux_checks.check(run).findings == ()
    for instant in (22, 24):
        found = linux_checks.check(replace(run, system=loaded(text.format(instant), tmp_path))).findings
        assert found == (f"processor 0: B was to arrive at {instant}ms, but arrived at 23ms",)


def test_a_decision_without_a_cause_is_found(good: board.Run) -> None:
    records = list(good.trace.records())
    first = next(record for record in records if record.kind == _core.RECORD_DECISION)
    reference = linux_reference._Reference(good.processors[0], good.system, linux_reference.ONE)
    assert list(reference.causes()) == []
    reference.records = [first, first._replace(now=first.now + 5), *records]
    assert list(reference.causes()) == ["A#0 was decided again at 0.005ms, though nothing had happened"]


def test_a_call_that_handles_many_events_takes_longer(good: board.Run) -> None:
    handled = linux_reference.Handled(good.trace, linux_reference.ONE)
    for events, lag, longest in ((0, 30_000, 60_000), (2, 30_000, 120_000), (9, 135_000, 330_000)):
        handled.events = [7] * events
        assert (handled.lag(7), handled.longest(7_000, 60_000)) == (lag, longest)
    assert [handled.lag(0, levels) for levels in range(4)] == [30_000, 30_000, 45_000, 60_000]
    handled.events = [100, 189, 211, 300]
    assert handled.longest(100_000, 60_000) == 150_000
    assert handled.busy_until(250_000) == 211_000 + 120_000
    handled.events = [280_006] * 3
    assert handled.moment(280_027_343) == 150_000 - 21_343
    assert handled.moment(281_000_000) == 60_000


def test_the_end_of_a_suspension_is_an_event_that_is_handled(tmp_path: Path) -> None:
    text = PLAIN.replace('wcet = "1ms"', 'wcet = "1ms"\nbody = ["run 500us", "suspend 700us", "run 500us"]')
    run = switched(loaded(text, tmp_path), tmp_path)
    handled = linux_reference.Handled(run.trace, linux_reference.ONE)
    ends = [record.value for record in run.trace.records() if record.kind == _core.RECORD_SUSPEND]
    assert ends[0] == 1_200
    assert all(handled.count(end, end) > 0 for end in ends)
    assert handled.events == sorted(handled.events)


def test_what_long_ticks_hide_is_not_known(tmp_path: Path) -> None:
    run = switched(loaded(PLAIN.replace('"1us"', '"1ms"').replace('"5ms"', "5"), tmp_path), tmp_path)
    checked = linux_checks.check(run)
    assert checked.findings == ()
    assert checked.unknown == ("processor 0: with ticks of 1ms, differences that are shorter are not known",)


def test_regions_of_jobs_that_execute_for_different_times_are_not_known(tmp_path: Path) -> None:
    text = PLAIN.replace('wcet = "6ms"', 'subjobs = ["3ms", "3ms"]\ndemand = ["6ms", "5ms"]')
    run = switched(loaded(text, tmp_path), tmp_path)
    checked = linux_checks.check(run)
    assert checked.findings == ()
    line = "processor 0: whether B yields in time is not known, because its jobs execute for different times"
    assert checked.unknown == (line,)


def test_what_a_demand_has_beyond_the_body_extends_the_last_region(tmp_path: Path) -> None:
    text = PLAIN.replace('"fp"', '"rm"').replace('wcet = "6ms"', 'subjobs = ["3ms", "3ms"]\ndemand = ["9ms"]')
    run = switched(loaded(text, tmp_path), tmp_path)
    assert linux_checks.check(run).findings == ()
    shorter = replace(run, system=loaded(text.replace("9ms", "6ms"), tmp_path))
    line = "processor 0: B#0 was to yield from 5ms on, but reached no point for 5ms of its execution"
    assert line in linux_checks.check(shorter).findings


def test_a_job_that_goes_on_behind_its_point_did_yield(tmp_path: Path) -> None:
    """At its point the resource that it holds keeps the more urgent job off."""
    lock = (
        '[[resource]]\nname = "R"\nprotocol = "srp"\n[[task]]\nname = "A"\noffset = "1ms"\nbody = ["lock R", "run 1ms"]'
    )
    text = PLAIN.replace('"fp"', '"rm"').replace('[[task]]\nname = "A"', lock)
    body = 'preemption = "non-preemptive"\nbody = ["lock R", "run 3ms", "point", "run 3ms"]'
    run = switched(loaded(text.replace('wcet = "6ms"', body), tmp_path), tmp_path)
    assert linux_checks.check(run).findings == ()
    assert any(record.kind == _core.RECORD_POINT for record in run.trace.records())


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_a_run_that_does_what_the_simulator_does_has_no_finding(generator: st.SearchStrategy[System]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for system in many_runs.drawn(generator, 7, count(20), "100us"):
            assert linux_checks.check(switched(system, Path(folder))).findings == ()


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_the_reference_of_a_simulation_is_the_simulation(generator: st.SearchStrategy[System]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for system in many_runs.drawn(generator, 7, count(20), "1ms"):
            takt.simulate(system, trace=Path(folder, "T.takt"))
            trace = trace_file.read(Path(folder, "T.takt"))
            rows = _core.reference(trace.program(), trace.data)
            for row in (row for row in rows if row[NOW] < trace.horizon):  # there nothing is decided
                assert row[SELECTED] == row[DECIDED], row
                assert row[DUE] > row[NOW], row


# ---- what is refused --------------------------------------------------------------------------------------------


def test_the_kernel_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(board.FOLDER_VARIABLE, str(tmp_path))
    expected = (
        "there is no kernel of Linux here: run make linux in Takt's folder, or name its build/linux by TAKT_LINUX\n"
    )
    assert invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "linux") == (1, "", expected)


def test_a_machine_that_cannot_run_takt_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = check.Finding("kernel", "missing", "5.10", "6.12", "boot a newer one")
    monkeypatch.setattr(check, "check", lambda root: [finding, finding])
    expected = "this machine cannot run Takt: kernel: boot a newer one and 1 more; takt linux check lists all\n"
    assert invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "linux-host") == (1, "", expected)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["dhall.toml"], "[system] cpus: under Linux a domain has one processor, found 4; give each task a cpu"),
        (
            ["smallest.toml", "--horizon", "400s"],
            "[system] horizon: the run would take 400s, expected 300s at most; shorten it, as by --horizon 10s",
        ),
        (
            ["architectures.toml"],
            "[platform] model: the board is an architecture of its own; leave it out",
        ),
    ],
)
def test_what_linux_cannot_run_is_bad_input(arguments: list[str], line: str) -> None:
    file = str(EXAMPLES / arguments[0])
    assert invoke("run", file, *arguments[1:], "--on", "linux") == (2, "", f"{file}: {line}\n")


def test_products_without_sources_are_used_as_they_are(tmp_path: Path) -> None:
    place = tmp_path / "linux"
    with pytest.raises(
        BoardError, match=r"^there is no linux/bpf/build.py around .*; run make linux in Takt's folder$"
    ):
        board.products(place)
    (place / "takt").mkdir(parents=True)
    for name in ("takt.bpf.o", "tables.bin", "takt-linux"):
        (place / "takt" / name).touch()
    assert set(board.products(place)) == {"takt.bpf.o", "tables.bin", "takt-linux"}


def test_a_tick_is_1_us_unless_the_file_needs_its_own(tmp_path: Path) -> None:
    assert board.tick_of(loaded(PLAIN, tmp_path)) == 1000
    assert board.tick_of(loaded(PLAIN.replace("1us", "500ns"), tmp_path)) == 500
    assert board.tick_of(loaded(PLAIN.replace('"1us"', '"1ms"').replace('"5ms"', "5"), tmp_path)) == 1_000_000


def test_the_table_has_prediction_bound_and_measurement_and_the_pictures_are_drawn(
    good: board.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = replace(good, notes=("processor 0: 2 jobs were ended because their threads were gone",))
    monkeypatch.setattr(board, "run", lambda system, path, name: noted)
    file, picture, gantt = str(tmp_path / "set.toml"), tmp_path / "P", tmp_path / "G.svg"
    status, output, errors = invoke("run", file, "--on", "linux", "--perfetto", str(picture), "--gantt", str(gantt))
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    (heading,) = (number for number, line in enumerate(lines) if line.startswith("task"))
    assert re.split("  +", lines[heading])[2:7] == ["worst seen", "sim worst", "bound", "late", "sim late"]
    (row,) = (re.split("  +", line) for line in lines if line.startswith("B "))
    assert row[2:8] == ["7 ms", "7 ms", "7 ms", "-", "-", "2"]
    assert any(line.startswith("kernel: 12 switches to threads of tasks, all as decided") for line in lines)
    assert lines[-1] == noted.notes[0]
    assert b"kernel, processor 0" in picture.read_bytes()
    assert gantt.read_text().startswith("<?xml")


def test_a_finding_is_an_error_and_the_trace_is_kept(
    good: board.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "run", lambda system, path, name: with_switches(good, late))
    status, output, errors = invoke("run", str(tmp_path / "set.toml"), "--on", "linux")
    assert (status, output) == (1, "")
    assert errors.startswith("processor 0: ")
    assert Path(good.trace.path).exists()


class Lifo(takt.Policy):
    """The last one goes first."""

    def release(self, job: takt.Job) -> int:
        return 1_000_000 - job.release


def test_a_policy_in_python_is_refused_in_one_line() -> None:
    system = takt.System(policy=Lifo(), tasks=[takt.Task(name="A", period=10, wcet=1)], horizon=20)
    line = "the board has no policies in Python, found lifo; write it in C, in policy/"
    for call in (lambda: board.run(system, "T.takt"), lambda: daemon.load(system)):
        with pytest.raises(takt.InputError, match=f"^{line}$"):
            call()


def test_rates_are_negotiated_where_there_is_an_allocator_for_them() -> None:
    for example, found in (("fpds", "policy fp"), ("shared_rates", "resources")):
        system = takt.load(EXAMPLES / f"{example}.toml")
        assert not daemon.negotiates(system.resolved)
        line = f'[system] policy: expected policy = "rate-based" without resources, to negotiate rates, found {found}'
        with pytest.raises(takt.InputError, match=re.escape(line)):
            daemon.with_rows(system.resolved, 100, 1)
