#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Computes from the compiler's own reports how much stack calls of the kernel take, and analyses that admit.

Usage: stack_depth.py [--paths] [--check] [--record]

On Cortex-M3 and RV32. The sources of firmware/build_<port>.json, and those of some analyses, are compiled as it says,
with -fstack-usage and -fcallgraph-info. A path's depth is the sum of its frames; a frame that a tail call has given up
before does not count, as the branches in the object files tell. A call through a pointer may reach every function that
some table of the sources names for that member, so a depth is that of the deepest policy and kind of server, whatever a
program uses; allocators and rules count once the kernel has them. Recursion, a frame of unknown size and a call that
nothing resolves are errors.

Three columns: what a call takes; what of it lies under calls that may be preempted, with a whole context to save;
and the stack that a thread needs which makes no call but this one and has no frames of its own. Below them what a
program needs that is linked without the full pass. --check compares the deepest with bench/kernel/stack.json, which
--record writes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "bench" / "kernel" / "stack.json"


@dataclass(frozen=True)
class Machine:
    """A machine whose compiler reports.

    Attributes:
        port: Its folder, and its recipe.
        name: For people.
        frame: What an interrupt leaves on the interrupted stack, and what aligning it may take.
        preemption: What a thread that is preempted has on its stack at the most.
        switch: The function that pushes the context; it is written in assembly, so that the compiler does not know.
        context: What it pushes.
        call: Finds the calls of a function, other than tail calls, in the code of an object.
        pointer_call: The same, through a pointer.
        helper: What the deepest of the compiler's helpers takes, which come without a report: by their disassembly.
    """

    port: str
    name: str
    frame: int
    preemption: int
    switch: str
    context: int
    call: re.Pattern[str]
    pointer_call: re.Pattern[str]
    helper: int


MACHINES = (
    # port/cortex_m/switch.c: what the hardware pushes and the word that aligns; below that the context, and the frame
    # of an interrupt that the lock does not mask.
    Machine(
        "cortex_m",
        "Cortex-M3",
        frame=36,
        preemption=36 + 40 + 32,
        switch="takt_port_exchange",
        context=40,
        call=re.compile(r"R_ARM_THM_CALL\s+(\S+)"),
        pointer_call=re.compile(r"\tblx\t"),
        helper=16 + 32,  # __aeabi_uldivmod, and __udivmoddi4 below it
    ),
    # port/riscv/switch.c: the frame of a trap, and what aligns the top of a stack; below that the context.
    Machine(
        "riscv",
        "RV32",
        frame=80 + 8,
        preemption=80 + 8 + 64,
        switch="takt_port_switch",
        context=64,
        call=re.compile(r"auipc\tra,.*\n.*R_RISCV_CALL\w*\s+(\S+)"),
        pointer_call=re.compile(r"\tjalr\t(?!ra\b)"),
        helper=0,  # __udivdi3 and its like keep all in registers
    ),
)

# What a program that admits at run time calls, and what these are made of.
ANALYSES = ("takt_fp_responses", "takt_overheads_expand", "takt_qpa")
ANALYSIS_FILES = ("response_times", "overheads", "qpa", "demand", "edf_blocking", "fractions")

HELPER = re.compile(r"__(aeabi_u?ldivmod|u?divdi3|u?moddi3)|mem(set|cpy)")

# The table to which the receiver of a call through a pointer belongs, by its last word.
RECEIVERS = {
    "policy": "takt_policy_t",
    "pass": "takt_pass_t",
    "locking": "takt_pass_locking_t",
    "time": "takt_time_t",
    "mutexes": "takt_lock_functions_t",
    "kind": "takt_server_kind_t",
    "functions": "takt_allocator_t",
    "allocator": "takt_allocator_t",
    "protocol": "takt_protocol_kind_t",
    "takt_task_allocator": "takt_allocator_t",
    "source": "takt_job_source_t",
    "order": "takt_order_functions_t",
    "locks": "takt_locks_t",
    "rule": "takt_rule_t",
    "timeout": "takt_timeout_t",
}

# Rules are filled in by functions, so they are known by what they take.
RULE = re.compile(r"^static void (\w+)\(takt_task_t \*\w+,\s*takt_arrival_t \*\w+\)", re.MULTILINE)

# So are timeouts.
EXPIRE = re.compile(r"timeout\.expire = (\w+);")

# Types whose objects belong to tasks of core; they count once a source of the kernel speaks of them.
IF_IN_KERNEL = {"takt_allocator_t": re.compile(r"alloca"), "takt_rule_t": re.compile(r"takt_rule|->rule")}

