# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The JSON schemas of task-set, recipe and study files, for editors: made of the same models that check them.

It says what each key may be by itself; what lies between keys and tables only the models know.
"""

from __future__ import annotations

from typing import Any

from takt.draw.recipe import Recipe
from takt.model.input_table import Table
from takt.model.policy_options import by_policy
from takt.model.system import SCHEMA, Header
from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task
from takt.study.description import KINDS, StudyTable


def _file_schema(title: str, required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a file of Takt, draft 2020-12: the version of its format, and its tables."""
    version = {"const": SCHEMA, "description": "The version of this format."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": {"schema": version, **properties},
    }


def taskset_schema() -> dict[str, Any]:
    """Return the schema of task-set files, draft 2020-12.

    Example:
        >>> taskset_schema()["required"]
        ['schema', 'task']
    """
    properties: dict[str, Any] = {
        "system": _schema_of(Header),
        "platform": _schema_of(Platform),
        "policy": {
            "type": "object",
            "description": "Options of policies.",
            "additionalProperties": False,
            "properties": {name: _schema_of(table) for name, table in by_policy().items()},
        },
        "allocator": _schema_of(Allocator),
        "task": {"type": "array", "minItems": 1, "items": _schema_of(Task)},
        "server": {"type": "array", "items": _schema_of(Server)},
        "resource": {"type": "array", "items": _schema_of(Resource)},
        "cluster": {"type": "array", "items": _schema_of(Cluster)},
        "change": {"type": "array", "items": _schema_of(Change)},
    }
    return _file_schema("Takt task set", ["schema", "task"], properties)


def recipe_schema() -> dict[str, Any]:
    """Return the schema of recipe files, draft 2020-12.

    Example:
        >>> recipe_schema()["properties"]["generate"]["required"]
        ['tasks', 'utilization']
    """
    return _file_schema("Takt recipe", ["schema", "generate"], {"generate": _schema_of(Recipe)})


def study_schema() -> dict[str, Any]:
    """Return the schema of study files, draft 2020-12.

    Example:
        >>> sorted(study_schema()["properties"])
        ['generate', 'grid', 'measure', 'schema', 'study']
    """
    recipe, measures = _schema_of(Recipe), []
    for measure in KINDS.values():  # its kind distinguishes a measure from the others
        schema = _schema_of(measure)
        keys = {"kind": {"const": measure.kind}} | schema["properties"]
        measures.append(schema | {"properties": keys, "required": ["kind", *schema["required"]]})
    properties: dict[str, Any] = {
        "study": _schema_of(StudyTable),
        "generate": {key: value for key, value in recipe.items() if key != "required"},
        "grid": {
            "type": "object",
            "description": "Keys of the recipe, each with the values that it takes.",
            "additionalProperties": False,
            "properties": dict.fromkeys(recipe["properties"], _AXIS),
        },
        "measure": {"type": "array", "minItems": 1, "items": {"oneOf": measures}},
    }
    return _file_schema("Takt study", ["schema", "measure"], properties)


_AXIS = {
    "anyOf": [
        {"type": "array", "minItems": 1, "uniqueItems": True},
        {
            "type": "object",
            "required": ["from", "to", "step"],
            "additionalProperties": False,
            "properties": {key: {"type": "number"} for key in ("from", "to", "step")},
        },
    ]
}


def _schema_of(table: type[Table]) -> dict[str, Any]:
    """Return the schema of one table; the descriptions of its keys come from the docstring of its class."""
    schema = table.model_json_schema(by_alias=True)
    described = descriptions(table.__doc__ or "")
    for key, field in table.model_fields.items():
        entry = schema["properties"][field.alias or key]
        entry.pop("default", None)
        entry.pop("title", None)
        if key in described:
            entry["description"] = described[key]
    schema["description"] = (table.__doc__ or "").split("\n")[0]
    return schema


def descriptions(text: str) -> dict[str, str]:
    """Read what a docstring says about each argument."""
    _, _, arguments = text.partition("Args:\n")
    found: dict[str, str] = {}
    last = ""
    for line in arguments.split("\n\n")[0].splitlines():
        key, colon, rest = line.strip().partition(": ")
        if colon and line.startswith(" " * 8) and not line.startswith(" " * 9) and key.isidentifier():
            last = key
            found[last] = rest
        elif last:
            found[last] += " " + line.strip()
    return found
