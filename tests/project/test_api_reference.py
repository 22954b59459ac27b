# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the reference of the kernel's calls: it is complete, and says of every call what the code answers."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from places import ROOT

STATUS = re.compile(r"(?<!== )\bTAKT_(?:ERROR_\w+|TIMEOUT|DEADLINE_MISSED)\b")


def load_api() -> ModuleType:
    """Load tools/api.py, which is a program."""
    spec = importlib.util.spec_from_file_location("takt_api_tool", ROOT / "tools" / "api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


api = load_api()
ANSWERS: dict[str, set[str]] = {call.name: call.answers for call in api.calls()}


# ---- the whole of it --------------------------------------------------------------------------------------


def make_reference(root: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool in a tree."""
    command: list[str | Path] = [sys.executable, root / "tools" / "api.py"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the sources of the reference."""
    for room in ("core", "kernel", "policy", "port/template", "tools"):
        shutil.copytree(ROOT / room, tmp_path / room)
    return tmp_path


def test_the_reference_is_made_without_a_warning(tree: Path) -> None:
    done = make_reference(tree)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tree / "build/api/xml/semaphore_8h.xml").read_text(encoding="utf-8")
    assert "the first waiter, if there is one, takes it and runs at once" in page
    assert "TAKT_ERROR_NOT_IN_ISR" in page
    assert "takt_execution_t" in (tree / "build/api/xml/statistics_8h.xml").read_text(encoding="utf-8")
    index = (tree / "build/api/xml/index.xml").read_text(encoding="utf-8")
    assert "takt_queue_take" not in index
    assert set(re.findall(r'kind="file"><name>([^<]*)', index)) == set(api.public_headers())


def without(tree: Path, header: str, comment: str) -> Path:
    """Return a header without a comment, given by its beginning."""
    path = tree / "kernel" / header
    text = path.read_text(encoding="utf-8")
    changed = re.sub(rf" ?/\* {comment}.*?\*/", "", text, flags=re.DOTALL)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    return path


def test_names_without_a_comment_are_told(tree: Path) -> None:
    without(tree, "ring.h", "How many records were lost so far")
    without(tree, "statistics.h", "ticks in all")
    without(tree, "statistics.h", "What one entity has executed")
    without(tree, "pool.h", "of all blocks of a pool")
    done = make_reference(tree)
    assert done.returncode != 0
    for name in ("takt_trace_ring_lost", "executed", "takt_execution_t", "TAKT_POOL_BYTES_MAX"):
        assert re.search(rf"\b{name}\b.* is not documented", done.stderr)


def test_a_value_without_a_comment_is_told(tree: Path) -> None:
    header = without(tree, "flags.h", "when any bit of the mask is set")
    assert api.values_without_comment(header) == ["TAKT_FLAGS_ANY"]
    assert make_reference(tree).returncode != 0


# ---- what calls answer ------------------------------------------------------------------------------------


def test_every_status_is_answered_by_some_call() -> None:
    answered = {status for answers in ANSWERS.values() for status in answers}
    assert {status.name for status in api.statuses()} - answered == set()


def test_comments_are_read_as_people_read_them() -> None:
    thread = {"TAKT_OK", "TAKT_ERROR_NULL", "TAKT_ERROR_OBJECT", "TAKT_ERROR_IN_ISR", "TAKT_ERROR_LOCKED"}
    isr = {"TAKT_OK", "TAKT_ERROR_NULL", "TAKT_ERROR_OBJECT", "TAKT_ERROR_NOT_IN_ISR", "TAKT_ERROR_INTERRUPT"}
    assert ANSWERS["takt_semaphore_give"] == thread | {"TAKT_ERROR_COUNT"}
    assert ANSWERS["takt_semaphore_give_from_isr"] == isr | {"TAKT_ERROR_COUNT"}
    assert ANSWERS["takt_semaphore_signal"] == thread
    assert ANSWERS["takt_semaphore_signal_from_isr"] == isr
    waits = {"TAKT_ERROR_NOT_STARTED", "TAKT_ERROR_WAITS"}
    assert ANSWERS["takt_semaphore_take_for"] == thread | waits | {"TAKT_TIMEOUT"}
    assert ANSWERS["takt_thread_notify"] == thread
    assert ANSWERS["takt_thread_notify_from_isr"] == isr
    assert ANSWERS["takt_mutex_unlock"] == ANSWERS["takt_mutex_lock"]
    assert "TAKT_ERROR_NOT_PERIODIC" in ANSWERS["takt_job_unlock_first"]


BODY = re.compile(
    r"^(?:static )?(?:inline )?(?:__attribute__\(\(\w+\)\) )*takt_status_t (\w+)\([^{};]*\) \{(?:$(.*?)^\}|(.*?)\}$)",
    re.M | re.S,
)


@cache
def bodies(file: Path) -> dict[str, str]:
    """Return the functions of a file that answer a status, as the compiler sees them."""
    command = ["cc", "-E", "-P", f"-I{ROOT}", f"-I{ROOT / 'tests' / 'fake_port'}", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: long + short for name, long, short in BODY.findall(text)}


def answers_in(file: Path, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return what the code of a function and of its helpers in the same file can answer."""
    body = bodies(file)[name]
    helpers = {other for other in re.findall(r"\b(\w+)\(", body) if other in bodies(file)} - seen - {name}
    private = {other for other in helpers if not other.startswith("takt_")}
    found = set(STATUS.findall(body))
    for helper in private:
        found |= answers_in(file, helper, seen | {name} | private)
    return found


SOURCES = {name: file for file in sorted((ROOT / "kernel").glob("*.c")) for name in bodies(file)}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_call_says_all_that_its_code_answers(name: str) -> None:
    waits_for_ever = {"TAKT_TIMEOUT"} if f"{name}_for" in ANSWERS else set()
    assert answers_in(SOURCES[name], name) - waits_for_ever - ANSWERS[name] == set()