# What post calls through its table of events.
HANDLERS = tuple(
    f"core/dispatcher.c:{name}"
    for name in re.findall(r"\[TAKT_EVENT_\w+\] = (\w+)", (ROOT / "core" / "dispatcher.c").read_text(encoding="utf-8"))
)

# Calls through pointers that stand in no table: the functions that may be there, or () for what belongs to the program.
DECLARED: dict[str, tuple[str, ...]] = {
    "trace->record": (),  # the program's sink
    "next->record": (),  # the sink behind statistics
    "function(argument)": (),  # of an alarm: the program's
    "host->set_priority": (),  # of the kernel below the adapter
    "job->entry": (),  # the program's jobs
    "handlers[event->kind](": HANDLERS,
    "expect();": ("takt_kernel_expect_pass", "takt_kernel_expect_plain_pass"),
    "kernel.select(": ("kernel/slice.c:select",),
    "memory->functions->allocate(": ("kernel/heap.c:allocate", "kernel/pools.c:allocate"),
    "memory->functions->free(": ("kernel/heap.c:release", "kernel/pools.c:release"),
    "next(&bits)": (),  # of threads to be notified: the caller's
    "sleep(ticks)": (),  # of an idle thread, on a stack of its own size: the program's
    "handlers[number]()": (),  # of interrupts: the program's
}

# Executed by a thread while it is in a pass: an interrupt then leaves the decision to it, and saves no context.
IN_PASS_FOLDERS = ("core/", "policy/", "port/")
IN_PASS = ("step_and_decide", "decide")


class StackError(Exception):
    """Something makes a depth unknowable; the text is for people."""


@dataclass
class Function:
    """One function as the compiler made it.

    Attributes:
        name: The compiler's title, with the file for one that is static.
        file: Where it is written, from the root.
        frame: Bytes.
        calls: Titles of what it calls, true if every call is a tail call.
    """

    name: str
    file: str
    frame: int
    calls: dict[str, bool] = field(default_factory=dict)

    @property
    def plain_name(self) -> str:
        """The name as in the source."""
        return self.name.rsplit(":", 1)[-1].split(".")[0]


# ---- compiling ----------------------------------------------------------------------------------------------


def run(command: list[str]) -> str:
    """Return the output of a tool, run at the root."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StackError(f"{command[0]}: {(done.stderr or 'failed').splitlines()[0]}")
    return done.stdout


def recipe_of(machine: Machine) -> dict[str, Any]:
    """Return how programs for a machine are built."""
    path = ROOT / "firmware" / f"build_{machine.port}.json"
    recipe: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return recipe


def compile_sources(machine: Machine, folder: Path) -> list[Path]:
    """Compile the sources of a program on the kernel; return the objects, next to which the reports lie."""
    recipe = recipe_of(machine)
    patterns = [pattern for pattern in recipe["sources"] if not pattern.startswith("firmware/")]
    patterns += [f"analysis/{name}.c" for name in ANALYSIS_FILES]
    objects = []
    for source in [str(path.relative_to(ROOT)) for pattern in patterns for path in sorted(ROOT.glob(pattern))]:
        target = folder / (source.replace("/", "_") + ".o")
        reports = ["-fstack-usage", "-fcallgraph-info=su"]
        run([recipe["cc"], *recipe["cflags"], *reports, "-c", source, "-o", str(target)])
        objects.append(target)
    return objects


# ---- reading what was made ----------------------------------------------------------------------------------

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*?)\\n([^"]*?):\d+:\d+\\n(\d+) bytes \(([^)]*)\)')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)" label: "([^"]+)"')


def read_graph(report: str, functions: dict[str, Function]) -> dict[str, set[tuple[str, str]]]:
    """Add the functions of one report, and return each one's edges as (target, place in the source)."""
    for title, _, file, size, kind in NODE.findall(report):
        if kind != "static":
            raise StackError(f"{title}: its frame is not of one size, but {kind}")
        functions[title] = Function(title, str(Path(file)), int(size))
    edges = defaultdict(set)
    for source, target, place in EDGE.findall(report):
        edges[source].add((target, place))
    return edges


START = re.compile(r"^[0-9a-f]+ <([^.].*)>:$", re.MULTILINE)  # a name with a dot ahead is a place in a function


