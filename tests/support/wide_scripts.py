# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Scripts for `tests/kernel/script.c` with more than the kernel's model knows: all kinds of servers at any depth, keys
that age, threads that execute jobs, and threads with deadlines."""

from __future__ import annotations

import random
from dataclasses import replace

from kernel_model import (
    ALARMS,
    INTERRUPTS,
    OPERATIONS,
    PRIORITIES,
    PROTOCOLS,
    THREADS,
    Job,
    Operation,
    Script,
    ServerRow,
    draw_script,
)

SERVERS = 4
KINDS = ["deferrable", "idling", "polling", "sporadic", "sporadic-strict"]
KINDS_UNDER_KEYS = [*KINDS, "cbs", "hard-cbs"]
"""The last two need a parent that is ordered by deadlines."""
POLICIES = ["fp", "fp", "edf", "edf", "edf"]
RAISING = ["npcs", "icpp"]
"""They refuse holders with a deadline."""
PROTOCOLS_WITHOUT_CEILINGS = ["none", "npcs", "pip"]


def draw_job(draw: random.Random, share: float) -> Job | None:
    """Draw how a thread executes jobs, or that it executes none, for a share of threads that do."""
    if draw.random() >= share:
        return None
    period = draw.choice([7, 16, 20, 32, 50])
    return Job(
        period,
        deadline=draw.randint(1, period),
        operations=draw.randint(1, 5),
        is_limited=draw.random() < 0.1,
        on_miss=draw.choice([0, 0, 0, 0, 1, 2]),
    )


def draw_server(draw: random.Random, policies: list[str], parent: str) -> ServerRow:
    """Draw a server for a parent under the policy `parent`, with a small budget or nearly all of the time."""
    period = draw.choice([8, 16, 20, 30, 100])
    budget = draw.choice([draw.randint(1, period), period, max(1, period - 1)])
    kind = draw.choice(KINDS_UNDER_KEYS if parent == "edf" else KINDS)
    return kind, draw.choice(policies), period, budget, draw.choice([0, 0, 5]), draw.randrange(PRIORITIES)


def vary(draw: random.Random, operation: Operation, servers: int, has_deadlines: bool) -> Operation:
    """Let a thread that is created anew come into any server, and threads have deadlines."""
    if operation.what == "create" and draw.random() < 0.7:
        return replace(operation, what="move", a=draw.randint(0, servers))
    if has_deadlines and operation.what in ("delay", "priority") and draw.random() < 0.2:
        return Operation("deadline", draw.randrange(THREADS), draw.choice([0, 0, 5, 20, 100]))
    return operation


def draw_wide_script(seed: int) -> Script:
    """Draw a script: of half of them all threads and mutexes are in one place, and three of five have mutexes."""
    draw = random.Random(f"wide {seed}")
    count = draw.randint(0, SERVERS)
    protocol = draw.choice([None, None, "mixed", "srp", draw.choice(PROTOCOLS)])
    has_ceilings = protocol is not None and protocol not in PROTOCOLS_WITHOUT_CEILINGS
    policies = POLICIES if has_ceilings else [*POLICIES, "llf"]
    root = draw.choice(policies)
    script = draw_script(seed, protocol=protocol, policy=root, servers=count)
    servers: list[ServerRow] = []
    parents = []
    for number in range(count):
        parents.append(draw.choice([0, draw.randint(0, number)]))
        servers.append(draw_server(draw, policies, servers[parents[-1] - 1][1] if parents[-1] > 0 else root))
    place = draw.randint(0, count) if draw.random() < 0.5 else None
    share = draw.choice([0, 0.3, 1])
    has_deadlines = not any(kind in RAISING for kind, _, _ in script.mutexes)
    return replace(
        script,
        servers=tuple(servers),
        parents=tuple(parents),
        mutexes=tuple((kind, ceiling, home if place is None else place) for kind, ceiling, home in script.mutexes),
        threads=tuple(
            (
                exists,
                priority,
                home if place is None else place,
                tuple(vary(draw, operation, count, has_deadlines) for operation in operations),
            )
            for exists, priority, home, operations in script.threads
        ),
        jobs=tuple(draw_job(draw, share) for _ in script.threads),
    )


def draw_released_job(draw: random.Random, periods: list[int]) -> Job:
    """Draw how a thread executes jobs that are mostly released together with others, and are late at a release."""
    period = draw.choice(periods)
    return Job(
        period,
        deadline=draw.choice([period, period, max(1, period // 2), draw.randint(1, 2 * period)]),
        operations=draw.randint(1, 3),
        is_limited=draw.random() < 0.05,
        on_miss=draw.choice([0, 0, 0, 0, 0, 0, 0, 1, 2]),
        offset=draw.choice([0, 0, 0, draw.randrange(period), draw.choice(periods)]),
        is_sporadic=draw.random() < 0.15,
    )


def draw_work(draw: random.Random) -> tuple[Operation, ...]:
    """Draw what a thread that executes jobs does: it seldom waits."""
    calls = [Operation("give", 0), Operation("delay", 0, 1), Operation("take", 0, 2), Operation("notify", 0, 1)]
    return tuple(
        Operation("work", 0, draw.choice([1, 1, 2, 2, 3, 4, 5, 8])) if draw.random() < 0.9 else draw.choice(calls)
        for _ in range(OPERATIONS)
    )


def draw_job_script(seed: int) -> Script:
    """Draw a script in which releases decide: most threads execute jobs, of periods that coincide."""
    script = draw_wide_script(seed)
    draw = random.Random(f"jobs {seed}")
    periods = draw.choice([[8, 16, 32], [10, 20], [12, 18, 36], [7, 16, 20, 50], [1, 2, 3, 40]])
    jobs = tuple(draw_released_job(draw, periods) if draw.random() < 0.7 else None for _ in script.threads)
    own = [number for number, job in enumerate(jobs) if job is not None]
    arrivals = [Operation("arrive", number) for number in own]
    return replace(
        script,
        jobs=jobs,
        threads=tuple(
            (exists, priority, home, operations if job is None else draw_work(draw))
            for (exists, priority, home, operations), job in zip(script.threads, jobs, strict=True)
        ),
        alarms=tuple(draw.choice([*arrivals, *script.alarms]) for _ in range(ALARMS)),
        interrupts=tuple(
            (draw.choice([*arrivals, operation]), draw.choice([at, draw.choice(periods) * draw.randint(1, 9)]))
            for operation, at in script.interrupts[:INTERRUPTS]
        ),
    )
