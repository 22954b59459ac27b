# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a CSV table says, as spreadsheets save it, and what is wrong with one; and files that say anything at all."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import takt
from foreign_files import lines, read, refusal
from hypothesis import given
from hypothesis import strategies as st
from places import ROBOTS
from sampling import expect_cases, tries
from tables import read_rows
from takt import formats

NOT_UNDERSTOOD = "not read: a heading that is not understood"


def test_what_a_spreadsheet_saves(tmp_path: Path) -> None:
    text = (
        "\ufeff# policy = edf;;\r\n\r\n Name ;WCET; Min Separation;Comment\r\n A ; 2,5ms;10,0;\r\nB;2;20ms;\r\n;;;\r\n"
    )
    text = text.replace("# policy = edf;;", '"# policy = edf";;;\r\n# resolution = 100us;;;')
    imported = read(text, tmp_path, ".csv")
    assert imported.system.policy == "edf"
    assert imported.system.resolution == "100us"
    assert imported.system.tasks == (
        takt.Task(name="A", wcet="2.5ms", min_separation=10),
        takt.Task(name="B", wcet=2, min_separation="20ms"),
    )
    assert [line.partition(";")[0] for line in lines(imported)] == [f"Comment: {NOT_UNDERSTOOD}"]


def test_headings_may_say_the_unit_of_the_numbers_below_them(tmp_path: Path) -> None:
    text = (
        "Name , Period (ms),WCET [us], Deadline (\u00b5s),offset(ticks),demand (ms),arrivals (MS)\n"
        "A,10,200,9000,,uniform min=0.1 max=0.2,\n"
        "B,,2ms,5000,0,1.5|2,0|7.5|20\n"
    )
    imported = read(text, tmp_path, ".csv")
    assert imported.warnings == ()
    assert imported.system.resolution == "100us"
    first, second = imported.system.tasks
    assert (first.period, first.wcet, first.deadline) == ("10ms", "200us", "9000us")
    assert first.demand == takt.Uniform(min="0.1ms", max="0.2ms")
    assert (second.wcet, second.offset, second.demand) == ("2ms", 0, ("1.5ms", "2ms"))
    assert second.arrivals == ("0ms", "7.5ms", "20ms")


def test_numbers_below_a_unit_are_rounded_to_nanoseconds_with_a_line(tmp_path: Path) -> None:
    imported = read("name,Period (ms),WCET (us)\nA,33.333333333333336,.5\nB,1e1,2.\n", tmp_path, ".csv")
    first, second = imported.system.tasks
    assert (first.period, first.wcet, second.period, second.wcet) == ("33333333ns", "500ns", "10ms", "2us")
    assert imported.system.resolution == "1ns"
    assert lines(imported) == ["not read: 33.333333333333336 ms, so 33333333ns takes its place (line 2)"]
    assert len(refusal("name,Period (ms),wcet\nA,-1,2\n", tmp_path, ".csv")) == 1


@pytest.mark.parametrize(
    ("head", "heading", "resolution"),
    [
        ("", "offset", "1ms"),
        ("# resolution = 50us\n", "offset (us)", "50us"),
        ("# horizon = 25us\n", "offset (us)", "1us"),
        ("", "offset (us)", "10us"),
        ("# horizon = 30\n", "offset (ms)", "1ms"),
        ("", "offset (ms)", "1ms"),
    ],
)
def test_units_in_headings_choose_the_tick_unless_a_time_is_in_ticks(
    head: str, heading: str, resolution: str, tmp_path: Path
) -> None:
    text = f"{head}name,period (ms),wcet (ms),{heading}\nA,10,2,50\n"
    assert read(text, tmp_path, ".csv").system.resolution == resolution


def test_headings_that_are_not_understood_are_named_and_those_that_are_listed(tmp_path: Path) -> None:
    keys = f"headings are {', '.join(takt.Task.keys())}, or period (ms)"
    assert refusal("Task,Period (ms),WCET (ms)\nA,10,2\n", tmp_path, ".csv") == [
        f'line 1: expected a column name among the headings, found "task, period, wcet"; not understood: "Task"; {keys}'
    ]
    imported = read("name,Period (ms),WCET (ms),Core Number,Priority (high),wcett\nA,10,2,1,2,3\n", tmp_path, ".csv")
    assert lines(imported) == [
        f'"Core Number": {NOT_UNDERSTOOD}; {keys}',
        f'"Priority (high)": {NOT_UNDERSTOOD}; did you mean "priority"?',
        f'wcett: {NOT_UNDERSTOOD}; did you mean "wcet"?',
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator: str, tmp_path: Path) -> None:
    text = "name,period,wcet\nA,5,2\n".replace(",", separator)
    assert read(text, tmp_path, ".csv").system.tasks == (takt.Task(name="A", period=5, wcet=2),)


