# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The same C programs on every port: locks, registers, stacks, calls under interrupts, time, switches, exits.

A program of tests/conformance prints what failed and exits with 1, or prints nothing and exits with 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from places import ROOT
from recipes import COMPUTING, CORES, PORTS, compile_kernel, emulator, link, recipe, run
from sampling import IS_SMALLER, SYSTEMS

PROGRAMS = ROOT / "tests" / "conformance"

FULL_PASS = ["-DCONFORMANCE_TRACED=1"]
DISPLACED = ["-DOVERFLOW_DISPLACED=1"]
JUMP = ["-DOVERFLOW_JUMP=1"]
BY_KEYS = ["-DCONFORMANCE_POLICY=takt_policy_edf"]
UNGUARDED = ["-DTAKT_GUARD=0"]
DEBUG = ["-DTAKT_CHECKS=2"]
OF_DEBUG_LEVEL = ("intruders", "overflows")
WORDS = ["-DTAKT_GUARD=2"]
REAL_TIME = {"CONFORMANCE_REAL_TIME": "1"}


Build = Callable[..., list[Path]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that compiles the kernel and what belongs to it, once for each port and choice of flags."""
    return lambda port, *flags: compile_kernel(recipe(port, *flags), port, tmp_path_factory)


def says_nothing(
    built: Build,
    folder: Path,
    port: str,
    program: str,
    *,
    defines: Sequence[str] = (),
    flags: Sequence[str] = (),
    environment: dict[str, str] | None = None,
) -> None:
    """Build and run a program, which must find nothing wrong; `flags` are the kernel's, too."""
    flags = [*flags, *(DEBUG if program in OF_DEBUG_LEVEL else [])]
    how, source = recipe(port, *flags, *defines), f"tests/conformance/{program}.c"
    elf = link(how, [source], built(port, *flags), folder / f"{program}_{port}.elf")
    done = run([*emulator(how), elf], environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


CASES: list[tuple[str, list[str]]] = [
    ("lock", []),
    ("registers", []),
    ("registers", FULL_PASS),
    ("switches", []),
    ("switches", FULL_PASS),
    ("exits", []),
    ("cycles", []),
    ("cycles", FULL_PASS),
    ("cycles", BY_KEYS),
    ("returns", []),
    ("returns", FULL_PASS),
    ("overflows", []),
    ("overflows", FULL_PASS),
    ("overflows", BY_KEYS),
    ("overflows", JUMP),
    ("overflows", [*JUMP, *FULL_PASS]),
    ("overflows", DISPLACED),
    ("overflows", [*DISPLACED, *FULL_PASS]),
    ("intruders", []),
    ("intruders", FULL_PASS),
    ("calls", []),
    ("calls", FULL_PASS),
    ("calls", BY_KEYS),
    ("ticks", []),
    ("ticks", FULL_PASS),
    ("far", []),
    ("meets", []),
    ("meets", FULL_PASS),
    ("guards", ["-DGUARDS_ACT=TRESPASS", "-DGUARDS_KIND=0"]),
    ("guards", ["-DGUARDS_ACT=TRESPASS", "-DGUARDS_KIND=1"]),
    ("guards", ["-DGUARDS_ACT=TRESPASS", "-DGUARDS_KIND=2"]),
]

GUARDED = ("cortex_m", "posix")


def guard_case(act: str, margin: int = 0, *flags: str) -> list[str]:
    """Return how guards.c overflows its stack, and how many bytes it leaves above the guard before."""
    return [f"-DGUARDS_ACT={act}", f"-DGUARDS_MARGIN={margin}", *flags]


# What is saved hits the guard, by margin: in the call's own frame and in the switch; in the hardware's stacking, in the
# frame that PendSV builds, and in the switch.
GUARD_CASES: list[list[str]] = [
    guard_case("JUMP"),
    guard_case("RECUR"),
    guard_case("OVERFLOW_ANEW"),
    guard_case("OVERFLOW_AS_JOB"),
    *(guard_case("YIELD", margin) for margin in (0, 24)),
    *(guard_case("YIELD", margin, *FULL_PASS) for margin in (0, 24)),
    *(guard_case("BE_INTERRUPTED", margin) for margin in (0, 16, 40, 64)),
    *(guard_case("BE_INTERRUPTED", margin, *FULL_PASS) for margin in (40, 64)),
]


COMPUTE = "-DGUARDS_COMPUTE=1"

# What a thread that computes saves besides hits the guard too: s16 to s31 in the switch, the frame of 104 bytes, and
# what PendSV puts below it.
FLOAT_CASES: list[tuple[str, list[str]]] = [
    ("floats", []),
    ("floats", FULL_PASS),
]
FLOAT_GUARD_CASES: list[list[str]] = [
    *(guard_case("YIELD", margin, COMPUTE) for margin in (0, 24, 72, 96)),
    *(guard_case("BE_INTERRUPTED", margin, COMPUTE) for margin in (0, 64, 104, 136, 200)),
]

NOT_ON_THE_CHIP = ("guards", "meets")
"""Its core reports no access without memory; and two interrupts at every offset are 10^9 cycles."""

# `make test` samples what other cores have of their own; `make soak` runs all.
IS_SAMPLE = SYSTEMS is None or IS_SMALLER
SAMPLE: list[tuple[str, str, list[str]]] = [
    ("cortex_m4f", "floats", []),
    ("cortex_m4f", "guards", guard_case("YIELD", 72, COMPUTE)),
    ("cortex_m4f", "guards", guard_case("BE_INTERRUPTED", 136, COMPUTE)),
    ("riscv_f", "floats", []),
    ("cortex_m0", "registers", []),
    ("cortex_m0", "calls", []),
    ("cortex_m0", "meets", []),
    ("riscv64", "registers", []),
    ("riscv64", "calls", []),
    ("soc", "lock", []),
    ("soc", "exits", []),
    ("soc", "far", []),
    ("cortex_m33", "floats", []),
    ("cortex_m33", "guards", guard_case("JUMP")),
    ("cortex_m33", "guards", guard_case("BE_INTERRUPTED", 136, COMPUTE)),
]
ALL_OF_CORES = [
    (core, program, defines)
    for core in CORES
    for program, defines in CASES
    if core != "soc" or program not in NOT_ON_THE_CHIP
]
ALL_OF_CORES += [(core, program, defines) for core in COMPUTING for program, defines in FLOAT_CASES]
ALL_OF_CORES += [
    (core, "guards", case)
    for core in CORES
    if recipe(core)["port"] in GUARDED
    for case in [*GUARD_CASES, *FLOAT_GUARD_CASES]
]


def name_of(value: object) -> str:
    """Return the name of a case for people."""
    return ("_".join(value) or "plain") if isinstance(value, list) else str(value)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(("program", "defines"), CASES, ids=name_of)
def test_every_port_conforms(built: Build, tmp_path: Path, port: str, program: str, defines: list[str]) -> None:
    says_nothing(built, tmp_path, port, program, defines=defines)


@pytest.mark.parametrize(("core", "program", "defines"), SAMPLE if IS_SAMPLE else ALL_OF_CORES, ids=name_of)
def test_every_core_conforms(built: Build, tmp_path: Path, core: str, program: str, defines: list[str]) -> None:
    says_nothing(built, tmp_path, core, program, defines=defines)


@pytest.mark.parametrize("core", COMPUTING[:1] if IS_SAMPLE else COMPUTING)
def test_the_kernel_itself_does_not_compute(built: Build, core: str) -> None:
    """Else every thread that calls it would be one that does."""
    objects = [path for path in built(core) if "tests_" not in path.name and "port_" not in path.name]
    text = run([recipe(core)["cc"].replace("gcc", "objdump"), "-d", "--no-show-raw-insn", *objects]).stdout
    assert len(objects) > 50
    assert re.findall(r"^ +[0-9a-f]+:\t(?:v|f(?!ence|rcsr|scsr)).*", text, re.MULTILINE) == []


@pytest.mark.parametrize("core", () if IS_SAMPLE else COMPUTING)
def test_threads_that_compute_conform_without_checks_of_misuse_and_without_guards(
    built: Build, tmp_path: Path, core: str
) -> None:
    says_nothing(built, tmp_path, core, "floats", flags=["-DTAKT_CHECKS=0"])
    says_nothing(built, tmp_path, core, "floats", flags=UNGUARDED)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("program", ["lock", "registers", "calls"])
def test_every_port_conforms_without_checks_of_misuse(built: Build, tmp_path: Path, port: str, program: str) -> None:
    says_nothing(built, tmp_path, port, program, flags=["-DTAKT_CHECKS=0"])


@pytest.mark.parametrize("program", ["lock", "registers", "switches", "exits", "calls", "intruders"])
def test_a_process_conforms_in_real_time(built: Build, tmp_path: Path, program: str) -> None:
    says_nothing(built, tmp_path, "posix", program, environment=REAL_TIME)


@pytest.mark.parametrize("port", GUARDED)
@pytest.mark.parametrize("defines", GUARD_CASES, ids=name_of)
def test_a_thread_that_hits_its_guard_is_told_at_once(
    built: Build, tmp_path: Path, port: str, defines: list[str]
) -> None:
    says_nothing(built, tmp_path, port, "guards", defines=defines)


@pytest.mark.parametrize("margin", [0, 1024])
def test_a_signal_that_does_not_fit_above_the_guard_is_told(built: Build, tmp_path: Path, margin: int) -> None:
    defines = guard_case("BE_INTERRUPTED", margin)
    says_nothing(built, tmp_path, "posix", "guards", defines=defines, environment=REAL_TIME)


@pytest.mark.parametrize("port", GUARDED)
def test_without_guards_a_frame_that_jumps_goes_on(built: Build, tmp_path: Path, port: str) -> None:
    how = recipe(port, *UNGUARDED)
    elf = link(how, ["tests/conformance/guards.c"], built(port, *UNGUARDED), tmp_path / "guards.elf")
    done = run([*emulator(how), elf])
    assert (done.returncode, done.stdout) == (1, "failed: who_has_hit_the_guard_does_not_go_on\n")


@pytest.mark.parametrize("port", GUARDED)
@pytest.mark.parametrize("defines", [[], JUMP, DISPLACED], ids=name_of)
def test_without_guards_a_stack_that_has_overflowed_is_told(
    built: Build, tmp_path: Path, port: str, defines: list[str]
) -> None:
    says_nothing(built, tmp_path, port, "overflows", defines=defines, flags=UNGUARDED)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], JUMP, DISPLACED], ids=name_of)
