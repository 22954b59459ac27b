# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/check_rooms.py: the project keeps to its dependency table, and every breach of it is caught."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

TOOL = ROOT / "tools" / "check_rooms.py"

HEADERS = [
    "core/bits.h",
    "policy/table.h",
    "analysis/bound.h",
    "system/spec.h",
    "sim/sim.h",
    "kernel/port.h",
    "kernel/thread.h",
    "port/cortex_m/registers.h",
    "port/posix/clock.h",
    "firmware/board.h",
    "api/freertos/task.h",
    "bench/clock.h",
    "tests/c/check.h",
]


def check(root: Path) -> list[str]:
    """Run the tool on a tree and give its lines; its exit status must agree with them."""
    run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    is_clean = lines[-1].startswith("check_rooms: ")
    assert run.returncode == (0 if is_clean else 1)
    return [] if is_clean else lines


def tree(root: Path, files: dict[str, str]) -> Path:
    """Write files, and empty headers for them to use."""
    for path, text in {**dict.fromkeys(HEADERS, ""), **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_project_keeps_to_its_table() -> None:
    assert check(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core/a.c", '#include "core/bits.h"\n#include "bits.h"\n#include <stdint.h>\n'),
        ("core/a.c", '/* #include "sim/sim.h" */\n// #include <stdio.h>\n'),
        ("core/a.c", 'const char *a = "\\n#include <stdio.h>";\n'),
        ("policy/a.c", '#include "core/bits.h"\n#include "policy/table.h"\n#include <stdbool.h>\n'),
        ("analysis/a.c", '#include "core/bits.h"\n'),
        ("system/a.c", '#include "core/bits.h"\n#include "policy/table.h"\n#include "system/spec.h"\n'),
        ("sim/a.c", '#include "core/bits.h"\n#include "policy/table.h"\n#include <stdlib.h>\n'),
        ("sim/a.c", '#include "system/spec.h"\n'),
        ("kernel/a.c", '#include "kernel/port.h"\n#include "core/bits.h"\n#include "policy/table.h"\n'),
        ("kernel/port.h", '#include "core/bits.h"\n#include <takt_port.h>\n'),
        ("port/cortex_m/a.S", '#include "kernel/port.h"\n#include "port/cortex_m/registers.h"\n'),
        ("port/posix/a.c", '#include "clock.h"\n#include <signal.h>\n'),
        ("firmware/a.c", '#include "kernel/thread.h"\n#include "system/spec.h"\n#include "firmware/board.h"\n'),
        ("api/freertos/a.c", '#include "kernel/thread.h"\n#include "api/freertos/task.h"\n'),
        ("python/a.cpp", '#include "sim/sim.h"\n#include <nanobind/nanobind.h>\n#include <vector>\n'),
        ("python/takt/a.py", "import takt.files\nfrom . import files\nimport polars\n"),
        ("tools/a.py", "import ast\nimport b\n"),
        ("studies/one/a.py", "import takt\nfrom studies.common import Claim\n"),
        ("tests/c/a.c", '#include "sim/sim.h"\n#include "kernel/thread.h"\n#include "check.h"\n'),
        ("tests/c/a.c", '#include "found_by_include_path.h"\n'),
        ("tests/test_a.py", "import takt\nimport oracle\nimport bench\n"),
        ("tests/oracle/a.py", "import oracle.systems\nimport hypothesis\n"),
        ("bench/a.c", '#include "core/bits.h"\n'),
        ("build/a.c", '#include "nothing.h"\n'),
        (".venv/a.py", "import bench\n"),
    ],
)
def test_what_the_table_allows_passes(tmp_path: Path, path: str, text: str) -> None:
    assert check(tree(tmp_path, {"tools/b.py": "", path: text})) == []