def test_lists_distributions_and_names(tmp_path: Path) -> None:
    text = (
        "# name = one, two\n# horizon = 60\n# resource R = pcp\n# remark\n"
        "name,period,arrivals,wcet,deadline,demand,body,subjobs,threshold\n"
        "A,,0 | 3ms | 9,4,8,2|3,,,\n"
        "B,9,,6,,uniform min=1 max=6,run 1 | lock R | run 2 | unlock R | run 3,,A\n"
        "C,9,,,,,,2 | 1ms,\n"
        "D,,weibull scale=9 shape=1.5,2,9,,,,3\n"
    )
    imported = read(text, tmp_path, ".csv")
    assert imported.system.name == "one, two"
    assert imported.system.resources == (takt.Resource(name="R", protocol="pcp"),)
    first, second, third, fourth = imported.system.tasks
    assert (first.arrivals, first.demand) == ((0, "3ms", 9), (2, 3))
    assert (second.demand, second.threshold) == (takt.Uniform(min=1, max=6), "A")
    assert second.body == ("run 1", "lock R", "run 2", "unlock R", "run 3")
    assert third.subjobs == (2, "1ms")
    assert (fourth.arrivals, fourth.threshold) == (takt.Weibull(scale=9, shape=1.5), 3)
    assert lines(imported) == ['not read: "# remark" (line 4)']


@pytest.mark.parametrize(
    ("text", "expected"),
    read_rows("refused_csv"),
)
def test_wrong_tables_are_refused_with_row_and_column(text: str, expected: list[str], tmp_path: Path) -> None:
    assert refusal(text, tmp_path, ".csv") == expected


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "set.csv").write_bytes(b"name\n\xff\n")
    with pytest.raises(takt.InputError, match="not UTF-8 text at byte 5"):
        formats.read(tmp_path / "set.csv")


# ---- anything ---------------------------------------------------------------------------------------

PIECES = ["0", "-1", "9" * 40, "1e99", "1.5", "", "T", "<", ">", "&", "&x;", '"', ";", "|", "\0", "nan", "\n", "normal"]


def mutated(text: str, choice: random.Random) -> str:
    """A text with some words replaced, moved or left out."""
    words = re.split(r"(\W+)", text)
    for _ in range(choice.randint(1, 2)):
        place = choice.randrange(len(words))
        words[place] = choice.choice([*PIECES, choice.choice(words), words[place] * 2])
    return "".join(words)


def problems_of(path: Path) -> tuple[bool, tuple[takt.Problem, ...]]:
    """Whether a file is taken, and the lines that it gives rise to."""
    try:
        return True, formats.read(path).warnings
    except takt.InputError as error:
        return False, error.problems


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.suffix)
def test_whatever_a_file_says_it_is_taken_or_refused_in_lines(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    target = tmp_path / f"set{path.suffix}"
    outcomes = []

    @tries(120)
    @given(seed=st.integers(0, 2**32))
    def check(seed: int) -> None:
        target.write_text(mutated(text, random.Random(seed)), encoding="utf-8")
        is_taken, problems = problems_of(target)
        outcomes.append(is_taken)
        assert all(len(str(problem).splitlines()) == 1 for problem in problems)
        assert all(len(str(problem)) < 600 for problem in problems)

    check()
    expect_cases(min(outcomes.count(True), outcomes.count(False)) > 5)


@pytest.mark.parametrize("suffix", [".xml", ".xmlv3", ".csv", ".toml", ""])
def test_any_bytes_are_taken_or_refused_in_lines(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"set{suffix}"

    @tries(40)
    @given(
        data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
    )
    def check(data: bytes) -> None:
        path.write_bytes(data)
        assert all(len(str(problem).splitlines()) == 1 for problem in problems_of(path)[1])

    check()
