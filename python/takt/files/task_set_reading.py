# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task-set files: TOML in, a System out, or every problem of the file with its place.

Source: SPEC.md, 7.1. The file's tables are those of model/system.py; this module reads the file, checks what stands
outside these tables, and collects the problems of all of them.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from takt.base import input_files
from takt.base.errors import InputError, Problem, file_error, show
from takt.files import edits as edited
from takt.files import other_formats
from takt.model import catalogue, policy_options
from takt.model.consistency import find_problems
from takt.model.linked import with_links
from takt.model.policy_options import PolicyOptions
from takt.model.system import SCHEMA, Header, System
from takt.model.system_parts import SystemTables
from takt.model.tables import Allocator, Change, Cluster, Platform, Resource, Server, Task
from takt.model.value_checks import MAX_NAME_LENGTH

_TABLES = ("schema", "system", "platform", "policy", "allocator", "task", "server", "resource", "cluster", "change")
_KINDS = {"task": ("a task set", "run"), "study": ("a study", "study"), "generate": ("a recipe", "generate")}
"""Tables that only one kind of file has, or has first: what such a file is, and the command that takes it."""
_OTHER_FORMATS = (".xml", ".xmlv3", ".json", ".csv")
_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")

_Member = TypeVar("_Member", Task, Server, Resource, Cluster, Change)
_Single = TypeVar("_Single", Header, Platform, Allocator, PolicyOptions)


def load(path: str | Path, edits: Sequence[str] = ()) -> System:
    """Read a task-set file.

    Args:
        path: a TOML file, schema 1.
        edits: new values of keys in the place of the file's, such as "sensor.wcet=2ms"; see takt/files/edits.py.

    Returns:
        The system; its name is that of the file if the file gives none.

    Raises:
        InputError: the file cannot be read or is not right; it holds every problem that was found.
    """
    document = read(path)
    check_kind(path, document, "task")
    try:
        edited.apply(document, edits)
    except InputError as error:
        raise error.in_file(path) from None
    try:
        return _build(document, Path(path).stem)
    except InputError as error:
        raise error.in_file(edited.label(path, edits)) from None


def system_of(given: System | str | Path, **changes: Any) -> System:
    """Return a system as it was made, or read from its file, with other values of some keys.

    Args:
        given: the system, or the path of a task-set file.
        changes: keys of the table [system] with their new values; None: as it is.

    Raises:
        InputError: as load, or it is neither, or the changed values are not right.
    """
    if not isinstance(given, (System, str, Path)):
        message = f"expected a takt.System or the path of a task-set file, found {show(given)}"
        raise InputError([Problem(message, "wrong-type")])
    if isinstance(given, str) and "\n" in given:
        message = (
            f"expected the path of a task-set file, found a text of {given.count(chr(10)) + 1} lines; save it first"
        )
        raise InputError([Problem(message, "wrong-type")])
    system = given if isinstance(given, System) else load(given)
    changed = {key: value for key, value in changes.items() if value is not None}
    try:
        return system.replace(**changed) if changed else system
    except InputError as error:
        raise (error if isinstance(given, System) else error.in_file(given)) from None


def loads(text: str, name: str) -> System:
    """Read the text of a task-set file.

    Args:
        text: TOML, schema 1.
        name: of the file; of the system too if the text gives none.

    Raises:
        InputError: as load.
    """
    return _build(_parse(name, text), name)


