#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sets up what the Makefile's targets need: packages of the system, the virtual environment, Python packages.

Usage:
    prepare.py tools TARGET     install the rows of tools/apt-packages.txt that are missing, as root by apt-get;
                                TARGET is one that the rows name, or test: all but those of mutate and of linux
    prepare.py package          make .venv and install Takt with its dependencies into it
    prepare.py extras NAME...   install those optional dependencies of pyproject.toml into .venv
    prepare.py lock             write the versions in .venv to tools/lock.txt

What cannot be installed ends the program with one line that says what is missing and what to do. It works on a
Debian that has python3 and pip but no ensurepip: then the system's pip installs into the environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOG = VENV / "install.log"
LOCK = ROOT / "tools" / "lock.txt"
"""Versions with which everything was tested: pyproject.toml says which ones are good, this file which one is taken."""


def give_up(message: str) -> None:
    """Ends the program with one line."""
    sys.exit(f"prepare: {message}")


# ---- packages of the system -------------------------------------------------------------------------------


OPTIONAL = "optional"
APART = ("mutate", "linux")
"""Targets of which only `make mutate`, and `make linux` with the tests in Python, have the rows installed."""


def read_rows() -> list[list[str]]:
    """Lists package, sign and targets of all rows."""
    lines = (ROOT / "tools" / "apt-packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def rows_for(target: str) -> list[tuple[str, str]]:
    """Lists package and sign of what a target needs; the tests need all but what is optional or apart."""
    found = [
        (package, sign)
        for package, sign, needed_by in read_rows()
        if target in needed_by.split(",") or (target == "test" and needed_by not in (OPTIONAL, *APART))
    ]
    if not found:
        give_up(f"nothing is known about {target}")
    return found


def is_there(sign: str) -> bool:
    """Says whether what a package brings can be found."""
    if sign == "Python.h":
        return (Path(sysconfig.get_paths()["include"]) / sign).exists()
    return shutil.which(sign) is not None if "/" not in sign else Path(sign).exists()


def missing_packages(target: str) -> list[str]:
    """Lists the packages of which there is no sign."""
    return [package for package, sign in rows_for(target) if not is_there(sign)]


def apt_install(packages: list[str]) -> str:
    """Installs packages; gives the last line of what failed, empty if nothing did."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-qq"], install):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            return f"{' '.join(command)} failed: {last_line(done.stderr)}"
    return ""


def install_optional() -> None:
    """Installs what some tests skip without, where that can be had; `make test` names what it cannot run."""
    missing = missing_packages(OPTIONAL)
    if missing and shutil.which("apt-get") is not None and os.geteuid() == 0:
        failure = apt_install(missing)
        if failure:
            print(f"prepare: continues without {' '.join(missing)}: {failure}", flush=True)


def install_tools(target: str) -> None:
    """Installs what is missing, if this is root on a system with apt-get."""
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
    """Gives the first line that names an error, leaving out pip's remarks that a program it ran had one."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"error:", line, re.IGNORECASE)]
    telling = [line for line in lines if "subprocess-exited" not in line]
    return telling[0] if telling else last_line(text)


def last_line(text: str) -> str:
    """Gives the last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


# ---- the virtual environment ------------------------------------------------------------------------------


def venv_python() -> str:
    """Names the environment's interpreter."""
    return str(VENV / "bin" / "python")


def make_venv() -> None:
    """Makes the environment, without a pip of its own where the system lacks ensurepip."""
    if Path(venv_python()).exists():
        return
    for options in ([], ["--without-pip"]):
        command = [sys.executable, "-m", "venv", "--clear", *options, str(VENV)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return
    give_up("python3 -m venv failed; run as root: apt-get install python3-venv")


def pip() -> list[str]:
    """Names the pip that installs into the environment."""
    own = [venv_python(), "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    return [sys.executable, "-m", "pip", "--python", venv_python()]


def pip_install(what: list[str]) -> None:
    """Installs into the environment; on failure says what pip said last and where the rest is."""
    make_venv()
    command = [*pip(), "install", "--disable-pip-version-check", *what]
    print(f"prepare: pip install {' '.join(what)}", flush=True)
    # An address, because pip ends a path at a space. The versions hold for what builds Takt, too.
    environment = {**os.environ, "PIP_CONSTRAINT": LOCK.as_uri()}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=ROOT, env=environment
    )
    LOG.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        give_up(f"pip failed: {first_error(done.stdout)} (all of its output: {LOG.relative_to(ROOT)})")


def install_extras(names: list[str]) -> None:
    """Installs optional dependencies without building the package again."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pip_install([requirement for name in names for requirement in project["optional-dependencies"][name]])


def write_lock() -> None:
    """Writes the versions that are installed; those that only build the package stay as they are."""
    freeze = [*pip(), "freeze", "--exclude", "takt"]
    found = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout.splitlines()
    before = LOCK.read_text(encoding="utf-8").splitlines() if LOCK.exists() else []
    names = {line.partition("==")[0] for line in found}
    kept = [line for line in before if line.partition("==")[0] not in names]
    LOCK.write_text("\n".join(sorted([*found, *kept], key=str.lower)) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Does what the first argument says."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this runs before anything has been checked)
        give_up(f"Takt needs Python 3.11 or later, this is {sys.version.split()[0]}; try make PYTHON=python3.11")
    if arguments[:1] == ["tools"] and len(arguments) == 2:
        install_tools(arguments[1])
        if arguments[1] == "test":
            install_optional()
    elif arguments == ["package"]:
        pip_install(["."])
    elif arguments == ["lock"]:
        write_lock()
    elif arguments[:1] == ["extras"] and len(arguments) > 1:
        install_extras(arguments[1:])
    else:
        give_up("usage: prepare.py tools TARGET, package, extras NAME... or lock")


if __name__ == "__main__":
    main(sys.argv[1:])
