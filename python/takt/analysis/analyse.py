# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The analysis of a system: verdict, bounds, margins of the wcets, advice, and charts.

That of a machine is the analyses of its domains, put together. A domain is a system in itself, whatever the others do.
So every bound of a domain holds on the machine, and the verdict of the machine is that of all domains together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from takt.analysis import charting, least_budgets, remarks
from takt.analysis import remedies as remedy_search
from takt.analysis import sensitivity as search
from takt.analysis.advice import advise
from takt.analysis.judge import EFFORT, judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Advice, Analysis, AsWritten, TaskBound, Verdict, worst_of
from takt.analysis.trials import Progress
from takt.analysis.view import SystemView, view_of
from takt.base import times
from takt.base.errors import InputError, Problem, show
from takt.files.task_set_reading import system_of
from takt.model.python_policy import name_of
from takt.model.system import Domain, System
from takt.model.value_checks import TIME_RULE

if TYPE_CHECKING:
    from takt.model.system import System

_PRECISION = 10**18
MAX_REASONS = 3
"""How many tasks a reason is about."""


def analyse(
    system: System | str | Path,
    *,
    remote: int | str = 0,
    effort: int = EFFORT,
    sensitivity: bool = True,
    remedies: bool = False,
    progress: Progress | None = None,
    advice: bool = True,
) -> Analysis:
    """Prove what can be proved of a system.

    The verdict holds for all arrivals and demands that the tasks allow: jobs at least their separation apart from any
    offset on, each with a demand up to the wcet, or up to the longest one that the system gives.

    Args:
        system: the task set: a system, or the path of a task-set file.
        remote: the longest time of a message to or from a remote scheduler; 0: it stands where the jobs run.
        effort: steps that the tests of each dispatcher may take; what needs more is not known.
        sensitivity: whether to search by how much wcets may grow, which takes most of the time.
        remedies: whether to search chains of changes that make it schedulable, if it is not.
        progress: called with the number of changes that this search has tried.
        advice: whether to search changes of one kind that make it schedulable, if it is not.

    Returns:
        Verdict with its reason, bounds of all tasks and servers, sensitivity, and advice if it does not fit. All times
        are in ticks.

    Raises:
        InputError: the file or `remote` is not right.

    Example:
        >>> import takt
        >>> tasks = [takt.Task(name="A", period=5, wcet=2), takt.Task(name="B", period=7, wcet=4)]
        >>> found = takt.analyse(takt.System(tasks=tasks, policy="rm"))
        >>> found.verdict.value, [row.response for row in found.tasks]
        ('not schedulable', [2, 8])
        >>> takt.analyse("examples/smallest.toml").is_schedulable
        False
    """
    system = system_of(system)
    if system.domains:
        part = partial(analyse, remote=remote, effort=effort, sensitivity=sensitivity, advice=advice)
        found = together(system, [part(each.system) for each in system.domains])
    else:
        found = _analysed(system, _latency_of(system, remote), effort, sensitivity=sensitivity, has_advice=advice)
    if remedies and not found.is_schedulable:
        return replace(found, remedies=remedy_search.search(system, found.remote, effort, progress))
    return found


def _analysed(system: System, latency: int, effort: int, *, sensitivity: bool, has_advice: bool) -> Analysis:
    """Analyse a system of one domain."""
    view = view_of(system, latency)
    judgement = least_budgets.with_least_budgets(view, judge(view, effort), effort).with_parts()
    counted, verdict = judgement.that_count(), judgement.verdict
    is_met, is_known = verdict is Verdict.SCHEDULABLE, verdict is not Verdict.NOT_KNOWN
    edge = search.sensitivity_of(view, judgement, effort) if is_known and sensitivity else search.Sensitivity()
    return Analysis(
        name=system.name,
        policy=name_of(system.policy),
        resolution_ns=system.resolution_ns,
        verdict=verdict,
        reason=_reason(judgement, counted, verdict, "" if is_met else remarks.modes_apart(view, effort)),
        utilization=_utilization(view).as_integer_ratio(),
        tasks=tuple(replace(row, growth=edge.growth.get(number)) for number, row in sorted(judgement.tasks.items())),
        servers=tuple(judgement.servers[number] for number in sorted(judgement.servers)),
        remote=view.latency,
        scaling=edge.scaling,
        scaling_finer=edge.scaling_finer,
        unsearched=edge.unsearched,
        advice=tuple(advise(system, view, effort)) if has_advice and not is_met else (),
        charts=tuple(charting.charts_of(view, judgement)),
        as_written=remarks.run_as_written(system, view, judgement),
        warnings=tuple(remarks.warnings_of(view)),
        demands=tuple(each for _, find in sorted(judgement.demands.items()) if (each := find()) is not None),
    )


def _latency_of(system: System, remote: int | str) -> int:
    """Convert the longest time of a message to ticks."""
    try:
        ticks = times.to_ticks(remote, system.resolution_ns)
    except ValueError:
        raise _refusal("wrong-unit", f'expected a time such as "50us", found {show(remote)}; {TIME_RULE}') from None
    if not 0 <= ticks <= times.MAX_TICKS:
        raise _refusal("out-of-range", f"expected 0 to {times.MAX_TICKS} ticks, found {show(remote)}")
    if ticks.denominator != 1:
        message = f"expected a multiple of the resolution {show(system.resolution)}, found {show(remote)}"
        raise _refusal("resolution", message)
    return int(ticks)