def test_words_find_an_overflow_at_the_usual_level_of_checks(
    built: Build, tmp_path: Path, port: str, defines: list[str]
) -> None:
    how, flags = recipe(port, *WORDS, *defines), [] if port == "riscv" else WORDS
    elf = link(how, ["tests/conformance/overflows.c"], built(port, *flags), tmp_path / "program.elf")
    done = run([*emulator(how), elf])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("program", "flags"), [("switches", []), ("overflows", WORDS)], ids=name_of)
def test_a_processor_without_an_mpu_does_without_guards(
    built: Build, tmp_path: Path, program: str, flags: list[str]
) -> None:
    how = recipe("cortex_m", *flags)
    elf = link(how, [f"tests/conformance/{program}.c"], built("cortex_m", *flags), tmp_path / "program.elf")
    command = emulator(how)
    done = run([command[0], "-global", "cortex-m3-arm-cpu.pmsav7-dregion=0", *command[1:], elf])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_guard_may_be_larger(built: Build, tmp_path: Path) -> None:
    flags = ["-DTAKT_PORT_GUARD_BYTES=4096"]
    says_nothing(built, tmp_path, "cortex_m", "guards", defines=guard_case("YIELD", 24), flags=flags)


def has_32_bits(folder: Path) -> bool:
    """True if the compiler has a C library of 32 bits, which in Debian is gcc-multilib."""
    source = folder / "nothing.c"
    source.write_text("#include <stdio.h>\nint main(void) { return 0; }\n", encoding="utf-8")
    return run(["cc", "-m32", source, "-o", folder / "nothing"]).returncode == 0


