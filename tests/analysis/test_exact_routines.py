# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every routine of the analyses is asked by the command or by studies, or it is said here what is asked instead.

A sharper routine that tests alone call is a bound that is worse than it need be.
"""

from __future__ import annotations

import re

from places import ROOT
from takt import _analysis

ASKED_INSTEAD = {
    "fp_blocking": "none: Python adds up blocking, since it follows from more than regions",
    "fpts_blocking": "fp_responses, which blocks by itself where there are thresholds",
    "graph_lengths": "none: no task of a file has branches",
    "graph_responses": "none: no task of a file has branches",
    "fp_responses_many": "fp_verdicts_many: studies count verdicts",
    "blocking_tolerances": "fp_regions, which gives the regions that the tolerances allow",
    "place_points": "fp_regions and edf_regions: what overheads points have is not in a file",
    "final_regions": "assign_final_regions, which chooses the priorities too",
    "supply_bound": "fp_responses and edf_demand, which have it inside",
    "supply_time": "fp_responses and edf_demand, which have it inside",
}


def test_each_routine_of_the_analyses_is_asked_or_another_one_for_a_reason() -> None:
    routines = {name for name, value in vars(_analysis).items() if callable(value) and not isinstance(value, type)}
    sources = "\n".join(path.read_text() for path in (ROOT / "python" / "takt").rglob("*.py"))
    asked = {name for name in routines if re.search(rf"\b_analysis\.{name}\b", sources)}
    assert routines - asked == set(ASKED_INSTEAD)
