# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Links from documents to the project's other files: each file or folder has a page with its text.

A link to a folder leads to its README. One without has a page with the text of its files, and links to its documents.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

PREFIX = "source/"
LANGUAGES = {".def": "c", ".pyi": "python", ".ld": "text"}
"""Languages of files by their suffix, of those that Pygments does not know or takes for something else."""


def link_to_sources(app: Sphinx, tree: nodes.document) -> None:
    """Point the links of a document that lead to no document at pages of this module."""
    kinds = (addnodes.download_reference, addnodes.pending_xref)
    for link in list(tree.findall(lambda node: isinstance(node, kinds) and node.get("reftype") == "myst")):
        assert isinstance(link, nodes.Element)
        if link.get("refdomain") is None:
            point_at_source(app, link)


def point_at_source(app: Sphinx, link: nodes.Element) -> None:
    """Replace a link to a file or a folder; one that leads nowhere stays, and the build reports it."""
    relative, absolute = app.env.relfn2path(link["reftarget"], app.env.docname)
    path = Path(absolute)
    if not path.exists() or "#" in relative:
        return
    readme = f"{Path(relative).as_posix()}/README"
    if readme in app.env.found_docs:
        target = readme
    else:
        target = PREFIX + Path(relative).as_posix()
        app.env.metadata[app.env.docname].setdefault("sources", []).append(Path(relative).as_posix())
    uri = app.builder.get_relative_uri(app.env.docname, target)
    link.replace_self(nodes.reference("", "", *link.children, internal=True, refuri=uri))


def write_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages of the files and folders that documents link to, without the theme's navigation."""
    sources = {source for data in app.env.metadata.values() for source in data.get("sources", [])}
    for source in sorted(sources) if exception is None else ():
        path, page = Path(app.srcdir) / source, Path(app.outdir) / f"{PREFIX}{source}.html"
        files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
        values = {
            "project": app.config.project,
            "root": "../" * (source.count("/") + 1),
            "source": source,
            "start": app.config.root_doc,
            "parts": [part(app, file) for file in files],
        }
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(app.builder.templates.render("source.html", values), encoding="utf-8")


def part(app: Sphinx, path: Path) -> dict[str, str]:
    """Return a file as the template has it: a document by its title, another one by its text in colours."""
    document = path.relative_to(app.srcdir).with_suffix("").as_posix()
    if document in app.env.found_docs:
        return {"name": app.env.titles[document].astext(), "document": document}
    assert isinstance(app.builder, StandaloneHTMLBuilder)
    text = path.read_text(encoding="utf-8")
    return {"name": path.name, "text": app.builder.highlighter.highlight_block(text, language(path))}


def language(path: Path) -> str:
    """Return the language of a file, as Pygments calls it."""
    try:
        return LANGUAGES.get(path.suffix) or get_lexer_for_filename(path.name).aliases[0]
    except ClassNotFound:
        return "text"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect, before Sphinx collects files to download."""
    app.connect("doctree-read", link_to_sources, priority=400)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True}
