# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Times as readers write them, and tables and sentences that fit a terminal."""

from __future__ import annotations

import codecs
import random
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from takt.base import times
from takt.command import main
from takt.show import run_text
from takt.show.text_tables import Cell, Clock, Column, Terminal, fitting, percent, width_of, wrapped

SEED = 20_260_731


@pytest.mark.parametrize(
    ("nanoseconds", "written", "exact"),
    [
        (0, "0 s", "0 s"),
        (1, "1 ns", "1 ns"),
        (500_000, "500 µs", "500 µs"),
        (4_690_000, "4.69 ms", "4.69 ms"),
        (-4_690_000, "-4.69 ms", "-4.69 ms"),
        (2_000_000, "2 ms", "2 ms"),
        (10_954_000, "11.0 ms", "10.954 ms"),
        (1_001, "1.00 µs", "1.001 µs"),
        (999_499, "999 µs", "999.499 µs"),
        (999_600, "1.00 ms", "999.6 µs"),
        (999_999_999, "1.00 s", "999.999999 ms"),
        (250_000_000, "250 ms", "250 ms"),
        (2_000_000_000, "2 s", "2 s"),
        (1_234_567_890_123, "1,235 s", "1,234.567890123 s"),
    ],
)
def test_a_time_has_the_unit_that_a_reader_would_choose(nanoseconds: int, written: str, exact: str) -> None:
    assert times.for_readers(nanoseconds) == written
    assert times.exactly(nanoseconds) == exact


def test_a_mean_has_three_digits_too() -> None:
    assert times.for_readers(Fraction(66_814_300, 1000)) == "66.8 µs"
    assert times.for_readers(Fraction(1, 3)) == "0.333 ns"
    assert times.for_readers(Fraction(2499, 250)) == "10.0 ns"


def test_written_times_are_the_nearest_with_three_digits_and_are_read_again() -> None:
    random_numbers = random.Random(SEED)
    for _ in range(2000):
        nanoseconds = random_numbers.randrange(1, 10 ** random_numbers.randint(1, 15))
        text = times.for_readers(nanoseconds).replace(",", "")
        read = times.parse(text)
        assert read is not None
        assert abs(read - nanoseconds) <= Fraction(nanoseconds, 199)
        digits = Decimal(text.split()[0]).as_tuple().digits
        assert len(digits) <= 3 or text.endswith(" s")
        if read != nanoseconds:  # rounded: three digits say so
            assert len(digits) >= 3
        assert times.parse(times.exactly(nanoseconds).replace(",", "")) == nanoseconds


@pytest.mark.parametrize("sign", ["u", "\u00b5", "\u03bc"])
def test_each_sign_of_micro_is_read(sign: str) -> None:
    assert times.parse(f"2.5 {sign}s") == 2500
    assert times.unit_of(f"25{sign}s") == "us"


def test_a_clock_writes_ticks_or_times() -> None:
    assert Clock(1000).write(4690) == "4.69 ms"
    assert Clock(1000).exactly(10_954) == "10.954 ms"
    assert Clock(1000, in_ticks=True).write(4690) == "4690"
    assert Clock(1000, in_ticks=True).write(Fraction(13363, 200)) == "66.815"
    assert Clock(1000).write(None) == Clock(1000).exactly(None) == "-"


def test_a_share_has_one_decimal() -> None:
    assert [percent(Fraction(914, 1000)), percent(0.05), percent(2)] == ["91.4 %", "5.0 %", "200.0 %"]


# ---- width ------------------------------------------------------------------------------------------


def printed(columns: list[Column], width: int, **options: bool) -> tuple[list[str], list[str]]:
    """Return the lines of a table, and the headings of the columns that are left out."""
    out = StringIO()
    left_out = Terminal(out, width, **options).print_table(columns)
    return out.getvalue().splitlines(), left_out


COLUMNS = [
    Column("task", ["adc", "a_name_that_is_longer_than_others"], "all", "name"),
    Column("deadline", ["500 µs", "2 ms"], importance=3),
    Column("worst", ["3.94 ms", "-"], importance=2, group="fp"),
    Column("late", [Cell("64", "missed"), "-"], "64", importance=4, group="fp"),
    Column("period", ["1 ms", "1 ms"], importance=1),
]


def test_numbers_stand_at_the_right_and_groups_above_their_columns() -> None:
    assert printed(COLUMNS, 80) == (
        [
            "                                             ───── fp ────",
            "task                               deadline    worst  late  period",
            "──────────────────────────────────────────────────────────────────",
            "adc                                  500 µs  3.94 ms    64    1 ms",
            "a_name_that_is_longer_than_others      2 ms        -     -    1 ms",
            "──────────────────────────────────────────────────────────────────",
            "all                                                     64",
        ],
        [],
    )


def test_the_heading_of_a_group_is_cut_only_where_there_is_no_room() -> None:
    columns = [COLUMNS[0], *(replace(each, group="fp (own), rm, dm") for each in COLUMNS[2:4]), COLUMNS[4]]
    assert [printed(columns, width)[0][0].strip() for width in (80, 66, 62, 60, 56)] == [
        "─ fp (own), rm, dm ─",
        "─ fp (own), rm, dm ─",
        "─ fp (own… rm, dm ─",
        "─ fp (ow…rm, dm ─",
        "─ fp (…, dm ─",
    ]
    for width in range(20, 80):
        assert max(map(width_of, printed(columns, width)[0])) <= width
    assert printed(columns, 20, is_wide=True)[0][0].strip() == "─ fp (own), rm, dm ─"


