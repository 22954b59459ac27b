"""Running a task set on a board: firmware from the file, an emulator, and the trace back.

Source: firmware/taskset.h (the tables that are generated), firmware/geometry.h (the sizes of the board's
kernel) and firmware/build.json (how a program is built and emulated). The board keeps time in its own ticks; a
job executes instructions, not ticks, and the scheduler's own work takes time too. So what is measured differs
from what is simulated, and what must be equal is the replay.

When not to use it: for cycles of silicon. The emulator counts instructions.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from takt import catalogue, firmware_tables, times
from takt import trace as trace_file
from takt.errors import InputError, Problem
from takt.model import System
from takt.policy import Policy
from takt.resolved import LAXITY_SHIFT, ROOT, ResolvedServer, ResolvedSystem, ResolvedTask, ResolvedThread
from takt.simulation import horizon_ticks
from takt.trace import Trace

CORTEX_M = "cortex_m"
BOARDS = (CORTEX_M,)
POLICIES = ("dm", "edf", "fp", "llf", "rm")
"""Policies of the boards: no allocators and deadline rules."""

LATER_BOARDS = ("posix", "riscv")

INSTRUCTION_SHIFT = 6
"""An instruction takes 2^6 ns: 1.6 cycles at the board's 25 MHz."""

_PACKAGES = {"arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"}
_RECORDS_FILE = "records.bin"
_RECORD_BYTES = 32
_REFUSED = 2
_FULL = 4
_INSTRUCTIONS_PER_SECOND = 2_000_000
_PATIENCE_SECONDS = 60
_TASK_INSTANTS = ("period", "deadline", "offset")
_SERVER_INSTANTS = ("period", "budget", "offset")


class BoardError(Exception):
    """A failure on the way to the board or back that is not the fault of the task set."""


def run(system: System, path: str | Path) -> Trace:
    """Run a system on the emulated board mps2-an385 (Cortex-M3).

    Args:
        system: what to run, up to its horizon.
        path: the trace file to write.

    Returns:
        The trace, in ticks of the board.

    Raises:
        InputError: the board cannot take the system, or its trace is too long for the board's memory.
        BoardError: a tool is missing, the firmware could not be built, or it failed.
    """
    board = load_board(_source_folder())
    adapted = adapt(system, board)
    horizon = horizon_ticks(system) * system.resolution_ns // board.tick_ns
    demands = [task.demand.values[0] * system.resolution_ns for task in system.resolved.tasks]
    tables = firmware_tables.generate(adapted, demands, horizon, INSTRUCTION_SHIFT, _RECORDS_FILE)
    with tempfile.TemporaryDirectory(prefix="takt-") as name:
        source = Path(name, "taskset.c")
        source.write_text(tables, encoding="ascii")
        records = _emulate(board, _build(board, source), horizon)
    trace_file.write(path, adapted, CORTEX_M, horizon, records)
    return trace_file.read(path)


