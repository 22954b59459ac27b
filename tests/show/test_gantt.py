# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Gantt chart for papers: complete, vector text, refused with one clear line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import takt
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from places import EXAMPLES
from shared_systems import circle, inversion, with_kind
from takt.command import main
from takt.show import gantt, timeline
from typer.testing import CliRunner

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def smallest() -> takt.Result:
    return takt.simulate(takt.load(EXAMPLES / "smallest.toml"))


def texts(path: Path) -> list[str]:
    return [text.text or "" for text in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF"), (".SVG", b"<?xml")]
)
def test_the_suffix_is_the_format(smallest: takt.Result, tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = tmp_path / f"chart{suffix}"
    gantt.draw(smallest, path)
    assert path.read_bytes().startswith(magic)


def test_the_same_run_gives_the_same_file(smallest: takt.Result, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        gantt.draw(smallest, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_chart_is_a_column_wide_and_its_text_is_text(smallest: takt.Result, tmp_path: Path) -> None:
    figure = gantt.draw(smallest, tmp_path / "chart.svg")
    assert figure.get_figwidth() == 3.5
    assert {"A", "B", "time (ms)"} <= set(texts(tmp_path / "chart.svg"))


def test_every_piece_is_drawn_and_what_is_late_is_hatched(smallest: takt.Result) -> None:
    bars = [part for part in gantt.draw(smallest).axes[0].collections if isinstance(part, PolyCollection)]
    late = [part for part in bars if part.get_hatch()]
    plain = [part for part in bars if not part.get_hatch()]
    assert sum(len(part.get_paths()) for part in plain) == len(smallest.segments)
    assert [[path.get_extents().intervalx.tolist() for path in part.get_paths()] for part in late] == [[], [[7.0, 8.0]]]


def test_a_miss_is_red_and_nothing_else_is(smallest: takt.Result) -> None:
    red = [line for line in gantt.draw(smallest).axes[0].lines if to_hex(line.get_color()) == timeline.MISS_COLOR]
    assert [list(map(float, line.get_xdata())) for line in red] == [[], [7.0]]  # type: ignore[arg-type]


def test_a_stretch_can_be_chosen_in_ticks_or_with_a_unit(smallest: takt.Result) -> None:
    for start, end in ((7, 21), ("7ms", "21 ms")):
        left, right = gantt.draw(smallest, start=start, end=end).axes[0].get_xlim()
        assert 6.5 < left < 7
        assert 21 < right < 21.5


def test_of_a_long_run_the_beginning_is_drawn() -> None:
    result = takt.simulate(takt.load(EXAMPLES / "iot_node.toml"))
    assert gantt.draw(result).axes[0].get_xlim()[1] < 200
    assert gantt.draw(result, end="2s").axes[0].get_xlabel() == "time (s)"


def test_on_several_processors_bars_have_the_numbers_of_theirs(smallest: takt.Result) -> None:
    several = takt.simulate(takt.load(EXAMPLES / "dhall.toml"))
    written = [text.get_text() for text in several.gantt(end=60).axes[0].texts]
    heavy = several.segments.filter(task="heavy")["cpu"].to_list()
    assert str(heavy[0]) in written
    assert set(written) <= {"0", "1", "2", "3"}
    assert list(smallest.gantt().axes[0].texts) == []


def test_servers_head_their_tasks(tmp_path: Path) -> None:
    gantt.draw(takt.simulate(takt.load(EXAMPLES / "servers.toml")), tmp_path / "chart.svg")
    assert "deferrable server S1: 10\u00a0ms every 20\u00a0ms" in texts(tmp_path / "chart.svg")


def test_a_budget_falls_with_slope_one_and_jumps_where_it_is_replenished(tmp_path: Path) -> None:
    result = takt.simulate(with_kind(takt.load(EXAMPLES / "servers.toml"), "idling"))
    axes = gantt.draw(result, tmp_path / "chart.svg").axes[0]
    (group, _) = timeline.timeline(result).groups
    lines: list[Any] = list(axes.lines)
    xs, ys = next(line for line in lines if len(line.get_xdata()) > 20).get_data()
    budgets = [round((group.bottom - y) / (group.bottom - group.top) * 10, 6) for y in ys]
    assert list(zip(xs, budgets, strict=True))[:6] == [(0, 10), (10, 0), (10, 0), (20, 0), (20, 10), (30, 0)]
    assert {"10\u00a0ms", "15\u00a0ms", "0", "idling server S1: 10\u00a0ms every 20\u00a0ms"} <= set(
        texts(tmp_path / "chart.svg")
    )


def test_idle_time_is_hatched_in_the_lane_of_its_server() -> None:
    result = takt.simulate(with_kind(takt.load(EXAMPLES / "servers.toml"), "idling"))
    hatched = [bars for bars in collections(gantt.draw(result)) if bars.get_hatch() and bars.get_paths()]
    assert [intervals(bars)[0] for bars in hatched] == [[6, 10], [30, 35]]


def test_held_is_black_and_named_and_waiting_is_hatched(tmp_path: Path) -> None:
    bars: list[Any] = collections(gantt.draw(takt.simulate(inversion("none"), 20), tmp_path / "chart.svg", end=20))
    held = [intervals(some) for some in bars if to_hex(some.get_facecolor()[0]) == "#000000"]
    waits = [intervals(some) for some in bars if "\\" in (some.get_hatch() or "")]
    assert sorted(held) == [[[1, 12]], [[12, 14]]]
    assert waits == [[[4, 12]]]
    assert texts(tmp_path / "chart.svg").count("R") == 2


def test_a_deadlock_is_a_line_through_all_lanes_and_a_mark_at_each_job(tmp_path: Path) -> None:
    axes = gantt.draw(takt.simulate(circle(), 20), tmp_path / "chart.svg", end=20).axes[0]
    marks = [line for line in axes.lines if line.get_marker() == "X"]
    assert [list(map(float, line.get_xdata())) for line in marks] == [[6], [6]]  # type: ignore[arg-type]
    assert texts(tmp_path / "chart.svg").count("deadlock") == 1


def collections(figure: Figure) -> list[PolyCollection]:
    return [part for part in figure.axes[0].collections if isinstance(part, PolyCollection) and part.get_paths()]


def intervals(bars: PolyCollection) -> list[list[float]]:
    return [path.get_extents().intervalx.tolist() for path in bars.get_paths()]


def test_names_are_only_ever_text(tmp_path: Path) -> None:
    tasks = [takt.Task(name="$\\frac$", period=5, wcet=1), takt.Task(name="<b>&x", period=5, wcet=1)]
    gantt.draw(takt.simulate(takt.System(tasks=tasks)), tmp_path / "chart.svg")
    assert {"$\\frac$", "<b>&x"} <= set(texts(tmp_path / "chart.svg"))


def test_tasks_that_are_left_out_are_counted(smallest: takt.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MAX_LANES", 1)
    assert gantt.draw(smallest).axes[0].get_xlabel() == "time (ms); 1 of 2 tasks not shown"


def test_what_cannot_be_drawn_is_refused_with_one_line(smallest: takt.Result, tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match=r'expected a name that ends in .svg, .png or .pdf, found "chart.gif"'):
        gantt.draw(smallest, tmp_path / "chart.gif")
    with pytest.raises(takt.InputError, match="cannot write: No such file or directory"):
        gantt.draw(smallest, tmp_path / "no" / "chart.svg")
    with pytest.raises(takt.InputError, match="end: expected a time after 8 ms, up to the horizon 35 ms; found 8 ms"):
        gantt.draw(smallest, start=8, end=8)
    with pytest.raises(
        takt.InputError, match="start: expected a time from 0 on, before the horizon 35 ms; found 35 ms"
    ):
        gantt.draw(smallest, start="35ms")
    with pytest.raises(takt.InputError, match='start: expected a time, found "soon"; write a number followed by'):
        gantt.draw(smallest, start="soon")


# ---- the command ------------------------------------------------------------------------------------


def test_the_command_says_which_part_it_draws_and_draws_another_one(tmp_path: Path) -> None:
    chart = tmp_path / "G.svg"
    arguments = ["run", str(EXAMPLES / "iot_node.toml"), "--gantt", str(chart)]
    told = CliRunner().invoke(main.app, arguments).stderr
    assert re.fullmatch(rf"{re.escape(str(chart))}: 0 s to \d+ ms of 2 s; --from and --to draw another part\n", told)
    told = CliRunner().invoke(main.app, [*arguments, "--from", "800 ms", "--to", "1s"]).stderr
    assert told == f"{chart}: 800 ms to 1 s of 2 s; --from and --to draw another part\n"
    assert "0.9" in chart.read_text() or "900" in chart.read_text()
    assert CliRunner().invoke(main.app, [*arguments, "--from", "0", "--to", "2000"]).stderr == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from", "1"], "--from: it chooses a part of a chart; give --gantt too\n"),
        (
            ["--gantt", "G.svg", "--from", "9ms", "--to", "3 ms"],
            "--to: expected a time after 9 ms, up to the horizon 35 ms; found 3 ms\n",
        ),
        (
            ["--gantt", "G.svg", "--to", "0.2s"],
            "--to: expected a time after 0 s, up to the horizon 35 ms; found 200 ms\n",
        ),
        (
            ["--gantt", "G.svg", "--from", "50"],
            "--from: expected a time from 0 on, before the horizon 35 ms; found 50 ms\n",
        ),
        (
            ["--gantt", "G.svg", "--from", "-1ms"],
            "--from: expected a time from 0 on, before the horizon 35 ms; found -1 ms\n",
        ),
        (["--gantt", "G.svg", "--from", "soon"], '--from: expected a time, found "soon"; write a number'),
    ],
)
def test_a_part_that_cannot_be_drawn_is_one_line(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main.app, ["run", str(EXAMPLES / "smallest.toml"), *options])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(message)
    assert result.stdout == ""  # it is found before the run
