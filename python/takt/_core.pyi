# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The binding, python/binding.cpp: simulator and replay."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict

NEVER: int
NO_ENTITY: int
ENTITY_LIMIT: int
TIME_LIMIT: int
CPU_LIMIT: int
TRACE_VERSION: int
IMAGE_MAGIC: int
IMAGE_VERSION: int
RBE_EVENTS: int
SHARE_WEIGHTS: int
SHARE_LONGEST: int
RATE_WHOLE: int
RATE_LONGEST: int
CALLS_BULK: int
RATE_JOBS: int
RATE_WEIGHTS: int
RECORD_COMPLETE: int
RECORD_POINT: int
RECORD_SUSPEND: int
RECORD_CHANGE: int
RECORD_ARRIVAL: int
RECORD_DECISION: int
RECORD_ABORT: int
RECORD_SKIP: int
RECORD_SETTLED: int
RECORD_END: int
RECORD_LATE: int
RECORD_STALE: int
RECORD_DROPPED: int
RECORD_SIGNAL: int
RECORD_OVERFLOW: int

Record = tuple[int, int, int, int, int, int, int]
"""now, value, entity, sequence, kind, cpu, job"""

class Column:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class PythonPolicy(Protocol):
    """A policy written in Python, as the binding calls it; arguments are entity numbers and ticks."""

    def release(self, entity: int, number: int, release: int, deadline: int, /) -> int: ...
    def complete(self, entity: int, number: int, release: int, deadline: int, finish: int, /) -> None: ...

class Outcome(TypedDict):
    decisions: int
    invocations: int
    switches: int
    overhead: int
    statistics: dict[str, Column]
    figures: dict[str, int]
    frames: dict[str, dict[str, Column]]

class Program:
    """A system that an image describes; a policy in Python is referred to by its position in the list, from 1."""

    def __init__(self, image: bytes, policies: Sequence[PythonPolicy | None]) -> None: ...

Field = tuple[str, str, str, int, int, str, str, str]
"""key, kind, unit, least, most, initial value, what the analysis does with it, meaning"""

def fields() -> list[tuple[str, str, list[Field]]]: ...

Frame = tuple[str, str, str, list[tuple[str, str, str, str]]]
"""name, the option that asks for it, meaning, and columns: name, kind, unit, meaning"""

def frames() -> list[Frame]: ...
def name_hash(name: str) -> int: ...
def level_from_priority(priority: int, levels: int) -> int: ...
def policies() -> list[tuple[str, str, str, bool]]: ...
def policy_level(policy: str, level: int, period: int, deadline: int) -> int | None: ...
def rate_of_section(longest: int, window: int) -> int: ...
def rate_blocking_by(task: tuple[int, int, bool], other: tuple[int, int, bool], longest: int, ceiling: int) -> int: ...
def policy_key(policy: str, level: int, period: int, deadline: int) -> int | None: ...
def policy_traits(policy: str) -> dict[str, bool]: ...
def server_kinds() -> list[tuple[str, str, bool, bool, bool, bool]]: ...
def server_kind_traits(kind: str) -> dict[str, bool]: ...
def protocols() -> list[str]: ...
def protocol_traits(protocol: str) -> dict[str, bool]: ...
def roles() -> dict[str, str]: ...
def advised_protocols() -> list[str]: ...
def protocols_mix(one: str, other: str) -> bool: ...
def architectures() -> list[tuple[str, dict[str, bool]]]: ...
def relations() -> list[tuple[str, str]]: ...
def matrix() -> list[tuple[str, str, str, str]]: ...
def check(image: bytes, policies: int = 0) -> list[tuple[str, str, int]]: ...
def simulate(
    program: Program,
    *,
    kept: Sequence[str],
    trace_path: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Outcome: ...
def retell(program: Program, records: bytes | memoryview, *, kept: Sequence[str]) -> Outcome: ...
def reference(program: Program, records: bytes | memoryview) -> list[tuple[int, int, int, int, int, int, bool]]: ...
def inputs(program: Program) -> tuple[list[int], list[int], list[int], list[int]]: ...
def draw(kind: int, a: float, b: float, least: int, most: int, seed: int, task: int, jobs: int) -> list[int]: ...
def replay(program: Program, records: bytes | memoryview) -> tuple[str, int, int, Record, Record]: ...
