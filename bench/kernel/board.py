# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Boards of the kernel bench: how its programs are built for one, and what they count on it.

Instructions are exact: -icount gives every instruction 2^shift ns, a board's counter has ticks of a few ns, and a
difference of two readings, rounded, is a whole number of instructions. They are not cycles of silicon: exception
stacking, wait states and pipeline refills are not in them. On the chip of hardware/ the counter counts its cycles.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from takt.board import chip

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PURE = ("core", "policy", "analysis")
"""Folders that include nothing but one another."""


@dataclass(frozen=True)
class Board:
    """One board.

    Attributes:
        name: Its folder here, which has its bench_board.h.
        port: The recipe of firmware/ that says how it is built for.
        shift: An instruction takes 2^shift ns of an emulator.
    """

    name: str
    port: str
    shift: int

    @property
    def build(self) -> dict[str, Any]:
        """Build settings of programs for the board, and its emulator."""
        path = ROOT / "firmware" / f"build_{self.port}.json"
        recipe: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return recipe

    @property
    def ticks_per_instruction(self) -> float:
        """Ticks that the counter advances in an instruction, or in a cycle of the chip, which is one."""
        return 1.0 if "chip" in self.build else float((1 << self.shift) / self.build["tick_ns"])


MPS2 = Board("mps2_an385", "cortex_m", 8)
VIRT = Board("virt", "riscv", 10)


def run(command: list[str]) -> str:
    """Run a command at the root; return its standard output, or end with its complaint."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def pure_text() -> str:
    """Return the text of the pure folders."""
    return "".join(
        path.read_text(encoding="utf-8") for folder in PURE for path in sorted((ROOT / folder).glob("*.[ch]"))
    )


def noticed_flags(flags: Iterable[str], source: str) -> list[str]:
    """Return the flags that can change the object of a source.

    A pure one does not notice macros that none names, nor folders of headers but the root.
    """
    if source.split("/")[0] not in PURE:
        return list(flags)
    noticed = [flag for flag in flags if not flag.startswith("-D") or flag[2:].partition("=")[0] in pure_text()]
    return [flag for flag in noticed if not flag.startswith("-I") or flag == "-I."]


@dataclass(frozen=True)
class Kernel:
    """The kernel compiled for a board with some flags, once for all programs.

    Kernels beside each other share the objects in which their flags make no difference.

    Attributes:
        board: The board.
        folder: Where objects and programs are.
        flags: What is defined besides the board's own flags.
        objects: Object file of every source.
    """

    board: Board
    folder: Path
    flags: tuple[str, ...]
    objects: dict[str, Path] = field(default_factory=dict)

    @property
    def compiler(self) -> list[str]:
        """The compiler and its flags."""
        build = self.board.build
        return [
            build["cc"],
            *build["cflags"],
            *build.get("own_cflags", ()),
            f"-Ibench/kernel/{self.board.name}",
            "-Icompat/freertos/include",
            "-Ibench/kernel/freertos",
            *self.flags,
        ]

    def object_of(self, source: str) -> Path:
        """Return the place of an object; kernels share those of pure sources."""
        name = source.replace("/", "_").replace(".c", ".o")
        if source.split("/")[0] not in PURE:
            return self.folder / name
        return self.folder.parent / "".join(("pure-", self.board.name, *noticed_flags(self.flags, source))) / name

    def compile(self, pool: ThreadPoolExecutor, *besides: str) -> Kernel:
        """Compile all sources of the kernel, and others that programs link; the linker drops what they do not call."""
        sources = [path.relative_to(ROOT) for glob in self.board.build["sources"] for path in sorted(ROOT.glob(glob))]
        self.objects.update({source: self.object_of(source) for source in [*map(str, sources), *besides]})
        for folder in {self.folder, *(target.parent for target in self.objects.values())}:
            folder.mkdir(exist_ok=True)
        missing = [(source, target) for source, target in self.objects.items() if not target.exists()]
        list(pool.map(run, ([*self.compiler, "-c", source, "-o", str(target)] for source, target in missing)))
        return self

    def link(self, program: str, *wraps: str, name: str = "", defines: tuple[str, ...] = ()) -> Path:
        """Build a program of this folder; its linker map is beside it.

        Args:
            program: its path from this folder, without suffix.
            wraps: functions whose places those of the program take that are called __wrap_.
            name: of the file, if it is not the program's.
            defines: the compiler's flags for the program alone.
        """
        elf = self.folder / f"{name or program}.elf"
        build = self.board.build
        flags = [*build["ldflags"], f"-Wl,-Map={elf.with_suffix('.map')}", *(f"-Wl,--wrap={one}" for one in wraps)]
        objects = [str(path) for path in self.objects.values()]
        run([*self.compiler, *defines, *flags, f"bench/kernel/{program}.c", *objects, *build["libs"], "-o", str(elf)])
        return elf

    def emulate(self, program: str, choice: str, *options: str) -> dict[str, tuple[int, int]]:
        """Run a program, built before, with the words of `choice`; return the two numbers of every line it prints.

        Args:
            program: as of link.
            choice: the words of its command line.
            options: more of the emulator.
        """
        elf = self.folder / f"{program}.elf"
        lines = (line.split() for line in run(self.command(elf, choice.split(), options)).splitlines())
        return {name: (int(first), int(second)) for name, first, second in lines}

    def command(self, elf: Path, words: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the command that runs a program with words, and more options of the emulator."""
        if "chip" in self.board.build:
            return [str(chip.model(self.board.build, ROOT)), *options, str(elf), *words]
        command = [*self.board.build["qemu"], "-icount", f"shift={self.board.shift},align=off,sleep=off", *options]
        host = command.index("-semihosting-config") + 1
        command[host] += "".join(f",arg={word}" for word in ("bench", *words))
        return [*command, "-kernel", str(elf)]
