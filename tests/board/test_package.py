# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the CMake package: programs outside of this tree that link the kernel, in the ways that CMake has.

examples/blinky_rtos and examples/admission_rtos are further ones; test_blinky.py and test_admission.py build them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT
from recipes import emulator, recipe

TOOLCHAINS = {"cortex_m": "arm-none-eabi", "riscv": "riscv", "posix": None}
STRICT = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"]

PROGRAM = """\
#include "analysis/utilization_bounds.h"
#include "firmware/semihost.h"
#include "kernel/job.h"
#include "kernel/kernel.h"
#include "kernel/mutex.h"
#include "kernel/ring.h"
#include "kernel/semaphore.h"
#include "kernel/statistics.h"
#include "policy/table.h"

static const takt_sporadic_t task = {.wcet = 2, .period = 3, .deadline = 3};
static takt_thread_t thread;
static uint64_t stack[(TAKT_STACK_BYTES_MIN + 1024) / sizeof(uint64_t)];

static void run(void *argument) {
    (void)argument;
    takt_semihost_print(takt_thread_yield() == TAKT_OK ? "a thread runs" : "a thread fails");
    takt_semihost_print(takt_semaphore_take(NULL) == TAKT_ERROR_NULL ? ", misuse is told" : "");
    takt_semihost_print(takt_liu_layland_decide(&task, 1) == TAKT_SCHEDULABLE ? ", a task fits\\n" : "\\n");
    takt_semihost_exit((int)TAKT_KERNEL_HEAP_SLOTS);
}

int main(void) {
    const takt_thread_parameters_t parameters = {.entry = run, .stack = stack, .stack_bytes = sizeof stack};
    (void)takt_kernel_init(&takt_policy_edf);
    (void)takt_thread_create(&thread, &parameters);
    (void)takt_kernel_start();
    return 1;
}
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.24)
project(consumer LANGUAGES {language})
{how}
add_executable(program main.{suffix})
target_link_libraries(program PRIVATE {links})
target_compile_options(program PRIVATE -Wall -Wextra
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-use-cxa-atexit>)
if(TARGET takt_sim OR TARGET takt_core OR TARGET _core)
  message(FATAL_ERROR "the simulator or the Python package is built")
endif()
add_custom_target(run COMMAND program USES_TERMINAL)
"""

CPP_PROGRAM = """\
#include "firmware/semihost.h"
#include "kernel/kernel.h"
#include "kernel/semaphore.h"
#include "policy/table.h"

/* Boards have these; a process is constructed before main. */
extern "C" __attribute__((weak)) void (*const takt_board_constructors_start[])(void);
extern "C" __attribute__((weak)) void (*const takt_board_constructors_end[])(void);

static void construct(void) {
    for (auto constructor = takt_board_constructors_start; constructor != takt_board_constructors_end; constructor++) {
        (*constructor)();
    }
}

namespace {

class semaphore {
public:
    explicit semaphore(int32_t count) { status = takt_semaphore_init(&object, count); }
    takt_status_t take() { return takt_semaphore_take(&object); }
    takt_status_t give() { return takt_semaphore_give(&object); }
    takt_status_t status;

private:
    takt_semaphore_t object{};
};

template <unsigned extra> class thread {
public:
    void start(const char *name, void (*entry)(void *), uint32_t priority) {
        takt_thread_parameters_t parameters{};
        parameters.name = name;
        parameters.entry = entry;
        parameters.stack = stack;
        parameters.stack_bytes = sizeof stack;
        parameters.priority = priority;
        status = takt_thread_create(&object, &parameters);
    }
    takt_status_t status;

private:
    takt_thread_t object{};
    alignas(8) unsigned char stack[TAKT_STACK_BYTES_MIN + extra];
};

semaphore ready{0};
thread<1024> first, second;

void wait(void *) {
    takt_semihost_print(ready.take() == TAKT_OK ? "taken" : takt_status_message(ready.status));
    takt_semihost_exit(takt_kernel_running()->name[0]);
}

void give(void *) {
    takt_semihost_print("given, ");
    (void)ready.give();
}

} // namespace

int main() {
    construct();
    (void)takt_kernel_init(&takt_policy_fp);
    first.start("first", wait, 2);
    second.start("second", give, 1);
    return takt_kernel_start();
}
"""

ADDED = f"add_subdirectory({ROOT} takt)"
FETCHED = "include(FetchContent)\nFetchContent_Declare(takt URL nowhere)\nFetchContent_MakeAvailable(takt)"
FOUND = "find_package(takt REQUIRED)"
BOARD = "takt::board takt::semihost takt::analysis"


