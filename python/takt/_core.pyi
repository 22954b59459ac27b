"""The binding, python/binding.cpp: simulator and replay. Columns are arrays of unsigned 64-bit integers."""

from array import array
from typing import TypedDict

NEVER: int
NOBODY: int
ENTITY_LIMIT: int
TIME_LIMIT: int
TRACE_VERSION: int
RECORD_COMPLETE: int
RECORD_DECISION: int

Record = tuple[int, int, int, int, int, int, int]
"""now, value, entity, sequence, kind, cpu, job"""

class Column:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class Outcome(TypedDict):
    decisions: int
    statistics: dict[str, Column]
    segments: dict[str, Column]
    jobs: dict[str, Column]
    budgets: dict[str, Column]

class Spec:
    def __init__(self, policy: str, levels: int, order_rows: int = 0, time_rows: int = 0) -> None: ...
    def add_servers(
        self,
        *,
        kinds: list[str],
        policies: list[str],
        period: array[int],
        budget: array[int],
        offset: array[int],
        level: array[int],
        home: array[int],
        levels: array[int],
        order_rows: array[int],
        time_rows: array[int],
    ) -> None: ...
    def add_tasks(
        self,
        *,
        period: array[int],
        deadline: array[int],
        offset: array[int],
        demand: array[int],
        level: array[int],
        home: array[int],
        is_limited: array[int],
        preemption_level: array[int],
        task_class: array[int],
    ) -> None: ...
    def add_threads(self, level: array[int]) -> None: ...

def level_from_priority(priority: int, levels: int) -> int: ...
def policies() -> list[tuple[str, str, str, bool]]: ...
def server_kinds() -> list[tuple[str, str]]: ...
def simulate(
    spec: Spec, horizon: int, *, segments: bool, jobs: bool, budgets: bool, trace_path: str | None = None
) -> Outcome: ...
def replay(spec: Spec, records: bytes | memoryview) -> tuple[str, int, int, Record, Record]: ...
