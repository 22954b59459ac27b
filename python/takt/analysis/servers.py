"""Judges what is in servers, by what these are sure to supply."""

from __future__ import annotations

from takt.analysis.judgement import Judgement, not_known
from takt.analysis.view import SystemView


def judge_below(view: SystemView, found: Judgement, effort: int) -> Judgement:
    """Judge the children of all servers, given what is known of the root's."""
    for dispatcher in view.dispatchers[1:]:
        found.add(not_known(dispatcher, "there is no test of servers yet"))
    return found
