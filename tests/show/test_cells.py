# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What notebooks show of a system, of a run and of an analysis: complete, small, inert, and true to the frames."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import browser
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from matplotlib.image import imread
from places import CASES, EXAMPLE_FILES, EXAMPLES
from playwright.sync_api import Browser
from shared_systems import circle
from takt.show import cell_chart, cells, timeline

HOSTILE = "</title></svg><script>window.hacked = 1</script>"
ATTRIBUTE = "\" onload='window.hacked = 1' x=\"<img src=x onerror=hacked=1>"
FILES = [*EXAMPLE_FILES, *sorted((CASES / "people").glob("*.toml"))]
MOST_BYTES = 120_000


def is_right(path: Path) -> bool:
    """True if a file has a system."""
    try:
        return bool(takt.load(path).tasks)
    except takt.InputError:
        return False


def shown(record: takt.System | takt.Result | takt.Analysis) -> str:
    text = record._repr_html_()
    assert text is not None
    return text


def tree_of(text: str) -> Any:
    return html.fragment_fromstring(text)


def words(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


def titles(tree: Any, tag: str) -> list[str]:
    """The tooltips of all elements of a kind."""
    return [element.findtext("title") for element in tree.iter(tag) if element.find("title") is not None]


# ---- any system ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path in FILES if is_right(path)], ids=lambda path: path.stem)
def test_a_cell_has_a_picture_a_table_and_every_task_and_nothing_from_outside(path: Path) -> None:
    system = takt.load(path)
    result = takt.simulate(system, horizon=None if system.horizon else "1s")
    for record in (system, result, takt.analyse(system, sensitivity=False)):
        text = shown(record)
        tree = tree_of(text)
        assert len(text.encode()) < MOST_BYTES
        assert not {"script", "link", "img", "iframe", "object"} & {element.tag for element in tree.iter()}
        assert not re.search(r"(?:href|src|id)=|url\(|https?:|@import", text)
        assert not re.search(r"\b(?:nan|inf|None)\b", words(tree))
        assert len(list(tree.iter("table"))) >= 1
        for task in list(system.tasks)[:5] if len(system.tasks) <= cells.MAX_ROWS else []:
            assert task.name in [words(cell) for cell in tree.iter("td")]
    assert list(tree_of(shown(result)).iter("svg"))


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_the_pieces_of_a_chart_are_the_segments_of_the_stretch(path: Path) -> None:
    result = takt.simulate(path)
    lines = timeline.timeline(result, most=None)
    first, last = cell_chart.stretch_of(lines)
    tree = html.fragment_fromstring(cell_chart.gantt(lines, first, last, str))
    drawn = sorted(re.findall(r"^(.+) #(\d+): (\d+) to (\d+)", "\n".join(titles(tree, "rect")), re.M))
    names = {task.name for task in result.system.resolved.tasks}
    expected = [
        (task, str(job), str(start), str(end))
        for start, end, task, job in result.segments.select("start", "end", "task", "job").iter_rows()
        if task in names and end > first and start < last
    ]
    late = sum(title.startswith("late: ") for title in titles(tree, "rect"))
    assert [row for row in drawn if not row[0].startswith("late: ")] == sorted(expected)
    assert len(drawn) == len(expected) + late


def test_a_piece_lies_where_its_times_are() -> None:
    result = takt.simulate(EXAMPLES / "smallest.toml")
    tree = tree_of(shown(result))
    pieces = [each for each in tree.iter("rect") if not each.findtext("title").startswith("late")]
    scale = (cell_chart.WIDTH - 12 - cell_chart.LEFT) / result.horizon
    places = sorted((float(each.get("x")), float(each.get("width"))) for each in pieces)
    expected = sorted(
        (cell_chart.LEFT + start * scale, (end - start) * scale)
        for start, end in result.segments.select("start", "end").iter_rows()
    )
    assert [place for pair in places for place in pair] == pytest.approx(
        [place for pair in expected for place in pair], abs=0.11
    )
    assert titles(tree, "path").count("B #0: missed its deadline at 7 ms") == 1
    (late,) = [each for each in tree.iter("rect") if each.findtext("title").startswith("late: B #0")]
    assert float(late.get("x")) == pytest.approx(cell_chart.LEFT + 7 * scale, abs=0.06)


@given(st.floats(0, 1e6), st.floats(1e-3, 1e6))
def test_an_axis_has_some_round_values(first: float, length: float) -> None:
    values = list(cell_chart.axis_values(first, first + length))
    assert 3 <= len(values) <= 9
    steps = {round(after - before, 9) for before, after in pairwise(values)}
    assert len({f"{step:.6g}" for step in steps}) == 1
    assert re.fullmatch(r"[125]\.?0*(?:e[+-]\d+)?|0\.0*[125]0*|[125]0*", f"{steps.pop():.6g}")
    assert all(first - length / 1e5 <= value <= first + length * (1 + 1e-5) for value in values)


# ---- which part ---------------------------------------------------------------------------------------


def test_a_chart_opens_on_the_first_late_job_and_says_what_it_shows() -> None:
    result = takt.simulate(CASES / "people" / "ecu.toml")
    tree = tree_of(shown(result))
    assert words(tree).count("First late: can_rx_isr, due at 9.95 ms, 3.73 ms late, because flash ran") == 1
    assert [title for title in titles(tree, "path") if title.endswith("missed its deadline at 9.95 ms")]
    assert 'Drawn: 9.75 ms to 16.8 ms of 2 s. result.to_html("run.html") writes a page with all.' in words(tree)


def test_a_whole_chart_says_nothing_of_a_part() -> None:
    assert "Drawn" not in shown(takt.simulate(EXAMPLES / "smallest.toml"))


def many(name: str = "task") -> takt.System:
    tasks = [takt.Task(name=f"{name}{n:03}", period=100 + n, wcet=1 + n // 150, priority=200 - n) for n in range(200)]
    servers = [takt.Server(name=f"S{n}", period=1000, budget=1) for n in range(30)]
    return takt.System(name="many", tasks=tasks, servers=servers, policy="fp")


def test_what_is_left_out_of_many_tasks_is_counted() -> None:
    system = many()
    result, analysis = takt.simulate(system, "2s"), takt.analyse(system, sensitivity=False)
    texts = [words(tree_of(shown(record))) for record in (system, result, analysis)]
    assert "20 of 200 tasks are shown; system.tasks has all." in texts[0]
    assert "20 of 30 servers are shown; system.servers has all." in texts[0]
    assert "20 of 200 tasks, the worst" in texts[1]
    assert "20 of 200 tasks are shown, the worst; result.summary has all." in texts[1]
    assert "20 of 200 tasks are shown, those first that are not proved; analysis.tasks has all." in texts[2]
    worst = set(timeline.worst_tasks([result])[:20])
    rows = [words(row[0]) for row in tree_of(shown(result)).find(".//tbody")]
    assert set(rows) == worst
    assert rows == sorted(rows)
    total = [words(cell) for cell in tree_of(shown(result)).find(".//tfoot/tr")]
    assert f"{result.missed:,} !" in total
    assert f"{result.summary['released'].sum():,}" in total


@pytest.mark.parametrize("frame", ["segments", "jobs", "points"])
def test_without_its_frames_a_run_has_a_table_and_says_why_no_chart(frame: str) -> None:
    result = takt.simulate(EXAMPLES / "smallest.toml", **{frame: False})  # type: ignore[arg-type]
    tree = tree_of(shown(result))
    assert f"No chart: the {frame} were not kept; call takt.simulate with {frame}=True." in words(tree)
    assert not list(tree.iter("svg"))
    assert "B 7 ms 7 ms 4 ms 8 ms 1.1 x 1 !" in words(tree)


def test_a_run_without_jobs_has_a_cell() -> None:
    task = takt.Task(name="A", period=10, wcet=1, offset=50)
    assert "no job in 5 ms" in words(tree_of(shown(takt.simulate(takt.System(tasks=[task]), 5))))


def test_a_deadlock_and_a_late_request_are_said() -> None:
    assert "deadlock" in words(tree_of(shown(takt.simulate(circle()))))
    rated = takt.simulate(EXAMPLES / "iot_110.toml")
    assert "10 requested deadlines missed" in words(tree_of(shown(rated)))


# ---- analyses -----------------------------------------------------------------------------------------


def test_the_bars_of_an_analysis_add_up_to_its_bounds() -> None:
    analysis = takt.analyse(CASES / "people" / "ecu.toml", sensitivity=False)
    tree = tree_of(shown(analysis))
    assert "flash blocks all of them" in words(tree[1])
    bars = [each for each in tree.iter("rect") if each.find("title") is not None]
    for row in analysis.tasks:
        of_task = [bar for bar in bars if bar.findtext("title").startswith(f"{row.task}: ")]
        assert len(of_task) == sum(part.ticks > 0 for part in row.parts)
        whole = cell_chart.WIDTH - 170 - cell_chart.LEFT
        assert row.response is not None
        width = sum(float(bar.get("width")) for bar in of_task)
        assert width == pytest.approx(whole * row.response / max(row.response, row.deadline), rel=0.02)


def test_an_analysis_without_bounds_shows_demand_or_says_that_nothing_is_drawn() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=3), takt.Task(name="B", period=7, wcet=4)]
    analysis = takt.analyse(takt.System(tasks=tasks, policy="edf"))
    tree = tree_of(shown(analysis))
    assert "not schedulable" in words(tree)
    assert titles(tree, "polyline") == ["demand", "supply"]
    overloaded = takt.System(
        tasks=[task.replace(wcet=task.period, name=task.name * n) for n in (1, 2) for task in tasks]
    )
    unbounded = tree_of(shown(takt.analyse(overloaded.replace(policy="edf", cpus=2), sensitivity=False)))
    assert not list(unbounded.iter("svg"))
    assert "No chart: no bound has parts, and there is no demand to compare with a supply." in words(unbounded)


# ---- in a browser -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as started:
        yield started


JUPYTER = ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th) { text-align: right; padding: 0.5em }"
"""The rule of its tables that is hardest to replace."""
THEMES = {"light": ("#ffffff", "#111111"), "dark": ("#111111", "#dddddd")}


