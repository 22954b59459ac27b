# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Analysis: what can be proved of a task set. `takt.analyse` is the way in; DESIGN.md, 7.1 says who answers what."""

from takt.analysis.analyse import analyse
from takt.analysis.result import Advice, Analysis, Chart, Curve, ServerBound, TaskBound, Test, Verdict

__all__ = ["Advice", "Analysis", "Chart", "Curve", "ServerBound", "TaskBound", "Test", "Verdict", "analyse"]
