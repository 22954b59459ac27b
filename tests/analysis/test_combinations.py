# SPDX-License-Identifier: Apache-2.0 OR MIT
"""All arrivals of tiny systems in which features meet: no bound is below what the simulation shows.

A system has two to four tasks and one value of each factor: order, protocol, how sections are nested, what limits
preemption, jitter, costs, suspensions, demands, and servers around or beside. The systems are a covering array, so that
each pair of values meets. All offsets of a system, each followed by jobs as dense as periods allow, stand one behind
the other in the arrivals of one run. Every such run is legal, also where a scenario begins before the last one is over.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import polars as pl
import pytest
import takt
from sampling import SYSTEMS, count
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

KINDS = ("idling", "polling", "deferrable", "sporadic", "sporadic-strict", "cbs")
FACTORS: dict[str, tuple[str, ...]] = {
    "policy": ("fp", "dm", "edf"),
    "protocol": ("", "npcs", "pip", "pcp", "icpp", "srp", "mixed"),
    "sections": ("one", "nested", "sequence"),
    "limit": ("", "whole", "points", "points inside", "threshold"),
    "jitter": ("", "jitter"),
    "costs": ("", "costs"),
    "sleep": ("", "suspension"),
    "demand": ("", "shorter"),
    "shape": ("", "", "chain", "late", "early"),
    "server": (*[""] * 5, *(f"{where} {kind}" for where in ("in", "beside") for kind in KINDS)),
}
"""What each system has one value of; "" is nothing. A cbs server is deferrable where priorities are static."""

Span = tuple[int, int]
SHAPES: dict[str, tuple[tuple[Span, Span, Span, Span, Span], ...]] = {
    "chain": (
        ((0, 0), (1, 2), (0, 0), (50, 80), (10, 18)),
        ((6, 12), (0, 0), (0, 0), (70, 110), (45, 60)),
        ((0, 1), (6, 12), (0, 1), (120, 200), (110, 120)),
    ),
    "late": (
        ((2, 3), (0, 0), (0, 0), (12, 18), (8, 12)),
        ((3, 5), (1, 2), (0, 0), (70, 110), (15, 40)),
        ((0, 0), (8, 12), (0, 1), (120, 200), (110, 120)),
    ),
    "early": (
        ((2, 5), (0, 1), (0, 0), (50, 70), (25, 40)),
        ((0, 1), (6, 12), (0, 1), (50, 80), (16, 24)),
    ),
}
"""Of each task what it executes before, in and behind a section, its period and deadline: a job that waits for a region
and for a section; one that is blocked in its last region; one that comes late, with a ceiling below its deadline."""

REACH = 9
"""First arrivals of a scenario lie less than this apart."""
SPAN = 24
"""Later jobs arrive within so many ticks of the first."""

PRIMES = [n for n in range(11, 240) if all(n % divisor for divisor in range(2, 16) if divisor < n)]
"""Periods of tasks with jitter."""
HORIZON = 40_000
"""For so long tasks with jitter are simulated."""

Config = Mapping[str, str]

seen: Counter[str] = Counter()


# ---- which combinations ---------------------------------------------------------------------------------


def pairs_of(config: Config) -> set[frozenset[tuple[str, str]]]:
    """Return the pairs of values that meet in a system."""
    return set(map(frozenset, combinations(config.items(), 2)))


def covering(numbers: random.Random) -> Iterator[Config]:
    """Draw configurations for ever, each one that has most pairs that have not met since all had."""
    missing: set[frozenset[tuple[str, str]]] = set()
    while True:
        missing = missing or _all_pairs()
        drawn = [{name: numbers.choice(values) for name, values in FACTORS.items()} for _ in range(30)]
        pair = dict(numbers.choice(sorted(map(sorted, missing))))
        best = max((config | pair for config in drawn), key=lambda config: len(pairs_of(config) & missing))
        missing -= pairs_of(best)
        yield best


def _all_pairs() -> set[frozenset[tuple[str, str]]]:
    """Return all pairs of values of two factors."""
    return {
        frozenset({(a, x), (b, y)}) for a, b in combinations(FACTORS, 2) for x, y in product(FACTORS[a], FACTORS[b])
    }


# ---- systems --------------------------------------------------------------------------------------------


@dataclass
class Draw:
    """Draws a system of a configuration.

    Args:
        config: its values.
        numbers: what decides.
    """

    config: Config
    numbers: random.Random
    resources: list[takt.Resource] = field(default_factory=list)

    def system(self) -> takt.System:
        """Draw one."""
        if self.config["protocol"]:
            protocols = {"mixed": self.numbers.choice([("pip", "npcs"), ("pip", "icpp"), ("npcs", "icpp")])}
            names = protocols.get(self.config["protocol"], (self.config["protocol"],) * 2)
            self.resources = [takt.Resource(name=r, protocol=p) for r, p in zip("RS", names, strict=True)]
        server = self._server()
        keys = self._tasks()
        self._limit(keys)
        if self.config["sleep"]:
            keys.append(self._plain("Z", len(keys), ["run 1", f"suspend {self.numbers.randint(1, 3)}", "run 1"]))
        is_beside = self.config["server"].startswith("beside")
        if is_beside:
            keys.append(self._plain("V", 0, [f"run {self.numbers.randint(1, 2)}"]) | {"deadline": 60})
        self._order(keys)
        if server is not None:
            inside = keys[-1:] if is_beside else keys
            for each in inside:
                each["server"] = "P"
        tasks = [takt.Task(**each) for each in self._with_arrivals(keys)]
        return takt.System(
            tasks=tasks,
            servers=[server] if server else [],
            resources=self.resources,
            policy=self.config["policy"],
            platform=self._platform(),
            seed=self.numbers.randrange(99),
        )

    def _platform(self) -> takt.Platform:
        """Draw what the kernel's own work costs."""
        if not self.config["costs"]:
            return takt.Platform()
        names = ("context_switch", "release", "scheduling", "point")
        return takt.Platform(**{"context_switch": 1} | {name: 1 for name in names if self.numbers.random() < 0.3})

    def _server(self) -> takt.Server | None:
        """Draw the server that some tasks are in."""
        if not self.config["server"]:
            return None
        where, kind = self.config["server"].split()
        kind = kind if kind != "cbs" or self.config["policy"] == "edf" else "deferrable"
        period = self.numbers.choice([2, 3, 4, 6] if where == "in" else [12, 24, 60])
        least = period - 1 if where == "in" else 1
        budget = self.numbers.randint(least, period if where == "in" else 3)
        priority = self.numbers.randint(0, 4)
        return takt.Server(
            name="P", kind=kind, period=period, budget=budget, priority=priority, policy=self.config["policy"]
        )

    def _tasks(self) -> list[dict[str, Any]]:
        """Draw tasks, of some shape or of none."""
        shape = SHAPES.get(self.config["shape"])
        if shape is not None:
            return [self._shaped(name, *spans) for name, spans in zip("ABC", shape, strict=False)]
        return [self._task(name, place) for place, name in enumerate("ABC"[: self.numbers.choice([2, 3, 3])])]

    def _shaped(
        self, name: str, before: Span, held: Span, behind: Span, period: Span, deadline: Span
    ) -> dict[str, Any]:
        """Draw a task of a shape; with costs sections and deadlines are longer."""
        longer = 2 if self.config["costs"] else 1
        section = self._runs(held[0] * longer, held[1] * longer)
        is_user = bool(section and self.resources)
        resource = "S" if self.config["shape"] == "early" and name == "A" else "R"
        body = [f"lock {resource}", *section, f"unlock {resource}"] if is_user else section
        keys = self._plain(name, 0, [*self._runs(*before), *body, *self._runs(*behind)])
        keys["min_separation"] = self._period(*period)
        keys["deadline"] = self.numbers.randint(*deadline) * longer
        if "jitter" in keys:
            keys["jitter"] = self.numbers.randint(2, max(keys["deadline"] - keys["wcet"], 2))
        return keys

    def _task(self, name: str, place: int) -> dict[str, Any]:
        """Draw a task; the less urgent it may become, the longer are its parts."""
        scale = 2 if self.config["costs"] else 1
        longest = (2, 6, 9)[min(place, 2)] * scale
        return self._plain(name, place, self._body(place, longest))

    def _plain(self, name: str, place: int, body: Sequence[str]) -> dict[str, Any]:
        """Return the keys of a task."""
        wcet = sum(int(item.split()[1]) for item in body if item.startswith("run"))
        scale = self.numbers.choice([1, 1, 2])
        period = self._period(max(scale * (12 + 14 * place), wcet), scale * (30 + 30 * place))
        least = min((wcet + 2 + 8 * place) * (2 if self.config["costs"] else 1), period)
        deadline = self.numbers.randint(least, self.numbers.choice([least + 12, period, period + 4]))
        more: dict[str, Any] = {}
        if self.config["jitter"] and self.numbers.random() < 0.6:
            more["jitter"] = self.numbers.choice([2, self.numbers.randint(3, 16)])
        if self.config["demand"] and self.numbers.random() < 0.5:
            more["demand"] = [self.numbers.choice([wcet, self.numbers.randint(1, wcet)]) for _ in range(7)]
        return {"name": name, "min_separation": period, "deadline": deadline, "wcet": wcet, "body": list(body)} | more

    def _period(self, least: int, most: int) -> int:
        """Draw a period; with jitter a prime one, so that all phases meet."""
        primes = [prime for prime in PRIMES if least <= prime <= most]
        return self.numbers.choice(primes) if self.config["jitter"] else self.numbers.randint(least, most)

    def _body(self, place: int, longest: int) -> list[str]:
        """Draw what a job does: in the middle a section may come late, and the least urgent one has a long one."""
        has_sections = self.config["protocol"] and self.numbers.random() < (0.8, 0.5, 1)[min(place, 2)]
        before = self._runs(0, (1, 4, 1)[min(place, 2)])
        body = before + (self._sections(longest) if has_sections else self._runs(1, longest))
        body += self._runs(0, (1, 1, 3)[min(place, 2)])
        return body if any(item.startswith("run") for item in body) else ["run 1", *body]

    def _runs(self, least: int, most: int) -> list[str]:
        """Draw a run, or none."""
        ticks = self.numbers.randint(least, most)
        return [f"run {ticks}"] if ticks else []

    def _sections(self, longest: int) -> list[str]:
        """Draw one or two sections."""
        is_nested = self.config["sections"] == "nested"
        first, second = ("R", "S") if is_nested or self.numbers.random() < 0.75 else ("S", "R")
        if is_nested and self.numbers.random() < 0.7:
            inner = self._section(second, 1, max(longest // 2, 1))
            return [f"lock {first}", *self._runs(0, 2), *inner, *self._runs(0, 2), f"unlock {first}"]
        body = self._section(first, 1, longest)
        if self.config["sections"] == "sequence" and self.numbers.random() < 0.7:
            body += self._runs(0, 2) + self._section(second, 1, longest)
        return body

    def _section(self, resource: str, least: int, most: int) -> list[str]:
        """Draw a section."""
        return [f"lock {resource}", *self._runs(max(least, most // 2), most), f"unlock {resource}"]

    def _limit(self, keys: list[dict[str, Any]]) -> None:
        """Limit the preemption of some tasks, at least of one."""
        limit = self.config["limit"]
        chosen = [each for each, share in zip(keys, (0.2, 0.8, 0.3), strict=False) if self.numbers.random() < share]
        chosen = chosen or [self.numbers.choice(keys)]
        for each in chosen if limit else []:
            if limit == "threshold":
                each["threshold"] = self.numbers.choice(keys)["name"]
                continue
            each["preemption"] = "non-preemptive"
            if limit != "whole":
                each["body"] = self._with_points(each["body"], is_inside=limit == "points inside")

    def _with_points(self, body: Sequence[str], *, is_inside: bool) -> list[str]:
        """Return runs with points between them, inside of sections or outside; a long run is cut."""
        found: list[str] = []
        depth = 0
        for place, item in enumerate(body):
            depth += item.startswith("lock") - item.startswith("unlock")
            ticks = int(item.split()[1]) if item.startswith("run") else 0
            may_be = (depth > 0) == is_inside
            if ticks > 1 and may_be and self.numbers.random() < 0.6:
                cut = self.numbers.randint(1, ticks - 1)
                found += [f"run {cut}", "point", f"run {ticks - cut}"]
            else:
                found.append(item)
            is_last = place == len(body) - 1
            if item.startswith("lock") and is_inside and self.numbers.random() < 0.2 and not is_last:
                found.append("point")
        return found

    def _order(self, keys: list[dict[str, Any]]) -> None:
        """Give priorities, mostly in the order of deadlines; name thresholds by priorities under fp."""
        ranked = sorted(keys, key=lambda each: each["deadline"])
        for rank, each in enumerate(ranked):
            each["priority"] = len(keys) - rank - (self.numbers.random() < 0.1)
        urgency = {each["name"]: each["priority"] for each in keys}
        more = {each["name"]: each["deadline"] for each in keys}
        for each in keys:
            name = each.get("threshold")
            if name is not None and self.config["policy"] == "fp":
                each["threshold"] = max(urgency[name], each["priority"])
            elif name is not None and more[name] > each["deadline"]:
                each["threshold"] = each["name"]

    def _with_arrivals(self, keys: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return all scenarios, one after the other; with jitter, which is drawn, in all phases."""
        if self.config["jitter"]:
            return [each | {"period": each.pop("min_separation"), "offset": 60} for each in keys]
        work = sum(each["wcet"] * -(-SPAN // each["min_separation"]) for each in keys)
        far = max(each["min_separation"] + each.get("jitter", 0) for each in keys)
        length = max(far + SPAN, 2 * work) // 24 * 24 + 24 + (5 if self.config["server"] else 0)
        offsets = [each for each in product(range(REACH), repeat=len(keys)) if 0 in each]
        self.numbers.shuffle(offsets)
        lists: list[list[int]] = [[] for _ in keys]
        for number, chosen in enumerate(offsets[:MOST]):
            begin = 60 + number * length
            for arrivals, each, offset in zip(lists, keys, chosen, strict=True):
                arrivals += range(begin + offset, begin + max(SPAN, offset + 1), each["min_separation"])
        return [each | {"arrivals": arrivals} for each, arrivals in zip(keys, lists, strict=True)]


MOST = 400
"""Of so many scenarios a system has at most: all of two and of three tasks, a sample of four and more."""


# ---- what is shown --------------------------------------------------------------------------------------


def worst_of(system: takt.System) -> dict[str, tuple[int, bool]]:
    """Return for each task the longest response, and whether a job has missed."""
    streams = [task.arrivals for task in system.resolved.tasks]
    last = [each.values[-1] for each in streams if each is not None]
    jobs = takt.simulate(system, max(last, default=HORIZON) + 400, jobs=True, segments=False).jobs
    rows = jobs.group_by("task").agg(pl.col("response").max(), pl.col("missed").any()).rows()
    return {task: (response or 0, missed) for task, response, missed in rows}


def denied(row: TaskBound, response: int, *, missed: bool) -> bool:
    """True if a simulation contradicts the row of a task."""
    is_above = row.response is not None and response > row.response
    return is_above or (missed and row.verdict is Verdict.SCHEDULABLE)


def check(config: Config, seed: int) -> list[str]:
    """Return the contradictions in the simulation of a system."""
    try:
        system = Draw(config, random.Random(seed)).system()
    except takt.InputError:
        seen["refused"] += 1
        return []
    rows = {row.task: row for row in judge(view_of(system)).rows()}
    worst = worst_of(system)
    for task, row in rows.items():
        note(config, row, worst.get(task, (0, False))[0], loses_ties=task == max(rows))
    return [
        f"{config} {seed}: {task} responds after {response}, missed {missed}: {rows[task]}"
        for task, (response, missed) in worst.items()
        if denied(rows[task], response, missed=missed)
    ]


def note(config: Config, row: TaskBound, response: int, *, loses_ties: bool) -> None:
    """Count what has come up. Responses under edf count ties against each task; the last of a file does lose them."""
    seen[row.verdict.value] += 1
    if row.response is not None and row.response > 0:
        seen["bounds"] += 1
        seen["attained"] += response == row.response
    if row.is_tight and not config["jitter"] and (loses_ties or config["policy"] != "edf"):
        seen["tight"] += 1
        seen["tight and attained"] += response == row.response


@pytest.mark.parametrize("part", range(4))
def test_no_arrivals_of_a_tiny_system_deny_its_bounds(part: int) -> None:
    numbers = random.Random(part if SYSTEMS is None else None)
    configs = covering(numbers)
    met: set[frozenset[tuple[str, str]]] = set()
    for _ in range(max(count(100), 100)):
        config = next(configs)
        met |= pairs_of(config)
        assert check(config, numbers.randrange(2**32)) == []
    assert met == _all_pairs()


PLAIN: Config = dict.fromkeys(FACTORS, "") | {"policy": "edf", "protocol": "pip", "sections": "one", "shape": "chain"}
LATE = {"policy": "fp", "limit": "whole", "shape": "late"}
EARLY = {"jitter": "jitter", "shape": "early"}
FAMILIES: dict[str, Config] = {
    "a ceiling below the deadline of a late job": EARLY | {"protocol": "srp"},
    "a ceiling below the deadline of a late user": EARLY | {"protocol": "pcp"},
    "a region and an inherited section": {"limit": "whole"},
    "a region and a ceiling": {"limit": "whole", "protocol": "pcp"},
    "a threshold and a section": {"limit": "threshold"},
    "a region and a section with costs": {"limit": "whole", "costs": "costs"},
    "a region and a section in a server": {"limit": "whole", "server": "in idling"},
    "a point in a section, npcs": {"limit": "points inside", "protocol": "npcs"},
    "a point in a section, srp": {"limit": "points inside", "protocol": "srp", "shape": ""},
    "a point in a section, static": {"policy": "fp", "limit": "points inside", "protocol": "icpp", "shape": ""},
    "a section in the last region, fp": LATE,
    "a section in the last region, dm": LATE | {"policy": "dm", "limit": "points"},
}
"""Combinations of which bounds were once wrong."""


@pytest.mark.parametrize("family", FAMILIES)
def test_no_arrivals_deny_bounds_that_were_wrong(family: str) -> None:
    config = {**PLAIN, **FAMILIES[family]}
    numbers = random.Random(family if SYSTEMS is None else None)
    for _ in range(count(80)):
        assert check(config, numbers.randrange(2**32)) == []


@pytest.mark.parametrize("policy", FACTORS["policy"])
def test_exact_responses_are_attained(policy: str) -> None:
    seen.clear()
    numbers = random.Random(policy)
    for _ in range(max(count(60), 60)):
        limit = numbers.choice(["", "whole", "points", "threshold"])
        assert (
            check({**PLAIN, "policy": policy, "protocol": "", "shape": "", "limit": limit}, numbers.randrange(2**32))
            == []
        )
    assert seen["tight and attained"] == seen["tight"] > 0