def must_run(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def toolchain(port: str) -> list[str]:
    """Return CMake's options for a port's compiler; the host's own needs none."""
    name = TOOLCHAINS[port]
    return [] if name is None else ["--toolchain", str(ROOT / "cmake" / f"toolchain-{name}.cmake")]


@dataclass(frozen=True)
class Outcome:
    """How the program ended, and what it printed."""

    status: int
    text: str


def outcome_of(
    folder: Path,
    port: str,
    how: str,
    links: str = BOARD,
    options: list[str] | None = None,
    core: str = "",
    language: str = "C",
) -> Outcome:
    """Build a project that uses the package, and run its program."""
    return outcome_on(emulator(recipe(core or port)), program_of(folder, port, how, links, options, language))


def outcome_on(machine: list[str | Path], program: Path) -> Outcome:
    """Run a program on an emulated machine, or on this one."""
    done = subprocess.run([*machine, program], capture_output=True, text=True, check=False, timeout=60)
    return Outcome(done.returncode, done.stdout)


def program_of(
    folder: Path,
    port: str,
    how: str,
    links: str = BOARD,
    options: list[str] | None = None,
    language: str = "C",
) -> Path:
    """Build a project that uses the package; return its program."""
    source, build = folder / "consumer", folder / "build"
    source.mkdir()
    suffix, text = {"C": ("c", PROGRAM), "C CXX": ("cpp", CPP_PROGRAM)}[language]
    project = PROJECT.format(how=how, links=links, language=language, suffix=suffix)
    (source / f"main.{suffix}").write_text(text, encoding="utf-8")
    (source / "CMakeLists.txt").write_text(project, encoding="utf-8")
    must_run(["cmake", "-G", "Ninja", "-S", source, "-B", build, *toolchain(port), *STRICT, *(options or [])])
    built = must_run(["cmake", "--build", build, "--parallel", "2"])
    assert "warning" not in built.stdout + built.stderr
    (program,) = [path for path in (build / "program", build / "program.elf") if path.exists()]
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    assert "TAKT_PYTHON" not in cache
    assert "TAKT_TESTS" not in cache
    return program


RUNS = Outcome(32, "a thread runs, misuse is told, a task fits\n")


def test_a_project_fetches_the_sources(tmp_path: Path) -> None:
    assert outcome_of(tmp_path, "riscv", FETCHED, options=[f"-DFETCHCONTENT_SOURCE_DIR_TAKT={ROOT}"]) == RUNS


@pytest.mark.parametrize("port", TOOLCHAINS)
def test_a_program_in_cpp_calls_the_kernel(tmp_path: Path, port: str) -> None:
    options = [f"-DTAKT_PORT={port}"]
    assert outcome_of(tmp_path, port, ADDED, options=options, language="C CXX") == Outcome(ord("f"), "given, taken")


@pytest.mark.parametrize("port", ["cortex_m", "posix"])
def test_a_project_finds_what_was_installed(tmp_path: Path, port: str) -> None:
    geometry = tmp_path / "many.h"
    geometry.write_text("#define TAKT_KERNEL_HEAP_SLOTS 48\n", encoding="utf-8")
    build, prefix = tmp_path / "takt", tmp_path / "installed"
    options = [*toolchain(port), *STRICT, f"-DTAKT_PORT={port}", f"-DTAKT_GEOMETRY={geometry}"]
    must_run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options])
    must_run(["cmake", "--build", build, "--parallel", "2"])
    must_run(["cmake", "--install", build, "--prefix", prefix])
    geometry.unlink()
    outcome = outcome_of(tmp_path, port, FOUND, options=[f"-Dtakt_DIR={prefix}/lib/cmake/takt"])
    assert outcome == Outcome(48, RUNS.text)


@pytest.mark.parametrize(("port", "links"), [("cortex_m", "takt::board_mps2_an385"), ("posix", "takt::port_posix")])
def test_a_project_adds_the_folder_and_its_options_reach_the_kernel(tmp_path: Path, port: str, links: str) -> None:
    (tmp_path / "many.h").write_text("#define TAKT_KERNEL_HEAP_SLOTS 40\n", encoding="utf-8")
    options = [f"-DTAKT_GEOMETRY={tmp_path / 'many.h'}", f"-DTAKT_PORT={port}"]
    assert outcome_of(tmp_path, port, ADDED, f"{links} takt::semihost takt::analysis", options) == Outcome(
        40, RUNS.text
    )


