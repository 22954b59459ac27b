# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Settings of the site, as Sphinx reads them: documents are those of the project at their paths from its root."""

from __future__ import annotations

import sys
from pathlib import Path

import takt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

project = "Takt"
version = release = takt.__version__
extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_external_toc",
    "contents",
    "navigation",
    "notebooks",
    "sources",
]

include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "*/README.md", "*/*/README.md", "bench/*.md", "studies/*.md"]
include_patterns += ["examples/notebooks/*.ipynb"]
exclude_patterns = ["build", "LICENSES", ".*"]
external_toc_path = str(HERE / "_toc.yml")
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
default_role = "literal"

# C: what doxygen reads of the headers, see tools/api.py.
breathe_projects = {"takt": str(ROOT / "build" / "api" / "xml")}
breathe_default_project = "takt"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

toc_object_entries_show_parents = "hide"

# Python: the installed package.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_use_rtype = False

templates_path = [str(HERE / "templates")]
html_theme = "furo"
html_title = f"Takt {release}"
html_static_path = [str(HERE / "style.css")]
html_css_files = ["style.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
# A page that was opened as a file may not read others: its search shows where a word is, without the text around it.
html_js_files = [("", {"body": 'DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";'})]
