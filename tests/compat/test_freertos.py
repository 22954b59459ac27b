# SPDX-License-Identifier: Apache-2.0 OR MIT
"""FreeRTOS' interface over the kernel: programs written from its public reference, on every port."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import recipes
from places import ROOT
from recipes import PORTS, compile_kernel, compile_objects, emulator, found, link, run

HERE = ROOT / "tests" / "compat"
INTERFACE = ["-Icompat/freertos/include", "-Itests/compat/config"]
SANITIZED = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SHARED = "freertos"
HOOKS = [f"-D{name}=1" for name in ("configUSE_TICK_HOOK", "configUSE_IDLE_HOOK", "configGENERATE_RUN_TIME_STATS")]
DEMONSTRATION = (
    "configUSE_TICK_HOOK",
    "configUSE_IDLE_HOOK",
    "configUSE_MALLOC_FAILED_HOOK",
    "configUSE_DAEMON_TASK_STARTUP_HOOK",
)
FLAGS = {
    "cooperative": ["-DconfigUSE_PREEMPTION=0"],
    "cores": ["-DTEST_CORES=1"],
    "sections": ["-DconfigLONG_SECTION_TICKS=(TAKT_TICK_HZ/configTICK_RATE_HZ)"],
    "demonstration": [f"-D{name}=1" for name in DEMONSTRATION],
    "streams": ["-DconfigUSE_SB_COMPLETED_CALLBACK=1"],
    "statistics": [*HOOKS, "-DTAKT_SWITCH_HOOK=1"],
    "script": ["-DconfigUSE_TIME_SLICING=0"],
}
PROGRAMS = sorted(path.stem for path in HERE.glob("*.c") if path.stem not in (SHARED, "script", "servers", "recorded"))


def recipe(port: str, *flags: str) -> dict[str, Any]:
    """Read how programs for a port are built; those of a process look for errors of C, too."""
    return recipes.recipe(port, *(SANITIZED if port == "posix" else []), *flags)


def build(
    port: str,
    program: str,
    folder: Path,
    factory: pytest.TempPathFactory,
    *defines: str,
    sources: Sequence[str] = (),
) -> list[str | Path]:
    """Compile and link a program of tests/compat, with definitions and sources of its own; return what runs it."""
    flags = FLAGS.get(program, [])
    how = recipe(port, *INTERFACE, *flags)
    library = compile_objects(how, [*found("compat/freertos/*.c"), f"tests/compat/{SHARED}.c"], factory)
    kernel = compile_kernel(recipe(port, *flags), port, factory)
    own = [f"tests/compat/{program}.c", *sources]
    how["cflags"] = [*how["cflags"], *defines]
    return [*emulator(how), link(how, own, [*library, *kernel], folder / f"{program}_{port}.elf")]


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_sees_what_the_public_reference_says(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, port: str, program: str
) -> None:
    done = run(build(port, program, tmp_path, tmp_path_factory))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


HOGS = {"loop": 0, "suspended": 1, "equals": 2, "alone": 3, "queues": 4}


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("edf", [0, 1], ids=["fp", "edf"])
@pytest.mark.parametrize("hog", HOGS)
def test_a_program_in_a_server_makes_no_thread_beside_it_late(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, port: str, hog: str, edf: int
) -> None:
    defines = [f"-DSERVERS_HOG={HOGS[hog]}", f"-DSERVERS_EDF={edf}"]
    done = run(build(port, "servers", tmp_path, tmp_path_factory, *defines))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("hog", HOGS)
def test_the_same_program_at_the_root_does(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, hog: str) -> None:
    done = run(build("posix", "servers", tmp_path, tmp_path_factory, f"-DSERVERS_HOG={HOGS[hog]}", "-DSERVERS_HOME=0"))
    assert done.returncode == 1
    assert done.stdout in ("failed: the thread starves\n", "failed: no job is late\n")


REFUSED = {
    "configNUMBER_OF_CORES": "2",
    "configUSE_CO_ROUTINES": "1",
    "configENABLE_MPU": "1",
    "configUSE_NEWLIB_REENTRANT": "1",
    "configUSE_TICKLESS_IDLE": "2",
    "configMAX_PRIORITIES": "40",
    "configTICK_RATE_HZ": "999",
    "configMINIMAL_STACK_SIZE": "8",
}


@pytest.mark.parametrize("macro", REFUSED)
def test_what_cannot_be_honoured_is_refused_by_its_name(tmp_path: Path, macro: str) -> None:
    config = (HERE / "config" / "FreeRTOSConfig.h").read_text(encoding="utf-8")
    lines = [line for line in config.splitlines() if not line.startswith(f"#define {macro} ")]
    text = "\n".join([*lines[:-1], f"#define {macro} {REFUSED[macro]}", lines[-1], ""])
    (tmp_path / "FreeRTOSConfig.h").write_text(text, encoding="utf-8")
    how = recipes.recipe("posix", "-Icompat/freertos/include", f"-I{tmp_path}")
    texts = [
        run([how["cc"], *how["cflags"], "-c", f"compat/freertos/{name}.c", "-o", tmp_path / "o"]).stderr
        for name in ("create", "wait")
    ]
    assert any(f"{macro}" in line for text in texts for line in text.splitlines() if "error" in line)
