# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Domains under a simulated Linux: without delay as simulated, with chaos replayed, and refused with the reason.

The program is simulated_linux.c. It checks the contract of linux/domain.h at every call.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import net
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import horizons
from places import EXAMPLES
from recipes import compile_objects, found, link, recipe_of_linux
from sampling import count, expect_cases, tries
from takt.board import emulation, firmware, programs
from takt.files import machine_records, trace_file
from takt.model import image as images
from takt.model.core_input import ResolvedCosts, ResolvedSystem, ResolvedThread, Stream
from takt.model.horizon import horizon_ticks
from takt.model.records import ResolvedArchitecture
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs, check_same

COUNTED = ("received", "stale", "unknown", "unfit", "full", "ahead", "foreseen")
FOLDERS = ("core", "policy", "system", "remote", "linux")
MANY = 1 << 18
OVERFLOW = 36


class Outcome(NamedTuple):
    """What a run of the program left: its status, its lines, and the records with the closing one."""

    status: int
    lines: list[str]
    records: bytes


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    how = recipe_of_linux()
    objects = compile_objects(how, found(*(f"{folder}/*.c" for folder in FOLDERS)), tmp_path_factory)
    return link(how, ["tests/linux/simulated_linux.c"], objects, tmp_path_factory.mktemp("linux") / "simulated_linux")


def adapted(system: takt.System) -> ResolvedSystem:
    """Describe a system in its own ticks, as Linux runs it."""
    return emulation.adapt(system, emulation.Board(emulation.LINUX, firmware.source_folder(), {}))


def image_of(system: takt.System) -> bytes:
    """Write the image that a domain is built from."""
    return programs.image(system.resolved, adapted(system), horizon_ticks(system), is_remote=True)


def execute(program: Path, image: bytes, folder: Path, seed: int = 0, records: int = MANY) -> Outcome:
    """Run the program on an image."""
    (folder / "I").write_bytes(image)
    command = [str(word) for word in (program, folder / "I", folder / "R", seed, records)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode in (0, 2), done.stderr) == (True, ""), done.stderr
    return Outcome(
        done.returncode, done.stdout.splitlines(), (folder / "R").read_bytes() if not done.returncode else b""
    )


def trace_of(
    program: Path, system: takt.System, folder: Path, seed: int = 0
) -> tuple[trace_file.Trace, dict[str, int]]:
    """Run a system and write its trace; give it, and how often each receipt came."""
    outcome = execute(program, image_of(system), folder, seed)
    assert outcome.status == 0
    records = bytes(trace_file.without_closing(memoryview(outcome.records)))
    path = folder / "T.takt"
    trace_file.write(path, adapted(system), "linux", horizon_ticks(system), records, is_remote=True)
    assert path.read_bytes().endswith(outcome.records)
    return trace_file.read(path), dict(zip(COUNTED, map(int, outcome.lines), strict=True))


def check_simulated(program: Path, system: takt.System) -> int:
    """Check a system without chaos; return how many of its jobs ran ahead of the domain."""
    with tempfile.TemporaryDirectory() as folder:
        trace, counts = trace_of(program, system, Path(folder))
        check_same(trace, system, is_remote=True)
        return counts["foreseen"]


@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_every_example_runs_exactly_as_it_is_simulated(example: str, program: Path) -> None:
    check_simulated(program, takt.load(EXAMPLES / f"{example}.toml"))


@pytest.mark.parametrize("tasks", [254, 255, 256, 1000])
def test_each_of_a_thousand_tasks_has_a_priority_of_its_own(tasks: int, program: Path, tmp_path: Path) -> None:
    lines = [
        f'[[task]]\nname = "t{number}"\nperiod = "{tasks}us"\nwcet = "1us"\npriority = {tasks - number}\n'
        for number in range(tasks)
    ]
    horizon = f'horizon = "{3 * tasks}us"'
    path = tmp_path / "set.toml"
    path.write_text(f'schema = 1\n[system]\npolicy = "fp"\nresolution = "1us"\n{horizon}\n{"".join(lines)}')
    system = takt.load(path)
    assert (adapted(system).levels, adapted(system).threads) == (tasks, ())
    assert check_simulated(program, system) > tasks


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_run_exactly_as_they_are_simulated(generator: st.SearchStrategy[System], program: Path) -> None:
    @tries(25)
    @given(generator, horizons())
    def agrees(system: System, horizon: int) -> None:
        check_simulated(program, as_programs(system).replace(horizon=horizon))

    agrees()


