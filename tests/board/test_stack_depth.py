# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/stack_depth.py: depths are not worse than the baseline, and what cannot be known is an error."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from places import ROOT
from recipes import compile_kernel, emulator, link, recipe, run

TOOL = ROOT / "tools" / "stack_depth.py"


def load() -> ModuleType:
    """Load the tool, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("stack_depth", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stack_depth"] = module
    spec.loader.exec_module(module)
    return module


stack_depth = load()


def test_no_call_is_deeper_than_the_baseline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(TOOL), "--check"])
    status, said = stack_depth.main(), capsys.readouterr()
    assert status == 0, said.out + said.err
    assert "takt_semaphore_take " in said.out


@pytest.fixture(scope="module", params=stack_depth.MACHINES, ids=lambda machine: machine.port)
def machine(request: pytest.FixtureRequest) -> Any:
    """A machine."""
    return request.param


@pytest.fixture(scope="module")
def rows(machine: Any) -> dict[str, dict[str, Any]]:
    """What each call takes on it."""
    measured: dict[str, dict[str, Any]] = stack_depth.rows_of(machine)
    return measured


def test_the_least_stack_that_the_port_allows_holds_every_call(machine: Any, rows: dict[str, dict[str, Any]]) -> None:
    assert stack_depth.summary(rows)["thread"] <= stack_depth.stack_bytes_min(machine)


PAINTED = """\
#include "tests/conformance/conformance.h"

enum { ROUNDS = 200, ROUND_INSTRUCTIONS = 20011, WAIT_INSTRUCTIONS = 7001, STORM_INSTRUCTIONS = 2503 };

static takt_semaphore_t given, never;
static takt_thread_t spinning, taking, trying, delaying, ending;
static conformance_stack_t stacks[5];

static void interrupt(void) { (void)takt_semaphore_give_from_isr(&given); }

static void spin(void *argument) {
    (void)argument;
    for (;;) {
        __asm volatile("");
    }
}

static void take(void *argument) {
    for (;;) {
        (void)takt_semaphore_take(argument);
    }
}

static void try(void *argument) {
    for (;;) {
        (void)takt_semaphore_take_for(argument, board_span(WAIT_INSTRUCTIONS));
    }
}

static void delay(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_delay(board_span(WAIT_INSTRUCTIONS));
    }
}

static void say(const char *name, const takt_thread_t *thread) {
    const uint32_t used = STACK_BYTES - takt_thread_stack_unused(thread);
    char digits[] = {(char)('0' + used / 1000), (char)('0' + used / 100 % 10), (char)('0' + used / 10 % 10),
                     (char)('0' + used % 10), '\\n', 0};
    board_print(name);
    board_print(digits);
}

static void end(void *argument) {
    (void)argument;
    board_ticker_start(board_span(STORM_INSTRUCTIONS), interrupt);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_thread_delay(board_span(ROUND_INSTRUCTIONS));
    }
    board_ticker_stop();
    say("preemption ", &spinning);
    say("takt_semaphore_take ", &taking);
    say("takt_semaphore_take_for ", &trying);
    say("takt_thread_delay ", &delaying);
    board_exit(0);
}

int main(void) {
    kernel_begin();
    semaphore_begin(&given, 0);
    semaphore_begin(&never, 0);
    thread_begin(&spinning, stacks[0], 0, spin, NULL);
    thread_begin(&taking, stacks[1], 4, take, &given);
    thread_begin(&trying, stacks[2], 3, try, &never);
    thread_begin(&delaying, stacks[3], 2, delay, NULL);
    thread_begin(&ending, stacks[4], 5, end, NULL);
    kernel_go();
}
"""
OWN_FRAME = 16  # of a function that makes one call


def test_no_painted_stack_is_deeper_than_what_was_computed(
    machine: Any, rows: dict[str, dict[str, Any]], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source, how = tmp_path / "painted.c", recipe(machine.port, "-DCONFORMANCE_TRACED=1")
    source.write_text(PAINTED, encoding="utf-8")
    program = link(how, [str(source)], compile_kernel(how, machine.port, tmp_path_factory), tmp_path / "painted.elf")
    done = run([*emulator(how), program])
    used = {name: int(value) for name, value in map(str.split, done.stdout.splitlines())}
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert machine.frame + machine.context - 8 <= used.pop("preemption") <= machine.preemption
    assert all(0 < value <= rows[name]["stack"] + OWN_FRAME for name, value in used.items())


def test_a_deeper_call_is_told() -> None:
    found = {"riscv": {"thread": 300, "interrupt": 200}}
    (complaint,) = stack_depth.complaints(found, {"riscv": {"thread": 299, "interrupt": 200}})
    assert complaint == "riscv: thread: 300 bytes, baseline 299"


def graph(**calls: dict[str, bool]) -> dict[str, object]:
    """A graph of functions with frames of 8 bytes."""
    return {name: stack_depth.Function(name, "kernel/a.c", 8, called) for name, called in calls.items()}


def test_a_tail_call_gives_its_frame_up() -> None:
    functions = graph(call={"end": False}, tail={"end": True}, end={})
    depths = stack_depth.Depths(functions)
    assert (depths.of("call")[0], depths.of("tail")[0]) == (16, 8)


def test_recursion_is_an_error() -> None:
    functions = graph(a={"b": False}, b={"a": False})
    with pytest.raises(stack_depth.StackError, match="recursion: a -> b -> a"):
        stack_depth.Depths(functions).of("a")


def test_a_frame_of_unknown_size_is_an_error() -> None:
    report = 'node: { title: "a" label: "a\\na.c:1:1\\n16 bytes (dynamic)" }'
    with pytest.raises(stack_depth.StackError, match="not of one size"):
        stack_depth.read_graph(report, {})


def test_a_call_that_nothing_resolves_is_an_error() -> None:
    with pytest.raises(stack_depth.StackError, match="unknown target of this call"):
        stack_depth.resolve("tools/README.md:1:1", {})