def read(path: str | Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        InputError: it cannot be read, or is not TOML.
    """
    if Path(path).suffix.lower() in _OTHER_FORMATS:
        target = Path(path).with_suffix(".toml").name
        message = f"expected a task-set file (TOML); convert it first: takt convert {Path(path).name} {target}"
        raise file_error(path, message, "other-format")
    data = input_files.read(path)
    try:
        text = input_files.decoded(data)
    except InputError as error:
        raise error.in_file(path) from None
    return _parse(path, text)


def check_kind(path: str | Path, document: Mapping[str, Any], *tables: str) -> None:
    """Raise InputError if a file has none of the tables of its kind, but one of another kind."""
    if any(table in document for table in tables):
        return
    for table, (what, command) in _KINDS.items():
        if table in document:
            raise file_error(path, f"this is {what}: takt {command} {shlex.quote(str(path))}", "other-file")


def _parse(path: str | Path, text: str) -> dict[str, Any]:
    input_files.check_toml(path, text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        other_formats.refuse(path, text, "a task-set file (TOML)")
        message = str(error)
        match = _POSITION.search(message)
        line = (match and match["line"]) or max(1, len(text.splitlines()))
        reason = _POSITION.sub("", message)
        raise file_error(path, f"line {line}: not valid TOML: {reason}", "syntax") from None
    except ValueError:
        raise file_error(path, "not valid TOML: a number is too long", "syntax") from None
    except RecursionError:
        raise file_error(path, "not valid TOML: nested too deeply", "syntax") from None


@dataclass
class _Members(Generic[_Member]):
    """The tables of one kind: the valid ones, and the problems of the others."""

    right: list[_Member] = field(default_factory=list)
    names_of_wrong: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def _build(document: Mapping[str, Any], default_name: str) -> System:
    """Return the system of a document; raise all its problems if it has some."""
    problems = [*schema_problems(document), *unknown_keys(document, _TABLES)]
    header, header_problems = _single(Header, document.get("system", {}), name=as_name(default_name, "system"))
    platform, platform_problems = _single(Platform, document.get("platform", {}))
    options, option_problems = _options(document.get("policy", {}))
    allocator, allocator_problems = _single(Allocator, document["allocator"]) if "allocator" in document else (None, [])
    tasks = _members(Task, document.get("task", []))
    servers = _members(Server, document.get("server", []))
    resources = _members(Resource, document.get("resource", []))
    clusters = _members(Cluster, document.get("cluster", []))
    changes = _members(Change, document.get("change", []))
    members = [one for kind in (tasks, servers, resources, clusters, changes) for one in kind.problems]
    problems += [*header_problems, *platform_problems, *option_problems, *allocator_problems, *members]
    if header is None or platform is None or clusters.problems:
        raise InputError(problems)
    if problems:
        between = _problems_between(header, platform, options, allocator, tasks, servers, resources, clusters, changes)
        hidden = {problem.table for problem in option_problems}
        raise InputError([*problems, *(one for one in between if not (one.table in hidden and _is_missing(one)))])
    return System(
        **header.model_dump(),
        platform=platform,
        options=tuple(options),
        allocator=allocator,
        tasks=tuple(tasks.right),
        servers=tuple(servers.right),
        resources=tuple(resources.right),
        clusters=tuple(clusters.right),
        changes=tuple(changes.right),
    )


def _problems_between(
    header: Header,
    platform: Platform,
    options: list[PolicyOptions],
    allocator: Allocator | None,
    tasks: _Members[Task],
    servers: _Members[Server],
    resources: _Members[Resource],
    clusters: _Members[Cluster],
    changes: _Members[Change],
) -> list[Problem]:
    """Return the problems between the tables that are valid alone."""
    partial = SystemTables(
        resolution=header.resolution,
        policy=header.policy,
        horizon=header.horizon,
        cpus=header.cpus,
        tasks=with_links(tasks.right, header.resolution),
        servers=servers.right,
        resources=resources.right,
        clusters=clusters.right,
        platform=platform,
        options=options,
        allocator=allocator,
        changes=[] if any(one.problems for one in (tasks, servers, resources, changes)) else changes.right,
    )
    found = find_problems(partial, servers.names_of_wrong, resources.names_of_wrong, tasks.names_of_wrong)
    return [problem for problem in found if not (tasks.problems and _is_missing(problem))]


def _is_missing(problem: Problem) -> bool:
    """True if something required is missing; it may be present but wrong."""
    return problem.code == "missing"


def schema_problems(document: Mapping[str, Any]) -> Iterable[Problem]:
    """Check the number that says which contract the file follows."""
    if "schema" not in document:
        yield Problem(f"missing; write schema = {SCHEMA} in the first line", "missing", key="schema")
        return
    schema = document["schema"]
    if schema != SCHEMA or isinstance(schema, (bool, float)):
        message = f"this version reads schema {SCHEMA}, found {show(schema)}"
        yield Problem(message, "unknown-schema", key="schema")


def unknown_keys(document: Mapping[str, Any], tables: Sequence[str]) -> Iterable[Problem]:
    """Yield the top-level keys that are none of the tables of a file."""
    for key in document:
        if key not in tables:
            yield Problem(f"unknown key; {catalogue.alternatives(key, tables)}", "unknown-key", key=key)


def _single(kind: type[_Single], table: object, **defaults: str) -> tuple[_Single | None, list[Problem]]:
    """Check a table of which there is one; return it, or its problems."""
    if not isinstance(table, dict):
        message = f"expected a table, found {show(table)}; write [{kind.table}]"
        return None, [Problem(message, "wrong-type", key=kind.table)]
    try:
        return kind(**(defaults | table)), []
    except InputError as error:
        return None, list(error.problems)


def _options(tables: object) -> tuple[list[PolicyOptions], list[Problem]]:
    """Check the tables [policy.NAME]; return those that are right, and the problems of the others."""
    options: list[PolicyOptions] = []
    problems: list[Problem] = []
    known = policy_options.by_policy()
    if not isinstance(tables, dict):
        remedy = f"[system] policy = {show(tables)}" if isinstance(tables, str) else f"[policy.{next(iter(known))}]"
        message = f"expected tables of options, found {show(tables)}; write {remedy}"
        return [], [Problem(message, "wrong-type", key="policy")]
    for name, table in tables.items():
        if name not in known:
            message = f"no policy of this name has options; {catalogue.alternatives(name, known)}"
            problems.append(Problem(message, "unknown-key", table=f"policy.{name}"))
            continue
        option, found = _single(known[name], table)
        options += [option] if option is not None else []
        problems += found
    return options, problems


def as_name(stem: str, default: str) -> str:
    """Return a name derived from that of a file; the default if that cannot be one."""
    return stem if stem.isprintable() and stem.strip() and len(stem) <= MAX_NAME_LENGTH else default


def _members(kind: type[_Member], tables: object) -> _Members[_Member]:
    members: _Members[_Member] = _Members()
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        message = f"expected an array of tables, found {show(tables)}; write [[{kind.table}]]"
        members.problems.append(Problem(message, "wrong-type", key=kind.table))
        return members
    for number, table in enumerate(tables, start=1):
        try:
            members.right.append(kind(**table))
        except InputError as error:
            members.problems += [replace(problem, number=number) for problem in error.problems]
            members.names_of_wrong += [table["name"]] if isinstance(table.get("name"), str) else []
    return members
