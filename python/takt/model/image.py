# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Images: a system as the row of words that core reads, and back again.

Source: system/image.h, and the table of all fields (fields.py). Named here is what a system keeps in parts of its own:
bodies, windows, streams. Core checks an image when it makes a program of it.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, chain, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from takt import _core
from takt.model import catalogue
from takt.model.core_input import (
    ResolvedChange,
    ResolvedCosts,
    ResolvedResource,
    ResolvedServer,
    ResolvedSharing,
    ResolvedSystem,
    ResolvedTask,
    ResolvedThread,
    ResolvedWindows,
    Stream,
)
from takt.model.fields import TABLES, Field, Table
from takt.model.python_policy import Adapter, Policy, copied
from takt.model.records import ResolvedArchitecture, ResolvedRates

_NO_WINDOWS = ResolvedWindows("none")
_COUNTS_AT = 3
_WORD_BYTES = 8
_MOST = 2**64 - 1
_IN_ROWS = {"ITEMS", "SLOTS", "USES", "VALUES", "INPUTS"}
"""Tables whose rows are tuples, in the order of the fields."""

Row = dict[str, Any]
Input = tuple[int, int, int, int]
"""Instant, nominal instant of an arrival, 0 for an arrival and 1 for a change, number of the task or change."""


class Run(NamedTuple):
    """Data of a run in an image.

    Args:
        horizon: ticks that are run.
        resolution_ns: nanoseconds of a tick.
        is_real_time: whether a machine that can choose keeps real time.
        seed: of all that is drawn.
        is_remote: whether the scheduler acts by itself, at a distance.
        delays: of messages between it and the platform, in ticks; None: the platform needs none.
    """

    horizon: int
    resolution_ns: int
    is_real_time: bool
    seed: int
    is_remote: bool = False
    delays: Stream | None = None


# ---- from a system to words -----------------------------------------------------------------------------------


@dataclass
class _Packing:
    """Tables that words of rows refer to.

    Args:
        streams: places of streams by their identities, from 1.
        policies: how many policies in Python there were.
    """

    streams: dict[int, int]
    policies: int = 0

    def policy(self, policy: str | Policy) -> int:
        """Return the word of a policy: policies in Python are counted."""
        if isinstance(policy, str):
            return name_hash(policy)
        self.policies += 1
        return self.policies

    def stream(self, stream: Stream | None) -> int:
        """Return the word of a stream."""
        return 0 if stream is None else self.streams[id(stream)]


@cache
def name_hash(name: str) -> int:
    """Return the word of a policy, a kind of server or a protocol; 0 for none."""
    return _core.name_hash(name) if name else 0


def _bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def _kind_word(is_rule: bool) -> Callable[[str], int]:
    """Return a function that converts a kind of server to its word; 0 for a deadline rule, or none."""
    return lambda kind: name_hash(kind) if (kind in catalogue.RULE_KINDS) == is_rule else 0


_NAMES = {"POLICY", "SERVER_KIND", "BANDWIDTH", "PROTOCOL"}
"""Kinds whose values are names."""

_AS_THEY_ARE = {"TIME", "COUNT", "VALUE", "FLAG", "HOME", "RESOURCE_PLACE"}
"""Kinds of numbers that are never missing, unless a field of kind PRESENCE says so."""


_CONVERTERS: Mapping[str, Callable[[Any], int]] = {
    "PRESENCE": lambda value: value is not None,
    "REAL": _bits,
    "LENGTH": len,
    "SERVER_KIND": _kind_word(False),
    "BANDWIDTH": _kind_word(True),
    "PROTOCOL": name_hash,
}
"""By kind, what makes a word of a value; of streams and policies it depends on the image."""


def _converter(table: Table, of: Field) -> Callable[[Any], int] | None:
    """Return a function that converts a value to its word; None if the value is the word."""
    keys = [field.key for field in table.fields]
    if of.kind in _AS_THEY_ARE and keys.count(of.key) == 1:
        return None
    if of.kind == "WORD":
        numbers: dict[str | None, int] = {word: number for number, word in enumerate(of.words)}
        return {**numbers, None: 0}.__getitem__
    convert: Callable[[Any], int] = _CONVERTERS.get(of.kind, lambda value: 0 if value is None else value)
    return convert


