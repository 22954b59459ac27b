# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of examples/admission_rtos: every port admits whom the host's analysis admits, and nobody admitted is late.

And of what admits: on every port it answers what it answers on the host, for small and for huge times.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sampling
import takt
from places import ROOT
from recipes import PORTS, emulator, must_build, recipe, run
from takt import _analysis
from takt._analysis import Tasks
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

ROOM, STEPS, SELDOM_US = 20, 100, 1_000_000_000
SCRIPTS = 6
HEADS = "task          jobs  late  longest us  bound us  deadline us  stack unused"
COSTS = re.compile(r"costs in us: release (\d+), switch (\d+), request (\d+) every (\d+), masked (\d+)")


@dataclass(frozen=True)
class Request:
    """A task that asks to enter. Times in us; `bound` is the largest response in any set in which it was."""

    name: str
    wcet: int
    period: int
    deadline: int
    priority: int
    bound: int = 0


@dataclass(frozen=True)
class Costs:
    """What the program says that the kernel costs, in us."""

    release: int
    switch: int
    request: int
    separation: int
    masked: int

    @property
    def is_nothing(self) -> bool:
        """True if the analysis is exact."""
        return self.release == self.switch == self.request == self.masked == 0


# ---- the host's side --------------------------------------------------------------------------------------------


def system_of(tasks: list[Request], costs: Costs) -> takt.System:
    """Describe tasks above the thread that admits, as a file would."""
    least = takt.Task(
        name="admission",
        period=SELDOM_US,
        wcet=max(costs.masked, 1),
        priority=0,
        preemption="non-preemptive" if costs.masked else "preemptive",
    )
    shown = [
        takt.Task(name=one.name, period=one.period, wcet=one.wcet, deadline=one.deadline, priority=one.priority)
        for one in tasks
    ]
    kernel = takt.Platform(
        release=costs.release, context_switch=costs.switch, tick=costs.request, tick_period=costs.separation
    )
    return takt.System(tasks=[*shown, least], policy="fp", resolution="1us", platform=kernel)


def responses_of(tasks: list[Request], costs: Costs, effort: int) -> list[int]:
    """Return the responses of tasks, most urgent first, and of the thread that admits, in `effort` steps."""
    columns = zip(*((one.wcet, one.period) for one in tasks), strict=True)
    wcet, period = ([*column, last] for column, last in zip(columns, (max(costs.masked, 1), SELDOM_US), strict=True))
    longest = np.array([0] * len(tasks) + [costs.masked], np.uint64)
    kernel = (costs.switch, costs.release, 0, 0, costs.request, costs.separation)
    found, _ = _analysis.overhead_responses(
        Tasks(np.array(wcet, np.uint64), np.array(period, np.uint64), longest=longest), kernel, effort=effort
    )
    return [int(ticks) for ticks in found]


@dataclass
class Model:
    """What the program must say, by the host's analysis."""

    costs: Costs
    tasks: list[Request] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def enter(self, request: Request) -> str:
        """Return the answer to a task that requests to enter."""
        if len(self.tasks) == ROOM:
            return self.say("no room", "refused: no room")
        if any(one.name == request.name for one in self.tasks):
            return self.say("there", "refused: it is there")
        if any(one.priority == request.priority for one in self.tasks):
            return self.say("taken", "refused: its priority is taken")
        return self.judge(request)

    def judge(self, request: Request) -> str:
        """Return the answer to a task whose responses are to be analysed."""
        asked = sorted([*self.tasks, request], key=lambda one: -one.priority)
        ticks = responses_of(asked, self.costs, STEPS)[:-1]
        late = [one for one, response in zip(asked, ticks, strict=True) if response > one.deadline]
        if late:
            return self.refuse(late[0], dict(zip(asked, ticks, strict=True))[late[0]])
        self.check_against_files(asked, ticks)
        self.tasks = [replace(one, bound=max(one.bound, response)) for one, response in zip(asked, ticks, strict=True)]
        own = ticks[asked.index(request)]
        return self.say("admitted", f"admitted: response {own} of {request.deadline} us")

    def refuse(self, late: Request, response: int) -> str:
        """Return the task that would be late."""
        if response == _analysis.UNKNOWN:
            return self.say("undecided", "refused: too many steps")
        if response == _analysis.UNBOUNDED:
            return self.say("unbounded", f"refused: {late.name} would have no bound")
        return self.say("late", f"refused: {late.name} would take {response} of {late.deadline} us")

    def check_against_files(self, asked: list[Request], ticks: list[int]) -> None:
        """Check that `takt analyse` would say the same of a file."""
        rows = {row.task: row for row in judge(view_of(system_of(asked, self.costs))).rows()}
        assert [rows[one.name].response for one in asked] == ticks
        assert all(rows[one.name].verdict is Verdict.SCHEDULABLE for one in asked)

    def leave(self, name: str) -> Request | None:
        """Return the request of a task that leaves."""
        left = next((one for one in self.tasks if one.name == name), None)
        self.tasks = [one for one in self.tasks if one.name != name]
        return left

    def say(self, kind: str, text: str) -> str:
        """Count an answer."""
        self.said[kind] += 1
        return text


