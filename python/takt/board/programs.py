# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems as programs: a description in the ticks of a board, what comes from outside, and what jobs execute.

Source: system/image.h, which says what an image holds. Everything random is drawn here, in the ticks of the file, from
the same numbers that a simulation draws; only then it becomes ticks of the board. Instants of the description must be
whole ticks of the board. Execution times are rounded up, as are instants that were drawn.

When not to use it: for systems that no kernel runs, see emulation.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from takt import _core
from takt.model import catalogue
from takt.model import image as images
from takt.model.core_input import (
    LAXITY_SHIFT,
    ResolvedChange,
    ResolvedCosts,
    ResolvedResource,
    ResolvedServer,
    ResolvedSystem,
    ResolvedTask,
    ResolvedThread,
    ResolvedWindows,
    Stream,
)
from takt.model.fields import times, words
from takt.model.python_policy import Policy
from takt.model.records import ResolvedRates

_Record = TypeVar(
    "_Record", ResolvedTask, ResolvedServer, ResolvedChange, ResolvedResource, ResolvedWindows, ResolvedRates
)

IDLE_THREAD = "idle"
"""Name of the kernel's own thread."""

_ARRIVAL = 0
_ONE_TICK = Stream("listed", (1,))
_STREAMS = words("STREAMS", "kind")
_TIMED_ITEMS = ("run", "suspend")
_ITEMS = ("run", "point", "optional point", "suspend", "lock", "unlock")

_SAME = Fraction(1)

_DELAYS = 4096
"""How many delays are drawn; a program takes them in turn."""


