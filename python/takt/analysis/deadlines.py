"""Judges roots that order by deadlines: edf, and llf, for which the same test is exact."""

from __future__ import annotations

from takt.analysis.blocking import Delays
from takt.analysis.judgement import Judgement, not_known
from takt.analysis.view import DispatcherView, SystemView


def judge_deadlines(view: SystemView, dispatcher: DispatcherView, delays: Delays, effort: int) -> Judgement:
    """Judge a dispatcher by its processor demand."""
    return not_known(dispatcher, f"there is no test of {dispatcher.policy} yet")
