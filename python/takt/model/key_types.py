# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keys of tables: how each value is checked, and its JSON schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from takt import _core
from takt.model import catalogue, value_checks
from takt.model.bodies import check_body, check_runs
from takt.model.core_input import CLASSES, DROP, ON_MISS
from takt.model.distributions import Distribution, check_distribution
from takt.model.edges import AFTER, ALL, ANY, ORIGIN, Edge
from takt.model.fields import initial
from takt.model.key import NAME, POSITIVE_TIME, TIME, TIME_SCHEMA, Key, integer, list_of, word
from takt.model.python_policy import Policy
from takt.model.value_checks import MAX_PRIORITY, MAX_WEIGHT

DEFAULT_POLICY = initial("SYSTEM", "policy")
"""Of the root and of servers whose files name none."""
DEFAULT_KIND = initial("SERVERS", "kind")
"""Of servers likewise."""
DEFAULT_PROTOCOL = initial("RESOURCES", "protocol")
"""Of resources likewise."""
_POLICY_NAMES = tuple(policy.name for policy in catalogue.policies())
_check_policy_name = value_checks.check_choice("policy", _POLICY_NAMES)
_check_demand_time = value_checks.check_time('a positive time such as "2ms"', 1)
_check_demands = value_checks.check_times(_check_demand_time, 'times such as ["2ms", "3ms"]')
_check_instants = value_checks.check_times(value_checks.TIME, 'instants such as [0, "3ms"]')


def check_policy(value: object) -> str | Policy:
    """Accept the name of a policy, or one that is written in Python."""
    if isinstance(value, type) and issubclass(value, Policy):
        message = f"expected a policy, found the class {value.__name__}; write {value.__name__}()"
        raise value_checks.refuse("wrong-type", message)
    return value if isinstance(value, Policy) else _check_policy_name(value)


def _check_demand(value: object) -> int | str | tuple[int | str, ...] | Distribution:
    if isinstance(value, (dict, Distribution)):
        return check_distribution(value)
    return _check_demands(value) if isinstance(value, (list, tuple)) else _check_demand_time(value)


def _check_arrivals(value: object) -> tuple[int | str, ...] | Distribution:
    return check_distribution(value) if isinstance(value, (dict, Distribution)) else _check_instants(value)


_ITEM = {"type": "string", "pattern": r"^ *(point|optional +point|(run|suspend) +[0-9].*|((un)?lock|release) +.*) *$"}
_TIMES = list_of(TIME_SCHEMA)
_DISTRIBUTION = {
    "type": "object",
    "required": ["distribution"],
    "additionalProperties": False,
    "properties": {
        "distribution": {"enum": ["uniform", "normal", "weibull", "exponential"]},
        "shape": {"type": "number", "exclusiveMinimum": 0},
        **dict.fromkeys(("min", "max", "mean", "deviation", "scale"), TIME_SCHEMA),
    },
}
_DEMAND = Key(_check_demand, {"anyOf": [*TIME_SCHEMA["anyOf"], _TIMES, _DISTRIBUTION]})
_ARRIVALS = Key(_check_arrivals, {"anyOf": [_TIMES, _DISTRIBUTION]})
_BODY = Key(check_body, list_of(_ITEM))
_SUBJOBS = Key(_check_demands, _TIMES)
_SECTIONS = Key(check_runs, list_of({"type": ["integer", "string"]}))
_NAMES = Key(value_checks.check_names, list_of(NAME.schema, uniqueItems=True))
_RESOLUTION = Key(value_checks.check_resolution, TIME_SCHEMA["anyOf"][1])
_PRIORITY = integer("a priority", 0, MAX_PRIORITY)
_WEIGHT = integer("a weight", 1, MAX_WEIGHT)
_NUMBER = integer("a number", 0, _core.CPU_LIMIT - 1)
_PROCESSORS = Key(value_checks.check_processors, list_of(_NUMBER.schema, uniqueItems=True))
_THRESHOLD = Key(value_checks.check_threshold, {"anyOf": [_PRIORITY.schema, NAME.schema]})
_POLICY = Key(check_policy, {"enum": list(_POLICY_NAMES)})
_CLASS = word("class", CLASSES)
_MODEL = word("model", ("ideal", "measured", *catalogue.ARCHITECTURES))
_ON_MISS = word("on_miss", (each for each in ON_MISS if each != DROP))
_ON_OVERRUN = word("on_overrun", ("continue", "abort", "suspend", "adapt"))

Name = Annotated[str, NAME]
OptionalName = Annotated[str | None, NAME.or_none]
Names = Annotated[Sequence[str], _NAMES]
Time = Annotated[int | str, POSITIVE_TIME]
OptionalTime = Annotated[int | str | None, POSITIVE_TIME.or_none]
Offset = Annotated[int | str, TIME]
OptionalOffset = Annotated[int | str | None, TIME.or_none]
Resolution = Annotated[str, _RESOLUTION]
Demand = Annotated[int | str | Sequence[int | str] | Distribution | None, _DEMAND.or_none]
Arrivals = Annotated[Sequence[int | str] | Distribution | None, _ARRIVALS.or_none]
After = Annotated[str | Edge | Sequence[str | Edge] | None, AFTER.or_none]
Join = Annotated[str, word("join", (ALL, ANY))]
DeadlineFrom = Annotated[str, word("word", ("arrival", ORIGIN))]
Body = Annotated[Sequence[str] | None, _BODY.or_none]
Subjobs = Annotated[Sequence[int | str] | None, _SUBJOBS.or_none]
Sections = Annotated[Sequence[int | str] | None, _SECTIONS.or_none]
Priority = Annotated[int, _PRIORITY]
OptionalPriority = Annotated[int | None, _PRIORITY.or_none]
Weight = Annotated[int, _WEIGHT]
OptionalWeight = Annotated[int | None, _WEIGHT.or_none]
Threshold = Annotated[int | str | None, _THRESHOLD.or_none]
Seed = Annotated[int, integer("a whole number", 0, 2**64 - 1)]
Cpus = Annotated[int, integer("a number of processors", 1, _core.CPU_LIMIT)]
OptionalNumber = Annotated[int | None, _NUMBER.or_none]
Processors = Annotated[Sequence[int], _PROCESSORS]
Events = Annotated[int, integer("a number of events", 1, _core.RBE_EVENTS)]
PolicyName = Annotated[str | Policy, _POLICY]
OptionalPolicyName = Annotated[str | Policy | None, _POLICY.or_none]
KindName = Annotated[str, word("kind", (kind.name for kind in catalogue.server_kinds()))]
ProtocolName = Annotated[str, word("protocol", catalogue.PROTOCOLS)]
ClassName = Annotated[str, _CLASS]
OptionalClassName = Annotated[str | None, _CLASS.or_none]
Initially = Annotated[str, word("word", ("present", "absent"))]
Preemption = Annotated[str | None, word("preemption", ("preemptive", "non-preemptive")).or_none]
OnMiss = Annotated[str, _ON_MISS]
OnOverrun = Annotated[str, _ON_OVERRUN]
CostModel = Annotated[str | None, _MODEL.or_none]
TimerModel = Annotated[str | None, word("timer", ("rearm", "fixed")).or_none]
PointModel = Annotated[str, word("points", ("push", "pull"))]