# ---- the program's side -------------------------------------------------------------------------------------------


@cache
def built(port: str) -> tuple[Path, list[str]]:
    """Build the example by its one command; give the program, and what it prints."""
    done = run(["make", "--no-print-directory", "admission", f"PORT={port}"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()
    (program,) = [
        path for path in (ROOT / "build" / f"admission-{port}").glob("admission*") if path.suffix in ("", ".elf")
    ]
    return program, done.stdout[done.stdout.index("costs in us") :].splitlines()


def run_with_words(port: str, program: Path, *words: Path) -> list[str]:
    """Run a program with words on its command line; give the lines that it prints."""
    command = [str(word) for word in emulator(recipe(port))]
    if command:
        host = command.index("-semihosting-config") + 1
        command[host] += "".join(f",arg={word}" for word in ("program", *words))
    done = run([*command, program, *([] if command else words)])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout.splitlines()


def own_script() -> str:
    """Return the requests that the program contains."""
    source = (ROOT / "examples" / "admission_rtos" / "main.c").read_text(encoding="utf-8")
    (text,) = re.findall(r"static const char text\[\] =\s*(.*?);", source, re.DOTALL)
    return "\n".join(re.findall(r'"(.*?)\\n"', text))


@dataclass
class Outcome:
    """What a run has shown besides that it was right."""

    said: Counter[str]
    jobs: int = 0
    tight: int = 0

    def look_at_row(self, line: str, task: Request) -> None:
        """Look at what the program has counted of a task: nothing late, nothing beyond the bound."""
        name, jobs, late, longest, bound, deadline, unused = line.split()
        assert (name, int(bound), int(deadline)) == (task.name, task.bound, task.deadline)
        assert int(late) == 0
        assert int(longest) <= task.bound
        assert int(unused) > 0
        self.jobs += int(jobs)
        self.tight += int(longest) == task.bound


def look(script: str, lines: list[str]) -> Outcome:
    """Hold what the program prints, line by line, against the host's analysis."""
    rest = iter(lines)
    match = COSTS.fullmatch(next(rest))
    assert match is not None
    model = Model(Costs(*map(int, match.groups())))
    outcome = Outcome(model.said)
    for _, what, *words in map(str.split, [line for line in script.splitlines() if not line.startswith("#")]):
        if what == "enter":
            answer = model.enter(Request(words[0], *map(int, words[1:])))
            line = next(rest).split("] ", 1)[1]
            assert re.sub(r", \d+ steps$", "", line) == f"{words[0]} {answer}"
            check_steps(model, line)
        elif what == "leave":
            left = model.leave(words[0])
            assert next(rest).endswith(f"{words[0]} is not there" if left is None else f"{words[0]} leaves:")
            if left is not None:
                assert next(rest) == HEADS
                outcome.look_at_row(next(rest), left)
    assert next(rest) == HEADS
    for task in model.tasks:
        outcome.look_at_row(next(rest), task)
    assert list(rest) == []
    return outcome


def check_steps(model: Model, line: str) -> None:
    """Check that an admission took as many steps as on the host: with one less not all is known."""
    match = re.search(r" admitted: .*, (\d+) steps$", line)
    if match is not None and int(match.group(1)) < STEPS:
        steps = int(match.group(1))
        known = [_analysis.UNKNOWN not in responses_of(model.tasks, model.costs, given) for given in (steps - 1, steps)]
        assert known == [False, True]


# ---- tests ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("port", PORTS)
def test_what_the_example_says_is_what_the_hosts_analysis_says(port: str) -> None:
    outcome = look(own_script(), built(port)[1])
    assert outcome.said["admitted"] >= 6
    assert {"late", "unbounded", "taken"} <= set(outcome.said) | {"taken"}
    assert outcome.jobs > 400


def test_without_costs_jobs_come_to_their_bounds() -> None:
    assert look(own_script(), built("posix")[1]).tight >= 1


def random_script(seed: int) -> str:
    """Draw requests: tasks that come and go, few large ones or many small ones, all together too much."""
    draw = random.Random(seed)
    is_crowd = seed % 2 == 1
    names, largest, leaves = (40, 0.06, 0.1) if is_crowd else (16, 0.25, 0.25)
    lines, at = list[str](), 0
    for _ in range(2 * names):
        at += draw.randrange(10, 60)
        name = f"T{draw.randrange(names)}"
        if draw.random() < leaves:
            lines.append(f"{at} leave {name}")
            continue
        period = round(5000 * 40 ** draw.random())
        wcet = max(round(period * draw.uniform(0.01, largest)), 100)
        deadline = round(period * draw.choice((0.6, 1, 1, 1.5)))
        urgency = 29 - round(12 * math.log10(deadline / 3000)) + draw.randrange(-2, 3)
        lines.append(f"{at} enter {name} {wcet} {period} {deadline} {min(max(urgency, 1), 29)}")
    return "\n".join([*lines, f"{at + 500} end"])


@pytest.mark.parametrize("port", PORTS)
def test_random_requests_are_answered_as_the_host_does_and_nobody_is_late(port: str, tmp_path: Path) -> None:
    said, tight, jobs = Counter[str](), 0, 0
    first = 0 if sampling.SYSTEMS is None else 2 * random.randrange(1 << 30)
    for seed in range(first, first + sampling.count(SCRIPTS)):
        script = tmp_path / "requests.txt"
        script.write_text(random_script(seed), encoding="utf-8")
        outcome = look(random_script(seed), run_with_words(port, built(port)[0], script))
        said.update(outcome.said)
        tight, jobs = tight + outcome.tight, jobs + outcome.jobs
    print(port, first, dict(said), "tight", tight, "jobs", jobs)
    assert tight == 0 or port == "posix"
    sampling.expect_cases(tight > 0 or port != "posix")
    sampling.expect_cases(said["admitted"] > 5 * SCRIPTS and jobs > 300 * SCRIPTS)
    sampling.expect_cases(said["late"] > 0 and said["undecided"] + said["no room"] > 0)


BROKEN = (
    "soon enter T1 1 2 3 4",
    "0 enter T1 0 5 5 1",
    "0 enter T1 1 5 5 30",
    "0 enter T1 1 5 5 1 1",
    "0 go",
    "0 leave",
)


@pytest.mark.parametrize("line", BROKEN)
def test_a_line_that_is_no_request_ends_the_program(line: str, tmp_path: Path) -> None:
    program, _ = built("posix")
    script = tmp_path / "requests.txt"
    script.write_text(f"# T1 asks\n\n{line}\n", encoding="utf-8")
    done = run([program, script])
    assert (done.returncode, done.stdout.splitlines()[1]) == (1, "line 3 is no request")


def test_the_readme_of_the_analyses_shows_what_is_printed() -> None:
    readme = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)```$", readme, re.MULTILINE | re.DOTALL)
    lines = [line for line in shown.splitlines() if line != "..."]
    printed_lines = built("cortex_m")[1]
    assert lines == [line for line in printed_lines if line in lines]


# ---- the analyses themselves ----------------------------------------------------------------------------------

# Reads words of 64 bits from the first file that its command line names: how many sets, and of each the steps, how many
# tasks, and C, T, D, J of these. Writes the answers into the second file, likewise.
ANSWERING = """\
#include "analysis/qpa.h"
#include "analysis/response_times.h"
#include "firmware/semihost.h"

enum { WORDS = 1 << 17, MOST_TASKS = 20 };

static uint64_t asked[WORDS], answers[WORDS];
static uint64_t *answer = answers;

static takt_fraction_t fractions[MOST_TASKS];
static uint64_t next_releases[MOST_TASKS], later_releases[MOST_TASKS];
static takt_response_t responses[MOST_TASKS];
static takt_demand_line_t lines[MOST_TASKS];

static void find_responses(const takt_sporadic_t *tasks, uint32_t count, takt_effort_t effort) {
    const takt_children_t set = {.tasks = tasks, .count = count};
    takt_fp_responses(&set, (takt_fp_memory_t){fractions, next_releases, later_releases, NULL}, &effort, responses);
    *answer++ = effort;
    for (uint32_t i = 0; i < count; i++) {
        *answer++ = responses[i].is_bounded ? responses[i].ticks : UINT64_MAX - !responses[i].is_decided;
        *answer++ = responses[i].job;
    }
}

static void test_by_demand(const takt_sporadic_t *tasks, uint32_t count, takt_effort_t effort) {
    const takt_edf_blocking_t nothing = {0};
    takt_demand_room_t room = {lines, fractions, next_releases};
    const takt_children_t children = {.tasks = tasks, .count = count};
    const takt_demand_t demand = takt_qpa(&children, &nothing, &room, &effort);
    *answer++ = effort;
    *answer++ = demand.verdict;
    *answer++ = demand.interval;
    *answer++ = demand.ticks;
}

void takt_port_fault(void) { takt_semihost_exit(1); }

static char *cut(char *words) {
    while (*words != ' ' && *words != 0) {
        words++;
    }
    *words = 0;
    return words + 1;
}

int main(void) {
    static char command[512];
    static takt_sporadic_t tasks[MOST_TASKS];
    size_t bytes;
    char *const in = takt_semihost_command_line(command, sizeof command) ? cut(command) : command;
    char *const out = cut(in);
    if (!takt_semihost_load(in, asked, sizeof asked, &bytes)) {
        takt_semihost_exit(2);
    }
    const uint64_t *word = asked;
    for (uint64_t sets = *word++; sets > 0; sets--) {
        const takt_effort_t effort = *word++;
        const uint32_t count = (uint32_t)*word++;
        for (uint32_t i = 0; i < count; i++, word += 4) {
            tasks[i] = (takt_sporadic_t){word[0], word[1], word[2], word[3]};
        }
        find_responses(tasks, count, effort);
        test_by_demand(tasks, count, effort);
    }
    takt_semihost_exit(takt_semihost_save(out, answers, (size_t)(answer - answers) * sizeof *answer) ? 0 : 3);
}
"""

Row = tuple[int, int, int, int]


@dataclass(frozen=True)
class Asked:
    """A task set, most urgent first, as rows of C, T, D, J; and how many steps an answer may take."""

    effort: int
    rows: list[Row]

    @property
    def words(self) -> list[int]:
        """As the program reads it."""
        return [self.effort, len(self.rows), *(number for row in self.rows for number in row)]

    def responses(self, effort: int) -> list[int]:
        """Return response and job of each task, by the host."""
        wcet, period, _, jitter = (np.array(column, np.uint64) for column in zip(*self.rows, strict=True))
        ticks, jobs = _analysis.fp_responses(Tasks(wcet, period, jitter=jitter), effort=effort)
        return [int(number) for pair in zip(ticks, jobs, strict=True) for number in pair]

    def demand(self, effort: int) -> list[int]:
        """Return verdict, interval and demand, by the host."""
        wcet, period, deadline, jitter = (np.array(column, np.uint64) for column in zip(*self.rows, strict=True))
        return list(_analysis.edf_demand(Tasks(wcet, period, deadline, jitter), effort=effort)[:3])


def random_set(draw: random.Random) -> Asked:
    """Draw a task set: times of a few ticks or of up to 62 bits, U from a half to a little more than 1."""
    count, bits = draw.randrange(1, 21), draw.choice((4, 10, 16, 30, 45, 61))
    load = draw.uniform(0.5, 1.05)
    shares = [draw.random() for _ in range(count)]
    rows = list[Row]()
    for share in shares:
        period = draw.randrange(2, 2 ** draw.randrange(2, bits + 1))
        wcet = min(max(int(period * load * share / sum(shares)), 1), period)
        deadline = max(draw.choice((period, period // 2 + wcet, 2 * period)), 1)
        rows.append((wcet, period, deadline, draw.choice((0, 0, period // 8))))
    return Asked(draw.choice((10, 100, 1000)), sorted(rows, key=lambda row: row[2]))


def answers_of(port: str, sets: list[Asked], folder: Path) -> list[int]:
    """Return the answers of the analyses on a port, linked with the libraries of the example."""
    how, source, program = recipe(port), folder / "answering.c", folder / f"answering-{port}.elf"
    source.write_text(ANSWERING, encoding="utf-8")
    libraries = sorted((built(port)[0].parent / "takt").glob("*.a"))
    group: list[str | Path] = ["-Wl,--start-group", *libraries, *how["libs"], "-Wl,--end-group"]
    must_build([how["cc"], *how["cflags"], *how["ldflags"], source, *group, "-o", program])
    np.array([len(sets), *(word for one in sets for word in one.words)], np.uint64).tofile(folder / "asked")
    run_with_words(port, program, folder / "asked", folder / "answers")
    return [int(word) for word in np.fromfile(folder / "answers", np.uint64)]


@pytest.mark.parametrize("port", PORTS)
def test_analyses_answer_on_every_port_what_they_answer_on_the_host(port: str, tmp_path: Path) -> None:
    draw = random.Random(0 if sampling.SYSTEMS is None else None)
    seen = Counter[str]()
    for _ in range(sampling.count(2)):
        sets = [random_set(draw) for _ in range(400)]
        words = iter(answers_of(port, sets, tmp_path))
        for one in sets:
            left = next(words)
            found = [next(words) for _ in range(2 * len(one.rows))]
            assert found == one.responses(one.effort), one
            steps, is_known = one.effort - left, _analysis.UNKNOWN not in found
            seen["known" if is_known else "unknown"] += 1
            assert [one.responses(given) == found for given in (steps - 1, steps)] == [False, True] or not is_known
            left = next(words)
            verdict = [next(words) for _ in range(3)]
            assert verdict == one.demand(one.effort), one
            seen[f"edf {verdict[0]}"] += 1
        assert list(words) == []
    print(port, dict(seen))
    sampling.expect_cases(min(seen[kind] for kind in ("known", "unknown", "edf 0", "edf 1", "edf 2")) > 0)
