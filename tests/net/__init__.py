# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What Takt answers about systems that were drawn once: hashes of decisions, of figures and of verdicts.

systems.zip holds <paradigm>.toml for each paradigm: many task-set files, each after a line `#### number`. For each of
them hashes/<paradigm>.csv has one row. A hash covers names, numbers and verdicts, and no sentence: sentences may be
written better.

To change systems: `unzip -d FOLDER systems.zip`, and `python -m net --pack FOLDER` in tests/.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from places import EXAMPLES
from takt.command.main import app
from typer.testing import CliRunner

HERE = Path(__file__).parent
SYSTEMS = HERE / "systems.zip"
NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that an archive can say, so that equal systems are equal bytes."""
SEPARATOR = re.compile(r"^#### \d+\n", re.MULTILINE)
SENTENCES = frozenset({"version", "file", "reason", "advice", "source", "detail", "as_written"})
"""Members of JSON that say something for people, or where a file lies; of the run as written `run` has the figures."""
LATER = frozenset({"parts", "demands", "warnings", "scaling_finer", "remedies"})
"""Members that JSON got after the hashes were recorded."""
RECORD_BYTES = 32


class Row(NamedTuple):
    """Hashes of one system; `-` where a command refuses it.

    Args:
        system: its number, or the name of an example.
        records: of the simulator's trace, without the header.
        run: what `takt run --json` says.
        analysis: what `takt analyse --json` says.
        board: records of the kernel on posix in virtual time.
    """

    system: str
    records: str
    run: str
    analysis: str
    board: str


def paradigms() -> list[str]:
    """Return the names of the files of systems, and of the examples."""
    with zipfile.ZipFile(SYSTEMS) as archive:
        return [*sorted(Path(name).stem for name in archive.namelist()), "examples"]


def systems(paradigm: str) -> list[tuple[str, str]]:
    """Return name and text of each system of a paradigm."""
    if paradigm == "examples":
        return [(path.stem, path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.toml"))]
    with zipfile.ZipFile(SYSTEMS) as archive:
        texts = SEPARATOR.split(archive.read(f"{paradigm}.toml").decode())[1:]
    return [(str(number), text) for number, text in enumerate(texts)]


def pack(folder: Path) -> None:
    """Write the archive of systems anew.

    Args:
        folder: has a file for each paradigm.
    """
    with zipfile.ZipFile(SYSTEMS, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.glob("*.toml")):
            archive.writestr(zipfile.ZipInfo(path.name, NO_TIME), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def recorded(paradigm: str) -> list[Row]:
    """Return the rows that are checked in."""
    with (HERE / "hashes" / f"{paradigm}.csv").open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def record(paradigm: str, rows: list[Row]) -> None:
    """Write the rows that are checked in."""
    with (HERE / "hashes" / f"{paradigm}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(rows)


def row_of(name: str, text: str, folder: Path) -> Row:
    """Return the hashes of one system.

    Args:
        name: of the system.
        text: of its task-set file.
        folder: for files that are made meanwhile.
    """
    path, trace = folder / "system.toml", folder / "T.takt"
    path.write_text(text, encoding="utf-8")
    run = _said("run", str(path), "--trace", str(trace))
    records = _records(trace)
    analysis = _said("analyse", str(path), "--no-remedies")
    _said("run", str(path), "--on", "posix", "--trace", str(trace))
    return Row(name, records, run, analysis, board=_records(trace))


def _said(*arguments: str) -> str:
    """Run a command with --json: the hash of what it says, or `-` if it refuses its input."""
    result = CliRunner().invoke(app, [*arguments, "--json"])
    if result.exit_code == 2:
        return "-"
    assert result.exit_code == 0, result.output
    said = json.dumps(list(_without_sentences(json.loads(result.stdout))), sort_keys=True)
    return _hash(said.encode())


def _without_sentences(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each leaf with its path, but sentences; the name of an analysis is one of them."""
    if isinstance(value, dict):
        for name in sorted(value.keys() - SENTENCES - LATER - ({"name"} if path.endswith("test") else set())):
            yield from _without_sentences(value[name], f"{path}/{name}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _without_sentences(each, f"{path}/{number}")
    else:
        yield path, value


def _records(trace: Path) -> str:
    """Hash the records of a trace and remove it; `-` if there is none.

    The closing record counts the others, so that nothing has to be known about the header.
    """
    if not trace.exists():
        return "-"
    data = trace.read_bytes()
    trace.unlink()
    _, counted = struct.unpack_from("<QQ", data, len(data) - RECORD_BYTES)
    return _hash(data[-RECORD_BYTES * (counted + 1) :])


def _hash(data: bytes) -> str:
    """Hash bytes; 64 bits are enough to see a change."""
    return hashlib.sha256(data).hexdigest()[:16]
