# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where the Python fuzzers begin: examples and other good task sets, the bad ones of the tests, short traces.

Usage: seeds.py taskset|trace FOLDER
"""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
GOOD = sorted((TESTS.parent / "examples").glob("*.toml")) + sorted((TESTS / "fuzz/corpus/taskset").glob("*.toml"))
TRACED_TICKS = 40
PREAMBLE = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQIIBBHI")
COMPLETE, REFUSE, WITHDRAW, PRIORITY = 1, 20, 25, 26


def task_sets() -> Iterator[bytes]:
    """Yield good task sets, and the bad inputs but those that only are long."""
    sys.path.insert(0, str(TESTS / "support"))
    from bad_inputs import BAD

    yield from (path.read_bytes() for path in GOOD)
    yield from (text.encode() for text, _ in BAD.values() if len(text) < 2000)


def with_inserted(data: bytes, kind: int, after: int) -> Iterator[bytes]:
    """Insert an event that no simulation has after the first record of another kind, if there is one.

    Args:
        data: a trace.
        kind: of the event; its value is a level, and an instant that is over.
        after: kind of the record after which it comes, and whose entity it is about.
    """
    begin = -(-(PREAMBLE.size + PREAMBLE.unpack_from(data)[3]) // RECORD.size) * RECORD.size
    for at in range(begin, len(data), RECORD.size):
        now, _, entity, sequence, found, *_, job = RECORD.unpack_from(data, at)
        if found == after:
            record = RECORD.pack(now, 1, entity, sequence + 1, kind, 0, 0, job)
            yield data[: at + RECORD.size] + record + data[at + RECORD.size :]
            return


def traces() -> Iterator[bytes]:
    """Yield traces of the good task sets, so short that a mutation hits something."""
    import takt

    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "T.takt")
        for path in GOOD:
            takt.simulate(takt.load(path), TRACED_TICKS, trace=trace)
            data = trace.read_bytes()
            yield data
            yield from with_inserted(data, WITHDRAW, REFUSE)
            yield from with_inserted(data, PRIORITY, COMPLETE)


SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {"taskset": task_sets, "trace": traces}


def main(name: str, folder: Path) -> None:
    """Write one file per seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]()):
        Path(folder, f"{number:03}").write_bytes(seed)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
