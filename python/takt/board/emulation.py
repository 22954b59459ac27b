# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Running a task set on a board: an image of it, one program for all of them, an emulator, and the trace back.

Source: firmware/main.c (the program), system/image.h (what it reads) and one build recipe per board,
firmware/build_*.json. An emulated board keeps time in its own ticks; a job executes instructions, not ticks, and the
scheduler's own work takes time too. So what is measured differs from what is simulated, and what must be equal is the
replay. The board `posix` is a Linux process with the ticks of the file. In virtual time its schedule equals the
simulation's. In real time a run takes as long as its horizon, and Linux adds arbitrary delays. Its scheduler may stand
behind a mailbox, which delays every message.

When not to use it: for cycles of silicon, which only the board `soc` counts; for bounds on responses in real time.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from takt.base import output_files, times
from takt.base.errors import BoardError, InputError, Problem
from takt.board import chip, clock, firmware, processor_time, programs
from takt.files import trace_file
from takt.files.trace_file import Trace
from takt.model import fields
from takt.model.core_input import ResolvedSystem
from takt.model.delays import Delay, delays_of
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import name_of
from takt.model.system import System

CORTEX_M = "cortex_m"
POSIX = "posix"
RISCV = "riscv"
SOC = "soc"
EMULATED = (CORTEX_M, "cortex_m0", "cortex_m4f", "cortex_m7f", "cortex_m33", RISCV, "riscv_f", "riscv64", SOC)
"""Boards whose clock counts instructions, or the chip's, which counts cycles."""

BOARDS = (*EMULATED, POSIX)

LINUX = "linux"
LINUX_HOST = "linux-host"
LINUX_BOARDS = (LINUX, LINUX_HOST)
"""Where core decides in the kernel of Linux, emulated or this machine's: see takt.linux.board."""

REAL_TIME = "posix_real_time"
"""The board posix, by the clock of the machine."""

REMOTE = "posix_remote"
"""The board posix, in virtual time, with its scheduler behind a mailbox."""

IMAGE_FILE = "image.bin"
RECORDS_FILE = "records.bin"
_RECORD_BYTES = 32
_REFUSED = 2
_FULL = 4
_OBSERVED = 7
_INSTRUCTIONS_PER_SECOND = 2_000_000
_PATIENCE_SECONDS = 60
_NS_PER_SECOND = 1_000_000_000
_LONGEST_REAL_NS = 300 * _NS_PER_SECOND
"""The longest horizon in real time; a longer one is probably a mistake."""


def run(
    system: System,
    path: str | Path,
    name: str = CORTEX_M,
    *,
    remote: Delay | None = None,
    hertz: Fraction | None = None,
) -> Trace:
    """Run a system on a board.

    Args:
        system: what to run, up to its horizon.
        path: the trace file to write.
        name: the board, one of BOARDS or REAL_TIME.
        hertz: instructions in a second, of an emulated board; None: those of its emulator.
        remote: the delay of each message to and from a scheduler at a distance, of the board POSIX: ticks, a time or a
            distribution of times. None: the scheduler stands where the jobs run.

    Returns:
        The trace, in ticks of the board, which have the length of those of its emulator.

    Raises:
        InputError: the board cannot take the system or the delay, or its trace is too long for the board's memory.
        BoardError: a tool is missing, the firmware could not be built, or it failed; or its jobs did not do what the
            scheduler at a distance decided, and then the trace is written nevertheless.
    """
    if remote is not None and name != POSIX:
        raise InputError([Problem(f"it needs the board {POSIX}, found {name}", "conflict", key="remote")])
    board = load_board(name if remote is None else REMOTE, hertz)
    delays = None if remote is None else delays_of(remote, system.resolution)
    adapted = adapt(system, board)
    horizon = horizon_ticks(system)
    board_horizon = int(horizon * board.scale(system.resolution_ns).ticks)
    with temporary_folder() as folder:
        image = programs.image(
            system.resolved, adapted, horizon, is_real_time=board.is_real_time, delays=delays, stretch=board.stretch
        )
        output_files.write(folder / IMAGE_FILE, image)
        records, finding = _execute(board, folder, board_horizon, adapted.resolution_ns)
    try:
        whole = bytes(trace_file.without_closing(memoryview(records)))
    except ValueError as error:
        raise BoardError(f"the board stopped before the end of its run: {error}") from None
    trace_file.write(path, adapted, board.name, board_horizon, whole, is_remote=delays is not None)
    if finding is not None:
        raise BoardError(finding)
    return trace_file.read(path)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is removed at the end.

    Raises:
        BoardError: none can be made.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="takt-")
    except OSError as error:
        raise BoardError(f"no temporary folder can be made: {error.strerror or error}") from None
    with folder as name:
        yield Path(name)


