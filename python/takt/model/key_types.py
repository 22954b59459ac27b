# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keys of tables: how each value is checked, and its JSON schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from takt import _core
from takt.model import catalogue, value_checks
from takt.model.bodies import check_body, check_runs
from takt.model.core_input import CLASSES, DROP, ON_MISS
from takt.model.distributions import Distribution, check_distribution
from takt.model.input_table import TIME_SCHEMA
from takt.model.python_policy import Policy
from takt.model.value_checks import MAX_PRIORITY, MAX_WEIGHT

DEFAULT_POLICY = "fp"
"""Of the root and of servers whose files name none."""
_POLICY_NAMES = tuple(policy.name for policy in catalogue.policies())
_KIND_NAMES = tuple(kind.name for kind in catalogue.server_kinds())
_check_policy_name = value_checks.check_choice("policy", _POLICY_NAMES)
_check_demand_time = value_checks.check_time('a positive time such as "2ms"', 1)
_check_demands = value_checks.check_times(_check_demand_time, 'times such as ["2ms", "3ms"]')
_check_instants = value_checks.check_times(value_checks.TIME, 'instants such as [0, "3ms"]')


def check_policy(value: object) -> str | Policy:
    """Accept the name of a policy, or one that is written in Python."""
    return value if isinstance(value, Policy) else _check_policy_name(value)


def _check_demand(value: object) -> int | str | tuple[int | str, ...] | Distribution:
    """Accept a time, a list of times or a distribution."""
    if isinstance(value, (dict, Distribution)):
        return check_distribution(value)
    return _check_demands(value) if isinstance(value, (list, tuple)) else _check_demand_time(value)


def _check_arrivals(value: object) -> tuple[int | str, ...] | Distribution:
    """Accept a list of instants or a distribution of separations."""
    return check_distribution(value) if isinstance(value, (dict, Distribution)) else _check_instants(value)


def _word(*names: str) -> WithJsonSchema:
    """Make the JSON schema of a word out of a list."""
    return WithJsonSchema({"enum": list(names)})


def _integer(least: int, most: int) -> WithJsonSchema:
    """Make the JSON schema of a whole number."""
    return WithJsonSchema({"type": "integer", "minimum": least, "maximum": most})


_NAME = {"type": "string", "minLength": 1, "maxLength": value_checks.MAX_NAME_LENGTH}
_TIMES = {"type": "array", "items": TIME_SCHEMA, "minItems": 1}
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
_ITEM = {"type": "string", "pattern": r"^ *(point|optional +point|(run|suspend) +[0-9].*|(un)?lock +.*) *$"}