@pytest.mark.parametrize(("program", "defines"), CASES, ids=name_of)
def test_a_process_of_32_bits_conforms(built: Build, tmp_path: Path, program: str, defines: list[str]) -> None:
    if not has_32_bits(tmp_path):
        pytest.skip("gcc-multilib is not installed")
    says_nothing(built, tmp_path, "posix", program, defines=defines, flags=["-m32"])


@pytest.mark.parametrize("defines", GUARD_CASES, ids=name_of)
def test_a_process_of_32_bits_has_guards(built: Build, tmp_path: Path, defines: list[str]) -> None:
    if not has_32_bits(tmp_path):
        pytest.skip("gcc-multilib is not installed")
    says_nothing(built, tmp_path, "posix", "guards", defines=defines, flags=["-m32"])


PRINTING = [*(("overflows", port) for port in PORTS), *(("guards", port) for port in GUARDED)]


@pytest.mark.parametrize(("program", "port"), PRINTING)
def test_the_kernels_own_hook_prints_whose_stack_has_overflowed(
    built: Build, tmp_path: Path, program: str, port: str
) -> None:
    how, serial = recipe(port, "-DOVERFLOW_PRINTED=1", "-DGUARDS_PRINTED=1"), tmp_path / "serial"
    elf = link(how, [f"tests/conformance/{program}.c"], built(port), tmp_path / "program.elf")
    command = emulator(how)
    if command:
        command[command.index("-serial") + 1] = f"file:{serial}"
    done = run([*command, elf])
    told = serial.read_text(encoding="utf-8") if command else done.stderr
    assert (done.returncode, done.stdout) == (0, "")
    assert told == 'takt: the stack of thread "deep" has overflowed; give it a larger one\n'


