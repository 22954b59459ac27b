# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What documents have in place of a comment such as `<!-- tables of fields -->`: all that follows from C and Python.

It asks the installed package for fields, frames, schemas and names, and tools/api.py for the headers of the kernel.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import api
import takt
from sphinx.application import Sphinx
from sphinx.util import logging
from takt import _core
from takt.command.schema import recipe_schema, study_schema, taskset_schema

# ---- fields of an image ---------------------------------------------------------------------------------

Field = tuple[str, str, str, int, int, str, str, str]


def limit(number: int) -> str:
    """Return a limit as people write it."""
    for bits in (64, 63, 62, 37, 32, 31, 20):
        if number in (2**bits, 2**bits - 1):
            return f"2^{bits}" if number == 2**bits else f"2^{bits} - 1"
    return str(number)


def row_of(field: Field) -> str:
    """Return the row of a field."""
    key, kind, unit, least, most, *_, meaning = field
    is_limited = kind in ("TIME", "COUNT", "KEY", "VALUE", "LENGTH")
    range_ = f"{limit(least)} .. {limit(most)}" if is_limited else ", ".join(unit.split()) if kind == "WORD" else ""
    shown = "" if kind == "WORD" else unit
    return f"| `{key}` | {kind.lower().replace('_', ' ')} | {shown} | {range_} | {meaning} |"


def tables_of_fields() -> str:
    """Return the tables of an image."""
    text = ""
    for name, meaning, fields in _core.fields():
        text += f"\n**{name.lower()}**: {meaning}\n\n| key | kind | unit | range | meaning |\n|---|---|---|---|---|\n"
        text += "\n".join(map(row_of, fields)) + "\n"
    return text


# ---- columns of frames ----------------------------------------------------------------------------------

VALUES = {"TIME": "integer", "COUNT": "integer", "NEVER": "integer or null", "FLAG": "boolean", "SHARE": "0 .. 1"}
VALUES |= {"TASK": "name", "RESOURCE": "name", "RUNNER": "names"}
"""What a column of a frame holds, by its kind; of a word, its words."""


def row_of_frame(column: tuple[str, str, str, str]) -> str:
    """Return the row of a column; one of what ran stands for two."""
    name, kind, unit, meaning = column
    shown = "`server`, `task`" if kind == "RUNNER" else f"`{name}`"
    values = ", ".join(f'"{word}"' for word in unit.split(", ")) if kind == "WORD" else VALUES[kind]
    return f"| {shown} | {values} | {'' if kind == 'WORD' else unit} | {meaning} |"


def tables_of_frames() -> str:
    """Return the tables of the frames of a run."""
    text = ""
    for name, option, meaning, columns in _core.frames():
        asked = f" (`{option}=True`)" if option else ""
        text += f"\n**{name}**{asked}: {meaning}\n\n| column | values | unit | meaning |\n|---|---|---|---|\n"
        text += "\n".join(map(row_of_frame, columns)) + "\n"
    return text


# ---- keys of files --------------------------------------------------------------------------------------

SCHEMAS = {"taskset": taskset_schema, "recipe": recipe_schema, "study": study_schema}


