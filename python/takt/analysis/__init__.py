# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Analysis: what can be proved of a task set. The entry is `takt.analyse`; docs/explanation/analysis.md says why."""

from takt.analysis.analyse import analyse
from takt.analysis.result import Advice, Analysis, Chart, Curve, ServerBound, TaskBound, Test, Verdict

__all__ = ["Advice", "Analysis", "Chart", "Curve", "ServerBound", "TaskBound", "Test", "Verdict", "analyse"]