# ---- the board ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Board:
    """A board, and how programs for it are built and emulated.

    Args:
        name: as the command line has it.
        source: folder of the sources.
        recipe: its build recipe.
        hertz: instructions in a second; None: those of its emulator, if it has one.
    """

    name: str
    source: Path
    recipe: dict[str, Any]
    hertz: Fraction | None = None

    @property
    def is_real_time(self) -> bool:
        """True if its clock is that of the machine."""
        return self.name == REAL_TIME

    @property
    def has_idle_thread(self) -> bool:
        """True if core selects a thread when no job is ready; Linux has its own."""
        return self.name not in LINUX_BOARDS

    def tick_ns(self, resolution_ns: int) -> int:
        """Return the nanoseconds of its tick; those of a file's tick are `resolution_ns`."""
        return int(self.recipe.get("tick_ns", resolution_ns))

    @property
    def stretch(self) -> Fraction:
        """How many times longer a time is in the emulator than in the file."""
        emulated = clock.of_emulator(self.recipe)
        return Fraction(1) if emulated is None or self.hertz is None else self.hertz / emulated

    def scale(self, resolution_ns: int) -> programs.Scale:
        """Return its ticks in those of a file, which are `resolution_ns` long."""
        return programs.Scale(Fraction(resolution_ns, self.tick_ns(resolution_ns)) * self.stretch)

    def instructions(self, ticks: int | Fraction) -> Fraction:
        """Return how many instructions an emulated board executes in ticks of its own; cycles of the chip."""
        return Fraction(ticks) * int(self.recipe["tick_ns"]) / clock.step_ns(self.recipe)


def port_of(name: str) -> str:
    """Return the port of a board, the name of its recipe."""
    return POSIX if name == REAL_TIME else name


def load_board(name: str, hertz: Fraction | None = None) -> Board:
    """Read the description of a board from the sources.

    Args:
        name: one of BOARDS, or REAL_TIME, or REMOTE.
        hertz: as of Board.
    """
    source = firmware.source_folder()
    recipe = json.loads((source / "firmware" / f"build_{port_of(name)}.json").read_text(encoding="utf-8"))
    return Board(name, source, recipe, hertz)


# ---- the system on the board ----------------------------------------------------------------------------


def adapt(system: System, board: Board) -> ResolvedSystem:
    """Describe a system as a board runs it: in its ticks, and with an idle thread, if the board has one.

    Args:
        system: what to run.
        board: where.

    Returns:
        The description for the board and for replay.

    Raises:
        InputError: the system has what the board cannot do.
    """
    resolved = system.resolved
    tick_ns = board.tick_ns(resolved.resolution_ns)
    problems = list(_problems(resolved, board))
    scale = board.scale(resolved.resolution_ns)
    whole = times.shortest(scale.ticks.denominator * resolved.resolution_ns)
    grid = f"{whole}, which is whole ticks of the board at this clock"
    if board.stretch == 1:
        grid = f"the board's tick of {tick_ns}ns"
    for table, name, key, ticks in programs.instants_of(resolved):
        if not scale.is_whole(ticks):
            found = times.shortest(ticks * resolved.resolution_ns)
            message = f"expected a multiple of {grid}, found {found}"
            problems.append(Problem(message, "board", table=table, entity=name, key=key))
    horizon_ns = horizon_ticks(system) * system.resolution_ns
    if board.is_real_time and horizon_ns > _LONGEST_REAL_NS:
        found, most = times.shortest(horizon_ns), times.shortest(_LONGEST_REAL_NS)
        message = f"in real time the run would take {found}, expected {most} at most; shorten it, as by --horizon 10s"
        problems.append(Problem(message, "board", table="system", key="horizon"))
    if problems:
        raise InputError(problems)
    return programs.describe(resolved, tick_ns, board.stretch, has_idle_thread=board.has_idle_thread)