def value_of(schema: dict[str, Any]) -> str:
    """Return what a key may be."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(value_of, schema["anyOf"])))
    if "const" in schema or "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of: {value_of(schema.get('items', {}))}"
    if "(ns|" in schema.get("pattern", ""):
        return "time"
    range_ = [f"{sign} {limit(schema[key])}" for key, sign in LIMITS.items() if key in schema]
    kinds = schema.get("type", "any value")
    return " ".join([kinds if isinstance(kinds, str) else " or ".join(kinds), ", ".join(range_)]).strip()


LIMITS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def keys(schema: dict[str, Any], seen: set[str], prefix: str = "") -> Iterator[str]:
    """Yield an entry for each key of a table that was not seen, and for those of the tables in it."""
    for name, value in schema.get("properties", {}).items():
        path, inner = f"{prefix}{name}", value.get("items", value)
        if path not in seen:
            seen.add(path)
            is_needed = name in schema.get("required", ())
            yield entry(path, value, "; required" if is_needed else "")
        if "properties" in inner:
            yield from keys(inner, seen, f"{path}.")


def entry(path: str, value: dict[str, Any], note: str) -> str:
    """Return the entry of a key."""
    inner = value.get("items", value)
    kind = value_of(value) if "properties" not in inner else "list of tables" if "items" in value else "table"
    text = value.get("description") or inner.get("description", "")
    return f"```{{confval}} {path}\n*{kind}{note}*\n\n{text}\n```\n"


def keys_of_files() -> str:
    """Return the keys of all kinds of files."""
    text, seen = "", set[str]()
    for name, schema in SCHEMAS.items():
        content = schema()
        text += f'\n## {content["title"]}\n\n<a href="../../{name}.schema.json">{name}.schema.json</a>\n\n'
        text += "\n".join(keys(content, seen))
    return text


def write_schemas(app: Sphinx, exception: Exception | None) -> None:
    """Write the schemas beside the pages."""
    for name, schema in SCHEMAS.items() if exception is None else ():
        (Path(app.outdir) / f"{name}.schema.json").write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")


# ---- names in Python ------------------------------------------------------------------------------------

PACKAGES = ("model", "files", "draw", "run", "show", "analysis", "study", "formats", "linux", "base")
MODULES = ("takt.linux.job", "takt.linux.check", "takt.linux.daemon")
"""Modules that the documents name and takt does not export."""
BASES = "BaseModel, Exception, tuple"
"""Classes of others, whose members are not described."""
INNER = "model_config, keys, text_keys, time_keys, times"
"""Members of every table that readers and writers of files use."""


def package_of(name: str) -> str:
    """Return the package of a name of takt."""
    value = getattr(takt, name)
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "takt.base")
    return str(module).split(".")[1] if "." in str(module) else "base"


def directive(name: str, value: object) -> str:
    """Return what Sphinx reads the docstrings of a name by."""
    if inspect.ismodule(value):
        imported = "   :imported-members:\n" if hasattr(value, "__all__") else ""
        return f".. automodule:: {name}\n   :members:\n{imported}"
    if inspect.isclass(value):
        options = [":members:", f":inherited-members: {BASES}", f":exclude-members: {INNER}"]
        return "\n   ".join([f".. autoclass:: {name}", *options]) + "\n"
    return f".. {'autofunction' if callable(value) else 'autodata'}:: {name}\n"


def names_in_python() -> str:
    """Return the names of takt, by package, with their docstrings."""
    text = ""
    for package in PACKAGES:
        docstring = import_module(f"takt.{package}").__doc__ or ""
        names = {f"takt.{name}": getattr(takt, name) for name in takt.__all__ if package_of(name) == package}
        names |= {name: import_module(name) for name in MODULES if name.startswith(f"takt.{package}.")}
        entries = "\n".join(directive(name, value) for name, value in names.items())
        text += f"\n## {docstring.partition(':')[0]}\n\n```{{eval-rst}}\n{entries}```\n"
    return text


def without_types_of_keys(
    app: Sphinx, what: str, name: str, value: Any, options: object, signature: str, result: str
) -> tuple[str, str] | None:
    """Return the signature of a table without types: each has the whole check of a key."""
    if not hasattr(value, "model_fields"):
        return None
    parameters = inspect.signature(value).parameters.values()
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(bare)), result


# ---- calls of the kernel --------------------------------------------------------------------------------


def calls_of_the_kernel() -> str:
    """Return the public headers, and which call answers what."""
    headers = [f"## {name}\n\n```{{doxygenfile}} {name}\n```\n" for name in api.public_headers()]
    return "\n".join([*headers, api.tables()])


# ---- where it stands ------------------------------------------------------------------------------------

CONTENTS: dict[str, tuple[str, Callable[[], str]]] = {
    "docs/trace-format": ("<!-- tables of fields -->\n", tables_of_fields),
    "docs/reference/frames": ("<!-- tables of frames -->\n", tables_of_frames),
    "docs/reference/schemas": ("<!-- keys of files -->\n", keys_of_files),
    "docs/reference/python-names": ("<!-- names in Python -->\n", names_in_python),
    "docs/reference/kernel-calls": ("<!-- calls of the kernel -->\n", calls_of_the_kernel),
}
"""The documents with such contents: the line in whose place they stand, and what returns them."""


def fill(app: Sphinx, document: str, source: list[str]) -> None:
    """Put the contents of a document into its text."""
    if document not in CONTENTS:
        return
    line, contents = CONTENTS[document]
    before, found, after = source[0].partition(line)
    if not found:
        logging.getLogger(__name__).warning(
            "no line %s, in whose place contents stand", line.strip(), location=document
        )
    source[0] = before + contents().lstrip("\n") + after


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the reading of documents and the end of the build."""
    app.connect("source-read", fill)
    app.connect("autodoc-process-signature", without_types_of_keys)
    app.connect("build-finished", write_schemas)
    return {"parallel_read_safe": True}