def _getter(table: Table, place: int) -> Callable[[Any], Any]:
    """Return a function that gets the value of a field of a row."""
    part, _, key = table.fields[place].key.rpartition(".")
    if table.name in _IN_ROWS:
        return itemgetter(place)
    return attrgetter(key) if not part else lambda row: getattr(getattr(row, part), key, 0)


_FIELDS = {
    table.name: [(of.kind, _getter(table, place), _converter(table, of)) for place, of in enumerate(table.fields)]
    for table in TABLES
}
"""For each field of each table: kind, what gets its value from a row, and what makes a word of it."""


def streams_of(system: ResolvedSystem, changes: Iterable[ResolvedChange]) -> list[Stream]:
    """Return the streams that are no constants, each once, in the order of an image."""
    streams = [stream for task in system.tasks for stream in (task.drawn_demand, task.arrivals)]
    streams += [change.drawn_demand for change in changes]
    return list({id(stream): stream for stream in streams if stream is not None}.values())


def _rows(system: ResolvedSystem, run: Run, inputs: Sequence[Input]) -> dict[str, Sequence[Any]]:
    changes = system.changes if system.rates is None else system.requests()
    windows = [task.windows or _NO_WINDOWS for task in system.tasks]
    streams = [*streams_of(system, changes), *([] if run.delays is None else [run.delays])]
    return {
        "RUN": [run],
        "SYSTEM": [system],
        "RATES": [] if system.rates is None else [system.rates],
        "COSTS": [] if system.costs == ResolvedCosts() else [system.costs],
        "ARCHITECTURE": [] if system.architecture is None else [system.architecture],
        "SERVERS": system.servers,
        "TASKS": system.tasks,
        "THREADS": system.threads,
        "RESOURCES": system.resources,
        "USES": [(number, place) for number, task in enumerate(system.tasks) for place in task.uses],
        "CHANGES": changes,
        "WINDOWS": windows if any(of is not _NO_WINDOWS for of in windows) else [],
        "ITEMS": list(chain.from_iterable(task.body for task in system.tasks)),
        "SLOTS": list(chain.from_iterable(of.slots for of in windows)),
        "STREAMS": streams,
        "VALUES": [(value,) for stream in streams for value in stream.values],
        "INPUTS": inputs,
    }


def unread_in(system: ResolvedSystem) -> Iterator[tuple[str, str]]:
    """Yield key and owner of each field that the analysis does not read and that is not what it is initially."""
    rows = _rows(system, Run(0, system.resolution_ns, is_real_time=False, seed=system.seed), ())
    for table in TABLES:
        for place, of in enumerate(table.fields):
            for row in rows[table.name] if of.analysis == "UNREAD" else ():
                value, convert = _getter(table, place)(row), _converter(table, of)
                if of.kind in _NAMES:
                    is_initial = value == of.initial.strip('"')
                elif of.kind == "STREAM":
                    is_initial = value is None
                else:
                    word = value if convert is None else convert(value)
                    is_initial = of.initial.isdigit() and word == int(of.initial)
                if not is_initial:
                    yield of.key, getattr(row, "name", "") or getattr(row, "text", "") or table.name.lower()


def pack(
    system: ResolvedSystem,
    horizon: int,
    inputs: Sequence[Input] = (),
    *,
    is_real_time: bool = False,
    is_remote: bool = False,
    delays: Stream | None = None,
) -> bytes:
    """Return the image of a system.

    Args:
        system: what it holds.
        horizon: ticks that are run.
        inputs: what comes from outside, in order, for a firmware.
        is_real_time: whether a machine that can choose keeps real time in the system's ticks.
        is_remote: whether the scheduler acts by itself, at a distance.
        delays: of messages between it and the platform, in ticks; a board reads listed ones only.

    Returns:
        The words, little endian.
    """
    resolution_ns = min(system.resolution_ns, _MOST)  # one of centuries is longer than a word
    rows = _rows(system, Run(horizon, resolution_ns, is_real_time, system.seed, is_remote, delays), inputs)
    packing = _Packing({id(stream): number for number, stream in enumerate(rows["STREAMS"], start=1)})
    words = array("Q", [_core.IMAGE_MAGIC, _core.IMAGE_VERSION, 0, *(len(rows[table.name]) for table in TABLES)])
    own: dict[str, Callable[[Any], int]] = {"STREAM": packing.stream, "POLICY": packing.policy}
    for table in (each for each in TABLES if rows[each.name]):
        width = len(table.fields)
        packed = array("Q", bytes(_WORD_BYTES * width * len(rows[table.name])))
        for place, (kind, value_of, word_of) in enumerate(_FIELDS[table.name]):
            convert: Callable[[Any], int] | None = own.get(kind) or word_of
            values: Iterable[Any] = map(value_of, rows[table.name])
            packed[place::width] = array("Q", values if convert is None else map(convert, values))
        words.extend(packed)
    words[2] = len(words)
    return words.tobytes()


