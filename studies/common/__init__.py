# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Common parts of every study: claims with verdicts, tables, plots, the page, the command."""

from studies.common import board
from studies.common.claims import Claim, Verdict, not_testable, verdict
from studies.common.command import run_study
from studies.common.plots import new_plot
from studies.common.schedule import golden, merged, total
from studies.common.study import Plot, Section, Study, Table

__all__ = [
    "Claim",
    "Plot",
    "Section",
    "Study",
    "Table",
    "Verdict",
    "board",
    "golden",
    "merged",
    "new_plot",
    "not_testable",
    "run_study",
    "total",
    "verdict",
]
