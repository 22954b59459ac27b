# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Policies written in Python: a new one can be tried in ten lines before it is written in C.

A policy is called once per job, when the job becomes its task's current one, for a key: the smaller the more urgent.
Or before each decision, and at ticks, for the keys of all jobs. Comparisons, preemption, servers and everything else
are core's, as for the policies of its own table.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from takt.base import one_line
from takt.base.errors import InputError, Problem, printable, show

_MAX_KEY = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a policy is asked about, or the current period of a server seen as a job. Times in ticks.

    Args:
        task: name of its task, or of the server.
        is_server: whether it is a server's.
        number: 0, 1, 2 ... within its task.
        release: its arrival.
        deadline: absolute; of a server the end of its period.
        period: of the task or server, None if it has none.
        wcet: of the task; of a server its budget.
        priority: as the author gave it.
        class_: "hard", "soft" or "none".
        remaining: what is left of the wcet; 0 if the job has executed that long, finished or not.
        is_running: whether it executed until now; false where jobs are released.
    """

    task: str
    is_server: bool
    number: int
    release: int
    deadline: int
    period: int | None
    wcet: int
    priority: int
    class_: str
    remaining: int = 0
    is_running: bool = False

    __repr__ = one_line.of_fields


class Policy(ABC):
    """A policy in Python; make a subclass and put an instance where a policy's name could stand.

    Among equal keys the class goes first (hard, soft, none), then servers before tasks, then the file's order.

    A policy may keep what it learns in its attributes. Each run starts with a copy of the policy as it was when its
    System was made, so runs repeat and do not influence one another; the instance itself is never asked. Copied are
    the attributes of the instance, and lists, dictionaries and sets of its class. Policies are equal if class and
    state are. One instance in several places of a System is one copy in a run.

    Example:
        >>> import takt
        >>> class ShortestJobFirst(takt.Policy):
        ...     def release(self, job):
        ...         return job.wcet
        >>> tasks = [takt.Task(name="A", period=8, wcet=4), takt.Task(name="B", period=8, wcet=2)]
        >>> result = takt.simulate(takt.System(tasks=tasks, policy=ShortestJobFirst()))
        >>> result.segments.select("start", "end", "task").rows()
        [(0, 2, 'B'), (2, 6, 'A')]
    """

    name: str = ""
    """For tables and traces; default: the name of the class, such as "shortest-job-first"."""

    def __init_subclass__(cls) -> None:
        """Set the name to that of the class if the policy has none of its own."""
        if "name" not in cls.__dict__:
            words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__)
            cls.name = words.strip("-_")

    def __eq__(self, other: object) -> bool:
        """True if the other policy is of the same class and in the same state."""
        return type(self) is type(other) and bool(self.__getstate__() == other.__getstate__())

    def __hash__(self) -> int:
        """Return a number that equal policies share; states may change and are no part of it."""
        return hash(type(self))

    @abstractmethod
    def release(self, job: Job) -> int:
        """Return the key of a job, 1 .. 2^63 - 1; the smaller the more urgent."""

    def complete(self, job: Job, finish: int) -> None:  # noqa: B027 (a policy without feedback leaves it so)
        """Record that a job has finished at `finish`; for policies that need feedback."""


class DynamicPolicy(Policy):
    """A policy in Python whose keys change while jobs wait and execute; else as Policy.

    It is asked for the keys of all jobs before each decision, when all that happens at an instant has happened: jobs
    are released, have resumed after a suspension, or finished; and at ticks. It orders tasks at the root, where there
    are no servers.

    Example:
        >>> import takt
        >>> class LeastLaxity(takt.DynamicPolicy):
        ...     tick = 1
        ...     def keys(self, now, jobs, processors):
        ...         return [1000 + job.deadline - now - job.remaining for job in jobs]
        >>> tasks = [takt.Task(name="A", period=8, wcet=2), takt.Task(name="B", period=8, wcet=4)]
        >>> result = takt.simulate(takt.System(tasks=tasks, policy=LeastLaxity()))
        >>> result.segments.select("start", "end", "task").rows()
        [(0, 2, 'B'), (2, 3, 'A'), (3, 4, 'B'), (4, 5, 'A'), (5, 6, 'B')]
    """

    tick: int = 0
    """Distance in ticks of the instants, multiples of it, at which `keys` is called besides; 0: at none."""

    @abstractmethod
    def keys(self, now: int, jobs: Sequence[Job], processors: int) -> Sequence[int]:
        """Return the key of each job from now on, 1 .. 2^63 - 1; the smaller the more urgent.

        Args:
            now: the instant.
            jobs: those that are ready or run, in the order of the file.
            processors: how many there are.
        """

    def release(self, job: Job) -> int:
        """Return a key that `keys` replaces before it counts."""
        del job
        return 1


def copied(policy: Policy, memo: dict[int, Any]) -> Policy:
    """Copy a policy with its state.

    Args:
        policy: what to copy.
        memo: what was copied already, as of copy.deepcopy: what policies share, their copies share too.

    Raises:
        InputError: its state cannot be copied.
    """
    try:
        twin = copy.deepcopy(policy, memo)
        names = {name: value for each in reversed(type(policy).__mro__) for name, value in vars(each).items()}
        mutable = (MutableMapping, MutableSequence, MutableSet, Sequence)
        for name, value in {name: value for name, value in names.items() if isinstance(value, mutable)}.items():
            if name not in vars(twin):
                setattr(twin, name, copy.deepcopy(value, memo))
    except Exception as error:
        found = printable(f"{type(error).__name__}: {error}")
        message = (
            f"policy {show(policy.name)}: expected a state that copy.deepcopy can copy for each run, "
            f"found {found}; give {type(policy).__name__} a method __deepcopy__"
        )
        raise InputError([Problem(message, "policy")]) from None
    return twin


class Member(Protocol):
    """A server or a task as core knows it; times in ticks."""

    @property
    def name(self) -> str:
        """Name."""

    @property
    def is_server(self) -> bool:
        """True if it is a server."""

    @property
    def period(self) -> int:
        """Period, 0 if it has none."""

    @property
    def longest(self) -> int:
        """Longest execution: wcet or budget."""

    @property
    def priority(self) -> int:
        """Priority, as authors write it."""

    @property
    def class_(self) -> str:
        """Class."""


class Adapter:
    """Interface for core: it knows entity numbers, the policy knows jobs.

    Args:
        policy: the policy.
        members: what it schedules, in the order of entity numbers from 1 on.
    """

    def __init__(self, policy: Policy, members: Sequence[Member]) -> None:
        """Keep the policy and its members, by number."""
        self.policy = policy
        self.members = members
        self.gives_keys = isinstance(policy, DynamicPolicy)
        self.tick = self._checked(policy.tick, 0, "as its tick") if isinstance(policy, DynamicPolicy) else 0

    def release(self, entity: int, number: int, release: int, deadline: int) -> int:
        """Return the policy's key of a job."""
        job = self._job(entity, number, release, deadline)
        with self._reporting(f"release() failed for {show(job.task)}#{number}"):
            key = self.policy.release(job)
        return self._checked(key, 1, f"as the key of {show(job.task)}#{number}")

    def keys(self, now: int, rows: Sequence[tuple[int, int, int, int, int, bool]], processors: int) -> list[int]:
        """Return the policy's keys of jobs: entity, number, release, deadline, executed, whether it runs."""
        assert isinstance(self.policy, DynamicPolicy)
        jobs = [self._job(*row) for row in rows]
        with self._reporting(f"keys() failed at {now}"):
            found = list(self.policy.keys(now, jobs, processors))
        if len(found) != len(jobs):
            message = f"policy {show(self.policy.name)}: expected {len(jobs)} keys at {now}, found {len(found)}"
            raise InputError([Problem(message, "out-of-range")])
        return [
            self._checked(key, 1, f"as the key of {show(job.task)}#{job.number}")
            for key, job in zip(found, jobs, strict=True)
        ]

    @contextmanager
    def _reporting(self, what: str) -> Iterator[None]:
        """Turn an error of the policy's own into one problem."""
        try:
            yield
        except Exception as error:
            text = " ".join(str(error).split()) or "no message"
            message = f"policy {show(self.policy.name)}: {what}: {type(error).__name__}: {text}"
            raise InputError([Problem(message, "policy")]) from error

    def _checked(self, value: object, least: int, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MAX_KEY:
            message = (
                f"policy {show(self.policy.name)}: expected a whole number from {least} to 2^63 - 1 {what}, "
                f"found {show(value)}"
            )
            raise InputError([Problem(message, "out-of-range")])
        return value

    def complete(self, entity: int, number: int, release: int, deadline: int, finish: int) -> None:
        """Report a job that has finished to the policy."""
        job = self._job(entity, number, release, deadline)
        with self._reporting(f"complete() failed for {show(job.task)}#{number}"):
            self.policy.complete(job, finish)

    def _job(
        self, entity: int, number: int, release: int, deadline: int, executed: int = 0, is_running: bool = False
    ) -> Job:
        member = self.members[entity - 1]
        return Job(
            task=member.name,
            is_server=member.is_server,
            number=number,
            release=release,
            deadline=deadline,
            period=member.period or None,
            wcet=member.longest,
            priority=member.priority,
            class_=member.class_,
            remaining=max(member.longest - executed, 0),
            is_running=is_running,
        )


def name_of(policy: str | Policy) -> str:
    """Return the name of a policy."""
    return policy if isinstance(policy, str) else policy.name
