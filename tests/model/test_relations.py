# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each relation of system/check.h and each pair of system/matrix.def: an image that breaks it is refused by its name.

By the check, by a run and by the reading of a trace. Source: tests/cases/relations.toml.
"""

from __future__ import annotations

import tomllib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import takt
from bad_inputs import BAD
from places import CASES
from takt import _core
from takt.base.errors import Problem
from takt.files.task_set_reading import loads
from takt.model import compatibility, image, relations
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


def edited(name: str, edits: list[Edit]) -> bytes:
    """The image of a task set with edits."""
    header = Header(array("Q", words_of(name)), {})
    change(header, edits)
    return header.words.tobytes()


def damaged(name: str) -> bytes:
    """The image that breaks a relation."""
    return edited(BROKEN[name]["of"], BROKEN[name]["edits"])


def broken_in(name: str, edits: list[Edit]) -> set[str]:
    """The relations that a task set with edits breaks."""
    return {relation for relation, _, _ in _core.check(edited(name, edits))}


def test_each_relation_has_an_image_that_breaks_it() -> None:
    assert list(BROKEN) == list(MESSAGES)


@pytest.mark.parametrize("name", TASK_SETS)
def test_what_is_not_damaged_keeps_all_relations(name: str) -> None:
    assert _core.check(words_of(name)) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_relation_is_named_and_no_other(name: str) -> None:
    found = _core.check(damaged(name), BROKEN[name].get("policies", 0))
    assert {relation for relation, _, _ in found} == {name, *BROKEN[name].get("also", [])}


def bounds() -> Iterator[tuple[str, str, list[Edit], Edit, int, bool]]:
    """Yield relation, task set, edits, place, and a value there that is legal or not."""
    for name, rows in CASE["bounds"].items():
        for row in rows:
            place = (name, row["of"], row.get("with", []), row["at"])
            for end, step in (("least", -1), ("most", 1)):
                if end in row:
                    yield *place, row[end], True
                    yield *place, row[end] + step, False
            for value in row.get("beyond", []):
                yield *place, value, False


@pytest.mark.parametrize(("name", "of", "edits", "at", "value", "is_legal"), list(bounds()))
def test_the_last_legal_value_is_accepted_and_the_next_one_is_refused(
    name: str, of: str, edits: list[Edit], at: Edit, value: int, is_legal: bool
) -> None:
    assert (name not in broken_in(of, [*edits, [*at, value]])) == is_legal


@pytest.mark.parametrize("name", CASE["kept"])
def test_what_resembles_a_broken_relation_keeps_all(name: str) -> None:
    assert broken_in(CASE["kept"][name]["of"], CASE["kept"][name]["edits"]) == set()


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


def told_of(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Problem]]:
    """What is said of each relation that a file breaks."""
    said: dict[str, list[Problem]] = {}
    tell = relations.RelationProblems.problems_of

    def told(problems: relations.RelationProblems, relation: str, table: str, row: int) -> Iterator[Problem]:
        found = list(tell(problems, relation, table, row))
        said.setdefault(relation, []).extend(found)
        return iter(found)

    monkeypatch.setattr(relations.RelationProblems, "problems_of", told)
    with suppress(takt.InputError):
        loads(text, "refused")
    return {relation: found for relation, found in said.items() if found}


OF_KEYS = [
    (one, other) for one, other, _, _ in _core.matrix() if one in compatibility.TEXTS and other in compatibility.ASKED
]
"""The pairs of which an author can ask for both."""


@pytest.mark.parametrize(("one", "other"), OF_KEYS)
def test_a_file_that_asks_for_a_pair_is_refused_by_it(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = told_of(file_with(one, other), monkeypatch)
    of_key = {"locks": "body", "suspensions": "body"}
    assert f"{one}_without_{other}" in said or f"{one}_without_{of_key.get(other)}" in said


def test_each_sentence_is_told_of_some_bad_file(monkeypatch: pytest.MonkeyPatch) -> None:
    said: set[str] = set()
    for text, _ in BAD.values():
        with monkeypatch.context() as context:
            said |= set(told_of(text, context))
    assert sorted(set(relations.SENTENCES) - said) == []
