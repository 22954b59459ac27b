# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task-set files: a System in, TOML out; reading the file again gives an equal system.

Source: SPEC.md, 7.1. Keys with their defaults are left out; times stand as they were given. What task_set_reading.py
reads is written here in the same terms: arrays of tables, tables of options by the names of their policies,
distributions and slots as inline tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomlkit

from takt.base import output_files
from takt.base.errors import InputError, Problem, printable
from takt.model.distributions import Distribution
from takt.model.input_table import Table
from takt.model.python_policy import Policy
from takt.model.system import SCHEMA, Header, System
from takt.model.tables import Platform


def save(system: System, path: str | Path, comment: str = "") -> None:
    """Write a task-set file.

    Args:
        system: what takt.load then gives again.
        path: where to.
        comment: lines for its head, without the signs that make them comments.

    Raises:
        InputError: the system has a policy in Python, or the file cannot be written.
    """
    output_files.write(path, to_toml(system, comment).encode())


def to_toml(system: System, comment: str = "") -> str:
    """Write a system as the text of a task-set file.

    Args:
        system: the system.
        comment: lines for its head, without the signs that make them comments.

    Raises:
        InputError: the system has a policy in Python, which no file can hold.

    Example:
        >>> from takt import Task
        >>> print(to_toml(System(tasks=[Task(name="A", period="5ms", wcet=2)], policy="edf")), end="")
        schema = 1
        <BLANKLINE>
        [system]
        name   = "system"
        policy = "edf"
        <BLANKLINE>
        [[task]]
        name   = "A"
        period = "5ms"
        wcet   = 2
    """
    named: list[tuple[str, str | None, int | None, object]] = [("system", None, None, system.policy)]
    named += [("server", server.name, None, server.policy) for server in system.servers]
    named += [("cluster", None, number, each.policy) for number, each in enumerate(system.clusters, start=1)]
    message = "expected a policy that a file can name, found one in Python, "
    problems = [
        Problem(f"{message}{type(policy).__name__}", "conflict", table=table, entity=name, number=number, key="policy")
        for table, name, number, policy in named
        if isinstance(policy, Policy)
    ]
    if problems:
        raise InputError(problems)
    head = "".join(f"# {printable(line)}\n" for line in comment.splitlines())
    return "\n".join((f"{head}schema = {SCHEMA}\n", *_tables(system)))


def texts_of(table: Table) -> dict[str, str]:
    """Write the keys of a table that are not at their defaults, as a file has them."""
    return {key: _item(value) for key, value in _values(table)}


def _tables(system: System) -> Iterator[str]:
    header = Header(**{key: getattr(system, key) for key in Header.model_fields})
    yield _text("[system]", {"name": _item(header.name)} | texts_of(header))
    if system.platform != Platform():
        yield _text("[platform]", texts_of(system.platform))
    for single in (*system.options, system.allocator):
        if single is not None:
            yield _text(f"[{single.table}]", texts_of(single))
    members = (*system.clusters, *system.servers, *system.resources, *system.tasks, *system.changes)
    for member in members:
        yield _text(f"[[{member.table}]]", texts_of(member))


def _text(heading: str, values: dict[str, str]) -> str:
    """Write a table, a key on each line, with the equals signs below one another."""
    width = max(map(len, values), default=0)
    lines = (f"{key:{width}} = {text}" for key, text in values.items())
    return "".join(f"{line}\n" for line in (heading, *lines))


def _values(table: Table) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a table that are not at their defaults."""
    for name, field in type(table).model_fields.items():
        value = getattr(table, name)
        if field.is_required() or value != field.default:
            yield field.alias or name, value


def _item(value: Any) -> str:
    """Write a value as TOML has it."""
    if isinstance(value, Distribution):
        return _inline({"distribution": value.kind} | dict(_values(value)))
    if isinstance(value, Table):
        return _inline(dict(_values(value)))
    if not isinstance(value, tuple):
        return str(tomlkit.item(value).as_string())
    texts = map(_item, value)
    if any(isinstance(each, Table) for each in value):
        return "[\n" + "".join(f"    {text},\n" for text in texts) + "]"
    return f"[{', '.join(texts)}]"


def _inline(values: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{key} = {_item(value)}" for key, value in values.items()) + "}"
