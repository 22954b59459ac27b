# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An event-driven model that says what a software, a co-processor and a hardware scheduler must do.

Source: the section on SoRTS, Co-SoRTS and HaRTS of the specification of the algorithms (order of work at one instant
and ties: its common conventions), after the paper on hardware and software implementations of an RTOS scheduler.

What the specification leaves open, and the rule here:

- Inside one look of the scheduler, deadlines and releases are handled in the order of their nominal instants, at one
  instant deadlines first, then releases in the order of tasks. So a job whose whole window lies between two looks
  fails alone, and the next job of its task is ready. (Reproduces the 146 fails of the negative control; all deadlines
  first, or all releases first, give 292.)
- Whether the previous job is pending is asked when the scheduler learns of the release, not at the release.
- After a switch to idle with a co-processor, all decisions wait until L after its end, those too that would fall
  between its end and then. The same holds if the job was dropped, not completed. (For completions it is the only
  rule that reproduces the benchmarks.)
- A decision about a release or deadline that would fall into a switch to a task is taken at the end of that switch.
- Another task means another task: with hardware, the next job of a task whose job completes, and with both the next
  job of a task whose job is dropped, goes on without a switch and is no dispatch. With a co-processor a completion
  goes through idle even then.
- Dropping the job on the processor costs what any switch to another task or to idle costs.
- A co-processor with latency 0 still goes through idle. Hardware has no other latency than 0.
- Fixed ticks that expire in one entry are one pending tick.
- The first tick is at 0, and so is the first entry. A co-processor and hardware do nothing before the first event.
- Segments are cut at releases for co-processor and hardware only, as in the golden traces. Entries that follow one
  another are segments of their own; a segment of length 0 is left out, and a job that runs on has one segment.
- A job of the same task that runs on directly behind another has a segment of its own.
- What begins at or after the end did not happen: no entry, no decision, no switch. An entry or a switch that began
  before counts all its steps, and its time up to the end. A completion exactly at the end is noted, as late if it is;
  a deadline that no invocation saw is no fail. A switch to a task that ends exactly at the end is completed.
- A release before the end that the scheduler has not learned of is an unfinished job that has not failed.

When not to use it: anywhere but in tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from .jobs import Workload
from .model import Architecture, Outcome, Segment, Task
from .parallel import ParallelRun, split_at_releases
from .record import Record
from .software import SoftwareRun


def simulate(tasks: Sequence[Task], policy: str, architecture: Architecture, duration: int) -> Outcome:
    """Run the instants 0 .. duration-1 of a set of periodic tasks.

    Args:
        tasks: the tasks in the order of their ids.
        policy: "rm", "dm", "edf" or "fp".
        architecture: where the scheduler runs and what it costs.
        duration: how long, >= 1.
    Returns:
        What happened.
    """
    workload = Workload(tasks, policy)
    record = Record(duration)
    kind = SoftwareRun if architecture.kind == "software" else ParallelRun
    kind(workload, architecture, record).run()
    return Outcome(
        duration=duration,
        segments=_segments(record, tasks, architecture),
        jobs=workload.rows(duration),
        switch_steps=record.switch_steps,
        dispatches=record.dispatches,
        scheduler_time=record.scheduler_time,
        switch_time=record.switch_time,
    )


def _segments(record: Record, tasks: Sequence[Task], architecture: Architecture) -> tuple[Segment, ...]:
    """Return the segments as the golden traces have them."""
    if architecture.kind == "software":
        return tuple(record.segments)
    return tuple(split_at_releases(record.segments, tasks))
