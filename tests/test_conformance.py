"""The same C programs on every port: locks, registers, stacks, calls under interrupts, time, switches, exits.

A program of tests/conformance prints what failed and exits with 1, or prints nothing and exits with 0.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recipes import PORTS, ROOT, compile_kernel, emulator, link, recipe, run

PROGRAMS = ROOT / "tests" / "conformance"

FULL_PASS = ["-DCONFORMANCE_TRACED=1"]
BY_KEYS = ["-DCONFORMANCE_POLICY=takt_policy_edf"]
REAL_TIME = {"CONFORMANCE_REAL_TIME": "1"}


def checked(checks: int) -> str:
    """Give the flag that keeps checks of misuse or drops them."""
    return f"-DTAKT_CHECKS={checks}"


Build = Callable[[str, int], list[Path]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Give a function that compiles the kernel and what belongs to it, once for each port and choice of checks."""
    done: dict[tuple[str, int], list[Path]] = {}

    def build(port: str, checks: int) -> list[Path]:
        if (port, checks) not in done:
            folder = tmp_path_factory.mktemp(f"{port}{checks}")
            done[port, checks] = compile_kernel(recipe(port, checked(checks)), port, folder)
        return done[port, checks]

    return build


def says_nothing(
    built: Build, folder: Path, port: str, program: str, defines: list[str], checks: int, environment: dict[str, str]
) -> None:
    """Build and run a program, which must find nothing wrong."""
    how, source = recipe(port, checked(checks), *defines), f"tests/conformance/{program}.c"
    elf = link(how, [source], built(port, checks), folder / f"{program}_{port}.elf")
    done = run([*emulator(how), elf], environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


CASES: list[tuple[str, list[str]]] = [
    ("lock", []),
    ("registers", []),
    ("registers", FULL_PASS),
    ("switches", []),
    ("switches", FULL_PASS),
    ("exits", []),
    ("calls", []),
    ("calls", FULL_PASS),
    ("calls", BY_KEYS),
    ("ticks", []),
    ("ticks", FULL_PASS),
    ("far", []),
    ("meets", []),
    ("meets", FULL_PASS),
]


def name_of(value: object) -> str:
    """Name a case for people."""
    return ("_".join(value) or "plain") if isinstance(value, list) else str(value)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(("program", "defines"), CASES, ids=name_of)
def test_every_port_conforms(built: Build, tmp_path: Path, port: str, program: str, defines: list[str]) -> None:
    says_nothing(built, tmp_path, port, program, defines, 1, {})


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("program", ["lock", "registers", "calls"])
def test_every_port_conforms_without_checks_of_misuse(built: Build, tmp_path: Path, port: str, program: str) -> None:
    says_nothing(built, tmp_path, port, program, [], 0, {})


@pytest.mark.parametrize("program", ["lock", "registers", "switches", "exits", "calls"])
def test_a_process_conforms_in_real_time(built: Build, tmp_path: Path, program: str) -> None:
    says_nothing(built, tmp_path, "posix", program, [], 1, REAL_TIME)


@pytest.mark.parametrize("program", sorted(path.stem for path in PROGRAMS.glob("*.c")))
def test_no_program_is_forgotten(program: str) -> None:
    assert program == "conformance" or program in {case for case, _ in CASES}


@pytest.mark.parametrize(
    ("port", "machine", "complaint"),
    [
        ("cortex_m", ["-mcpu=cortex-m0"], "this port is for ARMv7-M"),
        ("cortex_m", ["-mcpu=cortex-m33"], "this port is for ARMv7-M"),
        ("cortex_m", ["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], "saves no floating-point registers"),
        ("cortex_m", ["-mcpu=cortex-m4", "-mfloat-abi=soft"], None),
        ("riscv", ["-march=rv64imac", "-mabi=lp64"], "this port is for RV32"),
        ("riscv", ["-march=rv32ema", "-mabi=ilp32e"], "saves all registers of the I base"),
        ("riscv", ["-march=rv32imc", "-mabi=ilp32"], "needs the A extension"),
        ("riscv", ["-march=rv32imafc", "-mabi=ilp32"], "saves no floating-point or vector registers"),
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