def read_calls(machine: Machine, disassembly: str) -> dict[str, tuple[set[str], bool]]:
    """Return for each function of an object its calls other than tail calls, and whether one is through a pointer."""
    _, *parts = START.split(disassembly)
    return {
        name: (
            {called.removeprefix(".text.") for called in machine.call.findall(code)},
            machine.pointer_call.search(code) is not None,
        )
        for name, code in zip(parts[::2], parts[1::2], strict=True)
    }


TABLE = re.compile(r"\b(takt_\w+_t)\s+(\w+)(?:\[\w*\])?\s*=\s*\{(.*?)(?:\n)?\};", re.DOTALL)
MEMBER = re.compile(r"\.(\w+)\s*=\s*(\w+)\s*(?:,|$)")


FULL_TABLES = (("kernel/pass.c", "full"), ("kernel/pass.c", "locking"))
"""What a program of plain threads alone is linked without; see kernel/pass.h."""

OF_FULL_PASS = {
    *("takt_dispatcher_post", "takt_dispatcher_step", "takt_kernel_dispatch", "takt_kernel_dispatch_charged"),
    *("takt_dispatcher_add_task", "takt_dispatcher_add_server"),
}
"""A call that reaches one of these is not for such a program."""


def read_tables(without: tuple[tuple[str, str], ...] = ()) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Return for each member of a type the functions that some table names, as (file, name)."""
    tables = defaultdict[tuple[str, str], set[tuple[str, str]]](set)
    for file in [*ROOT.glob("core/*.c"), *ROOT.glob("policy/*.c"), *ROOT.glob("kernel/*.c")]:
        for of_type, name, body in TABLE.findall(file.read_text(encoding="utf-8")):
            is_linked = (str(file.relative_to(ROOT)), name) not in without
            for member, value in MEMBER.findall(body):
                tables[of_type, member] |= {(str(file.relative_to(ROOT)), value)} if is_linked else set()
        for value in RULE.findall(file.read_text(encoding="utf-8")):
            tables["takt_rule_t", "arrive"].add((str(file.relative_to(ROOT)), value))
        for value in EXPIRE.findall(file.read_text(encoding="utf-8")):
            tables["takt_timeout_t", "expire"].add((str(file.relative_to(ROOT)), value))
    return {key: values if is_in_kernel(key[0]) else set() for key, values in tables.items()}


def is_in_kernel(of_type: str) -> bool:
    """True if an object of a type can belong to a thread."""
    pattern = IF_IN_KERNEL.get(of_type)
    texts = (file.read_text(encoding="utf-8") for file in ROOT.glob("kernel/*.c"))
    return pattern is None or any(pattern.search(text) for text in texts)


POINTER_CALL = re.compile(r"(\w+)(?:\([^()]*(?:\([^()]*\))?[^()]*\))?(?:->|\.)(\w+)\(")


def resolve(place: str, tables: dict[tuple[str, str], set[tuple[str, str]]]) -> list[str]:
    """Return the titles that a call through a pointer at FILE:LINE:COLUMN may reach; of statics and of globals."""
    file, line, _ = place.rsplit(":", 2)
    text = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    for call, reached in DECLARED.items():
        if call in text:
            return list(reached)
    for receiver, member in POINTER_CALL.findall(text):
        values = tables.get((RECEIVERS.get(receiver, ""), member))
        if values is not None:
            return [title for table_file, name in sorted(values) for title in (f"{table_file}:{name}", name)]
    raise StackError(f"{place}: unknown target of this call: {text.strip()}")


# ---- the graph ----------------------------------------------------------------------------------------------


def add_calls(
    functions: dict[str, Function],
    title: str,
    edges: set[tuple[str, str]],
    own: tuple[set[str], bool],
    tables: dict[tuple[str, str], set[tuple[str, str]]],
) -> None:
    """Write the calls of a function."""
    called, calls_pointer = own
    for target, place in edges:
        if target == "__indirect_call":
            for reached in resolve(place, tables):
                functions[title].calls[reached] = not calls_pointer
        else:
            functions[title].calls[target] = target.rsplit(":", 1)[-1] not in called


def read_all(machine: Machine, objects: list[Path], without: tuple[tuple[str, str], ...] = ()) -> dict[str, Function]:
    """Return the graph of all functions, where no pointer leads to the tables `without`."""
    objdump = recipe_of(machine)["cc"].removesuffix("gcc") + "objdump"
    functions: dict[str, Function] = {}
    tables = read_tables(without)
    pending = []
    for target in objects:
        calls = read_calls(machine, run([objdump, "-dr", str(target)]))
        report = target.with_suffix(".ci").read_text(encoding="utf-8")
        for title, edges in read_graph(report, functions).items():
            pending.append((title, edges, calls.get(title.rsplit(":", 1)[-1], (set(), True))))
    functions[machine.switch].frame = machine.context
    called = {target for _, edges, _ in pending for target, _ in edges}
    functions |= {name: Function(name, "", machine.helper) for name in called if HELPER.fullmatch(name)}
    for title, edges, own in pending:
        add_calls(functions, title, edges, own, tables)
    return functions


class Depths:
    """The depth of each function of a graph, and the path that has it.

    Args:
        functions: The graph.
        without_pass: What is executed in a pass, or locked, counts as nothing.
    """

    def __init__(self, functions: dict[str, Function], *, without_pass: bool = False) -> None:
        """Start with no depth."""
        self._functions = functions
        self._without_pass = without_pass
        self._known: dict[str, tuple[int, tuple[str, ...]]] = {}

    def _counts(self, function: Function) -> bool:
        in_pass = function.file.startswith(IN_PASS_FOLDERS) or function.plain_name in IN_PASS
        return not (self._without_pass and in_pass)

    def of(self, title: str, above: tuple[str, ...] = ()) -> tuple[int, tuple[str, ...]]:
        """Return depth and deepest path from a function on.

        Raises:
            StackError: It recurses.
        """
        if title in above:
            raise StackError("recursion: " + " -> ".join((*above[above.index(title) :], title)))
        if title not in self._known:
            self._known[title] = self._find(title, above)
        return self._known[title]

    def _find(self, title: str, above: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        function = self._functions[title]
        if not self._counts(function):
            return 0, ()
        best: int = function.frame
        path: tuple[str, ...] = (title,)
        for target, is_tail in sorted(function.calls.items()):
            if target in self._functions:
                depth, below = self.of(target, (*above, title))
                total = depth + (0 if is_tail else function.frame)
                if total > best:
                    best, path = total, (title, *below)
        return best, path


# ---- the report ---------------------------------------------------------------------------------------------

PUBLIC = re.compile(r"^(?:TAKT_\w+ )*\w[\w ]*[\s*](takt_\w+)\(", re.MULTILINE)
PRIVATE_HEADERS = ("state.h", "queue.h", "port.h", "wait.h", "waiters.h", "timeouts.h", "pass.h")
ON_INTERRUPT_STACK = re.compile(r"\w+_from_isr|takt_kernel_preempt|takt_kernel_timer_expired")
ENTRIES = ("takt_kernel_preempt", "takt_kernel_timer_expired")
PLAIN = "TAKT_KERNEL_STACK_BYTES_PLAIN"
BEFORE_START = re.compile(r"takt_kernel_(init|start|trace_to)")


def public_functions() -> list[str]:
    """Return the functions that the kernel's public headers declare, and those that interrupts enter."""
    headers = [file for file in sorted(ROOT.glob("kernel/*.h")) if file.name not in PRIVATE_HEADERS]
    names = {name for file in headers for name in PUBLIC.findall(file.read_text(encoding="utf-8"))}
    return sorted({*names, *ENTRIES})