@pytest.mark.parametrize(
    ("path", "line", "complaint"),
    [
        ("core/a.c", "#include <stdio.h>", "core/ may not include <stdio.h>"),
        ("core/a.c", "#include <string.h>", "core/ may not include <string.h>"),
        ("core/a.c", '#include "policy/table.h"', "core/ may not include policy/table.h"),
        ("core/a.c", '#include "../sim/sim.h"', "core/ may not include sim/sim.h"),
        ("core/a.c", "#include <sim/sim.h>", "core/ may not include sim/sim.h"),
        ("core/a.c", '#  include "sim/sim.h"', "core/ may not include sim/sim.h"),
        ("core/a.c", '#include /* far */ "sim/sim.h"', "core/ may not include sim/sim.h"),
        ("core/a.c", '%:include "sim/sim.h"', "core/ may not include sim/sim.h"),
        ("core/a.c", '#include \\\n"sim/sim.h"', "core/ may not include sim/sim.h"),
        ("core/a.c", '#include "core/a.c"', "core/ may not include core/a.c"),
        ("core/a.c", '#include "unknown.h"', '"unknown.h" is no file of the project'),
        ("core/a.c", "#include HEADER", "include of 'HEADER': only a name in quotes or"),
        ("policy/a.c", '#include "sim/sim.h"', "policy/ may not include sim/sim.h"),
        ("policy/a.c", "#include <stdlib.h>", "policy/ may not include <stdlib.h>"),
        ("analysis/a.c", '#include "policy/table.h"', "analysis/ may not include policy/table.h"),
        ("system/a.c", '#include "sim/sim.h"', "system/ may not include sim/sim.h"),
        ("system/a.c", "#include <stdlib.h>", "system/ may not include <stdlib.h>"),
        ("core/a.c", '#include "system/spec.h"', "core/ may not include system/spec.h"),
        ("kernel/a.c", '#include "system/spec.h"', "kernel/ may not include system/spec.h"),
        ("sim/a.c", '#include "kernel/thread.h"', "sim/ may not include kernel/thread.h"),
        ("kernel/a.c", '#include "sim/sim.h"', "kernel/ may not include sim/sim.h"),
        ("kernel/a.c", '#include "port/cortex_m/registers.h"', "kernel/ may not include port/cortex_m/registers.h"),
        ("kernel/a.c", "#include <takt_port.h>", "kernel/ may not include <takt_port.h>"),
        ("kernel/port.h", '#include "policy/table.h"', "kernel/ may not include policy/table.h"),
        ("kernel/a.c", "#include <stdio.h>", "kernel/ may not include <stdio.h>"),
        ("port/cortex_m/a.c", '#include "core/bits.h"', "port/cortex_m/ may not include core/bits.h"),
        ("port/cortex_m/a.c", '#include "kernel/thread.h"', "port/cortex_m/ may not include kernel/thread.h"),
        ("port/cortex_m/a.c", '#include "../posix/clock.h"', "port/cortex_m/ may not include port/posix/clock.h"),
        ("firmware/a.c", '#include "sim/sim.h"', "firmware/ may not include sim/sim.h"),
        ("api/freertos/a.c", '#include "core/bits.h"', "api/ may not include core/bits.h"),
        ("python/a.cpp", '#include "kernel/thread.h"', "python/ may not include kernel/thread.h"),
        ("sim/a.c", '#include "bench/clock.h"', "sim/ may not include bench/clock.h"),
        ("python/takt/a.py", "import bench", "python/ may not import bench"),
        ("python/takt/a.py", "from oracle import simulate", "python/ may not import oracle"),
        ("python/takt/a.py", "if True:  from tests.oracle import simulate", "python/ may not import tests"),
        ("tests/oracle/a.py", "import takt", "tests/oracle/ may not import takt"),
        ("tests/oracle/a.py", "from takt.files import load", "tests/oracle/ may not import takt"),
        ("studies/one/a.py", "from oracle import simulate", "studies/ may not import oracle"),
        ("tools/a.py", "import takt", "tools/ may not import takt"),
        ("tools/a.py", "import pytest", "tools/ may import the standard library only, not pytest"),
        ("attic/a.c", "", "stands in no room of the table"),
        ("a.c", "", "stands in no room of the table"),
        ("port/a.c", "", "stands in no room of the table"),
    ],
)
def test_what_the_table_forbids_is_caught(tmp_path: Path, path: str, line: str, complaint: str) -> None:
    number = 3 if line else 1
    lead = "\n# two lines\n" if path.endswith(".py") else "/* two\n   lines */\n"
    (found,) = check(tree(tmp_path, {path: lead + line + "\n"}))
    assert found.startswith(f"{path}:{number}: {complaint}")


def test_every_breach_of_a_file_gets_its_line(tmp_path: Path) -> None:
    text = '#include <stdio.h>\n#include <stdint.h>\n#include "sim/sim.h"\n'
    assert check(tree(tmp_path, {"core/a.c": text})) == [
        "core/a.c:1: core/ may not include <stdio.h>",
        "core/a.c:3: core/ may not include sim/sim.h",
    ]
