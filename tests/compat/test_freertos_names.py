# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Names of FreeRTOS' interface: each is declared, defined, and on the page that says what carries it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT
from recipes import compile_kernel, compile_objects, found, link, run
from test_freertos import HERE, INTERFACE, recipe

HEADERS = ROOT / "compat" / "freertos" / "include"
PAGE = ROOT / "docs" / "reference" / "freertos.md"
INCLUDES = [
    "FreeRTOS",
    "task",
    "queue",
    "semphr",
    "timers",
    "event_groups",
    "stream_buffer",
    "message_buffer",
    "servers",
]

CALLED, OTHERS = (
    part.split() for part in (HERE / "names.txt").read_text(encoding="utf-8").split("\n", 1)[1].split("# other macros")
)
PRIVATE = re.compile(
    r"Generic|Callback$|^vPort(Enter|Exit|Disable|Enable|Clear|Yield)|^ulPortSet|^xQueue(Create|Take|Give)"
    r"(Mutex|Counting|FromISR)|^xQueueSemaphoreTake|^xQueueGetMutex"
)
"""Functions that only macros of the headers call."""


def text() -> str:
    """Return all headers without comments."""
    whole = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HEADERS.glob("*.h")))
    return re.sub(r"/\*.*?\*/", "", whole, flags=re.DOTALL).replace("\\\n", " ")


def functions() -> list[str]:
    """Return the functions that the headers declare, but hooks, which programs define."""
    declarations = "\n".join(line for line in text().splitlines() if not line.startswith("#"))
    found_names = re.findall(r"^[a-zA-Z_][\w ]*[ *]+(\w+)\([^;{}]*\);", declarations, flags=re.MULTILINE)
    return [name for name in found_names if not name.startswith("vApplication") and "typedef" not in name]


def macros() -> set[str]:
    """Return the macros that the headers define."""
    return set(re.findall(r"^#define (\w+)", text(), flags=re.MULTILINE))


def test_every_name_that_programs_use_is_declared() -> None:
    declared = {*functions(), *macros()}
    assert [name for name in [*CALLED, *OTHERS] if name not in declared] == []


def test_every_function_that_is_declared_is_defined(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    source = tmp_path / "names.c"
    lines = [f'#include "compat/freertos/include/{name}.h"' for name in INCLUDES]
    uses = ",\n".join(f"(void (*)(void)){name}" for name in functions())
    lines += ["void (*const volatile all[])(void) = {", uses, "};"]
    lines += ["int main(void) { return all[0] == (void (*)(void))0; }", "void vApplicationIdleHook(void) {}"]
    lines += ["void vApplicationStackOverflowHook(TaskHandle_t task, char *name) { (void)task; (void)name; }"]
    lines += ["void test_assert(const char *file, int line, const char *what) { (void)file; (void)line; (void)what; }"]
    source.write_text("\n".join([*lines, ""]), encoding="utf-8")
    how = recipe("posix", *INTERFACE)
    library = compile_objects(how, found("compat/freertos/*.c"), tmp_path_factory)
    machine = compile_kernel(recipe("posix"), "posix", tmp_path_factory)
    own = [path for path in machine if "conformance" not in path.name]
    program = link(how, [str(source)], [*library, *own], tmp_path / "names")
    assert len(functions()) > 150
    assert run([program]).returncode == 0


def test_the_page_says_what_carries_each_name() -> None:
    page = PAGE.read_text(encoding="utf-8")
    public = [name for name in functions() if not PRIVATE.search(name)]
    assert [name for name in [*CALLED, *public] if f"`{name}`" not in page] == []


def test_the_page_names_nothing_that_is_not_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = set(
        re.findall(
            r"`((?:[evxu]|ul|ux|pc|pv)(?:Task|Queue|Semaphore|EventGroup|Timer|StreamBuffer|MessageBuffer)\w+)`", page
        )
    )
    assert named - {*functions(), *macros(), "xQueueRegistry"} == set()
