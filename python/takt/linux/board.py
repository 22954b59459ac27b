# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Running task sets as threads of Linux: core decides inside the kernel, under sched_ext.

Source: linux/daemon/run_image.c (the program), linux/domain.h (the scheduler of a processor). Each task is a thread
that executes in CPU time; each domain of a machine has a processor. Linux runs in the emulator of guest.py, where a run
is the same each time, or it is the machine itself, where it takes as long as the horizon.

A tick is 1 us. A file with a finer resolution, or with times that are numbers of its ticks, has its own.

When not to use it: for domains of several processors, which Linux has not got yet.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from takt.base import output_files, times
from takt.base.errors import BoardError, InputError, Problem
from takt.board import emulation, firmware, guest, processor_time, programs
from takt.files import machine_records, trace_file
from takt.files.trace_file import Trace
from takt.linux import check
from takt.model import image as images
from takt.model.core_input import ResolvedSystem
from takt.model.horizon import horizon_ticks
from takt.model.system import System

GUEST = emulation.LINUX
HOST = emulation.LINUX_HOST

TICK_NS = 1000

OVERHEAD_NS = 100_000
"""What the kernel takes of the time of a job in the guest, to switch to it and away from it: the job's thread executes
so much less than the file says. A job whose budget is its execution time would exhaust it otherwise."""

FOLDER_VARIABLE = "TAKT_LINUX"
"""Names the folder that `make linux` fills, where that is not build/linux around the working folder."""

SHIPPED = Path(__file__).parent / "shipped"
"""What a package has that was built with the programs for Linux: `make wheel-linux`."""

_PRODUCTS = ("takt.bpf.o", "tables.bin", "takt-linux")
DAEMON = "taktd"
_BUILDER = Path("linux", "bpf", "build.py")
_FOLDERS = ("core", "policy", "system", "remote", "linux")
_COMMAND = f"takt-linux {' '.join(_PRODUCTS[:2])} list"
_ENDED = "ended-"
_SWITCH = np.dtype([("at", "<i8"), ("off", "<u4"), ("on", "<u4")])
_JOB = np.dtype(
    [
        ("release", "<i8"),
        ("start", "<i8"),
        ("end", "<i8"),
        ("task", "<u4"),
        ("number", "<u4"),
        ("outcome", "<i4"),
        ("unused", "<u4"),
    ]
)
_LOADING_SECONDS = 300
_SECONDS_PER_SECOND = 8
"""What a second of a busy processor takes of the host's in the emulator, at most."""

_BUSY_OF_A_SECOND = 2
"""Likewise on this machine: its threads, and the kernel's work for them."""

_MOST_SWITCHES = 1 << 18
_LONGEST_NS = 300_000_000_000
_BASE_MEMORY_MB = 512
_MEMORY_MB = 128
"""For each processor: its log, its jobs and its switches."""

Switches = npt.NDArray[np.void]


@dataclass(frozen=True)
class Processor:
    """Run of one processor.

    Args:
        trace: of its domain.
        threads: the task of each thread, by the number that the kernel gave it.
        switches: the kernel's own records: instants in ns of the run, threads that were switched off and on.
        jobs: as the threads saw them: instants in ns of the run.
    """

    trace: Trace
    threads: Mapping[int, str]
    switches: Switches
    jobs: npt.NDArray[np.void]

    def stretches(self) -> tuple[int, list[tuple[int, int, str]]]:
        """Return the number of the processor, and what ran on it from instant 0 to the horizon.

        Each has its start and end in ns, and the name of a task; other threads are called by their numbers, and while
        the processor is idle there is none.
        """
        horizon = self.trace.horizon * self.trace.system.resolution_ns
        instants = self.switches["at"].tolist()
        rows = zip(self.switches["on"].tolist(), instants, [*instants[1:], horizon], strict=True)
        return self.trace.processors[0], [
            (max(start, 0), min(end, horizon), self.threads.get(thread, f"thread {thread}"))
            for thread, start, end in rows
            if thread and end > 0 and start < horizon
        ]