Name = Annotated[str, PlainValidator(value_checks.check_name), WithJsonSchema(_NAME)]
OptionalName = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_name)), WithJsonSchema(_NAME)
]
Time = Annotated[int | str, PlainValidator(value_checks.POSITIVE_TIME), WithJsonSchema(TIME_SCHEMA)]
OptionalTime = Annotated[
    int | str | None, PlainValidator(value_checks.optional(value_checks.POSITIVE_TIME)), WithJsonSchema(TIME_SCHEMA)
]
Offset = Annotated[int | str, PlainValidator(value_checks.TIME), WithJsonSchema(TIME_SCHEMA)]
OptionalOffset = Annotated[
    int | str | None, PlainValidator(value_checks.optional(value_checks.TIME)), WithJsonSchema(TIME_SCHEMA)
]
Demand = Annotated[
    int | str | Sequence[int | str] | Distribution | None,
    PlainValidator(value_checks.optional(_check_demand)),
    WithJsonSchema({"anyOf": [*TIME_SCHEMA["anyOf"], _TIMES, _DISTRIBUTION]}),
]
Arrivals = Annotated[
    Sequence[int | str] | Distribution | None,
    PlainValidator(value_checks.optional(_check_arrivals)),
    WithJsonSchema({"anyOf": [_TIMES, _DISTRIBUTION]}),
]
Body = Annotated[
    Sequence[str] | None,
    PlainValidator(value_checks.optional(check_body)),
    WithJsonSchema({"type": "array", "items": _ITEM, "minItems": 1}),
]
Subjobs = Annotated[
    Sequence[int | str] | None, PlainValidator(value_checks.optional(_check_demands)), WithJsonSchema(_TIMES)
]
Sections = Annotated[
    Sequence[int | str] | None,
    PlainValidator(value_checks.optional(check_runs)),
    WithJsonSchema({"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 1}),
]
Names = Annotated[
    Sequence[str],
    PlainValidator(value_checks.check_names),
    WithJsonSchema({"type": "array", "items": _NAME, "minItems": 1, "uniqueItems": True}),
]
Resolution = Annotated[str, PlainValidator(value_checks.check_resolution), WithJsonSchema(TIME_SCHEMA["anyOf"][1])]
Priority = Annotated[
    int, PlainValidator(value_checks.check_integer("a priority", 0, MAX_PRIORITY)), _integer(0, MAX_PRIORITY)
]
Weight = Annotated[int, PlainValidator(value_checks.check_integer("a weight", 1, MAX_WEIGHT)), _integer(1, MAX_WEIGHT)]
OptionalWeight = Annotated[
    int | None,
    PlainValidator(value_checks.optional(value_checks.check_integer("a weight", 1, MAX_WEIGHT))),
    _integer(1, MAX_WEIGHT),
]
OptionalPriority = Annotated[
    int | None,
    PlainValidator(value_checks.optional(value_checks.check_integer("a priority", 0, MAX_PRIORITY))),
    _integer(0, MAX_PRIORITY),
]
Threshold = Annotated[
    int | str | None,
    PlainValidator(value_checks.optional(value_checks.check_threshold)),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_PRIORITY}, _NAME]}),
]
Seed = Annotated[
    int, PlainValidator(value_checks.check_integer("a whole number", 0, 2**64 - 1)), _integer(0, 2**64 - 1)
]
Cpus = Annotated[
    int,
    PlainValidator(value_checks.check_integer("a number of processors", 1, _core.CPU_LIMIT)),
    _integer(1, _core.CPU_LIMIT),
]
OptionalNumber = Annotated[
    int | None,
    PlainValidator(value_checks.optional(value_checks.check_integer("a number", 0, _core.CPU_LIMIT - 1))),
    _integer(0, _core.CPU_LIMIT - 1),
]
Processors = Annotated[
    Sequence[int],
    PlainValidator(value_checks.check_processors),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": _core.CPU_LIMIT - 1},
            "minItems": 1,
            "uniqueItems": True,
        }
    ),
]
Events = Annotated[
    int,
    PlainValidator(value_checks.check_integer("a number of events", 1, _core.RBE_EVENTS)),
    _integer(1, _core.RBE_EVENTS),
]
PolicyName = Annotated[str | Policy, PlainValidator(check_policy), _word(*_POLICY_NAMES)]
OptionalPolicyName = Annotated[
    str | Policy | None, PlainValidator(value_checks.optional(check_policy)), _word(*_POLICY_NAMES)
]
KindName = Annotated[str, PlainValidator(value_checks.check_choice("kind", _KIND_NAMES)), _word(*_KIND_NAMES)]
ProtocolName = Annotated[
    str, PlainValidator(value_checks.check_choice("protocol", catalogue.PROTOCOLS)), _word(*catalogue.PROTOCOLS)
]
ClassName = Annotated[str, PlainValidator(value_checks.check_choice("class", CLASSES)), _word(*CLASSES)]
OptionalClassName = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("class", CLASSES))), _word(*CLASSES)
]
_INITIALLY = ("present", "absent")
Initially = Annotated[str, PlainValidator(value_checks.check_choice("word", _INITIALLY)), _word(*_INITIALLY)]
_PREEMPTION = ("preemptive", "non-preemptive")
Preemption = Annotated[
    str | None,
    PlainValidator(value_checks.optional(value_checks.check_choice("preemption", _PREEMPTION))),
    _word(*_PREEMPTION),
]
_ON_MISS = tuple(word for word in ON_MISS if word != DROP)
OnMiss = Annotated[str, PlainValidator(value_checks.check_choice("on_miss", _ON_MISS)), _word(*_ON_MISS)]
_ON_OVERRUN = ("continue", "abort", "suspend", "adapt")
OnOverrun = Annotated[str, PlainValidator(value_checks.check_choice("on_overrun", _ON_OVERRUN)), _word(*_ON_OVERRUN)]
_MODELS = ("ideal", "measured", *catalogue.ARCHITECTURES)
CostModel = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("model", _MODELS))), _word(*_MODELS)
]
_TIMERS = ("rearm", "fixed")
TimerModel = Annotated[
    str | None, PlainValidator(value_checks.optional(value_checks.check_choice("timer", _TIMERS))), _word(*_TIMERS)
]
PointModel = Annotated[
    str, PlainValidator(value_checks.check_choice("points", ("push", "pull"))), _word("push", "pull")
]