@dataclass(frozen=True)
class Scale:
    """The ticks of a board.

    Args:
        ticks: of the board, in one tick of the file.
    """

    ticks: Fraction

    def up(self, time: int) -> int:
        """Convert a time, rounded up, at most to the largest time of core."""
        return min(-(-time * self.ticks.numerator // self.ticks.denominator), _core.TIME_LIMIT - 1)

    def is_whole(self, time: int) -> bool:
        """True if a time is a whole number of ticks of the board."""
        return time * self.ticks.numerator % self.ticks.denominator == 0


# ---- the description --------------------------------------------------------------------------------------


def describe(
    system: ResolvedSystem, tick_ns: int, stretch: Fraction = _SAME, *, has_idle_thread: bool = True
) -> ResolvedSystem:
    """Describe a system as a kernel runs it: in other ticks, and with an idle thread below all tasks.

    Args:
        system: in the ticks of a file.
        tick_ns: nanoseconds of the board's tick.
        stretch: how many times longer a time is on the board.
        has_idle_thread: False if the kernel has its own, of which core does not decide.

    Returns:
        The description for the image and for replay: not when jobs arrive, what they execute and what the kernel costs.
    """
    scale = Scale(Fraction(system.resolution_ns, tick_ns) * stretch)
    policies = [system.policy, *(server.policy for server in system.servers)]
    levels = system.levels + has_idle_thread
    resources = []
    for each in system.resources:  # a ceiling is a level or a time
        is_level = catalogue.traits_of(policies[each.home]).has_fifo_levels
        ceiling = each.ceiling if is_level else scale.up(each.ceiling)
        resources.append(replace(_scaled(each, "RESOURCES", scale), ceiling=ceiling))
    return replace(
        system,
        resolution_ns=tick_ns,
        costs=ResolvedCosts(),
        levels=levels,
        tasks=tuple(_task(task, policies[task.home], scale) for task in system.tasks),
        servers=tuple(_scaled(server, "SERVERS", scale) for server in system.servers),
        threads=(ResolvedThread(IDLE_THREAD, level=levels),) if has_idle_thread else (),
        resources=tuple(resources),
        changes=tuple(replace(_scaled(change, "CHANGES", scale), demand=_ONE_TICK) for change in system.changes),
        rates=None if system.rates is None else _scaled(system.rates, "RATES", scale),
    )


def _scaled(row: _Record, table: str, scale: Scale) -> _Record:
    scaled: dict[str, Any] = {key: scale.up(getattr(row, key)) for key in times(table)}
    return replace(row, **scaled)


def _task(task: ResolvedTask, policy: str | Policy, scale: Scale) -> ResolvedTask:
    """Convert a task: its description, without arrivals and execution times of its jobs."""
    windows, key, traits = task.windows, task.preemption_key, catalogue.traits_of(policy)
    if key and not traits.has_fifo_levels:  # levels, and 0 (no job may preempt), stay; times are scaled
        shift = LAXITY_SHIFT if traits.has_laxity_keys else 0
        key = scale.up(key - shift) + shift
    if windows is not None:
        slots = tuple((scale.up(start), scale.up(length)) for start, length in windows.slots)
        windows = replace(_scaled(windows, "WINDOWS", scale), slots=slots)
    return replace(
        _scaled(task, "TASKS", scale),
        preemption_key=key,
        jitter=0,
        arrivals=None,
        demand=_ONE_TICK,
        body=tuple((op, scale.up(ticks) if _ITEMS[op] in _TIMED_ITEMS else ticks) for op, ticks in task.body),
        windows=windows,
    )


# ---- the image ----------------------------------------------------------------------------------------------


def image(
    system: ResolvedSystem,
    described: ResolvedSystem,
    horizon: int,
    *,
    is_real_time: bool = False,
    is_remote: bool = False,
    delays: Stream | None = None,
    stretch: Fraction = _SAME,
) -> bytes:
    """Write the image of a system.

    Args:
        system: in the ticks of a file.
        described: the same as `describe` gives it.
        horizon: in the ticks of the file.
        is_real_time: whether the program keeps real time in ticks of the board.
        is_remote: whether the scheduler stands at a distance, also without delays that the program makes.
        delays: of messages to and from a scheduler at a distance, in ticks of the file; None: the program makes none.
        stretch: as `describe` gets it.

    Returns:
        The words, little endian.
    """
    scale = Scale(Fraction(system.resolution_ns, described.resolution_ns) * stretch)
    program = images.program(system, images.pack(system, horizon))
    instant, nominal, kind, index = _core.inputs(program)
    arrivals = Counter(task for task, what in zip(index, kind, strict=True) if what == _ARRIVAL)
    jobs = [_jobs(system, number, arrivals[number], horizon) for number in range(len(system.tasks))]
    inputs = list(zip(map(scale.up, instant), map(scale.up, nominal), kind, index, strict=True))

    def listed(demand: Stream, task: int | None) -> Stream:
        return _drawn(demand, system.seed, task or 0, jobs[task or 0], scale)

    tasks = enumerate(zip(system.tasks, described.tasks, strict=True))
    changes = zip(system.changes, described.changes, strict=True)
    drawn = replace(
        described,
        tasks=tuple(
            replace(into, demand=listed(task.demand, number), ring=_ring(task, arrivals[number]))
            for number, (task, into) in tasks
        ),
        changes=tuple(replace(into, demand=listed(change.demand, change.task)) for change, into in changes),
    )
    observed = None if delays is None else _drawn(delays, system.seed, _core.NO_ENTITY, _DELAYS, scale)
    end = scale.up(horizon)
    return images.pack(
        drawn, end, inputs, is_real_time=is_real_time, is_remote=is_remote or observed is not None, delays=observed
    )


def image_of_service(system: ResolvedSystem, described: ResolvedSystem, horizon: int) -> bytes:
    """Write the image of a system whose jobs arrive and execute elsewhere; of its inputs it has the changes.

    Args:
        system: in the ticks of a file.
        described: the same as `describe` gives it.
        horizon: in the ticks of the description.

    Returns:
        The words, little endian.
    """
    scale = Scale(Fraction(system.resolution_ns, described.resolution_ns))
    last = max((change.at for change in system.changes), default=0)
    program = images.program(system, images.pack(system, last + 1))
    rows = zip(*_core.inputs(program), strict=True)
    inputs = [(scale.up(at), scale.up(nominal), kind, index) for at, nominal, kind, index in rows if kind != _ARRIVAL]
    tasks = tuple(replace(task, ring=_ring(task, 0)) for task in described.tasks)
    return images.pack(replace(described, tasks=tasks), horizon, inputs, is_real_time=True, is_remote=True)


def _ring(task: ResolvedTask, arrivals: int) -> int:
    """Return how many arrivals may wait: all that come, and at least one."""
    return 1 << max(arrivals - 1, 0).bit_length() if task.is_external else 0


def _drawn(stream: Stream, seed: int, task: int, count: int, scale: Scale) -> Stream:
    """Return a stream in ticks of the board: its listed numbers, or as many as a run draws."""
    values = stream.values or _core.draw(_STREAMS.index(stream.kind), *stream.limits, seed, task, max(count, 1))
    return Stream("listed", tuple(map(scale.up, values)), least=min(1, *values))


def _jobs(system: ResolvedSystem, number: int, arrivals: int, horizon: int) -> int:
    """Bound the jobs of a task up to the horizon."""
    task = system.tasks[number]
    if task.is_external:
        return arrivals
    changes = (change for change in system.changes if change.task == number and change.kind == "parameters")
    shortest = min([task.period, *(change.period for change in changes)])
    return horizon // shortest + 2


# ---- what must be whole ----------------------------------------------------------------------------------------


def instants_of(system: ResolvedSystem) -> Iterator[tuple[str, str, str, int]]:
    """Yield the instants and distances of a description that must be whole ticks of a board.

    Args:
        system: in the ticks of a file.

    Yields:
        Table, name, key and ticks of each.
    """
    for task in system.tasks:
        yield from (
            ("task", task.name, key, getattr(task, key)) for key in ("period", "deadline", "offset", "interval")
        )
    for server in system.servers:
        yield from (("server", server.name, key, getattr(server, key)) for key in ("period", "budget", "offset"))
    for change in system.changes:
        yield from (("change", "", key, getattr(change, key)) for key in ("at", "period", "deadline"))
