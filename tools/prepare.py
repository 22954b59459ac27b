#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sets up what the Makefile's targets need: packages of the system, the virtual environment, Python packages.

Usage:
    prepare.py tools TARGET     install the rows of tools/apt-packages.txt that are missing, as root by apt-get;
                                TARGET is one that the rows name, or test: all but those of mutate and of linux
    prepare.py dependencies     make .venv and install into it what builds Takt and what Takt needs
    prepare.py package          install Takt into .venv, which has its dependencies
    prepare.py extras NAME...   install those optional dependencies of pyproject.toml into .venv
    prepare.py lock             write the versions in .venv, and the sha256 of the file of each, to tools/lock.txt

Versions and files are those of tools/lock.txt (lock.py). On a machine other than that of the lock its versions hold,
and the files are not checked. A change of the requirements in pyproject.toml needs a new lock.

What cannot be installed ends the program with one line that says what is missing and what to do. It works on a
Debian that has python3 and pip but no ensurepip: then the system's pip installs into the environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import lock
from lock import Lock, Package

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOG = VENV / "install.log"
PINS = VENV / "pins.txt"
"""What pip is given of the lock. pyproject.toml says which versions are good, the lock which one is taken."""


def give_up(message: str) -> None:
    """End the program with one line."""
    sys.exit(f"prepare: {message}")


# ---- packages of the system -------------------------------------------------------------------------------


OPTIONAL = "optional"
APART = ("mutate", "linux")
"""Targets of which only `make mutate`, and `make linux` with the tests in Python, have the rows installed."""