@pytest.mark.parametrize("paradigm", ["rates", "shares", "windows"])
def test_allocators_and_deadline_rules_run_exactly_as_they_are_simulated(
    paradigm: str, program: Path, tmp_path: Path
) -> None:
    for system in drawn(paradigm, tmp_path):
        check_simulated(program, system)


def drawn(paradigm: str, folder: Path) -> list[takt.System]:
    """Return systems of a paradigm, evenly spread."""
    texts = net.systems(paradigm)
    path = folder / "set.toml"
    found = []
    for _, text in texts[:: max(1, len(texts) // count(10))]:
        path.write_text(text)
        found.append(takt.load(path))
    return found


# ---- chaos -------------------------------------------------------------------------------------------------


def check_replays(program: Path, system: takt.System, seed: int) -> dict[str, int]:
    """Run a system whose threads send nonsense and are late: its trace replays; give the receipts."""
    with tempfile.TemporaryDirectory() as folder:
        trace, receipts = trace_of(program, system, Path(folder), seed)
        assert takt.replay(trace.path).difference is None
        return receipts


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_what_threads_send_is_judged_and_replays_identically(
    generator: st.SearchStrategy[System], program: Path
) -> None:
    seen: Counter[str] = Counter()

    @tries(25)
    @given(generator, horizons(), st.integers(1, 2**32))
    def replays(system: System, horizon: int, seed: int) -> None:
        seen.update(check_replays(program, as_programs(system).replace(horizon=horizon), seed))

    replays()
    expect_cases(all(seen[receipt] for receipt in ("received", "stale", "unknown", "unfit", "foreseen")), seen)


@pytest.mark.parametrize("paradigm", ["rates", "shares", "windows"])
def test_allocators_withstand_what_threads_send(paradigm: str, program: Path, tmp_path: Path) -> None:
    for seed, system in enumerate(drawn(paradigm, tmp_path), start=1):
        check_replays(program, system, seed)


# ---- what is told ------------------------------------------------------------------------------------------

TASK = '[[task]]\nname = "A"\nperiod = "100us"\nwcet = "10us"\n'
SET = f'schema = 1\n[system]\nresolution = "1us"\nhorizon = "1ms"\n{TASK}'


@pytest.fixture
def system(tmp_path: Path) -> takt.System:
    path = tmp_path / "set.toml"
    path.write_text(SET)
    return takt.load(path)


def test_the_image_of_a_domain_is_the_header_of_its_trace(system: takt.System, program: Path, tmp_path: Path) -> None:
    trace, _ = trace_of(program, system, tmp_path)
    written, image = Path(trace.path).read_bytes(), image_of(system)
    path = tmp_path / "O.takt"
    begin = len(written) - len(trace.data) - 32
    text = written[16 + len(trace.image) : begin].rstrip(b"\0")
    header = written[:12] + (len(image) + len(text)).to_bytes(4, "little") + image + text
    path.write_bytes(header + bytes(-len(header) % 32) + written[begin:])
    assert takt.replay(path).is_identical


def test_a_log_that_was_full_says_so(system: takt.System, program: Path, tmp_path: Path) -> None:
    whole = execute(program, image_of(system), tmp_path).records
    for limit in (1, 2, 10, len(whole) // 32 - 1, len(whole) // 32):
        cut = execute(program, image_of(system), tmp_path, records=limit).records
        assert (len(cut), cut[:-32]) == (limit * 32, whole[: limit * 32 - 32])
        lost = whole[limit * 32 - 32 :]
        now, counted = (int.from_bytes(cut[-32:][at : at + 8], "little") for at in (0, 8))
        assert counted == limit - 1
        if limit * 32 < len(whole):
            assert (cut[-32:][24], now) == (OVERFLOW, int.from_bytes(lost[:8], "little"))
        else:
            assert cut == whole


def packed(system: takt.System, **changes: Any) -> bytes:
    """Write the image of a system that is changed as it is described."""
    return images.pack(replace(adapted(system), **changes), horizon_ticks(system), is_remote=True)


ARCHITECTURE = ResolvedArchitecture(model="hardware", context_switch=1, interval=0, is_fixed=False, latency=0)

REFUSED = {
    "NOT_REMOTE": (
        lambda system: programs.image(system.resolved, adapted(system), 1000),
        "the image is of a scheduler that stands where the jobs run: ",
    ),
    "DELAYS": (
        lambda system: programs.image(system.resolved, adapted(system), 1000, delays=Stream("listed", (1,))),
        "the image has delays of messages; under Linux they are what they are: ",
    ),
    "COSTS": (
        lambda system: packed(system, costs=ResolvedCosts(release=1)),
        "the image has costs of a simulated kernel; Linux has its own: ",
    ),
    "ARCHITECTURE": (
        lambda system: packed(
            system,
            tasks=tuple(replace(task, on_miss="drop") for task in system.resolved.tasks),
            architecture=ARCHITECTURE,
            threads=(),
        ),
        "the image has a simulated architecture; Linux is one of its own: ",
    ),
    "THREADS": (
        lambda system: packed(system, threads=(ResolvedThread("a", level=1),)),
        "the image has plain threads; under Linux those are of the fair class: ",
    ),
    "IMAGE": (
        lambda system: image_of(system)[:-8],
        "the image cannot be read: the image is shorter or longer than it says",
    ),
    "RELATION": (
        lambda system: packed(system, cpus=2, threads=()),
        "the image contradicts itself: a remote scheduler has one processor",
    ),
}


@pytest.mark.parametrize(("image", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_what_linux_cannot_run_is_refused(
    image: Callable[[takt.System], bytes], line: str, system: takt.System, program: Path, tmp_path: Path
) -> None:
    assert execute(program, image(system), tmp_path) == (2, [line], b"")


@pytest.mark.parametrize("records", [0, 1 << 32])
def test_a_log_without_room_is_refused(records: int, system: takt.System, program: Path, tmp_path: Path) -> None:
    line = "the log has room for 1 to 2^32 - 1 records, the closing one included: "
    assert execute(program, image_of(system), tmp_path, records=records) == (2, [line], b"")


def test_the_logs_of_several_processors_are_the_trace_of_a_machine(program: Path, tmp_path: Path) -> None:
    """A processor has a domain and a log: merged by time they replay, and each one says what was simulated."""
    loaded = takt.load(EXAMPLES / "machine.toml")
    tasks = [task for task in loaded.tasks if task.cluster != 2]
    machine = loaded.replace(tasks=tasks, clusters=loaded.clusters[:2], cpus=2)
    horizon = horizon_ticks(machine)
    described = [adapted(domain.system) for domain in machine.domains]
    places = machine_records.places_of([domain.processors for domain in machine.domains], described)
    logs = []
    for number, domain in enumerate(machine.domains):
        (folder := tmp_path / str(number)).mkdir()
        trace, _ = trace_of(program, domain.system, folder)
        check_same(trace, domain.system, is_remote=True)
        logs.append(trace.data)
    records = machine_records.merged(places, logs)
    images_of = [(each, images.pack(each, horizon, is_remote=True)) for each in described]
    header = trace_file.machine_header("drive", [place.processors for place in places], images_of)
    path = tmp_path / "M.takt"
    path.write_bytes(header + records + trace_file.closing(horizon, records))
    assert takt.replay(path).is_identical
    assert [part.data for part in trace_file.read(path).domains] == logs
