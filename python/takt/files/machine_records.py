# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records of a machine of domains: those of all domains in one file, in the order of time.

In the file every processor has its number on the machine, and so has every entity: those of a domain follow those of
the domain before it. A record belongs to the domain that has its processor. docs/trace-format.md describes both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from takt import _core
from takt.model.core_input import ResolvedSystem

_Records = npt.NDArray[np.void]
_RECORD = np.dtype(
    [
        ("now", "<u8"),
        ("value", "<u8"),
        ("entity", "<u4"),
        ("sequence", "<u4"),
        ("kind", "u1"),
        ("cpu", "u1"),
        ("reserved", "<u2"),
        ("job", "<u4"),
    ]
)


@dataclass(frozen=True)
class Place:
    """Place of a domain on its machine.

    Args:
        processors: their numbers, ascending.
        first: entity number of its root.
    """

    processors: tuple[int, ...]
    first: int

    def to_machine(self, records: _Records) -> _Records:
        """Return records of the domain with the numbers of the machine."""
        found = records.copy()
        found["cpu"] = np.array(self.processors, dtype="u1")[records["cpu"]]
        found["entity"] += np.where(found["entity"] == _core.NO_ENTITY, 0, self.first).astype("u4")
        return found

    def to_domain(self, records: _Records) -> _Records:
        """Return machine records with the numbers of the domain; an entity of another one gets none that exists."""
        found = records.copy()
        found["cpu"] = np.searchsorted(np.array(self.processors), records["cpu"])
        found["entity"] -= np.where(found["entity"] == _core.NO_ENTITY, 0, self.first).astype("u4")
        return found


def places_of(processors: Sequence[Sequence[int]], systems: Sequence[ResolvedSystem]) -> list[Place]:
    """Number the entities of domains one after the other."""
    places, first = list[Place](), 0
    for numbers, system in zip(processors, systems, strict=True):
        places.append(Place(tuple(numbers), first))
        first += len(system.entity_names())
    return places


def merged(places: Sequence[Place], parts: Sequence[bytes | memoryview]) -> bytes:
    """Merge the records of domains by time; those of one instant in the order of the domains."""
    numbered = [place.to_machine(np.frombuffer(part, dtype=_RECORD)) for place, part in zip(places, parts, strict=True)]
    records = np.concatenate(numbered)
    return records[np.argsort(records["now"], kind="stable")].tobytes()


def before(records: memoryview, end: int) -> bytes:
    """Return the records before an instant."""
    found = np.frombuffer(records, dtype=_RECORD)
    return found[: np.searchsorted(found["now"], end)].tobytes()


def divided(places: Sequence[Place], data: memoryview) -> list[tuple[memoryview, tuple[int, ...]]]:
    """Return the records of each domain, with their places in the file.

    Raises:
        ValueError: a record is of a processor that no domain has, or before the one in front of it.
    """
    records = np.frombuffer(data, dtype=_RECORD)
    if (records["now"][1:] < records["now"][:-1]).any():
        raise ValueError("its records are not in the order of time")
    rows = [np.flatnonzero(np.isin(records["cpu"], place.processors)) for place in places]
    if sum(map(len, rows)) < len(records):
        raise ValueError("a record is of a processor that no domain has")
    return [
        (memoryview(place.to_domain(records[row]).tobytes()), tuple(row.tolist()))
        for place, row in zip(places, rows, strict=True)
    ]
