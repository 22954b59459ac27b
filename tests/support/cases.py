# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedules worked out by hand, as data: a task-set file, and below it the rows that every engine must give.

A case is `tests/cases/<rule>/<name>.toml`. Comments at its top say what it shows. The file is a task set as any other,
with a horizon, so that `takt run` reads it. Lines that begin with `#: ` are TOML of their own: tables of an outcome in
the oracle's form (`oracle.Outcome`), with "-" for what did not happen, and budgets by server. What a case does not
name is not worked out by hand and not compared.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import machine_oracle
import oracle
from oracle.model import AMONG_PROTOCOLS, KINDS, POLICIES, PROTOCOLS
from places import CASES

MARK = "#: "
NONE = "-"


@dataclass(frozen=True)
class Case:
    """One case."""

    path: Path

    @property
    def name(self) -> str:
        """Rule and name."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @cached_property
    def text(self) -> str:
        """The file."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The task set, as its tables say it."""
        return tomllib.loads(self.text)

    @property
    def horizon(self) -> int:
        """The ticks of the run."""
        return int(self.tables["system"]["horizon"])

    @cached_property
    def _below(self) -> dict[str, Any]:
        """Tables below the task set."""
        lines = (line.removeprefix(MARK) for line in self.text.splitlines() if line.startswith(MARK.strip()))
        return tomllib.loads("\n".join(lines))

    @property
    def golden(self) -> str | None:
        """The golden file with the same runs, if there is one."""
        return self._below.get("golden")

    @cached_property
    def expected(self) -> dict[str, Any]:
        """The rows, by the names of `oracle.Outcome`."""
        found = {key: value for key, value in self._below.items() if key != "golden"}
        if "budgets" in found:
            servers = [server["name"] for server in self.tables["server"]]
            columns = [found["budgets"][name] for name in servers]
            found["budgets"] = [list(row) for row in zip(*columns, strict=True)]
        return {key: as_rows(value) for key, value in found.items()}

    @property
    def is_known_to_the_oracle(self) -> bool:
        """True if `oracle/` has all that the task set uses; other references have the rest."""
        servers = self.tables.get("server", [])
        policies = {self.tables["system"]["policy"], *(server.get("policy", "fp") for server in servers)}
        kinds = {server.get("kind", "deferrable") for server in servers}
        protocols = {resource["protocol"] for resource in self.tables.get("resource", [])}
        return (
            policies <= {*POLICIES}
            and kinds <= {*KINDS}
            and protocols <= {*PROTOCOLS, *AMONG_PROTOCOLS}
            and "model" not in self.tables.get("platform", {})
            and ("cpus" not in self.tables["system"] or self.is_divided)
            and not any("on_overrun" in task for task in self.tables["task"])
        )

    @property
    def is_divided(self) -> bool:
        """True if it is of a machine of domains."""
        return any("cpu" in task or "cluster" in task for task in self.tables["task"])

    def domains(self) -> list[machine_oracle.Domain]:
        """Return the domains of a machine in the oracles' form: those with tasks, in order."""
        places = {task["name"]: self._place(task, "server") for task in self.tables["task"]}
        return [self._domain(place) for place in sorted({*places.values()})]

    def _place(self, member: dict[str, Any], above: str) -> int:
        """Return the number of the processor or the cluster of a task or a server."""
        for key in ("cpu", "cluster"):
            if key in member:
                return int(member[key])
        parent = next(server for server in self.tables["server"] if server["name"] == member[above])
        return self._place(parent, "parent")

    def _domain(self, place: int) -> machine_oracle.Domain:
        """Return one domain, whose members leave out where they are."""
        cluster = self.tables["cluster"][place] if "cluster" in self.tables else {"cpus": [place]}
        inside = {
            kind: [
                {key: value for key, value in member.items() if key not in ("cpu", "cluster")}
                for member in self.tables.get(kind, [])
                if self._place(member, above) == place
            ]
            for kind, above in (("task", "server"), ("server", "parent"))
        }
        system = {"policy": cluster.get("policy", self.tables["system"]["policy"])}
        alone = Case(self.path)
        alone.__dict__["tables"] = {**self.tables, **inside, "system": system}
        return machine_oracle.Domain(tuple(sorted(cluster["cpus"])), alone.as_oracle())

    def as_oracle(self) -> oracle.System:
        """Return the task set in the oracle's form, read here and not by Takt."""
        root = {key: value for key, value in self.tables["system"].items() if key != "horizon"}
        return oracle.System(
            **root,
            tasks=tuple(_task(table) for table in self.tables["task"]),
            servers=tuple(oracle.Server(**table) for table in self.tables.get("server", [])),
            platform=oracle.Platform(**self.tables.get("platform", {})),
            resources=tuple(oracle.Resource(**table) for table in self.tables.get("resource", [])),
            changes=tuple(oracle.Change(**_tuples(table)) for table in self.tables.get("change", [])),
        )


def as_rows(value: Any) -> Any:
    """Undo what TOML cannot say: rows are tuples, but for budgets, and "-" is None."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [
            row if isinstance(row[0], int) and all(isinstance(cell, int) for cell in row) else _row(row)
            for row in value
        ]
    return value


def _row(value: list[Any]) -> tuple[Any, ...]:
    return tuple(_row(cell) if isinstance(cell, list) else None if cell == NONE else cell for cell in value)


def _tuples(table: dict[str, Any]) -> dict[str, Any]:
    """Write the keys of a file as the oracle does."""
    names = {"class": "class_"}
    return {names.get(key, key): tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _task(table: dict[str, Any]) -> oracle.Task:
    given = _tuples(table)
    arrivals = given.pop("arrivals", None)
    absent = given.pop("initially", "present") == "absent"
    releases = None if arrivals is None else tuple((at + given.get("offset", 0),) * 2 for at in arrivals)
    return oracle.Task(**given, absent=absent, releases=releases)


def cases() -> list[Case]:
    """Return all cases."""
    return [Case(path) for path in sorted(CASES.glob("R*/*.toml"))]