def read_rows() -> list[list[str]]:
    """Return package, sign and targets of all rows."""
    lines = (ROOT / "tools" / "apt-packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def rows_for(target: str) -> list[tuple[str, str]]:
    """Return package and sign for a target; the tests need all but what is optional or apart."""
    found = [
        (package, sign)
        for package, sign, needed_by in read_rows()
        if target in needed_by.split(",") or (target == "test" and needed_by not in (OPTIONAL, *APART))
    ]
    if not found:
        give_up(f"nothing is known about {target}")
    return found


def is_there(sign: str) -> bool:
    """True if what a package brings can be found."""
    if sign == "Python.h":
        return (Path(sysconfig.get_paths()["include"]) / sign).exists()
    return shutil.which(sign) is not None if "/" not in sign else Path(sign).exists()


def missing_packages(target: str) -> list[str]:
    """Return the packages of which there is no sign."""
    return [package for package, sign in rows_for(target) if not is_there(sign)]


def apt_install(packages: list[str]) -> str:
    """Install packages and return the last line of a failure, empty if there is none."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-qq"], install):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            return f"{' '.join(command)} failed: {last_line(done.stderr)}"
    return ""


def install_optional() -> None:
    """Install what some tests skip without, if it can be had; `make test` names what it cannot run."""
    missing = missing_packages(OPTIONAL)
    if missing and shutil.which("apt-get") is not None and os.geteuid() == 0:
        failure = apt_install(missing)
        if failure:
            print(f"prepare: continues without {' '.join(missing)}: {failure}", flush=True)


def install_tools(target: str) -> None:
    """Install what is missing, if this is root on a system with apt-get."""
    missing = missing_packages(target)
    if not missing:
        return
    names = " ".join(missing)
    if shutil.which("apt-get") is None:
        give_up(f"missing, under Debian's names: {names}")
    if os.geteuid() != 0:
        give_up(f"missing; run as root: apt-get install {names}")
    print(f"prepare: installing {names}", flush=True)
    failure = apt_install(missing)
    if failure:
        give_up(failure)
    if missing_packages(target):
        give_up(f"still missing after apt-get install: {' '.join(missing_packages(target))}")


def first_error(text: str) -> str:
    """Return the first line that names an error, without pip's remarks that a program it ran had one."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"error:", line, re.IGNORECASE)]
    telling = [line for line in lines if "subprocess-exited" not in line]
    return telling[0] if telling else last_line(text)


def last_line(text: str) -> str:
    """Return the last line with a text."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


# ---- the virtual environment ------------------------------------------------------------------------------


def venv_python() -> str:
    """Return the path of the environment's interpreter."""
    return str(VENV / "bin" / "python")


def make_venv() -> None:
    """Create the environment, without a pip of its own where the system lacks ensurepip."""
    if Path(venv_python()).exists():
        return
    for options in ([], ["--without-pip"]):
        command = [sys.executable, "-m", "venv", "--clear", *options, str(VENV)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return
    give_up("python3 -m venv failed; run as root: apt-get install python3-venv")


def pip() -> list[str]:
    """Return the pip that installs into the environment."""
    own = [venv_python(), "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    return [sys.executable, "-m", "pip", "--python", venv_python()]


def run_pip(arguments: list[str]) -> str:
    """Return pip's output for the environment; on failure print its first error and where the rest is."""
    make_venv()
    environment = {name: text for name, text in os.environ.items() if name != "PIP_CONSTRAINT"}
    done = subprocess.run(
        [*pip(), "install", "--disable-pip-version-check", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
    )
    LOG.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        give_up(f"{pip_error(done.stdout)} (all of pip's output: {LOG.relative_to(ROOT)})")
    return done.stdout


def pip_error(text: str) -> str:
    """Return the cause of pip's failure; its own words for a wrong hash do not name the package in the same line."""
    wrong = re.search(r"DO NOT MATCH THE HASHES.*\n +(\S+)", text)
    if wrong:
        return f"the file that pip found for {wrong[1]} is not the one that tools/lock.txt names; nothing was installed"
    return f"pip failed: {first_error(text)}"


def machine() -> str:
    """Return the kind of machine for which the environment's interpreter takes files."""
    show = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
    return subprocess.run([venv_python(), "-c", show], capture_output=True, text=True, check=True).stdout.strip()


def check_locked(locked: Lock, names: list[str]) -> None:
    """End the program if the lock was made for other requirements of these groups."""
    wanted = lock.wanted()
    for name in names:
        if name not in wanted:
            give_up(f"pyproject.toml has no extra {name}")
        if locked.wanted.get(name) != wanted[name]:
            give_up(
                f"tools/lock.txt lacks requirements of {name} in pyproject.toml; run: python3 tools/prepare.py lock"
            )


def install_groups(names: list[str]) -> None:
    """Install what the lock has of some groups: files with their hashes, or on another machine versions alone.

    Nothing is built apart from the environment, so that what builds a package is of the lock, too.
    """
    locked = lock.read()
    check_locked(locked, names)
    make_venv()
    print(f"prepare: installing {', '.join(names)}", flush=True)
    if machine() == locked.machine:
        PINS.write_text("".join(f"{package}\n" for package in locked.of(names)), encoding="utf-8")
        run_pip(["--no-build-isolation", "--no-deps", "--require-hashes", "-r", str(PINS)])
        return
    print(f"prepare: the hashes of tools/lock.txt are for {locked.machine}, not {machine()}: only versions are checked")
    PINS.write_text("".join(f"{package.pin}\n" for package in locked.packages), encoding="utf-8")
    wanted = [requirement for name in names for requirement in locked.wanted[name]]
    run_pip(["--no-build-isolation", "-c", str(PINS), *wanted])


def build_programs() -> list[str]:
    """Return the group of CMake and Ninja if the system lacks one or has a CMake that is too old."""
    least = re.findall(r"\d+", lock.read_project()["tool"]["scikit-build"]["cmake"]["version"])
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        return [lock.PROGRAMS]
    shown = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"\d+", shown)[: len(least)]
    return [lock.PROGRAMS] if list(map(int, found)) < list(map(int, least)) else []


def install_dependencies() -> None:
    """Install what builds Takt, and what Takt needs."""
    install_groups([lock.BUILD, *build_programs()])
    install_groups([lock.PACKAGE])


def install_package() -> None:
    """Install Takt."""
    print("prepare: building takt", flush=True)
    run_pip(["--no-build-isolation", "--no-deps", "."])


# ---- the lock ---------------------------------------------------------------------------------------------


def write_lock() -> None:
    """Write what pip would take for each group, of the versions installed here, and else of those in the lock."""
    make_venv()
    freeze = subprocess.run([*pip(), "freeze", "--exclude", "takt"], capture_output=True, text=True, check=True)
    before = [package.pin for package in lock.read().packages] if lock.LOCK.exists() else []
    pins = {lock.plain(pin.partition("==")[0]): pin for pin in [*before, *freeze.stdout.splitlines()]}
    PINS.write_text("".join(f"{pin}\n" for pin in pins.values()), encoding="utf-8")
    wanted = lock.wanted()
    found: dict[str, Package] = {}
    for group, requirements in wanted.items():
        for package in choose(requirements):
            found.setdefault(package.name, package).groups.append(group)
    lock.write(Lock(machine(), wanted, list(found.values())))


def choose(requirements: list[str]) -> list[Package]:
    """Return what pip would install into an empty environment, with the hash of each file."""
    if not requirements:
        return []
    report = VENV / "report.json"
    dry = ["--dry-run", "--ignore-installed", "--quiet", "--report", str(report), "-c", str(PINS)]
    run_pip([*dry, *requirements])
    rows = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [
        Package(
            row["metadata"]["name"],
            row["metadata"]["version"],
            [row["download_info"]["archive_info"]["hashes"]["sha256"]],
        )
        for row in rows
    ]


def main(arguments: list[str]) -> None:
    """Run the command of the first argument."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this runs before anything has been checked)
        give_up(f"Takt needs Python 3.11 or later, this is {sys.version.split()[0]}; try make PYTHON=python3.11")
    if arguments[:1] == ["tools"] and len(arguments) == 2:
        install_tools(arguments[1])
        if arguments[1] == "test":
            install_optional()
    elif arguments == ["dependencies"]:
        install_dependencies()
    elif arguments == ["package"]:
        install_package()
    elif arguments == ["lock"]:
        write_lock()
    elif arguments[:1] == ["extras"] and len(arguments) > 1:
        install_groups(arguments[1:])
    else:
        give_up("usage: prepare.py tools TARGET, dependencies, package, extras NAME... or lock")


if __name__ == "__main__":
    main(sys.argv[1:])
