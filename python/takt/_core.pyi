"""The binding, python/binding.cpp: simulator and replay. Columns are arrays of unsigned 64-bit integers."""

from array import array
from collections.abc import Callable
from typing import Protocol, TypedDict

NEVER: int
WINDOWS: list[str]
ARCHITECTURES: list[str]
NOBODY: int
ENTITY_LIMIT: int
TIME_LIMIT: int
CPU_LIMIT: int
TRACE_VERSION: int
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

Record = tuple[int, int, int, int, int, int, int]
"""now, value, entity, sequence, kind, cpu, job"""

class Column:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class PythonPolicy(Protocol):
    """A policy that is written in Python: what the binding calls, with entity numbers and ticks."""

    def release(self, entity: int, number: int, release: int, deadline: int, /) -> int: ...
    def complete(self, entity: int, number: int, release: int, deadline: int, finish: int, /) -> None: ...

class Outcome(TypedDict):
    decisions: int
    invocations: int
    switches: int
    overhead: int
    statistics: dict[str, Column]
    segments: dict[str, Column]
    jobs: dict[str, Column]
    budgets: dict[str, Column]
    points: dict[str, Column]
    locks: dict[str, Column]
    kernel_segments: dict[str, Column]
    figures: dict[str, int]
    rates: dict[str, Column]
    windows: dict[str, Column]
    ledger: dict[str, Column]

class Spec:
    def __init__(self, policy: str | PythonPolicy, levels: int, order_rows: int = 0, time_rows: int = 0) -> None: ...
    def add_servers(
        self,
        *,
        kinds: list[str],
        policies: list[str | PythonPolicy],
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
        wcet: array[int],
        demand: array[int],
        level: array[int],
        home: array[int],
        is_limited: array[int],
        preemption_key: array[int],
        task_class: array[int],
        on_miss: array[int],
        jitter: array[int],
        is_external: array[int],
        suspends: array[int],
        locks: array[int],
        is_absent: array[int],
    ) -> None: ...
    def add_resources(self, *, protocols: list[str], ceiling: array[int], home: array[int]) -> None: ...
    def set_events(self, *, events: array[int], interval: array[int]) -> None: ...
    def set_shares(self, variant: int, weight: array[int]) -> None: ...
    def share_resources(self, *, among: array[int], longest: array[int]) -> None: ...
    def set_demand(
        self, index: int, kind: str, values: array[int], a: float, b: float, least: int, most: int
    ) -> None: ...
    def set_arrivals(
        self, index: int, kind: str, values: array[int], a: float, b: float, least: int, most: int
    ) -> None: ...
    def set_body(self, index: int, ops: array[int], ticks: array[int]) -> None: ...
    def set_windows(
        self,
        *,
        kinds: list[str],
        bulk: int,
        part: array[int],
        cycle: int,
        task: array[int],
        start: array[int],
        length: array[int],
    ) -> None: ...
    def set_costs(
        self,
        *,
        context_switch: int,
        release: int,
        scheduling: int,
        point: int,
        tick: int,
        tick_period: int,
        is_pull: bool,
    ) -> None: ...
    def set_architecture(
        self, *, model: str, context_switch: int, interval: int, is_fixed: bool, latency: int
    ) -> None: ...
    def set_sharing(
        self, *, blocking: array[int], excess: array[int], task: array[int], resource: array[int]
    ) -> None: ...
    def set_rates(
        self,
        *,
        beta: int,
        has_formula: bool,
        sigma: int,
        grid: int,
        rule: int,
        has_background: bool,
        has_compression: bool,
        has_cuts: bool,
        estimate_jobs: int,
        weight: array[int],
        is_greedy: array[int],
        adapts: array[int],
    ) -> None: ...
    def set_changes(
        self,
        *,
        instant: array[int],
        kind: array[int],
        task: array[int],
        policies: list[str],
        period: array[int],
        deadline: array[int],
        wcet: array[int],
        level: array[int],
        task_class: array[int],
        weight: array[int],
        demand: array[int],
    ) -> None: ...
    def set_changed_demand(
        self, index: int, kind: str, values: array[int], a: float, b: float, least: int, most: int
    ) -> None: ...
    def set_cpus(self, count: int) -> None: ...
    def set_seed(self, seed: int) -> None: ...
    def add_threads(self, level: array[int]) -> None: ...

def level_from_priority(priority: int, levels: int) -> int: ...
def policies() -> list[tuple[str, str, str, bool]]: ...
def policy_level(policy: str, level: int, period: int, deadline: int) -> int | None: ...
def policy_key(policy: str, level: int, period: int, deadline: int) -> int | None: ...
def policy_traits(policy: str) -> dict[str, bool]: ...
def server_kinds() -> list[tuple[str, str, bool, bool, bool, bool]]: ...
def server_kind_traits(kind: str) -> dict[str, bool]: ...
def protocols() -> list[str]: ...
def protocol_traits(protocol: str) -> dict[str, bool]: ...
def simulate(
    spec: Spec,
    horizon: int,
    *,
    segments: bool,
    jobs: bool,
    budgets: bool,
    points: bool,
    locks: bool,
    rates: bool = False,
    trace_path: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Outcome: ...
def retell(spec: Spec, horizon: int, records: bytes | memoryview) -> Outcome: ...
def inputs(spec: Spec, horizon: int) -> tuple[list[int], list[int], list[int], list[int]]: ...
def demands(spec: Spec, jobs: array[int]) -> list[list[int]]: ...
def image(
    spec: Spec,
    horizon: int,
    tick_ns: int,
    *,
    instant: array[int],
    nominal: array[int],
    kind: array[int],
    index: array[int],
    demands: list[array[int]],
) -> bytes: ...
def replay(spec: Spec, records: bytes | memoryview) -> tuple[str, int, int, Record, Record]: ...
