# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`make docs` builds a site with a search: what is not in git is on it, every link leads somewhere, files suffice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
import takt
from browser import DESKTOP, PHONE, View
from lxml import html
from places import ROOT
from playwright.sync_api import Browser
from takt import _core
from takt.command.schema import recipe_schema, study_schema, taskset_schema

SCHEMAS = {"taskset": taskset_schema, "recipe": recipe_schema, "study": study_schema}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, once for all tests."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    done = subprocess.run(
        [sys.executable, ROOT / "tools/docs.py", folder], capture_output=True, text=True, check=False, timeout=600
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


# ---- contents -------------------------------------------------------------------------------------------


def first_cells(page: Path) -> list[list[str]]:
    """Return the names in the first cells of each table of a page."""
    return [
        [row.findtext(".//code/span") or "" for row in table.iterfind("tbody/tr/td[1]")]
        for table in html.parse(page).iterfind(".//table")
    ]


def test_the_trace_format_has_a_row_for_each_field(site: Path) -> None:
    written = first_cells(site / "docs/trace-format.html")
    assert [fields for _, _, fields in _core.fields() if [key for key, *_ in fields] not in written] == []


def test_frames_have_a_row_for_each_column(site: Path) -> None:
    written = first_cells(site / "docs/reference/frames.html")
    kinds = [[("server" if kind == "RUNNER" else name) for name, kind, *_ in rows] for *_, rows in _core.frames()]
    assert [names for names in kinds if names not in written] == []


def test_a_schema_is_there_for_each_kind_of_file(site: Path) -> None:
    written = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in site.glob("*.json")}
    assert written == {name: schema() for name, schema in SCHEMAS.items()}


def test_a_schema_lists_what_the_tables_of_core_have() -> None:
    text = json.dumps(taskset_schema())
    names = [row.name for row in takt.policies()] + [row.name for row in takt.server_kinds()] + _core.protocols()
    assert [name for name in names if f'"{name}"' not in text] == []


def test_a_call_of_the_kernel_has_its_comment_and_its_answers(site: Path) -> None:
    page = html.parse(site / "docs/reference/kernel-calls.html")
    (call,) = page.xpath("//dl[dt/@id='c.takt_semaphore_give_from_isr']")
    assert "a woken thread that is more urgent runs when the last interrupt has ended" in call.text_content()
    assert "TAKT_ERROR_NOT_IN_ISR" in call.text_content()
    assert not page.xpath("//dt[@id='c.takt_queue_take']")


def test_a_notebook_has_what_its_cells_show(site: Path) -> None:
    shown = {}
    for path in sorted((ROOT / "examples/notebooks").glob("*.ipynb")):
        page = html.parse(site / f"examples/notebooks/{path.stem}.html")
        shown[path.stem] = page.getroot().text_content()
        assert page.xpath("//div[@class='takt-cell']//svg")
    assert "10 of 440 jobs late in 2 s" in shown["compare_policies"]
    assert "pump: schedulable, all 4 deadlines proved" in shown["is_it_schedulable"]
    assert "{'edf': 24, 'zero laxity first': 40}" in shown["invent_a_policy"]
    start = html.parse(site / "docs/tutorial/notebooks.html")
    links = {link.get("href") for link in start.iterfind(".//a[@href]")}
    assert {f"../../examples/notebooks/{name}.html" for name in shown} <= links


# ---- the index of the search ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(site: Path) -> set[str]:
    """Return the names that the search finds as such."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    return {f"{prefix}.{row[4]}".strip(".") for prefix, rows in index["objects"].items() for row in rows}


def keys(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the keys of a schema, those of tables after them."""
    for name, value in schema.get("properties", {}).items():
        yield f"{prefix}{name}"
        yield from keys(value.get("items", value), f"{prefix}{name}.")


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_search_finds_every_key(schema: str, found: set[str]) -> None:
    named = set(keys(SCHEMAS[schema]()))
    assert len(named) > 20
    assert named - found == set()


