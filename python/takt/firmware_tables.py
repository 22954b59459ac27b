"""The C file that a firmware of a task set is built with.

Source: firmware/taskset.h, which describes the file's form.
"""

from __future__ import annotations

from collections.abc import Sequence

from takt.policy import name_of
from takt.resolved import ROOT, ResolvedServer, ResolvedSystem, ResolvedTask

_PLAIN = frozenset(range(32, 127)) - frozenset(b'"\\?')


def generate(
    system: ResolvedSystem, demands_ns: Sequence[int], horizon: int, instruction_shift: int, trace_file: str
) -> str:
    """Write the file.

    Args:
        system: what to run, in ticks of the board.
        demands_ns: how long each job of each task executes.
        horizon: ticks of the board.
        instruction_shift: an instruction takes 2 to this power nanoseconds.
        trace_file: where the board writes its records.

    Returns:
        The file's text, ASCII.
    """
    servers = "".join(map(_server_row, system.servers))
    tasks = "".join(_task_row(task, demand) for task, demand in zip(system.tasks, demands_ns, strict=True))
    return (
        '#include "firmware/taskset.h"\n\n'
        + (f"static const takt_firmware_server_t servers[] = {{\n{servers}}};\n\n" if system.servers else "")
        + f"static const takt_firmware_task_t tasks[] = {{\n{tasks}}};\n\n"
        "const takt_firmware_taskset_t takt_firmware_taskset = {\n"
        f"    .policy = &takt_policy_{_c_name(name_of(system.policy))},\n"
        f"    .servers = {'servers' if system.servers else 'NULL'},\n"
        f"    .server_count = {len(system.servers)},\n"
        "    .tasks = tasks,\n"
        f"    .task_count = {len(system.tasks)},\n"
        f"    .horizon = {horizon}u,\n"
        f"    .instruction_shift = {instruction_shift},\n"
        f"    .trace_file = {_c_string(trace_file)},\n"
        "};\n"
    )


def _server_row(server: ResolvedServer) -> str:
    """Write one server."""
    return (
        f"    {{.name = {_c_string(server.name)}, .kind = &takt_server_{_c_name(server.kind)},\n"
        f"     .policy = &takt_policy_{_c_name(name_of(server.policy))}, .period = {server.period}u,\n"
        f"     .budget = {server.budget}u, .offset = {server.offset}u, .level = {server.level}}},\n"
    )


def _task_row(task: ResolvedTask, demand_ns: int) -> str:
    """Write one task."""
    home = "TAKT_FIRMWARE_ROOT" if task.home == ROOT else str(task.home - 1)
    is_limited = "false" if task.preemption_key is None else "true"
    return (
        f"    {{.name = {_c_string(task.name)}, .period = {task.period}u, .deadline = {task.deadline}u,\n"
        f"     .offset = {task.offset}u, .wcet = {task.wcet}u,\n"
        f"     .demand_ns = {demand_ns}u, .level = {task.level}, .server = {home},\n"
        f"     .is_limited = {is_limited}, .preemption_key = {task.preemption_key or 0}u,\n"
        f"     .task_class = TAKT_CLASS_{task.class_.upper()}}},\n"
    )


def _c_name(name: str) -> str:
    """Write a name of core's tables as its C identifier ends."""
    return name.replace("-", "_")


def _c_string(text: str) -> str:
    """Write a C string; whatever is special in one becomes an octal escape."""
    return '"' + "".join(chr(byte) if byte in _PLAIN else f"\\{byte:03o}" for byte in text.encode()) + '"'