def _source_folder() -> Path:
    """Find the C sources: in the installed package, or around it in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "source"
    return installed if installed.is_dir() else package.parents[1]


# ---- the board ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Board:
    """A board: its limits, and how programs for it are built and emulated.

    Args:
        source: folder of the sources.
        recipe: firmware/build.json.
        tick_ns: nanoseconds of its tick.
        levels: levels of urgency of a dispatcher, for tasks and servers.
        idle_level: level of the idle thread.
        order_rows: of its timers.
        time_rows: of its timers.
    """

    source: Path
    recipe: dict[str, Any]
    tick_ns: int
    levels: int
    idle_level: int
    order_rows: int
    time_rows: int

    @property
    def entities(self) -> int:
        """How many tasks and servers its timers can number, beside the root and the idle thread."""
        return int(2 ** (4 * self.order_rows - 1)) - 2


def load_board(source: Path) -> Board:
    """Read what the sources say about the board.

    Args:
        source: folder of the sources.
    """
    geometry = (source / "firmware" / "geometry.h").read_text(encoding="utf-8")
    sizes = {name: int(value) for name, value in re.findall(r"^#define (\w+) (\d+)", geometry, re.MULTILINE)}
    return Board(
        source=source,
        recipe=json.loads((source / "firmware" / "build.json").read_text(encoding="utf-8")),
        tick_ns=sizes["TAKT_FIRMWARE_TICK_NS"],
        levels=sizes["TAKT_FIRMWARE_LEVELS"],
        idle_level=sizes["TAKT_FIRMWARE_IDLE_LEVEL"],
        order_rows=sizes["TAKT_KERNEL_ORDER_ROWS"],
        time_rows=sizes["TAKT_KERNEL_TIME_ROWS"],
    )


# ---- the system on the board ----------------------------------------------------------------------------


def adapt(system: System, board: Board) -> ResolvedSystem:
    """Describe a system as a board runs it: in its ticks, with its timers and its idle thread.

    Args:
        system: what to run.
        board: where.

    Returns:
        The description for the board and for replay.

    Raises:
        InputError: the system has what the board cannot do.
    """
    problems = list(_problems(system, board))
    if problems:
        raise InputError(problems)
    resolved = system.resolved
    policies = [resolved.policy, *(server.policy for server in resolved.servers)]
    return ResolvedSystem(
        name=resolved.name,
        policy=resolved.policy,
        resolution_ns=board.tick_ns,
        levels=board.idle_level,
        tasks=tuple(_adapt_task(task, policies[task.home], resolved, board) for task in resolved.tasks),
        servers=tuple(_adapt_server(server, resolved, board) for server in resolved.servers),
        threads=(ResolvedThread("idle", board.idle_level),),
        order_rows=board.order_rows,
        time_rows=board.time_rows,
    )


def _to_board(ticks: int, resolved: ResolvedSystem, board: Board) -> int:
    """Convert ticks to those of a board, rounded up; instants have been checked to be whole."""
    return -(-ticks * resolved.resolution_ns // board.tick_ns)


def _adapt_task(task: ResolvedTask, policy: str | Policy, resolved: ResolvedSystem, board: Board) -> ResolvedTask:
    """Describe a task as the board runs it."""
    return replace(
        task,
        period=_to_board(task.period, resolved, board),
        deadline=_to_board(task.deadline, resolved, board),
        offset=_to_board(task.offset, resolved, board),
        wcet=_to_board(task.wcet, resolved, board),
        preemption_key=_preemption_key(task, policy, resolved, board),
        level=task.level if catalogue.has_levels(policy) else 1,
    )


def _preemption_key(task: ResolvedTask, policy: str | Policy, resolved: ResolvedSystem, board: Board) -> int | None:
    """Convert a preemption key: levels and "nobody" stay, times do not."""
    if not task.preemption_key or catalogue.has_levels(policy):
        return task.preemption_key
    shift = LAXITY_SHIFT if policy == "llf" else 0
    return _to_board(task.preemption_key - shift, resolved, board) + shift


def _adapt_server(server: ResolvedServer, resolved: ResolvedSystem, board: Board) -> ResolvedServer:
    """Describe a server as the board runs it."""
    return replace(
        server,
        period=_to_board(server.period, resolved, board),
        budget=_to_board(server.budget, resolved, board),
        offset=_to_board(server.offset, resolved, board),
        level=server.level if catalogue.has_levels(resolved.policy) else 1,
        levels=board.levels,
        order_rows=board.order_rows,
        time_rows=board.time_rows,
    )


def _problems(system: System, board: Board) -> Iterator[Problem]:
    """Find what the board cannot do."""
    resolved = system.resolved
    found = len(resolved.tasks) + len(resolved.servers)
    if found > board.entities:
        yield Problem(f"the board takes at most {board.entities} tasks and servers, found {found}", "board")
    yield from _too_many_levels(resolved, board)
    if resolved.architecture is not None:
        message = "the board is an architecture of its own; leave it out"
        yield Problem(message, "board", table="platform", key="model")
        return
    if resolved.cpus > 1:
        message = f"the board has one processor, found {resolved.cpus}"
        yield Problem(message, "board", table="system", key="cpus")
    if resolved.changes or any(task.is_absent for task in resolved.tasks):
        yield Problem("the board runs one set of tasks from the beginning to the end", "board", table="change")
    for policy in (resolved.policy, *(server.policy for server in resolved.servers)):
        if isinstance(policy, str) and policy not in POLICIES:
            message = f"the board runs the policies {', '.join(POLICIES)}, found {policy}"
            yield Problem(message, "board", table="system", key="policy")
    for server in resolved.servers:
        if catalogue.server_kind(server.kind).is_rule:
            message = f"the board has no servers of kind {server.kind}"
            yield Problem(message, "board", table="server", entity=server.name, key="kind")
    for task in resolved.tasks:
        if not task.is_plain:
            message = "the board runs periodic tasks that just run, for a constant time, and continue when late"
            yield Problem(message, "board", table="task", entity=task.name)
    if any(not isinstance(policy, str) for policy in (resolved.policy, *(of.policy for of in resolved.servers))):
        yield Problem("the board has no policies in Python", "board")
    for server in resolved.servers:
        if server.home != ROOT:
            message = "the board has servers at the root only; leave it out"
            yield Problem(message, "board", table="server", entity=server.name, key="parent")
    yield from _times_between_ticks(resolved, board)


def _too_many_levels(resolved: ResolvedSystem, board: Board) -> Iterator[Problem]:
    """Find dispatchers with more levels of urgency than the board has."""
    message = f"the board has {board.levels} levels of priority in a dispatcher, found"
    if catalogue.has_levels(resolved.policy) and resolved.levels > board.levels:
        yield Problem(f"{message} {resolved.levels} at the root", "board")
    for server in resolved.servers:
        if catalogue.has_levels(server.policy) and server.levels > board.levels:
            yield Problem(f"{message} {server.levels}", "board", table="server", entity=server.name)


def _times_between_ticks(resolved: ResolvedSystem, board: Board) -> Iterator[Problem]:
    """Find instants that do not fall on ticks of the board."""
    values = [
        *(("task", task.name, key, getattr(task, key)) for task in resolved.tasks for key in _TASK_INSTANTS),
        *(("server", of.name, key, getattr(of, key)) for of in resolved.servers for key in _SERVER_INSTANTS),
    ]
    for table, name, key, ticks in values:
        nanoseconds = ticks * resolved.resolution_ns
        if nanoseconds % board.tick_ns:
            found = times.shortest(nanoseconds)
            message = f"expected a multiple of the board's tick of {board.tick_ns}ns, found {found}"
            yield Problem(message, "board", table=table, entity=name, key=key)


# ---- tools ----------------------------------------------------------------------------------------------


def _tool(name: str) -> str:
    """Find a program."""
    found = shutil.which(name)
    if found is None:
        raise BoardError(f"{name} is not installed; on Debian: apt-get install {_PACKAGES.get(name, name)}")
    return found


def _build(board: Board, source: Path) -> Path:
    """Compile the firmware of the generated tables; the program stands beside them."""
    recipe = board.recipe
    program = source.with_suffix(".elf")
    command = [
        _tool(recipe["cc"]),
        *recipe["cflags"],
        *recipe["taskset_cflags"],
        *recipe["ldflags"],
        *(str(path) for pattern in recipe["sources"] for path in sorted(board.source.glob(pattern))),
        *recipe["taskset_sources"],
        str(source),
        *recipe["libs"],
        "-o",
        str(program),
    ]
    done = subprocess.run(command, cwd=board.source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BoardError(f"the firmware could not be built: {_first_error(done.stderr)}")
    return program


def _first_error(text: str) -> str:
    """Give the line of a compiler's output that says most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[-1] if lines else "no word")