def test_the_search_finds_every_name_in_python(found: set[str]) -> None:
    assert {f"takt.{name}" for name in takt.__all__} - found == set()


def functions() -> set[str]:
    """Return the functions that the public headers of the kernel declare."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "kernel").glob("*.h")]
    public = [re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for text in texts if "Private to" not in text[:2000]]
    return {name for text in public for name in re.findall(r"^[a-zA-Z][\w *]*\b(takt_\w+)\(", text, re.MULTILINE)}


def test_the_search_finds_every_function_of_the_kernel(found: set[str]) -> None:
    assert {"takt_semaphore_take", "takt_thread_create", "takt_kernel_start"} <= functions()
    assert functions() - found == set()


# ---- links ----------------------------------------------------------------------------------------------


def links(folder: Path) -> list[str]:
    """Return the faults that the check of links finds."""
    command = [sys.executable, str(ROOT / "tools/pages/links.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == int(done.stdout != "")
    return done.stdout.splitlines()


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text('<p id="here"><a href="sub/b.html#there">b</a> <a href="https://a.test/">a</a>')
    (tmp_path / "sub/b.html").write_text('<p id="there"><a href="../a.html#here">a</a> <img src="data:,">')
    assert links(tmp_path) == []
    (tmp_path / "sub/b.html").write_text(
        '<a href="../a.html#not">a</a><a href="c.html">c</a><a href="#no">b</a><script src="https://a.test/a.js"></script>'
    )
    assert links(tmp_path) == [
        "a.html: sub/b.html#there: no such place on the page",
        "sub/b.html: ../a.html#not: no such place on the page",
        "sub/b.html: c.html is not there",
        "sub/b.html: #no: no such place on the page",
        "sub/b.html: https://a.test/a.js is loaded from outside",
    ]


def test_links_to_sources_lead_to_their_text(site: Path) -> None:
    for page, text in {
        "source/system/fields.def": "Included once by spec.h",
        "source/tests/cases/R3.4-edf": "edf-breaks-deadline-ties-by-server-before-task.toml",
        "source/docs/how-to": "Add a port",
    }.items():
        assert text in html.parse(site / f"{page}.html").getroot().text_content()


# ---- in the browser, from files -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as started:
        yield started


def visit(started: Browser, address: str, size: tuple[int, int] = DESKTOP, **options: Any) -> View:
    """Open a page without a network; what it complains about and requests is in the view."""
    context = started.new_context(viewport={"width": size[0], "height": size[1]}, offline=True, **options)
    view = View(context.new_page())
    view.page.goto(address)
    return view


def is_quiet(view: View) -> bool:
    """True if a page had no error and loaded files alone."""
    return view.errors == [] and all(request.startswith("file:") for request in view.requests)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("takt_semaphore_take", "takt_semaphore_take"),
        ("takt.simulate", "takt.simulate"),
        ("tick_period", "tick_period"),
    ],
)
def test_the_search_works_from_files(query: str, first: str, site: Path, chromium: Browser) -> None:
    view = visit(chromium, f"{(site / 'search.html').as_uri()}?q={query}")
    result = view.page.locator("#search-results ul.search a").first
    assert first in result.inner_text()
    result.click()
    view.page.wait_for_load_state()
    assert view.page.locator(":target").count() == 1
    assert is_quiet(view)


def test_the_first_page_is_the_readme(site: Path, chromium: Browser) -> None:
    view = visit(chromium, (site / "index.html").as_uri())
    view.page.wait_for_url((site / "README.html").as_uri())
    assert view.page.locator("h1").inner_text().startswith("Takt")


@pytest.mark.parametrize("page", ["README", "docs/reference/kernel-calls", "source/system/fields.def"])
def test_pages_are_as_wide_as_a_telephone(page: str, site: Path, chromium: Browser) -> None:
    view = visit(chromium, (site / f"{page}.html").as_uri(), PHONE, color_scheme="dark")
    view.page.wait_for_load_state()
    assert view.page.evaluate("document.scrollingElement.scrollWidth") <= PHONE[0]
    assert is_quiet(view)
