# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pages of notebooks: their texts, their code, and what it shows, which is executed while the page is made.

An expression in the last line of a cell is shown as a notebook does: by `_repr_html_`, or by `repr`.
"""

from __future__ import annotations

import ast
import json
from pprint import pformat
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

SUFFIX = ".ipynb"


class NotebookParser(MystParser):
    """Parser of notebooks, which are read as Markdown."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a notebook into a document."""
        names: dict[str, Any] = {"__name__": "__main__"}
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(as_markdown(cell, names) for cell in cells), document)


def as_markdown(cell: dict[str, Any], names: dict[str, Any]) -> str:
    """Return a cell as Markdown; `names` are those that the cells before it have made."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return source
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), SUFFIX, "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), SUFFIX, "exec"), names)
        return block("python", source)
    value = eval(compile(ast.Expression(last.value), SUFFIX, "eval"), names)
    html = getattr(value, "_repr_html_", None)
    shown = block("{raw} html", html()) if html is not None else block("text", pformat(value, sort_dicts=False))
    return f"{block('python', source)}\n\n{shown}"


def block(kind: str, text: str) -> str:
    """Return a block of code."""
    return f"````{kind}\n{text}\n````"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the parser."""
    app.add_source_suffix(SUFFIX, "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
