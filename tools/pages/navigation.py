# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The list of all documents at the side of each page, in the order of _toc.yml.

Sphinx makes the same list by copying the contents of every document for every page, which takes most of a build.
"""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def children(env: BuildEnvironment, document: str) -> list[addnodes.toctree]:
    """Return the lists of documents below a document."""
    return list(env.tocs[document].findall(addnodes.toctree)) if document in env.tocs else []


def entries(env: BuildEnvironment, lists: list[addnodes.toctree]) -> list[str]:
    """Return the documents of some lists."""
    return [document for each in lists for _, document in each["entries"] if document in env.titles]


def items(app: Sphinx, page: str, documents: list[str], level: int = 1) -> str:
    """Return documents and those below them as a list in HTML; the page and those above it are current."""
    text = ""
    for document in documents:
        below = entries(app.env, children(app.env, document))
        inner = items(app, page, below, level + 1) if below else ""
        classes = f"toctree-l{level}{' current' if document == page or ' current' in inner else ''}"
        link = "#" if document == page else html.escape(app.builder.get_relative_uri(page, document))
        title = html.escape(app.env.titles[document].astext())
        text += f'<li class="{classes}"><a class="reference internal" href="{link}">{title}</a>{inner}</li>'
    return f"<ul>{text}</ul>"


def write(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Replace the function by which the theme asks for the list."""

    def toctree(**options: object) -> str:
        text = ""
        for each in children(app.env, str(app.config.root_doc)):
            caption = html.escape(each["caption"] or "")
            text += f'<p class="caption" role="heading"><span class="caption-text">{caption}</span></p>'
            text += items(app, page, entries(app.env, [each]))
        return text

    context["toctree"] = toctree


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect, before the theme does."""
    app.connect("html-page-context", write, priority=400)
    return {"parallel_read_safe": True}
