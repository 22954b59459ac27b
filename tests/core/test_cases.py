# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The cases of tests/cases on every engine: oracle, simulator, replay, and the kernel on posix in virtual time.

An engine gives the outcome of a case, and says which columns it tells. What it refuses is said here and tried, but for
the oracle, which judges no input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import machine_oracle
import oracle
import pytest
import takt
from cases import Case, cases
from takt.board import emulation
from takt.run import measurement
from test_golden import Run, golden_runs, merged
from test_random_systems import outcome

ALL = cases()
COLUMNS = tuple(oracle.Outcome.__dataclass_fields__)


@dataclass(frozen=True)
class Engine:
    """What executes a case.

    Args:
        run: gives the outcome; the path is of a trace that it may write.
        tells: the columns of the outcome that it knows.
        refuses: whether it takes no such system, which is no defect.
    """

    run: Callable[[Case, Path], oracle.Outcome]
    tells: Callable[[Case], tuple[str, ...]]
    refuses: Callable[[Case], bool]


def is_ideal(case: Case) -> bool:
    """True if the kernel's own work costs nothing."""
    return "platform" not in case.tables


def has_one_processor(case: Case) -> bool:
    """True if the system has one processor, as all boards do."""
    return "cpus" not in case.tables["system"]


def by_oracle(case: Case, trace: Path) -> oracle.Outcome:
    if case.is_divided:
        tasks, servers = ([table["name"] for table in case.tables.get(kind, [])] for kind in ("task", "server"))
        return machine_oracle.simulate(case.domains(), tasks, servers, case.horizon)[0]
    found = oracle.simulate(case.as_oracle(), case.horizon)
    return replace(found, budgets=[row for row in found.budgets if row])


def by_simulator(case: Case, trace: Path) -> oracle.Outcome:
    return outcome(takt.simulate(takt.load(case.path)))


def of_trace(trace: Path) -> oracle.Outcome:
    """Replay a trace, which decides as was recorded, and give what the trace tells."""
    replay = takt.replay(trace)
    assert replay.difference is None
    if replay.trace.system.cpus > 1:
        return oracle.Outcome([], [], [], {})
    segments = measurement.segments_of(replay.trace).select("start", "end", "server", "task", "job").rows()
    return oracle.Outcome(segments, measurement.jobs_of(replay.trace).rows(), [], {})


def by_replay(case: Case, trace: Path) -> oracle.Outcome:
    takt.simulate(takt.load(case.path), trace=trace)
    return of_trace(trace)


def by_posix(case: Case, trace: Path) -> oracle.Outcome:
    emulation.run(takt.load(case.path), trace, emulation.POSIX)
    return of_trace(trace)


def of_simulator(case: Case) -> tuple[str, ...]:
    """The simulator counts the calls of a scheduler that costs something only."""
    return tuple(column for column in COLUMNS if column != "invocations" or not is_ideal(case))


def of_traces(case: Case) -> tuple[str, ...]:
    """A trace has no record of the time between a decision and its job, and tells processors otherwise."""
    if not has_one_processor(case):
        return ()
    return ("segments", "jobs") if is_ideal(case) else ("jobs",)


ENGINES = {
    "oracle": Engine(by_oracle, lambda case: COLUMNS, lambda case: not case.is_known_to_the_oracle),
    "simulator": Engine(by_simulator, of_simulator, lambda case: False),
    "replay": Engine(by_replay, of_traces, lambda case: False),
    "posix": Engine(by_posix, of_traces, lambda case: not (is_ideal(case) and has_one_processor(case))),
}


def runs_of(found: oracle.Outcome) -> list[Run]:
    """Return the runs as golden files do, where an idling server is `idle-` and its name."""
    rows = ((start, end, server, task) for start, end, server, task, _ in found.segments)
    return merged([(start, end, f"idle-{server}" if task == "idle" else task) for start, end, server, task in rows])


def pairs(refused: bool) -> list[pytest.ParameterSet]:
    """Return cases and engines: those that can be combined, or the others."""
    return [
        pytest.param(case, engine, id=f"{case.name}-{name}")
        for case in ALL
        for name, engine in ENGINES.items()
        if engine.refuses(case) == refused
    ]


@pytest.mark.parametrize(("case", "engine"), pairs(refused=False))
def test_every_engine_gives_the_rows_worked_out_by_hand(case: Case, engine: Engine, tmp_path: Path) -> None:
    found = engine.run(case, tmp_path / "T.takt")
    told = engine.tells(case)
    expected = {column: case.expected[column] for column in case.expected if column in told}
    assert {column: getattr(found, column) for column in expected} == expected
    if case.golden is not None and "segments" in told:
        assert runs_of(found) == golden_runs(case.golden)
    if case.is_known_to_the_oracle:
        reference = by_oracle(case, tmp_path)
        assert [getattr(found, column) for column in told] == [getattr(reference, column) for column in told]


@pytest.mark.parametrize(
    ("case", "engine"), [pair for pair in pairs(refused=True) if pair.values[1] is not ENGINES["oracle"]]
)
def test_what_an_engine_does_not_take_it_refuses(case: Case, engine: Engine, tmp_path: Path) -> None:
    with pytest.raises((takt.InputError, ValueError, TypeError)):
        engine.run(case, tmp_path / "T.takt")


def test_every_column_of_a_case_is_one_of_the_oracle() -> None:
    assert {column for case in ALL for column in case.expected} <= {*COLUMNS}
