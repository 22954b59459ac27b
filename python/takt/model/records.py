# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records of what core is given: made of system/fields.def by tools/records.py, not by hand."""

from __future__ import annotations

from dataclasses import dataclass

from takt.model.python_policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRates:
    """A row of the table rates: a rate-based root, one row or none.

    Args:
        beta: share of best-effort tasks, in 1/18018000.
        has_formula: beta follows from the tasks instead.
        sigma: least share of all soft tasks, in 1/18018000.
        grid: stretched periods are multiples of it, in ticks.
        rule: when tasks give up rate: 0 boundary, 1 in flight, 2 naive.
        has_background: best-effort tasks run beyond their budgets.
        has_compression: soft tasks get earlier deadlines in flight.
        has_cuts: best-effort tasks give up rate in flight.
        estimate_jobs: past jobs that a lower wcet estimate covers, in jobs.
    """

    beta: int
    has_formula: bool
    sigma: int
    grid: int
    rule: int
    has_background: bool
    has_compression: bool
    has_cuts: bool
    estimate_jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostsRecord:
    """A row of the table costs: the work of the kernel, one row or none; the platform's.

    Args:
        context_switch: another task runs than the one that ran last, in ticks.
        release: release of one job, in ticks.
        scheduling: a decision, in ticks.
        point: preemption point of a non-preemptive job, in ticks.
        tick: timer interrupt, in ticks.
        tick_period: distance of timer interrupts; read if tick > 0, in ticks.
        is_pull: while a non-preemptive job at the root runs, releases wait for its next point.
    """

    context_switch: int = 0
    release: int = 0
    scheduling: int = 0
    point: int = 0
    tick: int = 0
    tick_period: int = 0
    is_pull: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedArchitecture:
    """A row of the table architecture: where the scheduler runs, one row or none; the platform's.

    Args:
        model: where the scheduler runs; software, coprocessor, hardware.
        context_switch: a whole sequence of four steps, in ticks.
        interval: of one that is entered: distance of its ticks; else 0, in ticks.
        is_fixed: likewise: its ticks come at multiples of the interval.
        latency: of one that has it: from an event to the decision; else 0, in ticks.
    """

    model: str
    context_switch: int
    interval: int
    is_fixed: bool
    latency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """A row of the table servers: servers; entity numbers count from 1.

    Args:
        kind: kind of server; 0 if the next field names it.
        policy: what orders its children.
        home: entity number of its parent, 0 = root.
        period: distance of its periods, in ticks.
        budget: its budget, at most its period, in ticks.
        offset: start of its first period, in ticks.
        level: urgency among the children of its parent, 1 = most urgent.
        levels: levels that its own children use.
        order_rows: of its timers; 0: as many as the system needs.
        time_rows: likewise; 0: 16.
    """

    kind: str
    policy: str | Policy
    home: int
    period: int
    budget: int
    offset: int
    level: int
    levels: int
    order_rows: int = 0
    time_rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """A row of the table tasks: tasks; entity numbers follow those of servers.

    Args:
        class_: class; the first goes first among equals; hard, soft, none.
        home: entity number of its server, 0 = root.
        period: distance of arrivals, the least one if sporadic; 0 if there is none, in ticks.
        deadline: relative deadline, in ticks.
        offset: first arrival, in ticks.
        wcet: worst-case execution time, in ticks.
        level: urgency among the children of its parent, 1 = most urgent; ignored by keyed policies.
        preemption_key: key of a started job, 0 = no job displaces it; a level under fp, a key under rm and dm,
            relative to the start under edf and llf, where 2^62 is added to the laxity.
        on_miss: what happens to a job at its deadline; drop is abort and skip; continue, abort, skip, drop.
        is_external: its jobs arrive as events.
        suspends: its jobs may suspend themselves.
        locks: its jobs may lock resources.
        is_absent: it waits for a change that lets it enter.
        weight: its part of the rate of best-effort tasks under a rate-based root, or of all weights under share.
        is_greedy: under a rate-based root its jobs use whole budgets; wcet and demand are not read.
        adapts: under a rate-based root its estimate follows what its jobs execute.
        events: its deadlines are those of rate-based execution, of so many jobs in each interval; else 0, in jobs.
        interval: of these; else 0, in ticks.
        ring: how many arrivals may wait, a power of two; 0: the platform makes room, in jobs.
        jitter: a release is up to this after the arrival; the platform's, in ticks.
    """

    class_: str
    home: int
    period: int
    deadline: int
    offset: int
    wcet: int
    level: int
    preemption_key: int | None
    on_miss: str = "continue"
    is_external: bool = False
    suspends: bool = False
    locks: bool = False
    is_absent: bool = False
    weight: int = 1
    is_greedy: bool = False
    adapts: bool = False
    events: int = 0
    interval: int = 0
    ring: int = 0
    jitter: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRecord:
    """A row of the table threads: plain threads under the root; entity numbers follow.

    Args:
        level: level under the root; keyed roots treat it as background.
    """

    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRecord:
    """A row of the table resources: shared resources, numbered from 0 in records.

    Args:
        protocol: protocol.
        ceiling: highest level of its users; read where the protocol has one.
        home: entity number of the server that its users are in, 0 = root.
        among: number of the resource that it is in the parent of that server.
        longest: under sirap the budget that a lock needs; else 0, in ticks.
    """

    protocol: str
    ceiling: int
    home: int
    among: int | None = None
    longest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRecord:
    """A row of the table changes: changes, numbered from 0 in records, in the order of time.

    Args:
        at: when, in ticks.
        kind: what; leave, enter, parameters, policy.
        task: task, counted from 0; of a policy 0.
        policy: of the root from then on, where it is of the policy.
        period: this and what follows: all parameters in force, as in the task, in ticks.
        deadline: relative deadline, in ticks.
        wcet: worst-case execution time, in ticks.
        level: level.
        class_: class; hard, soft, none.
        weight: weight.
    """

    at: int
    kind: str
    task: int | None
    policy: str = ""
    period: int = 1
    deadline: int = 1
    wcet: int = 1
    level: int = 1
    class_: str = "hard"
    weight: int = 1