def _problems(resolved: ResolvedSystem, board: Board) -> Iterator[Problem]:
    """Yield features that the board lacks. Costs model what a board shows; in virtual time there are none."""
    most = fields.most("THREADS", "level") - 1
    if board.has_idle_thread and resolved.levels > most:
        message = f"the board has {most} priorities, found {resolved.levels}; give tasks the same one, or use deadlines"
        yield Problem(message, "board", table="system", key="policy")
    if resolved.architecture is not None:
        message = "the board is an architecture of its own; leave it out"
        yield Problem(message, "board", table="platform", key="model")
    elif resolved.costs.is_pull:
        message = 'boards handle every event at once, as with points = "push"; leave the key out'
        yield Problem(message, "board", table="platform", key="points")
    elif board.name in (POSIX, REMOTE) and not resolved.costs.is_ideal:
        message = (
            "in virtual time the kernel takes no time; leave out costs, or run in real time, on cortex_m or on riscv"
        )
        yield Problem(message, "board", table="platform")
    if resolved.cpus > 1:
        message = f"the board has one processor, found {resolved.cpus}"
        yield Problem(message, "board", table="system", key="cpus")
    for policy in (resolved.policy, *(server.policy for server in resolved.servers)):
        if not isinstance(policy, str):
            message = f"the board has no policies in Python, found {name_of(policy)}; write it in C, in policy/"
            yield Problem(message, "board")


# ---- tools ----------------------------------------------------------------------------------------------


def command(board: Board, program: Path) -> list[str]:
    """Return the command that runs a program, in the emulator if the board has one."""
    words = ("takt", IMAGE_FILE, RECORDS_FILE)
    if "chip" in board.recipe:
        return [str(chip.model(board.recipe, board.source)), str(program), *words[1:]]
    qemu = board.recipe.get("qemu")
    if qemu is None:
        return [str(program), *words[1:]]
    clock = f"shift={board.recipe['instruction_shift']},align=off,sleep=off"
    arguments = "".join(f",arg={word}" for word in words)
    emulator = firmware.tool(qemu[0], board.recipe["packages"])
    return [emulator, *qemu[1:-1], qemu[-1] + arguments, "-icount", clock, "-kernel", str(program)]


def _execute(board: Board, folder: Path, horizon: int, tick_ns: int) -> tuple[bytes, str | None]:
    """Run the program of task sets on the image in a folder.

    Returns:
        The records that it wrote, and what its observer found, if it found anything.
    """
    if board.is_real_time:
        patience = horizon * tick_ns // _NS_PER_SECOND
    else:
        patience = horizon * tick_ns // (clock.step_ns(board.recipe) * _INSTRUCTIONS_PER_SECOND)
    try:
        compiler = firmware.tool(board.recipe["cc"], board.recipe["packages"])
        program = firmware.program(port_of(board.name), board.recipe, compiler, board.source)
        done = processor_time.run(command(board, program), folder, _PATIENCE_SECONDS + patience)
    except firmware.BuildError as error:
        raise BoardError(f"the firmware could not be built: {error}") from None
    except processor_time.ImpatientError as error:
        raise BoardError(f"the firmware {error}") from None
    said = " ".join((done.stdout + done.stderr).decode(errors="replace").split()) or "no word"
    if done.returncode == _REFUSED:
        raise InputError([Problem(f"the board refuses the task set: {said}", "board")])
    failure = None if done.returncode in (0, _FULL) else f"the firmware failed with status {done.returncode}: {said}"
    if failure is not None and done.returncode != _OBSERVED:
        raise BoardError(failure)
    try:
        records = (folder / RECORDS_FILE).read_bytes()
    except OSError as error:
        raise BoardError(f"the firmware wrote no trace: {error.strerror}") from None
    if done.returncode == _FULL:
        until_ns = int.from_bytes(records[-_RECORD_BYTES:][:8], "little") * tick_ns
        message = (
            f"the board's memory is full of {len(records) // _RECORD_BYTES - 1} records after "
            f"{times.in_unit(until_ns / board.stretch, 1, 'ms', 0)}; shorten the horizon"
        )
        raise InputError([Problem(message, "board", table="system", key="horizon")])
    return records, failure