def _refusal(code: str, message: str) -> InputError:
    return InputError([Problem(message, code, key="remote")])


def _utilization(view: SystemView) -> Fraction:
    """Add up wcet / period of all tasks that are ever there together, at most; each rounded down to 1e-18."""
    tasks = [task for each in view.dispatchers for task in each.tasks]
    phases = [phase for task in tasks if task.period for phase in task.phases]
    sums = [
        sum(each.wcet * _PRECISION // each.period for each in phases if each.start <= start < each.until)
        for start in {phase.start for phase in phases}
    ]
    return Fraction(max(sums, default=0), _PRECISION)


def _reason(judgement: Judgement, counted: Sequence[TaskBound], verdict: Verdict, known: str) -> str:
    """Return the reason of the verdict in one line, with what else is known if it is not "schedulable"."""
    if verdict is not Verdict.SCHEDULABLE:
        late = [row for row in counted if row.verdict is not Verdict.SCHEDULABLE]
        worst = worst_of([row.verdict for row in late])
        reasons = list(dict.fromkeys(row.reason for row in late if row.verdict is worst and row.reason))[:MAX_REASONS]
        return "; ".join(filter(None, [*reasons, _more(sum(row.reason not in reasons for row in late)), known]))
    # Of those that count all are schedulable here.
    others = [row.task for row in judgement.rows() if row.verdict is not Verdict.SCHEDULABLE]
    hard = "hard " * (len(counted) < len(judgement.tasks))
    one = f"the only {hard}task meets its deadlines"
    what = one if len(counted) == 1 else f"all {len(counted)} {hard}tasks meet their deadlines"
    named = ", ".join([*others[:MAX_REASONS], *filter(None, [_more(len(others) - MAX_REASONS)])])
    return f"{what}; not so {named}" if others else what


def _more(count: int) -> str:
    return f"and {count} more" if count > 0 else ""


# ---- machines of domains ------------------------------------------------------------------------------


_Analysed = tuple[Domain, Analysis]
_MOST = 3
"""How many domains a reason is about."""


def together(system: System, analyses: Sequence[Analysis]) -> Analysis:
    """Return the analysis of a machine.

    Args:
        system: the machine.
        analyses: of its domains, in their order.
    """
    rows = list(zip(system.domains, analyses, strict=True))
    counted = [row for row in rows if any(bound.class_ == "hard" for bound in row[1].tasks)] or rows
    verdict = worst_of([analysis.verdict for _, analysis in counted])
    tasks = {task.name: number for number, task in enumerate(system.tasks)}
    servers = {server.name: number for number, server in enumerate(system.servers)}
    bounds = [replace(bound, domain=domain.label) for domain, analysis in rows for bound in analysis.tasks]
    supplies = [replace(bound, domain=domain.label) for domain, analysis in rows for bound in analysis.servers]
    scalings = [analysis.scaling for analysis in analyses]
    known = [scaling for scaling in scalings if scaling is not None]
    named = [f"{domain.label}: {analysis.reason}" for domain, analysis in counted if analysis.verdict is verdict]
    more = len(named) - _MOST
    reason = "; ".join([*named[:_MOST], *([f"and {more} domains more"] if more > 0 else [])])
    return Analysis(
        name=system.name,
        policy=", ".join(dict.fromkeys(name_of(domain.system.policy) for domain in system.domains)),
        resolution_ns=system.resolution_ns,
        verdict=verdict,
        reason=reason,
        utilization=sum((Fraction(*analysis.utilization) for analysis in analyses), Fraction(0)).as_integer_ratio(),
        tasks=tuple(sorted(bounds, key=lambda bound: tasks[bound.task])),
        servers=tuple(sorted(supplies, key=lambda bound: servers[bound.server])),
        remote=max(analysis.remote for analysis in analyses),
        scaling=min(known) if len(known) == len(scalings) else None,
        unsearched=sum(analysis.unsearched for analysis in analyses),
        advice=tuple(_advice(counted)),
        as_written=_as_written(analyses),
        warnings=tuple(f"{domain.label}: {line}" for domain, analysis in rows for line in analysis.warnings),
        demands=tuple(replace(each, domain=domain.label) for domain, analysis in rows for each in analysis.demands),
        charts=tuple(
            replace(chart, title=f"{domain.label}: {chart.title}")
            for domain, analysis in rows
            for chart in analysis.charts
        ),
    )


def _as_written(analyses: Sequence[Analysis]) -> AsWritten | None:
    """Return the runs of all domains together; no job is late in a domain that is schedulable."""
    runs = [analysis.as_written for analysis in analyses if not analysis.is_schedulable]
    there = [run for run in runs if run is not None]
    fixed = tuple(dict.fromkeys(what for run in there for what in run.fixed))
    lengths = [run.until for run in there if run.until is not None]
    if not runs or len(lengths) < len(runs):
        return AsWritten(fixed) if fixed else None
    return AsWritten(fixed, min(lengths), sum(run.late for run in there), any(run.is_drawn for run in there))


def _advice(counted: Sequence[_Analysed]) -> list[Advice]:
    """Return the advice for the only domain that does not fit; with several such domains it would not help."""
    late = [(domain, analysis) for domain, analysis in counted if not analysis.is_schedulable]
    if len(late) != 1:
        return []
    domain, analysis = late[0]
    return [
        replace(advice, what=f"{advice.what} on {domain.label}")
        for advice in analysis.advice
        if all(table in ("task", "server") for table, _, _, _ in advice.changes)  # [system] is of all domains
    ]
