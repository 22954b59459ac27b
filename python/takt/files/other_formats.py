# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Formats of other tools that Takt knows and does not read, recognized by the beginning of a file.

Source: MAST 1.5 (text and XML), the XMI of Eclipse APP4MC for AMALTHEA, AADL 2 (text and the XMI of OSATE), the tables
of np-schedulability-analysis.
"""

from __future__ import annotations

import re
from pathlib import Path

from takt.base.errors import file_error

_MARKUP = r"(?:\s|<\?[^>]*>|<!--.*?-->|<![^->][^>]*>)*+<(?:[\w.-]+:)?"
_REMARKS = r"(?:\s|--[^\n]*+)*+"

_BEGINNINGS = {
    "a model of MAST": (
        rf"{_REMARKS}(?:Model|Processing_Resource|Scheduler|Scheduling_Server|Shared_Resource|Operation|Transaction)"
        r"\s*\(\s*\w+\s*=>",
        rf"{_MARKUP}MAST_MODEL\b",
    ),
    "a model of AMALTHEA": (rf"{_MARKUP}Amalthea\b",),
    "a model in AADL": (
        rf"{_REMARKS}(?:package\s+[\w:.]+\s{_REMARKS}(?:public|private)|property\s+set\s+\w+\s+is)\b",
        rf"{_MARKUP}(?:AadlPackage|AadlSpec|SystemInstance)\b",
    ),
    "a job set of np-schedulability-analysis": (r"\s*Task ID\s*,\s*Job ID\s*,\s*Arrival min\b",),
}
_PATTERNS = {
    name: [re.compile(beginning, re.DOTALL | re.IGNORECASE) for beginning in beginnings]
    for name, beginnings in _BEGINNINGS.items()
}


def refuse(path: str | Path, text: str, expected: str) -> None:
    """Raise the error of a file in a format that is known and not read.

    Args:
        path: of the file.
        text: its beginning, or all of it.
        expected: what Takt reads.

    Raises:
        InputError: it is in such a format.
    """
    for name, patterns in _PATTERNS.items():
        if any(pattern.match(text) for pattern in patterns):
            raise file_error(path, f"expected {expected}, found {name}, which Takt does not read", "unread-format")
