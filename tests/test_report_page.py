"""The HTML report in a real browser: it opens offline, the chart is drawn, and zoom works."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import takt
from playwright.sync_api import Browser, Page, sync_playwright
from takt import html

EXAMPLES = Path(__file__).parents[1] / "examples"
HOSTILE = "</script><b>T&1\"'"
DESKTOP = (1280, 900)
PHONE = (390, 844)

CHART_RANGE = "() => { const r = Bokeh.documents[0].roots()[0].x_range; return [r.start, r.end]; }"
COLOURS = """() => {
  const canvas = [...document.querySelectorAll('.chart')]
    .map(chart => { const found = []; const walk = node => {
      if (node.shadowRoot) walk(node.shadowRoot);
      for (const child of node.children || []) { if (child.tagName === 'CANVAS') found.push(child); walk(child); } };
      walk(chart); return found; })[0];
  const seen = new Set();
  for (const one of canvas) {
    const context = one.getContext('2d');
    if (!context || !one.width) continue;
    const data = context.getImageData(0, 0, one.width, one.height).data;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250) seen.add(data.slice(i, i + 3).join());
  }
  return [...seen];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium, the system's own."""
    chromium = shutil.which("chromium")
    assert chromium is not None, "chromium is not installed; make test installs it"
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


def open_page(browser: Browser, path: Path, size: tuple[int, int]) -> tuple[Page, list[str]]:
    """Open a report; gives the page and what went wrong or left the machine."""
    troubles: list[str] = []
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if request.url.startswith("http") else None)
    page.goto(path.as_uri())
    page.wait_for_function("() => Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle", timeout=30_000)
    return page, troubles


def shows(page: Page, colour: tuple[int, int, int]) -> bool:
    """Whether the first chart has pixels of a colour, or close to it where pieces are narrow."""
    seen = [tuple(map(int, text.split(","))) for text in page.evaluate(COLOURS)]
    return any(max(abs(a - b) for a, b in zip(one, colour, strict=True)) <= 24 for one in seen)


def report(path: Path, *systems: takt.System, horizon: int | None = None) -> Path:
    """Write the report of some systems."""
    html.write([takt.simulate(system, horizon) for system in systems], path)
    return path


@pytest.fixture(scope="module")
def iot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the IoT node."""
    return report(tmp_path_factory.mktemp("iot") / "iot.html", takt.load(EXAMPLES / "iot.toml"))


def test_a_page_needs_nothing_but_itself(iot: Path) -> None:
    text = iot.read_text(encoding="utf-8")
    outside = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)=", outside) == []
    assert re.findall(r"<script[^>]+src=", re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_chart_is_drawn_and_nothing_is_cut_off(browser: Browser, iot: Path, size: tuple[int, int]) -> None:
    page, troubles = open_page(browser, iot, size)
    assert troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for colour in ((78, 121, 167), (89, 161, 79), (176, 122, 161)):
        assert shows(page, colour)
    page.close()


def test_the_wheel_zooms_and_the_mouse_moves_the_chart(browser: Browser, iot: Path) -> None:
    page, troubles = open_page(browser, iot, DESKTOP)
    before = page.evaluate(CHART_RANGE)
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    page.wait_for_function(f"() => ({CHART_RANGE})()[1] < {before[1]} - 1e-9")
    zoomed = page.evaluate(CHART_RANGE)
    assert zoomed[1] - zoomed[0] < before[1] - before[0]
    page.mouse.down()
    page.mouse.move(x - 200, y, steps=5)
    page.mouse.up()
    page.wait_for_function(f"() => ({CHART_RANGE})()[0] > {zoomed[0]} + 1e-9")
    assert troubles == []
    page.close()


def test_policies_stand_above_one_another_on_one_axis(browser: Browser, tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "overload.toml")
    path = report(tmp_path / "R.html", *(system.replace(policy=policy) for policy in ("rm", "edf", "llf")))
    page, troubles = open_page(browser, path, DESKTOP)
    assert page.locator("section.run h2").all_inner_texts() == [
        "rm: 40 deadlines missed",
        "edf: 230 deadlines missed",
        "llf: 330 deadlines missed",
    ]
    assert page.evaluate(
        "Bokeh.documents[0].roots().slice(0, 3).every(r => r.x_range === Bokeh.documents[0].roots()[0].x_range)"
    )
    assert shows(page, (214, 39, 40))
    assert troubles == []
    page.close()


def test_ten_thousand_segments_are_drawn_and_zoomed(browser: Browser, tmp_path: Path) -> None:
    tasks = [takt.Task(name=f"T{n}", period=10 + n, wcet=1) for n in range(10)]
    path = report(tmp_path / "R.html", takt.System(tasks=tasks, policy="edf"), horizon=15_000)
    page, troubles = open_page(browser, path, DESKTOP)
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    page.evaluate("() => { Bokeh.documents[0].roots()[0].x_range.end = 15000; }")
    before = page.evaluate(CHART_RANGE)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.wheel(0, -400)
    page.wait_for_function(f"() => ({CHART_RANGE})()[1] < {before[1]} - 1e-9", timeout=20_000)
    page.evaluate("() => { Bokeh.documents[0].roots()[0].x_range.setv({start: 7000, end: 7200}); }")
    page.wait_for_timeout(1500)
    assert shows(page, (78, 121, 167))
    assert troubles == []
    page.close()


def test_names_are_text_whatever_they_say(browser: Browser, tmp_path: Path) -> None:
    server = takt.Server(name=HOSTILE, period=10, budget=5)
    task = takt.Task(name=HOSTILE, period=10, wcet=1, server=HOSTILE)
    path = report(tmp_path / "R.html", takt.System(name=HOSTILE, tasks=[task], servers=[server]))
    page, troubles = open_page(browser, path, DESKTOP)
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("b", has_text="T&1").count() == 0
    assert troubles == []
    page.close()


def test_a_run_in_which_nothing_happens_has_a_page(browser: Browser, tmp_path: Path) -> None:
    task = takt.Task(name="A", period=10, wcet=1, offset=9)
    page, troubles = open_page(browser, report(tmp_path / "R.html", takt.System(tasks=[task]), horizon=5), DESKTOP)
    assert page.locator("h2").first.inner_text() == "fp: no deadline missed"
    assert troubles == []
    page.close()


def test_more_segments_than_a_chart_holds_are_said_to_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "MAX_SEGMENTS", 10)
    text = report(tmp_path / "R.html", takt.load(EXAMPLES / "smallest.toml")).read_text(encoding="utf-8")
    assert re.search(r"first 10 of \d+ segments", text)


def test_a_report_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    result = takt.simulate(takt.load(EXAMPLES / "smallest.toml"))
    with pytest.raises(takt.InputError, match="cannot write: No such file or directory"):
        result.to_html(tmp_path / "missing" / "R.html")
    assert list(tmp_path.iterdir()) == []
