"""Tests of tools/stack_depth.py: depths are not worse than the baseline, and what cannot be known is an error."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
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


def test_no_call_is_deeper_than_the_baseline() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "takt_semaphore_take " in done.stdout


def test_the_least_stack_that_the_port_allows_holds_every_call(tmp_path: Path) -> None:
    functions = stack_depth.read_all(stack_depth.compile_sources(tmp_path))
    needed = stack_depth.summary(stack_depth.measure(functions))["thread"]
    assert needed <= stack_depth.stack_bytes_min()


def test_a_deeper_call_is_told() -> None:
    found = {"thread": 300, "interrupt": 200}
    (complaint,) = stack_depth.complaints(found, {"thread": 299, "interrupt": 200})
    assert complaint == "thread: 300 bytes, baseline 299"


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
    with pytest.raises(stack_depth.StackError, match="nothing says whom this calls"):
        stack_depth.resolve("tools/README.md:1:1", {})