def program(system: ResolvedSystem, image: bytes, copies: dict[int, Any] | None = None) -> _core.Program:
    """Return core's program of an image, for one run: policies in Python are copies.

    Args:
        system: what the image holds.
        image: of `pack`.
        copies: gets the copies, by the identities of what was copied, as the memo of copy.deepcopy.

    Raises:
        ValueError: the fields of the image do not go together.
    """
    memo = {} if copies is None else copies
    return _core.Program(
        image, [Adapter(copied(policy, memo), (*system.servers, *system.tasks)) for policy in own_policies(system)]
    )


def own_policies(system: ResolvedSystem) -> list[Policy]:
    """Return the policies in Python, in the order of the numbers by which an image refers to them."""
    policies = (system.policy, *(server.policy for server in system.servers))
    return [policy for policy in policies if isinstance(policy, Policy)]


# ---- from words to a system -----------------------------------------------------------------------------------


@dataclass
class Names:
    """Names that an image lacks, for people.

    Args:
        system: name of the system.
        servers, tasks, threads, resources: names, by number.
        changes: what they are, by number.
        policies: names of the policies in Python, in the order of their numbers.
    """

    system: str = ""
    servers: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    policies: list[str] = field(default_factory=list)


def names_of(system: ResolvedSystem) -> Names:
    """Collect the names of a system, in the order of its image."""
    changes = system.changes if system.rates is None else system.requests()
    return Names(
        system=system.name,
        servers=[server.name for server in system.servers],
        tasks=[task.name for task in system.tasks],
        threads=[thread.name for thread in system.threads],
        resources=[resource.name for resource in system.resources],
        changes=[change.text for change in changes],
        policies=[policy.name for policy in own_policies(system)],
    )


@cache
def _names_by_hash() -> dict[int, str]:
    """Return the names of policies, kinds of servers and protocols by their words."""
    policies = [policy.name for policy in catalogue.policies()]
    kinds = [kind.name for kind in catalogue.server_kinds()]
    return {0: ""} | {name_hash(name): name for name in (*policies, *kinds, *catalogue.PROTOCOLS)}