def measure(machine: Machine, functions: dict[str, Function]) -> dict[str, dict[str, Any]]:
    """Return for each public function its stack and what a thread needs for it."""
    deep, open_part = Depths(functions), Depths(functions, without_pass=True)
    rows = {}
    for name in (*public_functions(), *ANALYSES):
        if name not in functions:
            continue
        depth, path = deep.of(name)
        preempted = open_part.of(name)[0]
        rows[name] = {"depth": depth, "open": preempted, "path": list(path)}
        if not ON_INTERRUPT_STACK.fullmatch(name):
            rows[name]["stack"] = (max(depth + machine.frame, preempted + machine.preemption) + 7) // 8 * 8
    return rows


def reaches_full_pass(functions: dict[str, Function], title: str, above: frozenset[str] = frozenset()) -> bool:
    """True if a call of a function can reach the full pass."""
    function = functions.get(title)
    if function is None or title in above:
        return False
    if function.plain_name in OF_FULL_PASS:
        return True
    return any(reaches_full_pass(functions, target, above | {title}) for target in function.calls)


def measure_plain(machine: Machine, functions: dict[str, Function]) -> dict[str, int]:
    """Return what a thread of a program without the full pass needs for each call that is for it."""
    rows = measure(machine, functions)
    return {
        name: row["stack"]
        for name, row in rows.items()
        if "stack" in row
        and name not in ANALYSES
        and not BEFORE_START.match(name)
        and not reaches_full_pass(functions, name)
    }