def test_wide_signs_and_combining_ones_align() -> None:
    assert [width_of(text) for text in ("café", "cafe\u0301", "温度", "한국", "กิน", "\u200b", "µs …──")] == [
        4, 4, 4, 4, 2, 0, 6,
    ]  # fmt: skip
    columns = [
        Column("task", ["温度センサー", "cafe\u0301", "plain"], kind="name"),
        Column("late", ["1", "22", "333"], group="温度の政策です"),
        Column("of", ["7", "8", "9"], group="温度の政策です"),
    ]
    lines, _ = printed(columns, 80)
    assert {width_of(line) for line in lines} == {12 + 2 + 18}
    assert lines[0] == " " * 14 + "─ 温度の政策です ─"


def test_signs_that_an_output_does_not_know_align() -> None:
    codecs.register_error("spelled", main._spelled)
    data = BytesIO()
    out = TextIOWrapper(data, encoding="ascii", errors="spelled")
    terminal = Terminal(out, 40)
    terminal.print_table(
        [Column("task", ["温度", "cafe\u0301", "a\u00a0µ"], kind="name"), Column("wcet", ["2 µs", "1", "…"])]
    )
    terminal.print("温度 takes 2 µs")
    out.flush()
    assert data.getvalue().decode("ascii").splitlines() == [
        "task  wcet",
        "----------",
        "??    2 us",
        "cafe     1",
        "a u      ~",
        "?? takes 2 us",
    ]


def test_a_list_has_a_comma_before_its_last_part_if_the_others_have_some() -> None:
    assert run_text._listed(["A ran"]) == "A ran"
    assert run_text._listed(["A ran", "1 more cause"]) == "A ran and 1 more cause"
    assert run_text._listed(["A", "B", "C"]) == "A, B and C"
    assert run_text._listed(["A and B ran, which were due earlier", "1 more cause"]) == (
        "A and B ran, which were due earlier, and 1 more cause"
    )


def test_names_become_shorter_before_columns_are_left_out_by_importance() -> None:
    lines, left_out = printed(COLUMNS, 45)
    assert left_out == []
    assert lines[4] == "a_name…thers      2 ms        -     -    1 ms"
    assert [printed(COLUMNS, width)[1] for width in (41, 34, 25, 15)] == [
        ["period"],
        ["worst", "period"],
        ["deadline", "worst", "period"],
        ["deadline", "worst", "late", "period"],
    ]


def test_wide_tables_have_all_columns() -> None:
    lines, left_out = printed(COLUMNS, 20, is_wide=True)
    assert (len(lines[1]), left_out) == (66, [])


def test_a_text_is_wrapped_in_its_column() -> None:
    columns = [Column("name", ["edf"], kind="name"), Column("order", ["earliest deadline first"], kind="text")]
    assert printed(columns, 28)[0] == [
        "name  order",
        "─" * 28,
        "edf   earliest deadline",
        "      first",
    ]


def test_no_line_is_longer_than_the_terminal() -> None:
    random_numbers = random.Random(SEED)
    signs = "ab \u6e29\u00b5e\u0301-"
    for _ in range(300):
        words = ["".join(random_numbers.choices(signs, k=random_numbers.randint(0, 30))).strip() for _ in range(24)]
        kinds = random_numbers.choices(("name", "number", "text"), k=8)
        columns = [
            Column(words[n], words[n + 8 : n + 10], words[n + 16], kind, random_numbers.randint(0, 3))
            for n, kind in enumerate(kinds)
        ]
        width = random_numbers.randint(4, 120)
        lines, left_out = printed(columns, width)
        assert all(width_of(line) <= width for line in [*lines, *wrapped(" ".join(words), width, 2)])
        assert len(fitting(columns, width)) + len(left_out) == len(columns)


def test_a_number_stays_beside_its_unit() -> None:
    text = "due at 9.95 ms, 3.73 ms late, because flash ran for 4 ms, 75 % of it"
    for width in range(12, 40):
        for line in wrapped(text, width):
            assert not re.search(r"^(ms|%)|[0-9]$", line), line
    assert " ".join(wrapped(text, 30)) == text


def test_colours_are_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(StringIO):
        def isatty(self) -> bool:
            return True

    for name, value, expected in (("NO_COLOR", "", "\x1b[1;31mlate\x1b[0m\n"), ("NO_COLOR", "1", "late\n")):
        monkeypatch.setenv(name, value)
        monkeypatch.setenv("TERM", "xterm")
        screen = Screen()
        Terminal(screen, 80).print("late", "missed")
        assert screen.getvalue() == expected
    out = StringIO()
    Terminal(out, 80).print("late", "missed")
    assert out.getvalue() == "late\n"


def test_the_width_is_that_of_the_environment_and_80_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "57")
    assert Terminal(StringIO()).width == 57
