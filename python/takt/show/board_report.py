# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The report of a trace: how long jobs took on the platform that recorded it."""

from __future__ import annotations

from dataclasses import replace

from takt import _core
from takt.files.trace_file import Trace
from takt.model.python_policy import name_of
from takt.run.measurement import jobs_of
from takt.run.remote import remote_of
from takt.show.report import Report, TaskRow


def report_of_machine(trace: Trace, simulated: Report) -> Report:
    """Return the report of a trace of one processor, or of domains with one each.

    Args:
        trace: of a scheduler that stands where the jobs run.
        simulated: the report of the same task set, which names the domains.
    """
    if not trace.domains:
        return replace(report_of(trace), remote=None)
    parts = [report_of(part) for part in trace.domains]
    rows = {row.task: row for part in parts for row in part.rows}
    return replace(
        parts[0],
        name=simulated.name,
        policy=simulated.policy,
        decisions=sum(part.decisions for part in parts),
        rows=[replace(rows[row.task], domain=row.domain) for row in simulated.rows],
        domains=simulated.domains,
        remote=None,
    )


def report_of(trace: Trace) -> Report:
    """Return the report of a trace of one processor."""
    system = trace.system
    every_job = jobs_of(trace)
    nothing, by_task = every_job.clear(), every_job.partition_by("task", as_dict=True)
    rows = []
    for task, server in zip(system.tasks, system.server_names(), strict=True):
        jobs = by_task.get((task.name,), nothing)
        responses, missed = jobs["response"].drop_nulls().to_list(), int(jobs["missed"].sum())
        row = TaskRow(
            task=task.name,
            server=server,
            class_=task.class_,
            period=task.period or None,
            deadline=task.deadline,
            wcet=task.wcet,
            jobs=len(jobs),
            finished=len(responses),
            response_min=min(responses, default=None),
            response_max=max(responses, default=None),
            response_sum=sum(responses) if responses else None,
            missed=missed,
            missed_requested=missed,
        )
        rows.append(row)
    return Report(
        name=system.name,
        policy=name_of(system.policy),
        platform=trace.platform,
        resolution_ns=system.resolution_ns,
        horizon=trace.horizon,
        decisions=sum(record.kind == _core.RECORD_DECISION for record in trace.records()),
        rows=rows,
        remote=remote_of(trace),
    )
