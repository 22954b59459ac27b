# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How the text of a file is encoded, and how the u of us is spelled: every reader takes each way alike."""

from __future__ import annotations

import codecs
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLES, ROBOTS
from sampling import expect_cases, tries
from takt import formats
from takt.base import times
from takt.files import recipe_reading
from takt.study import description

SIGNS = "\u00b5\u03bc"
"""The micro sign, and the Greek letter that normal form KC makes of it."""

MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def imported(path: Path) -> object:
    """What a file of any format says, without its name in the lines."""
    found = formats.read(path)
    return found.system, [(problem.key, problem.message) for problem in found.warnings]


READERS: list[tuple[Callable[[Path], object], Path]] = [
    *((imported, path) for path in ROBOTS),
    (imported, EXAMPLES / "architectures.toml"),
    (takt.load, EXAMPLES / "architectures.toml"),
    (recipe_reading.load_recipe, EXAMPLES / "recipes" / "subjobs.toml"),
    (lambda path: json.loads(description.load(path).document), EXAMPLES / "studies" / "costs.toml"),
]
"""Each reader of text files, and a file for it."""

IDS = [f"{number}{path.suffix}" for number, (_, path) in enumerate(READERS)]


@pytest.mark.parametrize("encoding", MARKS)
@pytest.mark.parametrize(("reader", "path"), READERS, ids=IDS)
def test_a_byte_order_mark_says_how_a_file_is_encoded(
    reader: Callable[[Path], object], path: Path, encoding: str, tmp_path: Path
) -> None:
    other = tmp_path / path.name
    other.write_bytes(MARKS[encoding] + path.read_text(encoding="utf-8").encode(encoding))
    assert reader(other) == reader(path)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("reader", "path"), READERS, ids=IDS)
def test_utf_16_needs_no_mark(reader: Callable[[Path], object], path: Path, encoding: str, tmp_path: Path) -> None:
    other = tmp_path / path.name
    other.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    assert reader(other) == reader(path)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("reader", "path"), READERS, ids=IDS)
def test_microseconds_may_have_either_micro_sign(
    reader: Callable[[Path], object], path: Path, sign: str, tmp_path: Path
) -> None:
    text = path.read_text(encoding="utf-8")
    other = tmp_path / path.name
    other.write_text(text.replace("us", f"{sign}s") if path.suffix == ".toml" else text, encoding="utf-8")
    changed = reader(other)
    assert str(changed).replace(f"{sign}s", "us") == str(reader(path)).replace(f"{sign}s", "us")


def test_a_micro_sign_means_the_same_wherever_a_time_stands(tmp_path: Path) -> None:
    assert {times.parse(f"2.5{sign}s") for sign in ("u", *SIGNS)} == {2500}
    spelled = [
        takt.System(
            name="set",
            resolution=f"1{sign}s",
            horizon=f"90{sign}s",
            resources=[takt.Resource(name="R")],
            tasks=[
                takt.Task(name="A", period=f"10{sign}s", body=[f"run 2{sign}s", "lock R", f"run 1 {sign}s"]),
                takt.Task(name="B", arrivals=takt.Uniform(min=f"9{sign}s", max=f"12{sign}s"), wcet=1, deadline=9),
            ],
        )
        for sign in ("u", *SIGNS)
    ]
    assert len({tuple(map(str, system.resolved.tasks)) for system in spelled}) == 1
    for system in spelled:
        for name in formats.FORMATS:
            formats.write(system, tmp_path / "set", name)
            assert formats.read(tmp_path / "set", name).system.resolved.tasks[0].wcet in (3, 3000)
        takt.simulate(system)
        takt.analyse(system)


def test_text_that_breaks_off_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_bytes(codecs.BOM_UTF16_LE + "schema = 1".encode("utf-16-le") + b"\x0a")
    for reader in (takt.load, formats.read, recipe_reading.load_recipe, description.load):
        with pytest.raises(takt.InputError) as caught:
            reader(path)
        assert str(caught.value) == f"{path}: not UTF-16 text at byte 22"


def test_a_declaration_of_xml_gives_way_to_the_mark(tmp_path: Path) -> None:
    (path,) = (path for path in ROBOTS if path.suffix == ".xml")
    text = path.read_text(encoding="utf-8").replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>')
    (tmp_path / "robot.xml").write_bytes(codecs.BOM_UTF16_BE + text.encode("utf-16-be"))
    assert imported(tmp_path / "robot.xml") == imported(path)
    latin = text.replace("UTF-8", "ISO-8859-1").replace("camera", "cam\xe9ra")
    (tmp_path / "latin.xml").write_bytes(latin.encode("latin-1"))
    assert formats.read(tmp_path / "latin.xml").system.tasks[1].name == "cam\xe9ra"


@pytest.mark.parametrize("path", [*ROBOTS, EXAMPLES / "smallest.toml"], ids=lambda path: path.suffix)
def test_whatever_the_bytes_of_a_file_it_is_taken_or_refused_in_lines(path: Path, tmp_path: Path) -> None:
    """A file in some encoding in which some bytes are replaced, left out or doubled."""
    text = path.read_text(encoding="utf-8")
    target = tmp_path / path.name
    outcomes = []

    @tries(60)
    @given(seed=st.integers(0, 2**32), encoding=st.sampled_from(sorted(MARKS)))
    def check(seed: int, encoding: str) -> None:
        numbers = random.Random(seed)
        data = bytearray(MARKS[encoding] + text.encode(encoding))
        for _ in range(numbers.randrange(3)):
            place = numbers.randrange(len(data))
            data[place : place + numbers.randrange(3)] = numbers.randbytes(numbers.randrange(3))
        target.write_bytes(data)
        try:
            problems, is_taken = formats.read(target).warnings, True
        except takt.InputError as error:
            problems, is_taken = error.problems, False
        outcomes.append(is_taken)
        assert all(len(str(problem).splitlines()) == 1 for problem in problems)

    check()
    expect_cases(min(outcomes.count(True), outcomes.count(False)) > 3, outcomes)