@dataclass(frozen=True)
class Run:
    """Result of a run.

    Args:
        system: what ran, in the ticks of its file.
        trace: the trace file, read.
        processors: of each domain, in their order.
        findings: what went wrong; one line each.
        notes: what happened to threads that the schedule does not say; one line each.
    """

    system: System
    trace: Trace
    processors: tuple[Processor, ...]
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()


def in_ticks_of_trace(system: System) -> System:
    """Return a system in the ticks that it runs with, for charts: of TICK_NS, if it is the same with these."""
    if system.resolution_ns % TICK_NS != 0:
        return system
    try:
        fine = system.replace(resolution=f"{TICK_NS}ns", horizon=f"{horizon_ticks(system) * system.resolution_ns}ns")
    except InputError:
        return system
    return fine if _described(fine) == _described(system) else system


def tick_of(system: System) -> int:
    """Return the nanoseconds of the tick with which a system runs."""
    return in_ticks_of_trace(system).resolution_ns


def _described(system: System) -> list[ResolvedSystem]:
    """Describe the domains of a system in ticks of TICK_NS, but for rates, which have a grid of ticks."""
    parts = [domain.system for domain in system.domains] or [system]
    return [replace(programs.describe(part.resolved, TICK_NS, has_idle_thread=False), rates=None) for part in parts]


# ---- what is to run -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The domain of one processor.

    Args:
        system: in the ticks of its file.
        described: for the image and for replay.
        horizon: in ticks of the trace.
        processors: its numbers on the machine.
    """

    system: System
    described: ResolvedSystem
    horizon: int
    processors: tuple[int, ...]

    @property
    def horizon_ns(self) -> int:
        """Length of the run."""
        return self.horizon * self.described.resolution_ns

    def image(self) -> bytes:
        """Write its image."""
        horizon = self.horizon_ns // self.system.resolution_ns
        return programs.image(self.system.resolved, self.described, horizon, is_real_time=True, is_remote=True)


@dataclass(frozen=True)
class _Order:
    """A system that is to run, and the trace file to write."""

    board: str
    system: System
    parts: Sequence[Part]
    path: Path

    @property
    def tick_ns(self) -> int:
        """The tick of its domains."""
        return self.parts[0].described.resolution_ns

    @property
    def overhead_ns(self) -> int:
        """Difference of a job's execution to the file's: none where ticks hide it and no budget needs it."""
        has_budgets = any(part.described.servers or part.described.rates for part in self.parts)
        return OVERHEAD_NS if self.board == GUEST and (self.tick_ns <= TICK_NS or has_budgets) else 0


def parts(system: System) -> list[Part]:
    """Describe the domains of a system.

    Raises:
        InputError: Linux cannot run one.
    """
    tick_ns = tick_of(system)
    board = emulation.Board(GUEST, firmware.source_folder(), {"tick_ns": tick_ns})
    horizon_ns = horizon_ticks(system) * system.resolution_ns
    domains = [(domain.system, domain.processors) for domain in system.domains] or [(system, (0,))]
    for part, _ in domains:
        if part.resolved.cpus > 1:
            message = f"under Linux a domain has one processor, found {part.resolved.cpus}; give each task a cpu"
            raise InputError([Problem(message, "board", table="system", key="cpus")])
    return [Part(part, emulation.adapt(part, board), horizon_ns // tick_ns, processors) for part, processors in domains]


# ---- where it runs --------------------------------------------------------------------------------------------


def folder() -> Path:
    """Return the folder that `make linux` fills.

    Raises:
        BoardError: there is none.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    places = [Path(named)] if named else []
    with suppress(FileNotFoundError):  # the working folder was removed
        places = places or [parent / "build" / "linux" for parent in (Path.cwd(), *Path.cwd().parents)]
    found = next((place for place in places if (place / "vmlinux").exists()), None)
    if found is None:
        message = f"run make linux in Takt's folder, or name its build/linux by {FOLDER_VARIABLE}"
        raise BoardError(f"there is no kernel of Linux here: {message}")
    return found.resolve()


