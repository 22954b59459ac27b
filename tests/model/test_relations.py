# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each relation of system/check.h and each pair of system/matrix.def: an image that breaks it is refused by its name.

By the check, by a run and by the reading of a trace. Source: tests/cases/relations.toml.
"""

from __future__ import annotations

import tomllib
from array import array
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import takt
from places import CASES
from takt import _core
from takt.base.errors import Problem
from takt.files.task_set_reading import loads
from takt.model import compatibility, image
from takt.model.compatibility import PAIRS
from trace_header import Header, refusal_of_changed

CASE = tomllib.loads((CASES / "relations.toml").read_text(encoding="utf-8"))
MESSAGES = dict(_core.relations())
TASK_SETS = {name: f"schema = 1\n{text}" for name, text in CASE["task_sets"].items()}
BROKEN = CASE["relations"]
Edit = list[Any]


@cache
def words_of(name: str) -> bytes:
    """The image of a task set."""
    return image.pack(loads(TASK_SETS[name], name).resolved, 20)


def change(header: Header, edits: list[Edit]) -> None:
    """Damage an image."""
    for table, row, *rest in edits:
        if row in ("+", "-"):
            header.resize(table, rest[0] if row == "+" else -rest[0])
        else:
            header.set(table, row, *rest)


def damaged(name: str) -> bytes:
    """The image that breaks a relation."""
    header = Header(array("Q", words_of(BROKEN[name]["of"])), {})
    change(header, BROKEN[name]["edits"])
    return header.words.tobytes()


def test_each_relation_has_an_image_that_breaks_it() -> None:
    assert list(BROKEN) == list(MESSAGES)


@pytest.mark.parametrize("name", TASK_SETS)
def test_what_is_not_damaged_keeps_all_relations(name: str) -> None:
    assert _core.check(words_of(name)) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_relation_is_named_and_no_other(name: str) -> None:
    found = _core.check(damaged(name), BROKEN[name].get("policies", 0))
    assert {relation for relation, _, _ in found} == {name, *BROKEN[name].get("also", [])}


IN_TRACES = [name for name in BROKEN if "policies" not in BROKEN[name]]
"""Relations that are not about policies in Python."""


def first_message(name: str) -> str:
    """What is said of the first relation that an image breaks."""
    return MESSAGES[min([name, *BROKEN[name].get("also", [])], key=list(MESSAGES).index)]


@pytest.mark.parametrize("name", IN_TRACES)
def test_a_program_that_breaks_a_relation_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=first_message(name)):
        _core.Program(damaged(name), [])


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of each task set."""
    folder = tmp_path_factory.mktemp("traces")
    for name in {BROKEN[relation]["of"] for relation in IN_TRACES}:
        takt.simulate(loads(TASK_SETS[name], name), 20, trace=folder / f"{name}.takt")
    return folder


@pytest.mark.parametrize("name", IN_TRACES)
def test_a_trace_whose_header_breaks_a_relation_is_refused(name: str, traces: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.takt"
    path.write_bytes((traces / f"{BROKEN[name]['of']}.takt").read_bytes())
    assert refusal_of_changed(path, partial(change, edits=BROKEN[name]["edits"])) == first_message(name)


def file_with(one: str, other: str) -> str:
    """A task-set file that asks for two traits."""
    asks = [CASE["files"][one], CASE["files"][other]]

    def lines(part: str) -> str:
        return "\n".join(ask.get(part, "").replace("|", "\n") for ask in asks)

    task = f'[[task]]\nname = "A"\nperiod = 20\nwcet = 2\n{lines("task")}'
    return "\n".join(["schema = 1", "[system]", lines("system"), "[platform]", lines("platform"), task, lines("rest")])


@pytest.mark.parametrize(("one", "other"), [(one, other) for one in PAIRS for other, _ in PAIRS[one]])
def test_a_file_that_asks_for_a_pair_is_refused(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, str]] = []
    find = compatibility.problems_of_pair

    def problems_of_pair(*arguments: Any) -> list[Problem]:
        found = list(find(*arguments))
        said.extend([arguments[:2]] * len(found))
        return found

    monkeypatch.setattr(compatibility, "problems_of_pair", problems_of_pair)
    with pytest.raises(takt.InputError):
        loads(file_with(one, other), "pair")
    of_key = {"locks": "body", "suspensions": "body"}
    assert (one, other) in said or (one, of_key.get(other)) in said
