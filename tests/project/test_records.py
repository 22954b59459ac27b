# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is made of the table of fields is up to date."""

from __future__ import annotations

import subprocess
import sys

from places import ROOT


def test_records_and_tables_are_what_the_table_of_fields_says() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools/records.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