def _unpacked(words: array[int], policies: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows of all tables; of fields with one key the latter one completes the former."""
    names = _names_by_hash() | dict(enumerate(policies, start=1))
    readers: dict[str, Callable[[int], Any]] = {"FLAG": bool}
    readers |= dict.fromkeys(_NAMES, names.__getitem__)
    counts = words[_COUNTS_AT : _COUNTS_AT + len(TABLES)]
    sizes = [count * len(table.fields) for table, count in zip(TABLES, counts, strict=True)]
    places = accumulate(sizes, initial=_COUNTS_AT + len(TABLES))
    rows = {}
    for table, (begin, end) in zip(TABLES, pairwise(places), strict=True):
        columns: dict[str, list[Any]] = {}
        for place, of in enumerate(table.fields):
            read = of.words.__getitem__ if of.kind == "WORD" else readers.get(of.kind, int)
            given = words[begin + place : end : len(table.fields)]
            column = array("d", given.tobytes()).tolist() if of.kind == "REAL" else list(map(read, given))
            if of.kind == "BANDWIDTH":
                column = [before or name for before, name in zip(columns[of.key], column, strict=True)]
            elif of.key in columns:
                column = [value if there else None for there, value in zip(columns[of.key], column, strict=True)]
            columns[of.key] = column
        rows[table.name] = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return rows


def _shares(lengths: Iterable[int], rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Cut rows into the shares of their owners."""
    return [tuple(rows[begin:end]) for begin, end in pairwise(accumulate(lengths, initial=0))]


def _tuples(rows: Iterable[Row]) -> list[tuple[int, ...]]:
    return [tuple(row.values()) for row in rows]


def _demand(row: Row, streams: Sequence[Stream | None]) -> Stream:
    """Return the demand of a task or change, removed from its row."""
    constant = Stream("listed", (row.pop("constant_demand"),))
    return streams[row.pop("drawn_demand")] or constant


def _tasks(rows: Mapping[str, list[Row]], names: Sequence[str], streams: Sequence[Stream | None]) -> list[ResolvedTask]:
    bodies = _shares((row.pop("body") for row in rows["TASKS"]), _tuples(rows["ITEMS"]))
    uses: dict[int, list[int]] = {}
    for use in rows["USES"]:
        uses.setdefault(use["task"], []).append(use["resource"])
    shares = bool(rows["RATES"]) and bool(rows["RESOURCES"])
    slots = _shares((row["slots"] for row in rows["WINDOWS"]), _tuples(rows["SLOTS"]))
    made = [ResolvedWindows(**{**row, "slots": of}) for row, of in zip(rows["WINDOWS"], slots, strict=True)]
    all_windows = [None if of.kind == _NO_WINDOWS.kind else of for of in made] or [None] * len(names)
    tasks = []
    for number, (name, row, body, windows) in enumerate(zip(names, rows["TASKS"], bodies, all_windows, strict=True)):
        sharing = ResolvedSharing(tuple(uses.get(number, ())), row.pop("sharing.blocking"), row.pop("sharing.excess"))
        arrivals, demand = streams[row.pop("arrivals")], _demand(row, streams)
        parts_of: Row = {"body": body, "windows": windows, "sharing": sharing if shares else None}
        tasks.append(ResolvedTask(name, **row, **parts_of, arrivals=arrivals, demand=demand))
    return tasks


def unpack(image: bytes, names: Names) -> tuple[Run, ResolvedSystem]:
    """Return the system of an image that core has read before.

    Args:
        image: the words.
        names: what the image does not hold.

    Returns:
        What is said of the run, and the system; policies in Python are names there.

    Raises:
        ValueError: not everything has a name.
    """
    words = array("Q")
    words.frombytes(image)
    rows = _unpacked(words, names.policies)
    for table in ("servers", "tasks", "threads", "resources", "changes"):
        expected, found = len(rows[table.upper()]), len(getattr(names, table))
        if expected != found:
            raise ValueError(f"expected {expected} names of {table}, found {found}")
    values = _shares((row["values"] for row in rows["STREAMS"]), [row["value"] for row in rows["VALUES"]])
    streams = [None, *(Stream(**{**row, "values": of}) for row, of in zip(rows["STREAMS"], values, strict=True))]
    for row in rows["CHANGES"]:
        row["task"] = None if row["kind"] == "policy" else row["task"]
    run = Run(**{**rows["RUN"][0], "delays": streams[rows["RUN"][0]["delays"]]})
    system = ResolvedSystem(
        name=names.system,
        resolution_ns=run.resolution_ns,
        seed=run.seed,
        **rows["SYSTEM"][0],
        tasks=tuple(_tasks(rows, names.tasks, streams)),
        servers=tuple(ResolvedServer(name, **row) for name, row in zip(names.servers, rows["SERVERS"], strict=True)),
        threads=tuple(ResolvedThread(name, **row) for name, row in zip(names.threads, rows["THREADS"], strict=True)),
        resources=tuple(
            ResolvedResource(name, **row) for name, row in zip(names.resources, rows["RESOURCES"], strict=True)
        ),
        changes=tuple(
            ResolvedChange(demand=_demand(row, streams), text=text, **row)
            for row, text in zip(rows["CHANGES"], names.changes, strict=True)
        ),
        rates=next((ResolvedRates(**row) for row in rows["RATES"]), None),
        costs=next((ResolvedCosts(**row) for row in rows["COSTS"]), ResolvedCosts()),
        architecture=next((ResolvedArchitecture(**row) for row in rows["ARCHITECTURE"]), None),
    )
    return run, system if system.rates is None else system.without_requests()
