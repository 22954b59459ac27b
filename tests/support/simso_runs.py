# SPDX-License-Identifier: Apache-2.0 OR MIT
"""SimSo itself: what it reads of a file, and who runs when in it; and the same of Takt."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import takt

sys.modules.setdefault("imp", ModuleType("imp"))  # gone since Python 3.12, where SimSo loads schedulers from files
Configuration = importlib.import_module("simso.configuration").Configuration
Model = importlib.import_module("simso.core").Model
JobEvent = importlib.import_module("simso.core.JobEvent").JobEvent

Segment = tuple[str, int, int, int]
"""A task, the number of its job, and from when to when it executes, in nanoseconds."""


def configuration(path: Path) -> Any:
    """Return a configuration of SimSo itself."""
    found = Configuration(str(path))
    found.check_all()
    return found


def file_of(
    tasks: Iterable[Mapping[str, object]], scheduler: str, duration: int, cpus: int = 1, cycles: int = 10**6
) -> str:
    """A file of tasks T1, T2 ..., each of 1 in 10 ms but for what is given."""
    usual = {"task_type": "Periodic", "abort_on_miss": "no", "period": 10, "deadline": 10, "WCET": 1, "priority": 0}
    usual |= {"activationDate": 0, "list_activation_dates": "", "base_cpi": "1.0", "instructions": "0", "mix": "0.5"}
    rows = [{"name": f"T{number}", "id": number, **usual, **task} for number, task in enumerate(tasks, start=1)]
    elements = ["<task " + " ".join(f'{key}="{value}"' for key, value in row.items()) + "/>" for row in rows]
    processors = "".join(f'<processor name="CPU {one}" id="{one}"/>' for one in range(1, cpus + 1))
    return (
        f'<simulation duration="{duration}" cycles_per_ms="{cycles}" etm="wcet">'
        f'<sched class="simso.schedulers.{scheduler}"/><caches/><processors>{processors}</processors>'
        f'<tasks><field name="priority" type="int"/>{"".join(elements)}</tasks></simulation>'
    )


def ran_in_simso(path: Path) -> list[Segment]:
    """Return the segments in SimSo.

    Raises:
        AssertionError: SimSo fails, as it does where it loses a job.
    """
    found = configuration(path)
    model = Model(found)
    with contextlib.redirect_stdout(io.StringIO()):  # its schedulers print
        model.run_model()
    segments = [
        (task.name, number, start * 10**6 // found.cycles_per_ms, end * 10**6 // found.cycles_per_ms)
        for task in model.task_list
        for number, start, end in _executions(task.monitor, found.duration)
    ]
    return _merged(segments)


def _executions(events: Iterable[tuple[int, Any]], duration: int) -> Iterable[tuple[int, int, int]]:
    """The executions of a task's jobs, in cycles."""
    since: dict[int, int] = {}
    for instant, event in events:
        number = int(event.job.name.rpartition("_")[2]) - 1
        if event.event == JobEvent.EXECUTE:
            since[number] = instant
        elif event.event != JobEvent.ACTIVATE and number in since:
            yield number, since.pop(number), min(instant, duration)  # its last event may come after the end
    yield from ((number, start, duration) for number, start in since.items())


def ran_in_takt(system: takt.System) -> list[Segment]:
    """Return the segments in Takt."""
    tick = system.resolution_ns
    rows = takt.simulate(system).segments.select("task", "job", "start", "end").rows()
    return _merged([(task, job, start * tick, end * tick) for task, job, start, end in rows])


def _merged(segments: list[Segment]) -> list[Segment]:
    """Return executions, touching ones of a job merged, without those that take no time."""
    found: list[Segment] = []
    for (task, job), group in groupby(sorted(segments), key=lambda one: one[:2]):
        for _, _, start, end in group:
            if found and found[-1][:2] == (task, job) and found[-1][3] == start:
                found[-1] = (task, job, found[-1][2], end)
            elif start < end:
                found.append((task, job, start, end))
    return found