def print_table(machine: Machine, rows: dict[str, dict[str, Any]], with_paths: bool) -> None:
    """Print the rows."""
    print(f"{f'bytes, {machine.name}, -O2':40} {'call':>6} {'open':>6} {'stack':>6}")
    for name, row in rows.items():
        print(f"{name:40} {row['depth']:6} {row['open']:6} {row.get('stack', '-'):>6}")
        if with_paths:
            print("    " + " > ".join(title.rsplit(":", 1)[-1] for title in row["path"]))


def summary(rows: dict[str, dict[str, Any]]) -> dict[str, int]:
    """The figures that are kept."""
    threads = {name: row["stack"] for name, row in rows.items() if "stack" in row and not BEFORE_START.match(name)}
    analyses = [threads.pop(name) for name in ANALYSES]
    interrupts = [row["depth"] for row in rows.values() if "stack" not in row]
    return {"thread": max(threads.values()), "interrupt": max(interrupts), "analysis": max(analyses)}


def stack_bytes_min(machine: Machine, of_kernel: str = "TAKT_KERNEL_STACK_BYTES") -> int:
    """Return the stack that port and kernel promise to be enough for a thread."""
    return _constant(f"port/{machine.port}/takt_port.h", "TAKT_PORT_STACK_BYTES_MIN") + _constant(
        "kernel/thread.h", of_kernel
    )


def _constant(path: str, name: str) -> int:
    """Return a number of a header."""
    match = re.search(rf"{name} = (\d+)", (ROOT / path).read_text(encoding="utf-8"))
    if match is None:
        raise StackError(f"{path} does not say {name}")
    return int(match.group(1))


Figures = dict[str, dict[str, int]]


def complaints(found: Figures, baseline: Figures) -> list[str]:
    """Return the functions that are deeper than recorded."""
    return [
        f"{port}: {name}: {value} bytes, baseline {baseline[port][name]}"
        for port, figures in found.items()
        for name, value in figures.items()
        if value > baseline[port][name]
    ]


def judge_port(machine: Machine, found: dict[str, int]) -> str:
    """Return whether the least stacks that the port allows hold every call."""
    return "\n".join(
        f"{name}, {least}, " + ("holds every call" if least >= needed else f"is {needed - least} too small")
        for name, least, needed in (
            ("TAKT_STACK_BYTES_MIN", stack_bytes_min(machine), found["thread"]),
            ("TAKT_STACK_BYTES_PLAIN", stack_bytes_min(machine, PLAIN), found["plain"]),
        )
    )


@cache
def rows_of(machine: Machine) -> dict[str, dict[str, Any]]:
    """Compile the sources and return what each call takes."""
    return depths_of(machine)[0]


@cache
def depths_of(machine: Machine) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Return the rows, and what a thread needs for each call without the full pass."""
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_sources(machine, Path(folder))
        plain = measure_plain(machine, read_all(machine, objects, FULL_TABLES))
        return measure(machine, read_all(machine, objects)), plain


def report(machine: Machine, with_paths: bool) -> dict[str, int]:
    """Measure and print; return the figures that are kept."""
    rows, plain = depths_of(machine)
    found = {**summary(rows), "plain": max(plain.values())}
    print_table(machine, rows, with_paths)
    print(f"a thread needs {found['thread']} beside its own frames, an interrupt's call {found['interrupt']}")
    print(f"one that admits by an analysis needs {found['analysis']}")
    print(f"one of a program without the full pass needs {found['plain']} ({max(plain, key=lambda name: plain[name])})")
    print(judge_port(machine, found), end="\n\n")
    return found


def main() -> int:
    """Print the tables, and with --check judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", action="store_true", help="print the deepest path of each call, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a depth exceeds the baseline")
    parser.add_argument("--record", action="store_true", help="write the baseline")
    options = parser.parse_args()
    try:
        found = {machine.port: report(machine, options.paths) for machine in MACHINES}
        if options.record:
            BASELINE.write_text(json.dumps(found, indent=4) + "\n", encoding="utf-8")
        worse = complaints(found, json.loads(BASELINE.read_text(encoding="utf-8"))) if options.check else []
    except StackError as error:
        worse = [str(error)]
    for complaint in worse:
        print(f"stack_depth: {complaint}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
