# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A scheduler at a distance and the processor of its jobs, message by message.

Source: the rules of schedulers at a distance. Each side has knowledge of its own; only messages reach the other one.
Messages take what `delay` gives, and never overtake one of the same sender. At an instant come, in this order: ends of
executions, events from outside, messages to the scheduler, releases by the scheduler and its signal, messages to the
processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

PROCESSOR, OUTSIDE, ANSWERS, SIGNALS = range(4)


@dataclass(frozen=True)
class Task:
    """A task.

    Args:
        runs: what each job executes between its points, one number if it has none.
        deadline: relative.
        priority: a smaller one is more urgent; None: the earliest deadline is.
        is_external: its jobs are events from outside.
        is_limited: a started job is displaced at points only.
        releases: nominal and actual instants.
    """

    runs: tuple[int, ...]
    deadline: int
    priority: int | None
    is_external: bool
    is_limited: bool
    releases: tuple[tuple[int, int], ...]


@dataclass
class Job:
    """A job, as each side knows it."""

    task: int
    nominal: int
    key: tuple[int, ...]
    run: int = 0
    left: int = 0


@dataclass
class Behaviour:
    """What the processor may do in one way or another.

    Args:
        asks_at_once: after an answer without a decision it asks again at once, else when a further event was received.
    """

    asks_at_once: bool = False


@dataclass
class Scheduler:
    """The scheduler side."""

    ready: list[Job] = field(default_factory=list)
    running: Job | None = None
    started: Job | None = None
    received: int = 0
    number: int = 0
    is_signalled: bool = False

    def look(self) -> Job | None:
        """Return the job that would be selected."""
        if self.started is not None:
            return self.started
        return min(self.ready, key=lambda job: job.key, default=None)


