# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page that people look at, in the browser that they look at it with."""

from __future__ import annotations

import io
import itertools
import re
import time
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import browser
import polars as pl
import pytest
import takt
from browser import DESKTOP, PHONE, View
from matplotlib.image import imread
from places import EXAMPLES
from playwright.sync_api import Browser
from shared_systems import circle, inversion, with_kind
from takt.show import charts, run_page, timeline

HOSTILE = "</script><script>window.hacked = 1</script>"
MATHS = "$$x^2$$ <img src=x onerror=hacked=1>"
SECONDS_TO_ZOOM = 5.0


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as started:
        yield started


def simulated(name: str, policy: str | None = None, horizon: str | None = None) -> takt.Result:
    system = takt.load(EXAMPLES / name)
    return takt.simulate(system if policy is None else system.replace(policy=policy), horizon=horizon)


def written(folder: Path, *results: takt.Result) -> Path:
    path = folder / "report.html"
    run_page.write(results, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def iot(folder: Path) -> Path:
    run_page.write([simulated("iot_node.toml")], folder / "iot.html")
    return folder / "iot.html"


@pytest.fixture(scope="module")
def compared(folder: Path) -> Path:
    run_page.write([simulated("iot_node.toml", "fp"), simulated("iot_node.toml", "edf")], folder / "compared.html")
    return folder / "compared.html"


@pytest.fixture(scope="module")
def long(folder: Path) -> Path:
    result = simulated("iot_node.toml", horizon="40s")
    assert len(result.segments) > 10_000
    run_page.write([result], folder / "long.html")
    return folder / "long.html"


def pixels(view: View, selector: str = ".gantt") -> Any:
    """What an element looks like: height x width x red, green, blue."""
    picture = view.page.locator(selector).first.screenshot()
    return (imread(io.BytesIO(picture), format="png")[:, :, :3] * 255).astype(int)


def count_of_color(picture: Any, color: str) -> int:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return int((abs(picture - [red, green, blue]).sum(axis=2) < 12).sum())


def wheel(view: View, notches: int, selector: str = ".gantt >> nth=0") -> None:
    """Turn the wheel over the middle of a chart; up zooms in."""
    box = view.page.locator(selector).bounding_box()
    assert box is not None
    view.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    for _ in range(abs(notches)):
        view.page.mouse.wheel(0, -120 if notches > 0 else 120)
        view.wait()


class Loads(HTMLParser):
    """Collects what a page names as its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [
            f"{tag} {name}={value}" for name, value in attributes if name in ("src", "href", "srcset", "data")
        ]


# ---- the file ---------------------------------------------------------------------------------------


def test_a_page_names_nothing_outside_itself(iot: Path, compared: Path) -> None:
    for path in (iot, compared):
        parts = Loads()
        parts.feed(path.read_text(encoding="utf-8"))
        assert parts.found == []


def test_a_page_forbids_the_browser_to_load_anything(iot: Path) -> None:
    assert "default-src 'none'" in iot.read_text(encoding="utf-8")


def test_no_request_leaves_and_nothing_is_complained_of(chromium: Browser, iot: Path, compared: Path) -> None:
    for path in (iot, compared):
        with browser.opened(chromium, path) as view:
            assert [url for url in view.requests if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
            assert view.errors == []


def test_a_page_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match="cannot write: "):
        run_page.write([simulated("smallest.toml")], tmp_path / "no" / "such.html")


def test_a_page_needs_a_result_and_what_it_shows(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one result"):
        run_page.write([], tmp_path / "x.html")
    with pytest.raises(ValueError, match="segments were not kept"):
        run_page.write([takt.simulate(takt.load(EXAMPLES / "smallest.toml"), segments=False)], tmp_path / "x.html")


# ---- the chart --------------------------------------------------------------------------------------


def test_the_chart_is_drawn_with_every_task_and_its_misses(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        picture = pixels(view)
        for color in timeline.COLORS[:5]:
            assert count_of_color(picture, color) > 200
        assert count_of_color(picture, timeline.MISS_COLOR) > 50
        assert view.shown("pieces-0") > 100
        assert view.shown("misses-0") >= 2


def test_a_run_without_misses_has_no_red_in_its_chart(chromium: Browser, tmp_path: Path) -> None:
    with browser.opened(chromium, written(tmp_path, simulated("iot_node.toml", "edf"))) as view:
        assert count_of_color(pixels(view), timeline.MISS_COLOR) == 0
        assert view.page.get_by_text("no deadline missed").count() == 1
        assert view.page.get_by_role("button", name="Next miss").count() == 0


def test_the_chart_shows_releases_deadlines_and_interruptions(chromium: Browser, tmp_path: Path) -> None:
    with browser.opened(chromium, written(tmp_path, simulated("smallest.toml"))) as view:
        assert view.shown("pieces-0") == len(simulated("smallest.toml").segments)
        assert view.shown("releases-0") == 7 + 5
        assert view.shown("deadlines-0") == 7 + 4
        assert view.shown("misses-0") == view.shown("late-0") == 1
        assert view.shown("waits-0") == 5


def test_the_wheel_zooms_time_only(chromium: Browser, iot: Path) -> None:
    lanes = "() => { const {end, start} = Bokeh.documents[0].get_model_by_name('gantt-0').y_range; return start - end }"
    with browser.opened(chromium, iot) as view:
        start, end = view.span
        before, scrolled = pixels(view), view.page.evaluate("scrollY")
        wheel(view, 5)
        assert start < view.span[0] < view.span[1] < end
        assert (pixels(view) != before).any()
        assert view.page.evaluate("scrollY") == scrolled
        assert view.page.evaluate(lanes) == 5


def test_the_wheel_cannot_leave_the_run(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        wheel(view, -20)
        assert view.span == pytest.approx((-3.88, 2003.88), abs=0.2)


def test_dragging_moves_and_reset_goes_back(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        first = view.span
        wheel(view, 5)
        start, end = view.span
        box = view.page.locator(".gantt").bounding_box()
        assert box is not None
        view.page.mouse.move(box["x"] + 700, box["y"] + 60)
        view.page.mouse.down()
        view.page.mouse.move(box["x"] + 600, box["y"] + 60, steps=5)
        view.page.mouse.up()
        view.wait()
        assert view.span[0] > start
        assert view.span[1] - view.span[0] == pytest.approx(end - start)
        view.page.get_by_role("button", name="Reset").click()
        assert view.span == pytest.approx(first)


def test_the_buttons_show_all_and_go_from_miss_to_miss(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        view.page.get_by_role("button", name="Show all").click()
        view.wait()
        assert view.span == pytest.approx((-3.88, 2003.88), abs=0.2)
        assert view.shown("misses-0") == 10
        view.page.get_by_role("button", name="Zoom in").click()
        view.page.get_by_role("button", name="Next miss").click()
        first = view.span
        view.page.get_by_role("button", name="Next miss").click()
        assert view.span[0] == pytest.approx(first[0] + 200)
        assert view.span[0] < 825 < view.span[1]


def found(view: browser.View, number: int = 0) -> list[float]:
    """Where a chart marks what a button went to."""
    name = f"shown-found-{number}"
    marked: list[float] = view.page.evaluate("(name) => [...Bokeh.documents[0].get_model_by_name(name).data.x]", name)
    return marked


def test_next_miss_shows_each_miss_when_the_whole_run_is_in_view(chromium: Browser, tmp_path: Path) -> None:
    """A view of the whole run cannot move: the miss is zoomed to, marked and told."""
    result = simulated("smallest.toml")
    late = result.jobs.with_columns(deadline=result.deadlines["deadline"]).filter(missed=True)
    with browser.opened(chromium, written(tmp_path, result)) as view:
        whole = view.span
        assert found(view) == []
        told = []
        instants = sorted(set(late["deadline"].to_list()))
        for number, instant in enumerate([*instants, instants[0]]):
            view.page.get_by_role("button", name="Next miss").click()
            view.wait()
            start, end = view.span
            assert start <= instant <= end
            assert end - start <= (whole[1] - whole[0]) / 4 + 0.01
            assert found(view) == [instant]
            told.append(view.page.locator("#found").inner_text())
            jobs = [f"{task} job {job}" for task, job in late.filter(deadline=instant).select("task", "job").rows()]
            place = number % len(instants) + 1
            which = f"{place} of {len(instants)} miss{'es' if len(instants) > 1 else ''}"
            assert told[-1] == f"missed at {instant} ms: {', '.join(jobs)} ({which})"
        assert told[0] == told[-1]
        assert view.errors == []


@pytest.mark.parametrize("button", ["Show all", "Reset"])
def test_next_miss_shows_the_miss_of_a_run_that_is_one_job(button: str, chromium: Browser, tmp_path: Path) -> None:
    """Nowhere to move, and the miss at the end of all."""
    result = takt.simulate(takt.System(tasks=[takt.Task(name="A", period=4, wcet=4, demand=5)]), 4)
    with browser.opened(chromium, written(tmp_path, result)) as view:
        view.page.get_by_role("button", name=button).click()
        view.wait()
        view.page.get_by_role("button", name="Next miss").click()
        view.wait()
        assert found(view) == [4]
        assert view.page.locator("#found").inner_text() == "missed at 4 ms: A job 0 (1 of 1 miss)"


def test_the_tooltip_tells_of_the_job_under_the_pointer(chromium: Browser, tmp_path: Path) -> None:
    with browser.opened(chromium, written(tmp_path, simulated("smallest.toml"))) as view:
        frame = (
            "() => { const {frame} = Bokeh.index.find_one_by_id(Bokeh.documents[0].get_model_by_name('gantt-0').id);"
        )
        frame += " const {x, y} = frame.bbox; return [x, y, frame.x_scale.compute(7.5), frame.y_scale.compute(1.6)] }"
        _, _, x, y = view.page.evaluate(frame)
        box = view.page.locator(".gantt").bounding_box()
        assert box is not None
        view.page.mouse.move(box["x"] + x, box["y"] + y)
        shown = view.page.locator(".bk-tooltip-row-value")
        shown.first.wait_for()
        values = [re.sub(r"\s+", " ", text).strip() for text in shown.all_inner_texts()]
        assert values == ["B", "0", "7 ms", "8 ms", "0 ms", "7 ms", "8 ms"]


def test_on_several_processors_pieces_are_numbered_and_the_tooltip_tells_where(
    chromium: Browser, tmp_path: Path
) -> None:
    result = takt.simulate(takt.load(EXAMPLES / "dhall.toml"), 60)
    with browser.opened(chromium, written(tmp_path, result)) as view:
        names = rows(view, "cpu-names", "x", "label")
        heavy = result.segments.filter(pl.col("task") == "heavy").row(0, named=True)
        assert ((heavy["start"] + heavy["end"]) / 2, str(heavy["cpu"])) in names
        assert {label for _, label in names} == {"0", "1", "2", "3"}
        assert hover(view, 20, 0.6)[:3] == ["heavy", "0", str(heavy["cpu"])]
        assert "on 4 processors" in view.page.locator(".facts").inner_text()
        assert view.errors == []


def test_on_one_processor_nothing_is_numbered(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        assert rows(view, "cpu-names", "x", "label") == []


def test_ten_thousand_segments_are_quick_to_look_at(chromium: Browser, long: Path) -> None:
    with browser.opened(chromium, long) as view:
        view.page.get_by_role("button", name="Show all").click()
        view.wait()
        assert view.shown("pieces-0") < 10_000
        assert view.shown("misses-0") > 100
        before = view.span
        begun = time.monotonic()
        wheel(view, 3)
        assert time.monotonic() - begun < SECONDS_TO_ZOOM
        assert view.span[1] - view.span[0] < before[1] - before[0]


def test_what_is_in_view_is_complete_when_it_is_near(chromium: Browser, long: Path) -> None:
    result = simulated("iot_node.toml", horizon="40s")
    with browser.opened(chromium, long) as view:
        view.page.evaluate("() => { Bokeh.documents[0].get_model_by_name('view').setv({start: 20000, end: 20200}) }")
        view.wait()
        near = result.segments.filter(pl.col("end") > 19900, pl.col("start") <= 20300)
        assert view.shown("pieces-0") == len(near)


# ---- several runs -----------------------------------------------------------------------------------


def test_compared_runs_stand_one_above_the_other_and_move_together(chromium: Browser, compared: Path) -> None:
    with browser.opened(chromium, compared) as view:
        upper, lower = (view.page.locator(".gantt").nth(i).bounding_box() for i in (0, 1))
        assert upper is not None
        assert lower is not None
        assert lower["y"] >= upper["y"] + upper["height"]
        assert (lower["x"], lower["width"]) == (upper["x"], upper["width"])
        ranges = "() => [0, 1].map((i) => Bokeh.documents[0].get_model_by_name(`gantt-${i}`).x_range.id)"
        first, second = view.page.evaluate(ranges)
        assert first == second
        before = pixels(view, ".gantt >> nth=0")
        wheel(view, 4, ".gantt >> nth=1")
        assert (pixels(view, ".gantt >> nth=0") != before).any()


def test_compared_runs_have_a_table_of_policies_and_curves_for_each_task(chromium: Browser, compared: Path) -> None:
    with browser.opened(chromium, compared) as view:
        rows = view.page.locator("table").first.locator("tbody tr")
        assert [row.split()[:3] for row in rows.all_inner_texts()] == [["fp", "440", "10"], ["edf", "440", "0"]]
        assert view.page.locator("figure").count() == 5
        assert "fp: max 28\u00a0ms, 10 missed" in view.page.locator("figure").nth(3).inner_text()
        assert view.page.locator("h3").all_inner_texts() == ["fp 10 deadlines missed", "edf no deadline missed"]


def test_runs_of_one_policy_are_numbered(tmp_path: Path) -> None:
    result = simulated("smallest.toml")
    text = run_page.page([result, result])
    assert "fp (1)" in text
    assert "fp (2)" in text


def test_a_page_of_misses_opens_on_the_first_and_counts_jobs(chromium: Browser, tmp_path: Path) -> None:
    """A and B miss together, long after the first view would have ended, and then again."""
    demands = {"A": [*[1] * 199, 14, 1], "B": [*[1] * 199, 2, 12]}
    tasks = [takt.Task(name=name, period=10, wcet=14, demand=each, priority=1) for name, each in demands.items()]
    result = takt.simulate(takt.System(tasks=tasks), 2040)
    due = result.jobs.with_columns(deadline=result.deadlines["deadline"]).filter(missed=True).sort("deadline")
    instants = due["deadline"].to_list()
    assert instants[0] > 300
    assert len(set(instants)) < len(instants)
    with browser.opened(chromium, written(tmp_path, result)) as view:
        start, end = view.span
        assert 0 < start < instants[0] < end
        counted = 0
        while counted < len(instants):
            view.page.get_by_role("button", name="Next miss").click()
            view.wait()
            here = instants.count(instants[counted])
            which = f"{counted + 1} to {counted + here}" if here > 1 else f"{counted + 1}"
            assert view.page.locator("#found").inner_text().endswith(f"({which} of {len(instants)} misses)")
            counted += here


def test_misses_that_the_charts_leave_out_are_counted(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "MAX_SEGMENTS", 60)
    result = simulated("iot_node.toml")
    with browser.opened(chromium, written(tmp_path, result)) as view:
        view.page.get_by_role("button", name="Next miss").click()
        view.wait()
        assert re.search(r"\(1 of 10 misses, [1-9] in the charts\)$", view.page.locator("#found").inner_text())


def test_one_late_job_among_thousands_is_two_pixels_high(chromium: Browser, tmp_path: Path) -> None:
    demand = [*[1] * 4990, 6, *[1] * 9]
    result = takt.simulate(takt.System(tasks=[takt.Task(name="A", period=4, wcet=1, demand=demand)]), 20_000)
    assert result.missed == 1
    plain = timeline.distributions(result, ["A"], charts.BINS)["A"]
    chart = charts.histogram(plain, "#000000", 1.0, "ms")
    data = chart.renderers[1].data_source.data
    heights = [top - met for top, met, late in zip(data["top"], data["met"], data["late"], strict=True) if late]
    with browser.opened(chromium, written(tmp_path, result)) as view:
        pixels_of_one = view.page.evaluate(
            "() => { const chart = Bokeh.documents[0].get_model_by_name('panel-0') ?? null; return chart && "
            "chart.inner_height / (chart.y_range.end - chart.y_range.start) }"
        )
        assert count_of_color(pixels(view, "figure .chart >> nth=0"), timeline.MISS_COLOR) > 4
    assert heights
    assert min(heights) * (pixels_of_one or charts._PANEL_PIXELS / chart.y_range.end) >= 2 - 1e-9


# ---- the rest of the page ---------------------------------------------------------------------------


def test_columns_stay_on_the_page_and_paper_shows_all_of_it(chromium: Browser, tmp_path: Path) -> None:
    page = written(tmp_path, simulated("negotiation.toml"))
    with browser.opened(chromium, page, (1400, 900)) as view:
        widths = "[...document.querySelectorAll('.scroll')].map((box) => [box.scrollWidth, box.clientWidth])"
        assert all(whole <= shown for whole, shown in view.page.evaluate(widths))
        view.page.emulate_media(media="print")
        tables = "[...document.querySelectorAll('table')].map((one) => one.getBoundingClientRect().right)"
        assert all(right <= 1400 for right in view.page.evaluate(tables))
        assert not view.page.locator("nav").first.is_visible()
        assert view.page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_nothing_is_wider_than_the_screen(chromium: Browser, compared: Path, size: tuple[int, int]) -> None:
    with browser.opened(chromium, compared, size) as view:
        assert view.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for chart in view.page.locator(".chart").all():
            box = chart.bounding_box()
            assert box is not None
            assert 0 <= box["x"] < box["x"] + box["width"] <= size[0]
            assert box["height"] > 50


def test_a_phone_has_the_names_above_the_lanes(chromium: Browser, iot: Path) -> None:
    chart = "Bokeh.documents[0].get_model_by_name('gantt-0')"
    with browser.opened(chromium, iot, PHONE) as view:
        assert view.page.evaluate(f"() => [{chart}.left[0].visible, {chart}.inner_width > 330]") == [False, True]


def test_a_finger_moves_the_chart_sideways_and_the_page_up(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot, PHONE) as view:
        box = view.page.locator(".gantt").bounding_box()
        assert box is not None
        x, y = box["x"] + 200, box["y"] + 100
        before = view.span
        view.swipe((x, y), (x - 100, y))
        assert view.span[0] > before[0]
        assert view.page.evaluate("scrollY") == 0
        before = view.span
        view.swipe((x, y), (x, y - 200))
        assert view.span == before
        assert view.page.evaluate("scrollY") > 50


def test_the_table_has_the_worst_task_first_and_sorts_by_a_click(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        names = view.page.locator("table").first.locator("tbody td:first-child")
        assert names.all_inner_texts() == ["packets", "logging", "multimedia", "sensor", "control"]
        view.page.get_by_role("columnheader", name="period", exact=True).click()
        assert names.all_inner_texts() == ["control", "sensor", "packets", "multimedia", "logging"]
        view.page.get_by_role("columnheader", name="task", exact=True).click()
        assert names.all_inner_texts() == ["control", "logging", "multimedia", "packets", "sensor"]


def test_servers_have_a_table_of_their_own(chromium: Browser, tmp_path: Path) -> None:
    with browser.opened(chromium, written(tmp_path, simulated("servers.toml"))) as view:
        cells = view.page.locator("table").nth(1).locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells == ["S1", "\u2013", "deferrable", "fp", "20\u00a0ms", "10\u00a0ms", "0\u00a0s", "2"]


def test_names_are_only_ever_text(chromium: Browser, tmp_path: Path) -> None:
    tasks = [takt.Task(name=HOSTILE, period=5, wcet=2, server=HOSTILE), takt.Task(name=MATHS, period=7, wcet=2)]
    server = takt.Server(name=HOSTILE, period=5, budget=3)
    system = takt.System(name=HOSTILE, tasks=tasks, servers=[server])
    path = written(tmp_path, takt.simulate(system), takt.simulate(system.replace(policy="edf")))
    for size in (DESKTOP, PHONE):
        with browser.opened(chromium, path, size) as view:
            box = view.page.locator(".gantt").first.bounding_box()
            assert box is not None
            for y in range(20, round(box["height"]), 10):
                view.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + y)
            assert view.page.evaluate("window.hacked === undefined")
            assert view.page.locator("h1").inner_text() == HOSTILE
            assert view.page.locator("figcaption b").all_inner_texts() == [MATHS, HOSTILE]
            assert view.page.locator("img").count() == 0
            assert view.errors == []
            assert view.requests == [path.as_uri()]


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MAX_LANES", 3)
    monkeypatch.setattr(timeline, "MAX_SEGMENTS", 50)
    monkeypatch.setattr(run_page, "MAX_PANELS", 2)
    monkeypatch.setattr(run_page, "MAX_LINES", 4)
    text = run_page.page([simulated("iot_node.toml")])
    assert "The charts show 3 of 5 tasks" in text
    assert re.search(r"The chart of fp ends at [0-9]+\u00a0ms of 2\u00a0s, after 50 segments", text)
    assert "The 2 worst of 5 tasks." in text
    assert "The 4 worst of 5 tasks." in text


def test_the_strip_of_the_whole_run_counts_the_tasks_without_lanes_too() -> None:
    result = simulated("iot_node.toml")
    shares = charts.busy_shares(result, 2000)
    assert len(shares) == charts.OVERVIEW_CELLS
    assert shares.mean() == pytest.approx((result.segments["end"] - result.segments["start"]).sum() / 2000)
    assert charts.missed_cells(result, 2000) == [5 + 40 * i for i in range(10)]


def test_a_whole_chart_says_nothing_of_the_kind(iot: Path) -> None:
    assert 'class="note"' not in iot.read_text(encoding="utf-8")


# ---- results of other kinds -------------------------------------------------------------------------


def parts(result: takt.Result) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(result)}


def test_points_are_marked(chromium: Browser, tmp_path: Path) -> None:
    rows = [(2, "A", 0, False, True), (9, "A", 1, True, False)]
    points = pl.DataFrame(rows, schema=["instant", "task", "job", "optional", "should_yield"], orient="row")
    result = parts(simulated("smallest.toml"))
    result["frames"] = {**result["frames"], "points": points}
    with browser.opened(chromium, written(tmp_path, takt.Result(**result))) as view:
        assert view.shown("points-0") == 2
        assert view.page.get_by_text("optional point").count() == 1


def test_counts_that_say_something_get_a_column() -> None:
    result = simulated("smallest.toml")
    counted = result.statistics | {"aborted": [0, 3], "skipped": [0, 0]}
    text = run_page.page([takt.Result(**parts(result) | {"statistics": counted})])
    assert ">aborted</th>" in text
    assert ">skipped</th>" not in text


def test_kernel_time_gets_a_column_if_it_took_any() -> None:
    system = takt.load(EXAMPLES / "smallest.toml")
    costly = system.replace(platform=takt.Platform(context_switch=1))
    assert ">kernel time</th>" not in run_page.page([takt.simulate(system)])
    text = run_page.page([takt.simulate(system), takt.simulate(costly)])
    assert ">kernel time</th>" in text
    assert ">context switches</th>" in text


# ---- servers and resources -----------------------------------------------------------------------------------


LEGEND = ("budget left", "server idles", "holds a resource", "waits for one", "deadlock")


def legend(view: View) -> list[str]:
    """The entries about servers and resources."""
    return [text for text in view.page.locator("#schedule .legend li").all_inner_texts() if text in LEGEND]


def rows(view: View, name: str, *columns: str) -> list[tuple[Any, ...]]:
    """What a chart draws of one kind."""
    code = "(name) => Bokeh.documents[0].get_model_by_name(`shown-${name}-0`).data"
    data = view.page.evaluate(
        f"(name) => {{ const data = ({code})(name);"
        " return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Array.from(v)])) }",
        name,
    )
    return list(zip(*(data[column] for column in columns), strict=True))


def hover(view: View, x: float, y: float) -> list[str]:
    """Move to a place of the chart; gives what the tooltip says."""
    frame = "([x, y]) => { const {frame} = Bokeh.index.find_one_by_id("
    frame += "Bokeh.documents[0].get_model_by_name('gantt-0').id);"
    frame += " return [frame.x_scale.compute(x), frame.y_scale.compute(y)] }"
    left, top = view.page.evaluate(frame, [x, y])
    box = view.page.locator(".gantt").bounding_box()
    assert box is not None
    view.page.mouse.move(box["x"] + left, box["y"] + top)
    shown = view.page.locator(".bk-tooltip-row-value")
    shown.first.wait_for()
    return [re.sub(r"\s+", " ", text).strip() for text in shown.all_inner_texts()]


def heights(view: View, server: int, budget: int) -> list[tuple[float, int]]:
    """The corners of a drawn budget, in ticks; without those that close its area."""
    xs, ys = rows(view, "curves", "xs", "ys")[server]
    group = view.page.evaluate("() => Bokeh.documents[0].get_model_by_name('gantt-0').tags[0].groups")[server]
    scale = budget / (group["bottom"] - group["top"])
    return [(x, round((group["bottom"] - y) * scale, 6)) for x, y in zip(xs[1:-1], ys[1:-1], strict=True)]


def height_at(tick: int, corners: list[tuple[float, int]]) -> float:
    """The drawn budget just after an instant."""
    number = max(i for i, (x, _) in enumerate(corners) if x <= tick)
    (x, height), (end, last) = corners[number], corners[number + 1]
    return round(height + (last - height) * (tick - x) / (end - x), 6)


@pytest.mark.parametrize("kind", ["idling", "deferrable", "polling", "sporadic"])
def test_every_budget_is_drawn_as_it_is_in_every_tick(chromium: Browser, tmp_path: Path, kind: str) -> None:
    result = takt.simulate(with_kind(takt.load(EXAMPLES / "servers.toml"), kind))
    with browser.opened(chromium, written(tmp_path, result)) as view:
        for number, (server, budget) in enumerate([("S1", 10), ("S2", 15)]):
            corners = heights(view, number, budget)
            assert [height_at(tick, corners) for tick in range(120)] == result.budgets[server].to_list()
            slopes = {(b - a) / (y - x) for (x, a), (y, b) in itertools.pairwise(corners) if y > x}
            assert slopes == {0, -1}


def test_the_idle_time_of_idling_servers_is_in_their_lanes(chromium: Browser, tmp_path: Path) -> None:
    result = takt.simulate(with_kind(takt.load(EXAMPLES / "servers.toml"), "idling"))
    idle = result.segments.filter(task="idle").sort("server", "start").select("start", "end").rows()
    assert idle[:2] == [(6, 10), (26, 30)]
    with browser.opened(chromium, written(tmp_path, result)) as view:
        assert rows(view, "idle", "left", "right") == idle
        assert legend(view) == ["budget left", "server idles"]
    assert charts.busy_shares(result, 120).sum() * 120 / charts.OVERVIEW_CELLS == pytest.approx(60)


def test_a_hundred_thousand_changes_are_quick_to_look_at_and_lose_no_extreme(chromium: Browser, tmp_path: Path) -> None:
    servers = [
        takt.Server(name="busy", period=10, budget=4, kind="idling", priority=1),
        takt.Server(name="rare", period=20, budget=9, priority=2),
    ]
    task = takt.Task(name="T", period=35_000, offset=17_003, wcet=1, server="rare")
    result = takt.simulate(takt.System(servers=servers, tasks=[task]), 700_000)
    assert len(timeline.timeline(result).budgets) > 100_000
    path = written(tmp_path, result)
    assert path.stat().st_size < 6_000_000
    with browser.opened(chromium, path) as view:
        begun = time.monotonic()
        view.page.get_by_role("button", name="Show all").click()
        view.wait()
        assert time.monotonic() - begun < SECONDS_TO_ZOOM
        busy, rare = heights(view, 0, 4), heights(view, 1, 9)
        assert len(busy) < 10_000
        assert {height for _, height in busy} == {0, 4}
        assert {x // 35_000 for x, height in rare if height == 8} == set(range(20))


def test_holding_and_waiting_are_drawn_below_the_task(chromium: Browser, tmp_path: Path) -> None:
    with browser.opened(chromium, written(tmp_path, takt.simulate(inversion("none"), 20))) as view:
        columns = ("left", "right", "task", "resource", "holder")
        assert rows(view, "holds", *columns) == [(12, 14, "H", "R", "H, job 0"), (1, 12, "L", "R", "L, job 0")]
        assert rows(view, "blocked", *columns) == [(4, 12, "H", "R", "L, job 0")]
        assert sorted(rows(view, "section-names", "x", "label")) == [(1, "R"), (4, "R"), (12, "R")]
        assert legend(view) == ["holds a resource", "waits for one"]
        y = rows(view, "blocked", "y")[0][0]
        assert hover(view, 8, y) == ["H", "0", "waits", "R", "4 ms", "12 ms", "L, job 0"]


def test_inheritance_shortens_the_wait_and_a_ceiling_leaves_none(chromium: Browser, tmp_path: Path) -> None:
    for protocol, waits in (("pip", [(4, 6)]), ("srp", [])):
        with browser.opened(chromium, written(tmp_path, takt.simulate(inversion(protocol), 20))) as view:
            assert rows(view, "blocked", "left", "right") == waits
            assert count_of_color(pixels(view), timeline.MISS_COLOR) == 0
            assert ("waits for one" in legend(view)) == bool(waits)


def test_a_deadlock_is_told_and_marked(chromium: Browser, tmp_path: Path) -> None:
    for size in (DESKTOP, PHONE):
        with browser.opened(chromium, written(tmp_path, takt.simulate(circle(), 20)), size) as view:
            sentence = "deadlock at 6\u00a0ms: L waits for B, which H holds; H waits for A, which L holds"
            assert view.page.locator(".deadlock").all_inner_texts() == [sentence]
            assert rows(view, "deadlock-lines", "x") == [(6,)]
            assert rows(view, "deadlocks", "x", "label") == [(6, "deadlock")] * 2
            assert {y for (y,) in rows(view, "deadlocks", "y")} == {y + 0.09 for y in (0.5, 2.1)}
            assert legend(view) == ["holds a resource", "waits for one", "deadlock"]
            assert count_of_color(pixels(view), "#000000") > 300
            assert view.page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_of_many_deadlocks_the_first_are_told_and_a_button_goes_from_one_to_the_next(
    chromium: Browser, tmp_path: Path
) -> None:
    result = takt.simulate(circle(deadline=10, on_miss="abort"), 4000)
    with browser.opened(chromium, written(tmp_path, result)) as view:
        told = view.page.locator(".deadlock").all_inner_texts()
        assert [text.split(":")[0] for text in told] == [
            *(f"deadlock at {6 + 40 * i}\u00a0ms" for i in range(5)),
            "95 more deadlocks",
        ]
        view.page.get_by_role("button", name="Zoom in").click()
        for _ in range(2):
            view.page.get_by_role("button", name="Next deadlock").click()
            view.wait()
        start, end = view.span
        assert (start + end) / 2 % 40 == pytest.approx(6)
        view.page.get_by_role("button", name="Show all").click()
        view.wait()
        assert 10 < view.shown("deadlock-lines-0") <= 100


def test_a_run_without_servers_and_resources_has_nothing_of_them(chromium: Browser, iot: Path) -> None:
    with browser.opened(chromium, iot) as view:
        assert legend(view) == []
        names = ("idle", "curves", "holds", "blocked", "section-names", "deadlocks", "deadlock-lines")
        assert [view.shown(f"{name}-0") for name in names] == [0] * 7
        assert view.page.get_by_role("button", name="Next deadlock").count() == 0


def test_names_of_resources_and_servers_without_tasks_are_only_text(chromium: Browser, tmp_path: Path) -> None:
    tasks = [takt.Task(name=MATHS, period=9, body=["lock " + HOSTILE, "run 4", "unlock " + HOSTILE], server=MATHS)]
    servers = [
        takt.Server(name=MATHS, period=9, budget=5),
        takt.Server(name="empty", period=9, budget=1, kind="idling"),
    ]
    system = takt.System(tasks=tasks, servers=servers, resources=[takt.Resource(name=HOSTILE)])
    with browser.opened(chromium, written(tmp_path, takt.simulate(system, 18))) as view:
        y = rows(view, "holds", "y")[0][0]
        assert HOSTILE in hover(view, 2, y)
        assert view.page.evaluate("window.hacked === undefined")
        assert view.page.locator("img").count() == 0
        assert view.errors == []
        assert [group.server for group in timeline.timeline(takt.simulate(system, 18)).groups] == [MATHS, "empty"]


def test_servers_that_are_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MAX_LANES", 2)
    servers = [takt.Server(name=f"S{i}", period=9, budget=1) for i in range(5)]
    system = takt.System(tasks=[takt.Task(name="T", period=9, wcet=1, server="S4")], servers=servers)
    assert [group.server for group in timeline.timeline(takt.simulate(system, 18)).groups] == ["S0", "S4"]
    assert "The charts show 2 of 5 servers." in run_page.page([takt.simulate(system, 18)])


def test_what_was_not_kept_cannot_be_shown() -> None:
    with pytest.raises(ValueError, match="budgets were not kept"):
        run_page.page([takt.simulate(takt.load(EXAMPLES / "servers.toml"), budgets=False)])
    with pytest.raises(ValueError, match="locks were not kept"):
        run_page.page([takt.simulate(circle(), 20, locks=False)])
    run_page.page([takt.simulate(takt.load(EXAMPLES / "smallest.toml"), budgets=False, locks=False)])


# ---- distributions ----------------------------------------------------------------------------------


def test_a_deadline_is_the_edge_of_a_bin_and_every_response_is_in_one() -> None:
    result = simulated("iot_node.toml")
    for task, counted in timeline.distributions(result, ["packets", "control"], 24).items():
        responses = result.jobs.filter(task=task)["response"]
        assert counted.deadline in counted.edges
        assert sum(counted.counts) == len(responses)
        late = sum(n for n, left in zip(counted.counts, counted.edges, strict=False) if left >= counted.deadline)
        assert late == sum(counted.late) == (responses > counted.deadline).sum()
        assert counted.shares[-1] == 1


def test_jobs_that_never_end_keep_a_share_below_one() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=5, priority=2), takt.Task(name="B", period=10, wcet=1)]
    counted = timeline.distributions(takt.simulate(takt.System(tasks=tasks), horizon=50), ["A", "B"], 24)
    assert counted["A"].shares[-1] == 1
    assert counted["B"].shares[-1] == 0
    assert counted["B"].unfinished == 5