def _emulate(board: Board, program: Path, horizon: int) -> bytes:
    """Run the firmware in the emulator; gives the records that it wrote."""
    qemu = board.recipe["qemu"]
    clock = f"shift={INSTRUCTION_SHIFT},align=off,sleep=off"
    command = [_tool(qemu[0]), *qemu[1:], "-icount", clock, "-kernel", str(program)]
    patience = _PATIENCE_SECONDS + (horizon * board.tick_ns >> INSTRUCTION_SHIFT) // _INSTRUCTIONS_PER_SECOND
    try:
        done = subprocess.run(command, cwd=program.parent, capture_output=True, check=False, timeout=patience)
    except subprocess.TimeoutExpired:
        raise BoardError(f"the firmware did not end within {patience} s") from None
    said = " ".join((done.stdout + done.stderr).decode(errors="replace").split()) or "no word"
    if done.returncode == _REFUSED:
        raise InputError([Problem(f"the board refuses the task set: {said}", "board")])
    if done.returncode not in (0, _FULL):
        raise BoardError(f"the firmware failed with status {done.returncode}: {said}")
    records = _read_records(program.parent)
    if done.returncode == _FULL:
        raise InputError([_full(records, board)])
    return records


def _read_records(folder: Path) -> bytes:
    """Read what the firmware wrote."""
    try:
        return (folder / _RECORDS_FILE).read_bytes()
    except OSError as error:
        raise BoardError(f"the firmware wrote no trace: {error.strerror}") from None


def _full(records: bytes, board: Board) -> Problem:
    """Say how far the trace went before the board's memory was full."""
    until_ns = int.from_bytes(records[-_RECORD_BYTES:][:8], "little") * board.tick_ns
    message = (
        f"the board's memory is full of {len(records) // _RECORD_BYTES} records after "
        f"{times.in_unit(until_ns, 1, 'ms', 0)}; shorten the horizon"
    )
    return Problem(message, "board", table="system", key="horizon")