def hostile() -> takt.System:
    tasks = [
        takt.Task(name=HOSTILE, period=10, wcet=6, priority=2),
        takt.Task(name=ATTRIBUTE, period=15, wcet=7, priority=1, server=HOSTILE),
    ]
    servers = [takt.Server(name=HOSTILE, period=15, budget=9, priority=3)]
    return takt.System(name=HOSTILE, tasks=tasks, servers=servers)


@pytest.mark.parametrize("theme", THEMES)
def test_names_are_inert_and_texts_are_seen_on_any_ground(chromium: Browser, theme: str, tmp_path: Path) -> None:
    ground, ink = THEMES[theme]
    system = hostile()
    body = shown(system) + shown(takt.simulate(system)) + shown(takt.analyse(system))
    (tmp_path / "cell.html").write_text(
        f"<!DOCTYPE html><meta charset=utf-8><style>{JUPYTER}</style>"
        f"<body style='background:{ground};color:{ink}'><div class=jp-RenderedHTMLCommon>{body}",
        encoding="utf-8",
    )
    page = chromium.new_page(viewport={"width": 1000, "height": 800})
    requests, messages = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.goto((tmp_path / "cell.html").as_uri())
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('script, img').length") == 0
    assert (len(requests), messages) == (1, [])
    assert HOSTILE in page.inner_text("body")
    name = page.locator("svg text").filter(has_text="</ti").first
    assert name.evaluate("each => getComputedStyle(each).fill") == rgb(ink)
    assert page.locator("td.name").first.evaluate("each => getComputedStyle(each).textAlign") == "left"
    picture = imread(io.BytesIO(page.screenshot(full_page=True)), format="png")[:, :, :3]
    shades = {int(abs(picture - channel(color)).max(axis=2).min() * 255) for color in THEMES[theme]}
    assert max(shades) < 8  # both the ground and the ink are there
    page.close()


def channel(color: str) -> list[float]:
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[place : place + 2], 16)) for place in (1, 3, 5))})"
