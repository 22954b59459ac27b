# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/measure.py: it counts behind tables and in headers, and lets nothing get worse than it was."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

CORE = {
    "core/dispatcher.c": """\
#include "core/kind.h"

static void (*const handlers[2])(int) = {
    [0] = block,
    [1] = wake,
};

static void block(int event) { takt_work(event ? 1 : 2); }

static void wake(int event) {
    if (event > 0) {
        takt_work(event);
    }
}

void takt_post(kind_t *kind, int event) {
    handlers[event](event);
    kind->replenish(event);
}
""",
    "core/kind.c": """\
#include "core/kind.h"

static void replenish(int event) {
    while (event > 0 && event < 9) {
        event--;
    }
}

const kind_t takt_kind = {.name = "a", .replenish = replenish};
const kind_t takt_other = {
    .name = "b ? c",
    .replenish = takt_begin,
};
""",
    "core/kind.h": """\
typedef struct kind {
    void (*replenish)(int event);
} kind_t;

TAKT_INLINE void takt_begin(int event) {
    for (;;) {
    }
}

TAKT_INLINE void takt_unused(int event) {
    if (event) {
    }
}
""",
}


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the tool, which is a program."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("measure")


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_branches_behind_rows_and_arrays_of_functions_are_counted(measure: Any, tmp_path: Path) -> None:
    found = measure.branches_from(write(tmp_path, CORE), "takt_post")
    counted = sorted(line.partition(": ")[2] for line in found)
    assert counted == ["block: ?", "replenish: &&", "replenish: while", "takt_begin: for", "wake: if"]


FROM_OUTSIDE = {
    "level",
    "start",
    "overtake",
    "record",
    "lock",
    "unlock",
    "enter",
    "leave",
    "request",
    "complete",
    "stop",
}
"""What policies, allocators and traces fill, which stand in other folders."""


@pytest.mark.parametrize(
    ("function", "some"),
    [("takt_dispatcher_take", {"choose", "work_ends"}), ("takt_dispatcher_post", {"handlers", "exhaust"})],
)
def test_every_member_that_core_calls_is_found_in_its_tables_or_filled_from_outside(
    measure: Any, function: str, some: set[str]
) -> None:
    files = measure.files_of_core(ROOT)
    by_name = measure.functions_by_name(files)
    tables = measure.tables_of(files, by_name)
    texts = [each.text for each in measure._reached(by_name, tables, function)]
    called = {member or array for text in texts for member, array in measure.INDIRECT.findall(text)}
    assert {name for name in called if not tables.get(name)} <= FROM_OUTSIDE
    assert some <= called


def test_docstrings_of_results_that_name_an_act_are_found(measure: Any, tmp_path: Path) -> None:
    functions = {
        "gives": ("-> int", "Give the length."),
        "lists": ("-> list[int]", "Lists the lengths."),
        "says": ("-> bool", "Say whether it is long."),
        "returns": ("-> int", "Return the length."),
        "is_long": ("-> bool", "True if it is long."),
        "prints": ("-> None", "List the lengths on the terminal."),
        "listed": ("-> str", "Listing of the lengths."),
    }
    texts = [f'def {name}() {result}:\n    """{text}"""\n' for name, (result, text) in functions.items()]
    write(tmp_path, {"python/takt/a.py": "\n\n".join(texts), "tests/b.py": texts[0]})
    found = measure.docstrings_of_acts(measure.without_tests(tmp_path))
    assert [line.rpartition(" ")[2] for line in found] == ["gives", "lists", "says"]


def test_lines_of_a_header_with_functions_count_if_one_unit_includes_it(measure: Any, tmp_path: Path) -> None:
    files = {
        "policy/one.c": '#include "policy/ledger.h"\n#include "policy/shared.h"\n',
        "policy/two.c": '#include "policy/shared.h"\n#include "policy/types.h"\n',
        "policy/ledger.h": '#include "policy/targets.h"\n\nstatic int sum(void) { return 0; }\n',
        "policy/targets.h": "static int least(void) { return 0; }\n",
        "policy/shared.h": "static int most(void) { return 0; }\n",
        "policy/types.h": "typedef int ledger_t;\n",
    }
    found = measure.bodies_of_one_unit(write(tmp_path, files))
    assert sorted(Path(line).name for line in found) == ["ledger.h"] * 3 + ["targets.h"]


