# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A picture of a report for the documents: what the browser of the tests shows of it, in few colours.

Usage: take_picture.py REPORT PICTURE
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import browser
from PIL import Image

SIZE = (1280, 760)
COLORS = 64


def main(report: Path, picture: Path) -> None:
    """Write the picture of a report."""
    with browser.chromium() as started, browser.opened(started, report.resolve(), SIZE) as view:
        shown = Image.open(io.BytesIO(view.page.screenshot()))
    shown.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