class Sides:
    """Both sides, and the messages between them."""

    def __init__(self, tasks: Sequence[Task], delay: Callable[[], int], how: Behaviour) -> None:
        """Begin at 0 with a pass, in which messages take no time."""
        self.tasks, self.delay, self.how = tasks, delay, how
        self.now = 0
        self.scheduler = Scheduler()
        self.letters: list[tuple[int, int, int, Any]] = []
        self.last = [0] * 4
        self.sent = 0
        self.inside: list[tuple[int, int, int]] = []
        self.outside: list[tuple[int, int, int]] = []
        for number, task in enumerate(tasks):
            for nominal, actual in task.releases:
                heappush(self.outside if task.is_external else self.inside, (actual, number, nominal))
        self.job: Job | None = None
        self.since = 0
        self.posted = 0
        self.in_pass, self.waits, self.asks = False, False, False
        self.begins = True
        self.fetched, self.signalled = 0, -1
        self.responses: list[list[int]] = [[] for _ in tasks]
        self.begin()

    # ---- messages -------------------------------------------------------------------------------------

    def send(self, sender: int, what: Any) -> None:
        """Send a message."""
        self.last[sender] = max(self.last[sender], self.now + (0 if self.begins else self.delay()))
        self.sent += 1
        heappush(self.letters, (self.last[sender], self.sent, sender, what))

    def take(self, *senders: int) -> Any:
        """Return the first message that has arrived from one of these senders, removed; None if there is none."""
        there = [each for each in self.letters if each[0] <= self.now and each[2] in senders]
        if not there:
            return None
        self.letters.remove(min(there))
        self.letters.sort()
        return min(there)[3]

    # ---- the processor --------------------------------------------------------------------------------

    def post(self, kind: str, job: Job, sender: int) -> None:
        """Post an event."""
        self.posted += 1
        self.send(sender, (kind, job))

    def begin(self) -> None:
        """Begin a pass, in which no job executes."""
        if self.job is not None:
            self.job.left -= self.now - self.since
        self.in_pass = self.asks = True

    def ask(self) -> bool:
        """Request the decision, after all events of this instant."""
        if not self.asks:
            return False
        self.asks = self.waits = False
        self.send(PROCESSOR, ("fetch", self.posted))
        return True

    def finish_run(self) -> bool:
        """End what the job executes up to a point, or up to its end."""
        if self.in_pass or self.job is None or self.since + self.job.left > self.now:
            return False
        job, runs = self.job, self.tasks[self.job.task].runs
        job.run += 1
        self.since = self.now
        if job.run == len(runs):
            self.responses[job.task].append(self.now - job.nominal)
            self.job = None
            self.post("end", job, PROCESSOR)
        else:
            job.left = runs[job.run]
            self.post("point", job, PROCESSOR)
        self.begin()
        return True

    def arrive(self) -> bool:
        """Process an interrupt from outside."""
        if not self.outside or self.outside[0][0] > self.now:
            return False
        _, number, nominal = heappop(self.outside)
        self.post("arrival", self.job_of(number, nominal), OUTSIDE)
        if not self.in_pass:
            self.begin()
        return True

    def hear(self) -> bool:
        """Process a signal or an answer."""
        letter = self.take(ANSWERS, SIGNALS)
        if letter is None:
            return False
        kind, number, *more = letter
        if kind == "signal":
            self.signalled = number
            if not self.in_pass and number >= self.fetched:
                self.begin()
        else:
            self.answered(number, *more)
        return True

    def answered(self, number: int | None, job: Job | None, considered: int) -> None:
        """Carry a decision out, or ask again."""
        if number is None:
            is_coming = any(sender == OUTSIDE for _, _, sender, _ in self.letters)
            self.waits = is_coming and not self.how.asks_at_once
            self.asks = not self.waits
            return
        self.fetched = number
        if considered != self.posted:
            self.asks = True
            return
        self.in_pass, self.begins, self.job, self.since = False, False, job, self.now
        if self.signalled >= number:
            self.begin()

    # ---- the scheduler --------------------------------------------------------------------------------

    def job_of(self, number: int, nominal: int) -> Job:
        """Return a job."""
        task = self.tasks[number]
        first = nominal + task.deadline if task.priority is None else task.priority
        return Job(number, nominal, (first, number, nominal), left=task.runs[0])

    def receive(self) -> bool:
        """Receive an event or a fetch."""
        letter = self.take(PROCESSOR, OUTSIDE)
        if letter is None:
            return False
        side, (kind, what) = self.scheduler, letter
        if kind == "fetch":
            self.decide(what)
            return True
        side.received += 1
        if kind == "arrival":
            side.ready.append(what)
        else:
            assert what is side.running, "an event of a job that does not run"
            side.started = None
            if kind == "end":
                side.ready = [job for job in side.ready if job is not what]
                side.running = None
        self.asks, self.waits = self.asks or self.waits, False
        return True

    def decide(self, named: int) -> None:
        """Answer a fetch."""
        side = self.scheduler
        if named != side.received:
            self.send(ANSWERS, ("answer", None, None, 0))
            return
        self.release()
        side.running = side.look()
        if side.running is not None and self.tasks[side.running.task].is_limited:
            side.started = side.running
        side.number += 1
        side.is_signalled = False
        self.send(ANSWERS, ("answer", side.number, side.running, named))

    def release(self) -> None:
        """Release what is due."""
        while self.inside and self.inside[0][0] <= self.now:
            _, number, nominal = heappop(self.inside)
            self.scheduler.ready.append(self.job_of(number, nominal))

    def signal(self) -> bool:
        """Signal once for each decision."""
        side = self.scheduler
        self.release()
        if side.number == 0 or side.is_signalled or side.look() is side.running:
            return False
        side.is_signalled = True
        self.send(SIGNALS, ("signal", side.number))
        return True

    # ---- time -----------------------------------------------------------------------------------------

    def act(self) -> bool:
        """Perform one due action; return whether there was one."""
        return self.finish_run() or self.arrive() or self.ask() or self.receive() or self.signal() or self.hear()

    def next(self) -> int | None:
        """Return the instant of the next due action."""
        instants = [letter[0] for letter in self.letters[:1]]
        instants += [release[0] for release in (*self.inside[:1], *self.outside[:1])]
        if not self.in_pass and self.job is not None:
            instants.append(self.since + self.job.left)
        return min(instants, default=None)


def simulate(
    tasks: Sequence[Task], delay: Callable[[], int], horizon: int, how: Behaviour | None = None
) -> list[list[int]]:
    """Return the responses of the jobs of each task that end up to a horizon, from their nominal releases."""
    sides = Sides(tasks, delay, how or Behaviour())
    while sides.now <= horizon:
        while sides.act():
            pass
        due = sides.next()
        if due is None:
            break
        sides.now = due
    return sides.responses