def products(place: Path) -> dict[str, Path]:
    """Return the files that run task sets; they are built if they are missing or older than their sources.

    Without sources they are those of the package, or those that are there.

    Args:
        place: the folder of the kernel.

    Raises:
        BoardError: they cannot be built.
    """
    into = place / "takt"
    found = {name: into / name for name in _PRODUCTS}
    root = place.parents[1]
    if not (root / _BUILDER).exists():
        if has_shipped() or all(path.exists() for path in found.values()):
            return _files_in(SHIPPED if has_shipped() else into)
        raise BoardError(f"there is no {_BUILDER} around {place}; run make linux in Takt's folder")
    sources = (path for folder in _FOLDERS for path in (root / folder).rglob("*") if path.suffix in (".c", ".h", ".py"))
    newest = max(path.stat().st_mtime for path in sources)
    with _alone_in(place):
        if not all(path.exists() and path.stat().st_mtime > newest for path in found.values()):
            into.mkdir(exist_ok=True)
            command = [sys.executable, str(root / _BUILDER), "--linux", str(place), "--into", str(into)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                said = (done.stderr.strip() or "no word").splitlines()[-1]
                raise BoardError(f"the scheduler for Linux could not be built: {said.removeprefix('build.py: ')}")
            for path in found.values():
                path.touch()
    return _files_in(into)


def _files_in(place: Path) -> dict[str, Path]:
    """Return the files of _PRODUCTS, and the objects of families of task sets, which load sooner."""
    paths = [*(place / name for name in _PRODUCTS), *sorted(place.glob("takt-*.bpf.o"))]
    return {path.name: path for path in paths}


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from building in a folder: they would write the same files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def has_shipped() -> bool:
    """True if the package has the programs for Linux."""
    return all((SHIPPED / name).exists() for name in (*_PRODUCTS, DAEMON))


def place_of_programs() -> Path | None:
    """Return the folder that has the programs for this machine, those of the package before those of make linux."""
    try:
        place = SHIPPED if has_shipped() else folder() / "takt"
    except BoardError:
        return None
    return place if (place / DAEMON).exists() else None


def run(system: System, path: str | Path, name: str = GUEST) -> Run:
    """Run a system; arguments and errors are those of run_all."""
    return run_all([system], [path], name)[0]


def run_all(systems: Sequence[System], paths: Sequence[str | Path], name: str = GUEST) -> list[Run]:
    """Run systems one after the other; arguments and errors are those of run_each.

    Returns:
        What happened.
    """
    found = dict[int, Run]()
    try:
        found.update(run_each(systems, paths, name))
    except BoardError as error:
        raise BoardError(
            f"{error}; {len(found)} of {len(systems)} runs have ended" if len(systems) > 1 else str(error)
        ) from None
    return [found[number] for number in range(len(systems))]


def run_each(systems: Sequence[System], paths: Sequence[str | Path], name: str = GUEST) -> Iterator[tuple[int, Run]]:
    """Run systems one after the other; the kernel's programs are loaded once, and the guest boots once.

    Args:
        systems: what to run, each up to its horizon.
        paths: the trace files to write.
        name: GUEST or HOST.

    Yields:
        The number of a system and what happened, as soon as it has run.

    Raises:
        InputError: Linux cannot take a system, or its trace is too long.
        BoardError: a tool is missing, the machine cannot run Takt, the guest stopped, or a run failed; after all runs
            that did not fail.
    """
    described = []
    for system in systems:
        horizon_ns = horizon_ticks(system) * system.resolution_ns
        if horizon_ns > _LONGEST_NS:
            found, most = times.shortest(horizon_ns), times.shortest(_LONGEST_NS)
            message = f"the run would take {found}, expected {most} at most; shorten it, as by --horizon 10s"
            raise InputError([Problem(message, "board", table="system", key="horizon")])
        described.append(parts(system))
    if name == HOST:
        _check_host()
    is_here = name == HOST and has_shipped()
    place = SHIPPED if is_here else folder()
    built = _files_in(SHIPPED) if is_here else products(place)
    # several emulated processors share the emulator's, so a system of one domain gets one
    for numbers in (
        [number for number, domains in enumerate(described) if len(domains) == 1],
        [number for number, domains in enumerate(described) if len(domains) > 1],
    ):
        orders = {number: _Order(name, systems[number], described[number], Path(paths[number])) for number in numbers}
        if orders:
            yield from _run_list(place, built, orders)


def _run_list(place: Path, built: Mapping[str, Path], orders: Mapping[int, _Order]) -> Iterator[tuple[int, Run]]:
    """Run systems with the same number of domains, one after the other; a run that failed is an error at the end."""
    files: dict[str, Path | bytes] = {**built}
    lines = []
    for number, order in orders.items():
        names = [f"image{number}.{index}" for index in range(len(order.parts))]
        files |= {name: part.image() for name, part in zip(names, order.parts, strict=True)}
        lines.append(f"{number} {order.tick_ns} {order.overhead_ns} {' '.join(names)}\n")
    files["list"] = "".join(lines).encode()
    busy = sum(order.parts[0].horizon_ns * len(order.parts) for order in orders.values()) // 1_000_000_000
    execute = _in_guest if next(iter(orders.values())).board == GUEST else _here
    processors = max(len(order.parts) for order in orders.values())
    missing, failures = set(orders), list[BoardError | InputError]()
    running = execute(place, files, processors, busy)
    while True:
        try:
            found = next(running)
        except StopIteration as end:
            failures += [BoardError(f"the run failed: {guest.last_line(end.value)}")] * bool(missing)
            break
        number = int(next(iter(found)).partition("/")[0])
        missing.discard(number)
        try:
            yield number, _Recorded(orders[number], number, found).written()
        except (BoardError, InputError) as error:
            failures.append(error)
    if failures:
        raise failures[0]


_Running = Generator[Mapping[str, bytes], None, str]
"""Yields the files of each run when it has ended; returns what was printed."""


def _in_guest(place: Path, files: Mapping[str, Path | bytes], processors: int, busy: int) -> _Running:
    machine = guest.Machine(place, processors, _BASE_MEMORY_MB + processors * _MEMORY_MB)
    patience = _LOADING_SECONDS + busy * _SECONDS_PER_SECOND
    command = f"TAKT_LINUX_AFTER='{guest.HAND_OVER} work/' ./{_COMMAND}"
    outcome = yield from guest.stream(machine, command, files, patience=patience)
    return outcome.output.decode(errors="replace")


def _here(place: Path, files: Mapping[str, Path | bytes], processors: int, busy: int) -> _Running:
    """Run a list on this machine, whose programs are not those of a guest in `place`."""
    if processors > (os.cpu_count() or 1):
        raise BoardError(f"the task set needs {processors} processors, found {os.cpu_count()}")
    with emulation.temporary_folder() as folder:
        for name, content in files.items():
            if isinstance(content, bytes):
                output_files.write(folder / name, content)
            else:
                (folder / name).symlink_to(content)
        command = [str(folder / word) for word in _COMMAND.split()]
        environment = {**os.environ, "TAKT_LINUX_AFTER": f"touch {_ENDED}"}
        with processor_time.started(command, folder, environment) as process:
            try:
                for _ in processor_time.waits(process, _LOADING_SECONDS + busy * _BUSY_OF_A_SECOND):
                    yield from _ended_in(folder)
            except processor_time.ImpatientError as error:
                raise BoardError(f"the run {error}") from None
        yield from _ended_in(folder)
        done = processor_time.finished(process, folder)
    return (done.stdout + done.stderr).decode(errors="replace")


def _ended_in(folder: Path) -> Iterator[Mapping[str, bytes]]:
    """Yield the files of runs that have ended since the last call."""
    for mark in sorted(folder.glob(f"{_ENDED}*")):
        number = mark.name.removeprefix(_ENDED)
        mark.unlink()
        yield {f"{number}/{path.name}": path.read_bytes() for path in (folder / number).iterdir()}


def _check_host() -> None:
    """Check that this machine can run Takt.

    Raises:
        BoardError: it cannot; the text names what is missing first, and the remedy.
    """
    missing = [finding for finding in check.check(Path("/")) if finding.state == "missing"]
    if missing:
        first, more = missing[0], len(missing) - 1
        others = f" and {more} more" if more else ""
        raise BoardError(
            f"this machine cannot run Takt: {first.what}: {first.remedy}{others}; takt linux check lists all"
        )


# ---- what comes back ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Recorded:
    """The files of one run of a list, which is a folder of that number."""

    order: _Order
    number: int
    all_files: Mapping[str, bytes]

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files by their names in the folder."""
        start = f"{self.number}/"
        return {name.removeprefix(start): data for name, data in self.all_files.items() if name.startswith(start)}

    def written(self) -> Run:
        """Write the trace; return the result."""
        lines = [line.split(" ", 1) for line in self.files.get("report", b"").decode(errors="replace").splitlines()]
        for word, text in lines:
            if word == "refused":
                raise InputError([Problem(f"Linux refuses the task set: {text}", "board")])
        epoch = next((int(text) for word, text in lines if word == "epoch"), None)
        failures = [text for word, text in lines if word == "failed"]
        if epoch is None:
            raise BoardError(f"the run failed: {failures[0] if failures else 'no word'}")
        findings = list(failures)
        for text in (text for word, text in lines if word == "processor"):
            cpu, status, _, _, _, _, refused, inputs, lost, switches, message = text.split(" ", 10)
            if int(lost) or int(switches) >= _MOST_SWITCHES:
                message = f"the memory for records of processor {cpu} is full; shorten the horizon"
                raise InputError([Problem(message, "board", table="system", key="horizon")])
            findings += [f"processor {cpu}: {message}"] if int(status) else []
            findings += [f"processor {cpu}: {refused} events of threads were refused"] if int(refused) else []
            findings += [f"processor {cpu}: {inputs} arrivals or changes were refused"] if int(inputs) else []
        self._write(self.order.path)
        trace = trace_file.read(self.order.path)
        processors = [self._processor(index, each, epoch) for index, each in enumerate(trace.domains or (trace,))]
        notes = tuple(text for word, text in lines if word == "note")
        return Run(self.order.system, trace, tuple(processors), tuple(findings), notes)

    def _write(self, path: str | Path) -> None:
        """Write the trace file, of a machine if there are several domains."""
        try:
            whole = [memoryview(self.files[f"trace{index}"]) for index in range(len(self.order.parts))]
            records = [bytes(trace_file.without_closing(each)) for each in whole]
        except (KeyError, ValueError) as error:
            raise BoardError(f"the run stopped before its end: {error}") from None
        first = self.order.parts[0]
        if not self.order.system.domains:
            trace_file.write(path, first.described, self.order.board, first.horizon, records[0], is_remote=True)
            return
        systems = [part.described for part in self.order.parts]
        places = machine_records.places_of([part.processors for part in self.order.parts], systems)
        merged = machine_records.merged(places, records)
        packed = [(each, images.pack(each, first.horizon, is_remote=True)) for each in systems]
        header = trace_file.machine_header(
            self.order.system.name, [part.processors for part in self.order.parts], packed, self.order.board
        )
        output_files.write(path, header + merged + trace_file.closing(first.horizon, merged))

    def _processor(self, index: int, trace: Trace, epoch: int) -> Processor:
        switches = np.frombuffer(self.files[f"switches{index}"], dtype=_SWITCH).copy()
        switches["at"] -= epoch
        names = trace.system.entity_names()
        rows = (line.split() for line in self.files[f"threads{index}"].decode().splitlines())
        return Processor(
            trace=trace,
            threads={int(thread): names[int(entity)] for entity, thread in rows},
            switches=switches,
            jobs=np.frombuffer(self.files[f"jobs{index}"], dtype=_JOB),
        )