@pytest.mark.parametrize("program", sorted(path.stem for path in PROGRAMS.glob("*.c")))
def test_no_program_is_forgotten(program: str) -> None:
    assert program == "conformance" or program in {case for case, _ in [*CASES, *FLOAT_CASES]}


@pytest.mark.parametrize(
    ("port", "machine", "complaint"),
    [
        ("cortex_m", ["-mcpu=cortex-m0"], "port/cortex_m0 is for ARMv6-M"),
        ("cortex_m0", ["-mcpu=cortex-m0plus"], None),
        ("cortex_m0", ["-mcpu=cortex-m1"], None),
        ("cortex_m0", ["-mcpu=cortex-m3"], "this port is for ARMv6-M"),
        ("cortex_m0", ["-mcpu=cortex-m23"], "this port is for ARMv6-M"),
        ("cortex_m", ["-mcpu=cortex-m23"], "this port is for ARMv7-M"),
        ("cortex_m", ["-mcpu=cortex-m55", "-mfloat-abi=hard"], "does not save the vector predicate"),
        ("cortex_m", ["-mcpu=cortex-m33", "-mfloat-abi=soft"], None),
        ("cortex_m", ["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], None),
        ("cortex_m", ["-mcpu=cortex-m7", "-mfloat-abi=softfp", "-mfpu=fpv5-d16"], None),
        ("cortex_m", ["-mcpu=cortex-m4", "-mfloat-abi=soft"], None),
        ("riscv", ["-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"], None),
        ("riscv", ["-march=rv64imafc", "-mabi=lp64f"], "saves no registers of double precision and no vectors"),
        ("riscv", ["-march=rv32ema", "-mabi=ilp32e"], "saves all registers of the I base"),
        ("riscv", ["-march=rv32imc", "-mabi=ilp32"], "needs the A extension"),
        ("riscv", ["-march=rv32imafc", "-mabi=ilp32f"], None),
        ("riscv", ["-march=rv32imafdc", "-mabi=ilp32d"], "saves no registers of double precision and no vectors"),
        ("riscv", ["-march=rv32ia", "-mabi=ilp32"], None),
        ("riscv", ["-march=rv32imac", "-mabi=ilp32"], None),
    ],
)
def test_port_compiles_only_where_it_is_right(
    tmp_path: Path, port: str, machine: list[str], complaint: str | None
) -> None:
    how = recipe(port)
    flags = [flag for flag in how["cflags"] if not flag.startswith(("-mcpu", "-march", "-mabi"))]
    done = run([how["cc"], *flags, *machine, "-c", f"port/{port}/switch.c", "-o", tmp_path / "switch.o"])
    assert (done.returncode == 0) == (complaint is None), done.stderr
    assert complaint is None or complaint in done.stderr