def test_members_of_structures_that_are_cut_are_found(measure: Any, tmp_path: Path) -> None:
    files = {
        "core/a.h": "typedef struct a {\n    takt_instant_t\n        from; /* then */\n    int to; /* now */\n} a_t;\n",
        "core/b.h": "typedef struct b {\n    int from; /* a comment that\n                goes on */\n} b_t;\n",
        "core/c.h": "typedef struct c {\n    /* A comment that\n     * goes on. */\n    int from;\n} c_t;\n",
    }
    write(tmp_path, files)
    found = measure.cut_members(measure.files_in(tmp_path))
    assert [Path(line.partition(":")[0]).name for line in found] == ["a.h", "b.h"]


def test_helpers_with_one_caller_and_modules_with_one_importer_are_found(measure: Any, tmp_path: Path) -> None:
    files = {
        "python/takt/a.py": "from takt.b import B\ndef _once(): ...\ndef _twice(): ...\n_once(), _twice(), _twice()\n",
        "python/takt/b.py": "class B:\n    def _once(self): ...\n    def _never(self): self._once()\n",
        "python/takt/c.py": "from takt.a import c\n",
        "python/takt/d.py": "import takt.a\n",
    }
    root = write(tmp_path, files)
    assert measure.with_one_importer(root) == ["takt.b"]
    found = measure.with_one_caller(measure.package(root))
    assert [(Path(path).name, name) for path, name in (line.split(": ") for line in found)] == [
        ("a.py", "_once"),
        ("b.py", "_once"),
    ]


def test_lines_of_python_without_code_are_found(measure: Any, tmp_path: Path) -> None:
    text = '"""What it is.\n\nMore.\n"""\n\nA = """text\n\nin a value"""  # why\n\n\n'
    text += 'def f() -> int:\n    """Return 1."""\n    # why\n    return (\n        1\n    )\n'
    path = tmp_path / "takt.py"
    path.write_text(text)
    assert measure.lines_without_code([path]) == [f"{path}:{number}" for number in (1, 2, 3, 4, 5, 9, 10, 12, 13)]


def test_lines_that_git_tracks_are_counted(measure: Any, tmp_path: Path) -> None:
    assert measure.tracked_lines(tmp_path) == []
    for name, content in (("a.txt", b"1\n2\n"), ("b.zip", b"\0\n"), ("c.txt", b"1\n")):
        (tmp_path / name).write_bytes(content)
    for words in (["init", "-q"], ["add", "a.txt", "b.zip"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    assert measure.tracked_lines(tmp_path) == [str(tmp_path / "a.txt")] * 2


def test_files_that_a_program_makes_are_found(measure: Any, tmp_path: Path) -> None:
    files = {
        "docs/a.schema.json": "{}\n",
        "docs/trace.md": "# Trace\n\n<!-- tables: made by tools/records.py -->\n",
        "docs/hand.md": "# By hand\n\nThis is made by nobody.\n",
        "python/takt/records.py": '"""Records: made of fields.def by tools/records.py, not by hand."""\n',
        "python/takt/hand.py": '"""Made by hand."""\n',
    }
    found = measure.made_files(write(tmp_path, files))
    assert sorted(Path(line).name for line in found) == ["a.schema.json", "records.py", "trace.md"]


def test_lines_of_documents_are_counted_outside_tables(measure: Any, tmp_path: Path) -> None:
    files = {"a.md": f"{'a' * 121}\n\n    {'b' * 117}\n\n{'c' * 120}\n", "docs/b.md": f"| {'d' * 200} |\n"}
    found = measure.wide_lines(write(tmp_path, files))
    assert [line.removeprefix(f"{tmp_path}/") for line in found] == ["a.md:1: 121 columns", "a.md:3: 121 columns"]


@pytest.mark.parametrize(
    ("recorded", "status"),
    [({"lines": 92}, 1), ({"lines": 97}, 0), ({"lines": 131}, 0), ({}, 1), ({"other": 97}, 1)],
    ids=["worse below its goal", "as recorded", "better", "no record", "not recorded"],
)
def test_nothing_gets_worse_than_recorded_though_its_goal_is_reached(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: dict[str, int], status: int
) -> None:
    write(tmp_path, {"tools/measures.json": json.dumps(recorded)})
    monkeypatch.setattr(measure, "PROPERTIES", (measure.Property("lines", 120, lambda _: ["line"] * 97),))
    assert measure._compare(tmp_path, check=True, record=False) == status
    assert measure._compare(tmp_path, check=False, record=True) == 0
    expected = recorded if recorded == {"lines": 92} else {"lines": 97}
    assert json.loads((tmp_path / "tools/measures.json").read_text(encoding="utf-8")) == expected