def test_checks_can_be_left_out(tmp_path: Path) -> None:
    must_run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DTAKT_PORT=posix", "-DTAKT_CHECKS=OFF"])
    commands = must_run(["ninja", "-C", tmp_path, "-t", "commands"]).stdout
    assert "-DTAKT_CHECKS=0 " in commands
    assert "-DTAKT_CHECKS=1 " not in commands


def test_guards_can_be_left_out(tmp_path: Path) -> None:
    must_run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DTAKT_PORT=posix", "-DTAKT_GUARD=OFF"])
    commands = must_run(["ninja", "-C", tmp_path, "-t", "commands"]).stdout
    assert "-DTAKT_GUARD=0 " in commands
    assert "-DTAKT_CHECKS=1 " in commands


def test_a_port_of_ones_own_is_a_folder(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "port" / "template", tmp_path / "abacus")
    build = tmp_path / "build"
    must_run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *STRICT, f"-DTAKT_PORT={tmp_path / 'abacus'}"])
    must_run(["cmake", "--build", build, "--parallel", "2"])
    must_run(["cmake", "--install", build, "--prefix", tmp_path / "installed"])
    assert (tmp_path / "installed" / "lib" / "libtakt_port_abacus.a").exists()
    assert (tmp_path / "installed" / "include" / "takt" / "port" / "abacus" / "takt_port.h").exists()


def test_a_port_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    command: list[str | Path] = ["cmake", "-S", ROOT, "-B", tmp_path, "-DTAKT_PORT=pdp11"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "TAKT_PORT is pdp11" in done.stderr


def test_the_toolchain_files_emulate_as_the_firmware_does() -> None:
    for port, name in TOOLCHAINS.items():
        if name is not None:
            text = " ".join((ROOT / "cmake" / f"toolchain-{name}.cmake").read_text(encoding="utf-8").split())
            machine = re.search(r"set\(takt_machine (\S+)\)", text)  # that of the board that is the default
            of_default = text.replace("${takt_machine}", machine[1]) if machine else text
            assert " ".join(map(str, emulator(recipe(port)))) in of_default


@pytest.mark.parametrize("port", TOOLCHAINS)
@pytest.mark.parametrize("build_type", ["", "RelWithDebInfo"])
def test_a_policy_of_the_users_own_runs_alike_on_every_port(port: str, build_type: str, tmp_path: Path) -> None:
    """The kernel's own work does not show in slots of that length, optimised or not."""
    options = [f"-DTAKT_PORT={port}", f"-DCMAKE_BUILD_TYPE={build_type}", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"]
    must_run(["cmake", "-S", ROOT / "examples" / "own_policy", "-B", tmp_path, *options, *toolchain(port)])
    must_run(["cmake", "--build", tmp_path, "--parallel", "2"])
    said = must_run(["cmake", "--build", tmp_path, "--target", "run"]).stdout
    assert "aaabbbbcaaabbbbcaaacbbbbaaacccbbaaabbccc\n" in said


PROGRAMS = {"sleep_rtos": "20 readings, 20 sleeps, none late\n", "freertos_rtos": "20 readings in 2000 ticks\n"}
"""Examples that sleep while they are idle, and that are written against FreeRTOS: what they print."""


@pytest.mark.parametrize("port", TOOLCHAINS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_runs_alike_on_every_port(program: str, port: str, tmp_path: Path) -> None:
    options = [f"-DTAKT_PORT={port}", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"]
    must_run(["cmake", "-S", ROOT / "examples" / program, "-B", tmp_path, *options, *toolchain(port)])
    must_run(["cmake", "--build", tmp_path, "--parallel", "2"])
    assert PROGRAMS[program] in must_run(["cmake", "--build", tmp_path, "--target", "run"]).stdout


def test_a_freertos_configuration_that_cannot_be_honoured_is_refused_by_its_name(tmp_path: Path) -> None:
    example = shutil.copytree(ROOT / "examples" / "freertos_rtos", tmp_path / "program")
    configuration = example / "FreeRTOSConfig.h"
    text = configuration.read_text(encoding="utf-8")
    wanted = "configUSE_PREEMPTION 1\n"
    configuration.write_text(text.replace(wanted, f"{wanted}#define configUSE_CO_ROUTINES 1\n"), encoding="utf-8")
    options = ["-DTAKT_PORT=posix", f"-DTAKT_FOLDER={ROOT}"]
    must_run(["cmake", "-S", example, "-B", tmp_path / "build", *options])
    command: list[str | Path] = ["cmake", "--build", tmp_path / "build", "--target", "takt_freertos"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "configUSE_CO_ROUTINES: there are no co-routines" in done.stdout + done.stderr
