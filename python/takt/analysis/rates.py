"""Judges rate-based roots and rate-based execution."""

from __future__ import annotations

from takt.analysis.judgement import Judgement, not_known
from takt.analysis.view import DispatcherView, SystemView


def judge_rates(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Judge a rate-based root by its admission."""
    return not_known(dispatcher, "there is no test of rate-based yet")


def judge_rbe(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Judge rate-based execution by its demand."""
    return not_known(dispatcher, "there is no test of rbe yet")
