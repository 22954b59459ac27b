#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writer of the site: the documents of the project as pages, with all that follows from C and Python, and a search.

Usage: docs.py [FOLDER]. Writes to FOLDER, default build/docs; index.html is the first page, takt.1 the manual page.
Fails if a document stands nowhere in the order of the site (pages/_toc.yml), if a name of the kernel has no comment, or
if a link leads nowhere.
"""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path

import api
from sphinx.cmd.build import build_main
from takt.command.help import page
from takt.command.main import app
from typer.main import get_command

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "pages"))
import links  # noqa: E402 (it is beside the settings)


def write(folder: Path) -> int:
    """Write the site and return an exit status."""
    shutil.rmtree(folder, ignore_errors=True)
    trees = folder / ".trees"
    strict = ["--fail-on-warning", "--fresh-env", "--quiet"]
    options = ["--builder", "html", "--conf-dir", str(HERE / "pages"), "--doctree-dir", str(trees)]
    status = api.make_reference() or build_main([*strict, *options, str(ROOT), str(folder)])
    shutil.rmtree(trees, ignore_errors=True)
    (folder / "takt.1").write_text("\n".join((*page(get_command(app)), "")), encoding="utf-8")
    faults = links.faults(folder) if status == 0 else []
    print("".join(f"docs: {fault}\n" for fault in faults), file=sys.stderr, end="")
    return status or int(bool(faults))


if __name__ == "__main__":
    gc.disable()  # a tenth of the time, for 300 MB of trees that would stay anyway
    sys.exit(write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"))
