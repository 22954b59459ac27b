# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records the hashes anew: `python -m net [PARADIGM...]`, in tests/. With `--pack FOLDER`, packs changed systems.

A commit that does it says which changed, and why.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import net


def main(names: list[str]) -> None:
    """Ask everything about every system of some paradigms, or of all."""
    if names[:1] == ["--pack"]:
        net.pack(Path(names[1]))
        return
    for paradigm in names or net.paradigms():
        with tempfile.TemporaryDirectory() as folder:
            rows = [net.row_of(name, text, Path(folder)) for name, text in net.systems(paradigm)]
        net.record(paradigm, rows)
        print(f"{paradigm}: {len(rows)} systems", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
