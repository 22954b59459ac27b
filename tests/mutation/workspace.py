# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A copy of the sources in which mutants are built and judged, incrementally and without a change to the project's own.

The libraries of core, policy, system, sim and analysis are shared ones here, so that a mutant is one object and one
link for all tests in C and for the Python package. Tests that call compilers themselves do so through a compiler cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMPILERS = ("cc", "gcc", "c++", "g++", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc")
BUILD_SECONDS = 600
PROGRAM_SECONDS = 60  # of a test in C, which takes a few, so that an endless one does not cost minutes
SYSTEMS = "20"  # of tests in Python: a tenth of what `make test` tries
SAID = 2000  # characters of what failed, at most


class BrokenError(Exception):
    """The workspace cannot be made; the text says why."""


def run(command: list[str], folder: Path, environment: dict[str, str], seconds: float) -> tuple[bool, str]:
    """Run a command with all that it starts; say whether it succeeded in time, and the end of what it printed."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, f"not done after {seconds:g} s"
    return process.returncode == 0, said[-SAID:]


class Workspace:
    """One copy.

    Attributes:
        tree: The copied sources.
        build: What is built of them.
        sanitized: The tests in C, instrumented with sanitizers, as `make test` runs them too.
        environment: Of all commands.
        libraries: What was built as shared libraries, by name.
        modules: Likewise the modules of the Python package.
        original: Digests of what was built of sources that are not damaged, by name.
    """

    def __init__(self, folder: Path) -> None:
        """Copy and build.

        Raises:
            BrokenError: The sources as they are do not build.
        """
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.sanitized = folder / "sanitized"
        self.package = folder / "python"
        self.environment = {
            **os.environ,
            "PATH": f"{_make_compilers(folder)}:{os.environ['PATH']}",
            "CCACHE_DIR": str(folder.parent / "cache"),
            "PYTHONPATH": str(self.package),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TAKT_STEADY": "1",
        }
        self._copy()
        self._configure()
        self._link_package()
        self.libraries = [path.name for path in self.build.glob("lib*.so")]
        self.modules = [path.name for path in self.build.glob("_*.so")]
        self.original = self.digests(path.name for path in self.build.glob("test_*"))

    def _copy(self) -> None:
        """Make the tree that of the project: what git does not ignore, as it is now. What is equal keeps its time."""
        command = ["git", "ls-files", "-coz", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            source, target = ROOT / name, self.tree / name
            if not source.is_file() or (target.is_file() and target.read_bytes() == source.read_bytes()):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)

    def _configure(self) -> None:
        options = {
            "TAKT_TESTS": "ON",
            "CMAKE_BUILD_TYPE": "None",
            "CMAKE_C_FLAGS": "-O1",
            "CMAKE_CXX_FLAGS": "-O1",
            "CMAKE_C_COMPILER_LAUNCHER": "ccache",
            "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        }
        shared = {
            "TAKT_PYTHON": "ON",
            "BUILD_SHARED_LIBS": "ON",
            "CMAKE_LINK_DEPENDS_NO_SHARED": "ON",
            "CMAKE_COMPILE_WARNING_AS_ERROR": "ON",
            "Python_EXECUTABLE": sys.executable,
        }
        self._make(self.build, options | shared)
        self._make(self.sanitized, options | {"TAKT_SANITIZE": "ON"})

    def _make(self, folder: Path, options: dict[str, str]) -> None:
        """Build a folder with options of cmake."""
        words = [f"-D{name}={value}" for name, value in options.items()]
        self._must(["cmake", "-S", str(self.tree), "-B", str(folder), "-G", "Ninja", *words])
        self._must(["cmake", "--build", str(folder)])

    def _link_package(self) -> None:
        """Lay out the Python package as it is installed, with the modules that were built here."""
        shutil.rmtree(self.package, ignore_errors=True)
        shutil.copytree(self.tree / "python" / "takt", self.package / "takt")
        for module in self.build.glob("_*.so"):
            (self.package / "takt" / module.name).symlink_to(module)
        (self.package / "takt" / "source").symlink_to(self.tree)

    def _must(self, command: list[str]) -> None:
        succeeded, said = run(command, self.tree, self.environment, BUILD_SECONDS)
        if not succeeded:
            raise BrokenError(f"{' '.join(command)}\n{said}")

    def write(self, file: str, text: str) -> None:
        """Replace a source."""
        (self.tree / file).write_text(text, encoding="utf-8")

    def object_of(self, file: str, flags: list[str]) -> bytes:
        """Compile a source by itself, optimised; give the object, none if it is refused."""
        target = self.build / "alone.o"
        target.unlink(missing_ok=True)
        command = ["gcc", "-std=c11", "-O2", "-w", "-I.", *flags, "-c", file, "-o", str(target)]
        succeeded, _ = run(command, self.tree, self.environment, BUILD_SECONDS)
        return target.read_bytes() if succeeded else b""

    def compile(self, programs: list[str]) -> bool:
        """Bring tests in C, the libraries and the Python package up to date. True if that succeeded."""
        return self._ninja(self.build, *programs, *self.libraries, *self.modules)

    def _ninja(self, folder: Path, *targets: str) -> bool:
        return run(["ninja", "-C", str(folder), *targets], self.tree, self.environment, BUILD_SECONDS)[0]

    def digests(self, programs: Iterable[str]) -> dict[str, str]:
        """Return digests of the libraries and of tests in C; equal ones come of sources that mean the same."""
        names = [*self.libraries, *programs]
        return {name: hashlib.sha256((self.build / name).read_bytes()).hexdigest() for name in names}

    def is_original(self, programs: list[str]) -> bool:
        """True if libraries and tests in C are those of sources that are not damaged."""
        return self.digests(programs).items() <= self.original.items()

    def fails(self, programs: list[str], files: list[str], seconds: float) -> str:
        """Run tests until one fails; give its name, empty if none does. A test that does not end has failed."""
        return (
            self._program_fails(self.build, programs, seconds)
            or self._file_fails(files, seconds)
            or self._sanitizer_fails(programs, seconds)
        )

    def _program_fails(self, folder: Path, programs: list[str], seconds: float) -> str:
        for program in programs:
            if not run([str(folder / program)], self.tree, self.environment, min(seconds, PROGRAM_SECONDS))[0]:
                return program
        return ""

    def _sanitizer_fails(self, programs: list[str], seconds: float) -> str:
        """Run the tests in C under sanitizers."""
        killer = (
            self._program_fails(self.sanitized, programs, seconds) if self._ninja(self.sanitized, *programs) else ""
        )
        return f"{killer}, sanitized" if killer else ""

    def _file_fails(self, files: list[str], seconds: float) -> str:
        if not files:
            return ""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider", *files]
        succeeded, said = run(command, self.tree, self.environment | {"TAKT_SYSTEMS": SYSTEMS}, seconds)
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return "" if succeeded else (failed[0][:120] if failed else said.strip().splitlines()[-1][:120])


def _make_compilers(folder: Path) -> Path:
    """Return a folder of compilers that are the compiler cache."""
    names = folder / "compilers"
    names.mkdir(parents=True, exist_ok=True)
    cache = shutil.which("ccache")
    if cache is None:
        raise BrokenError("there is no ccache here; run: python3 tools/prepare.py tools mutate")
    for name in COMPILERS:
        if not (names / name).exists():
            (names / name).symlink_to(cache)
    return names
