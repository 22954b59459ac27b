# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A headless browser for the tests of pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

DESKTOP = (1280, 900)
PHONE = (390, 844)

_OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
_IS_DRAWN = "() => window.Bokeh?.documents?.[0]?.is_idle && document.getElementById('span').textContent != ''"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; without one the test fails and says what is missing."""
    path = shutil.which("chromium")
    assert path is not None, "chromium is missing; run as root: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_OPTIONS))
        yield browser
        browser.close()


class View:
    """A page that is open, and what went wrong on it.

    Args:
        page: of Playwright.
    """

    def __init__(self, page: Page) -> None:
        """Listen to the page."""
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._note(message.type, message.text))

    def _note(self, kind: str, text: str) -> None:
        """Keep what the page complains about."""
        if kind in ("error", "warning"):
            self.errors.append(text)

    def wait(self) -> None:
        """Wait until the charts are drawn and two more frames have passed."""
        self.page.wait_for_function(_IS_DRAWN)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def span(self) -> tuple[float, float]:
        """The stretch of time that the charts look at."""
        start, end = self.page.evaluate(
            "() => { const view = Bokeh.documents[0].get_model_by_name('view'); return [view.start, view.end] }"
        )
        return start, end

    def shown(self, name: str) -> int:
        """Count what a chart draws of one kind, such as "pieces-0"."""
        count: int = self.page.evaluate(
            "(name) => Object.values(Bokeh.documents[0].get_model_by_name(`shown-${name}`).data)[0].length", name
        )
        return count

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw one finger over the page."""
        session = self.page.context.new_cdp_session(self.page)

        def touch(kind: str, part: float | None = None) -> None:
            places = [] if part is None else [{a: s + (e - s) * part for a, s, e in zip("xy", start, end, strict=True)}]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
            self.wait()

        touch("touchStart", 0.0)
        for step in range(1, 11):
            touch("touchMove", step / 10)
        touch("touchEnd")


@contextmanager
def opened(browser: Browser, path: Path, size: tuple[int, int] = DESKTOP) -> Iterator[View]:
    """Open a file in a window of some size, offline, and wait until it is drawn."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, offline=True, has_touch=size == PHONE, is_mobile=size == PHONE
    )
    view = View(context.new_page())
    view.page.goto(path.as_uri())
    view.wait()
    yield view
    context.close()
