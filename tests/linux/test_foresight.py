# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a domain foresees: it agrees when it follows, and each condition of the foresight is needed.

The program is simulated_linux.c, in which the foreseen job runs ahead of the domain. Each fault of linux/foresight.c is
found by it: the domain decides otherwise than was foreseen, or what ran is not what was simulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import net
import pytest
import takt
from places import EXAMPLES, ROOT
from recipes import compile_objects, found, link, recipe_of_linux
from test_domain import FOLDERS, check_replays, check_simulated

SOURCE = ROOT / "linux" / "foresight.c"
SEEDS = range(1, 13)
WINDOWS = 8

HEAD = 'schema = 1\n[system]\nresolution = "1us"\nhorizon = "3ms"\npolicy = "{policy}"\n'


def task(name: str, period: int, offset: int = 0, more: str = "") -> str:
    """Write a task of 10 us."""
    return (
        f'[[task]]\nname = "{name}"\nperiod = "{period}us"\noffset = "{offset}us"\nwcet = "10us"\n'
        f'deadline = "{period}us"\n{more}\n'
    )


def server(kind: str, more: str = "") -> str:
    """Write a server of 15 us each 100 us."""
    return f'[[server]]\nname = "s"\nkind = "{kind}"\nperiod = "100us"\nbudget = "15us"\n{more}\n'


SETS = {
    "plain": HEAD.format(policy="fp") + task("a", 100, 0, "priority = 2") + task("b", 70, 5, "priority = 1"),
    "together": HEAD.format(policy="fp") + task("a", 100, 30, "priority = 1") + task("b", 100, 30, "priority = 2"),
    "abort": HEAD.format(policy="edf")
    + task("a", 200, 0, 'demand = "130us"\non_miss = "abort"').replace('deadline = "200us"', 'deadline = "100us"')
    + task("b", 990, 177),
    "skip": HEAD.format(policy="edf") + task("a", 100, 0, 'demand = "130us"\non_miss = "skip"') + task("b", 990, 77),
    "overrun": HEAD.format(policy="edf")
    + task("a", 100, 0, 'demand = { distribution = "uniform", min = "2us", max = "150us" }'),
    "waiting": HEAD.format(policy="fp")
    + task("a", 100, 0, 'priority = 2\ndemand = { distribution = "uniform", min = "2us", max = "190us" }')
    + task("b", 170, 0, 'priority = 1\ndemand = "30us"'),
    "arrivals": HEAD.format(policy="fp")
    + task("a", 100, 0, 'priority = 1\ndemand = "60us"')
    + '[[task]]\nname = "c"\nmin_separation = "40us"\nwcet = "9us"\npriority = 2\n'
    + 'arrivals = ["30us", "75us", "120us", "285us", "330us", "390us", "1020us", "1555us"]\n',
    "suspensions": HEAD.format(policy="fp")
    + task("a", 100, 0, 'priority = 1\nbody = ["run 5us", "suspend 130us", "run 5us"]')
    + task("b", 330, 3, "priority = 2"),
    **{
        protocol: HEAD.format(policy="fp")
        + f'[[resource]]\nname = "r"\nprotocol = "{protocol}"\n'
        + task("a", 100, 20, 'priority = 2\nbody = ["run 2us", "lock r", "run 6us", "unlock r", "run 2us"]')
        + task("b", 300, 0, 'priority = 1\nbody = ["run 2us", "lock r", "run 6us", "unlock r", "run 2us"]')
        for protocol in ("pip", "pcp", "icpp", "srp", "npcs")
    },
    "changes": HEAD.format(policy="edf")
    + task("a", 100)
    + '[[change]]\nat = "950us"\ntask = "a"\nperiod = "60us"\nwcet = "5us"\ndeadline = "60us"\n'
    + '[[change]]\nat = "1510us"\nremove = ["a"]\n[[change]]\nat = "1720us"\nadd = ["a"]\n'
    + '[[change]]\nat = "2010us"\nremove = ["a"]\n[[change]]\nat = "2015us"\nadd = ["a"]\n',
    "points": HEAD.format(policy="fp")
    + task("a", 100, 0, 'priority = 1\npreemption = "non-preemptive"\nsubjobs = ["5us", "5us"]')
    + task("b", 70, 3, "priority = 2"),
    **{
        kind: HEAD.format(policy="edf")
        + server(kind)
        + task("a", 60, 7, 'server = "s"\ndemand = "12us"')
        + task("b", 95, 40)
        for kind in ("cbs", "deferrable", "hard-cbs", "idling", "polling", "sporadic", "sporadic-strict")
    },
}

FAULTS = {
    "other timers are not asked": (
        "way->until = takt_least_of(way->until, takt_timers_after_due(timers));",
        "(void)way;",
    ),
    "inputs of the image are not asked": ("way->until = takt_domain_next_input(domain);", "way->until = TAKT_NEVER;"),
    "a server without budget counts": ("way.budget > 0 &&", "1 &&"),
    "the end of a budget is not known": ("foresight->budget = way->budget;", "foresight->budget = TAKT_NEVER;"),
    "an abort is no end": ("is_aborted ? foresight->deadline", "is_aborted ? TAKT_NEVER"),
    "the next release is no end": ("takt_least_of(way->until, from + period)", "way->until"),
    "the next job has the number of the last one": ("foresight->job = task->job.number;", "foresight->job = 1;"),
    "changes that are under way do not count": ("extension->ahead == NULL && extension->behind == NULL", "1"),
    "an entry by the image does not count": (
        "takt_domain_entry_before(domain, task->entity, from + period)",
        "from + period",
    ),
    "jobs that an event releases are foreseen": ("takt_task_is_periodic(task) &&", "1 &&"),
    "a job runs already": ("if (takt_task_is_active(task) &&", "if (0 &&"),
    "another job runs": ("domain->system.cpus->running == NULL && has", "1 && has"),
    "another job is ready": ("takt_dispatcher_peek(dispatcher) == NULL &&", "1 &&"),
    "another job of the one that ends waits": ("entity->task->waiting == 0", "1"),
    "the next one has a threshold, or holds a resource": ("(entity->attributes & special) == 0", "special > 0"),
    "what is next when a job ends is known for ever": (
        "foresight->until = foresight->next;",
        "foresight->until = TAKT_NEVER;",
    ),
    "any timer is a release": ("way.timer->kind != TAKT_TIMER_RELEASE ||", "0 ||"),
}


def systems(folder: Path) -> Iterator[tuple[str, takt.System]]:
    """Yield the sets, and others whose jobs events release, or whose servers share resources."""
    for name, text in SETS.items():
        (folder / "set.toml").write_text(text)
        yield name, takt.load(folder / "set.toml")
    for number, (_, window) in enumerate(net.systems("windows")[:WINDOWS]):
        (folder / "set.toml").write_text(window)
        yield f"window {number}", takt.load(folder / "set.toml")
    yield "shared", takt.load(EXAMPLES / "shared_server_resources.toml")


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    how = recipe_of_linux()
    files = [file for file in found(*(f"{folder}/*.c" for folder in FOLDERS)) if not str(file).endswith("foresight.c")]
    return compile_objects(how, files, tmp_path_factory)


def program_with(source: Path, objects: list[Path], folder: Path) -> Path:
    """Link the program with a foresight."""
    return link(recipe_of_linux(), ["tests/linux/simulated_linux.c", str(source)], objects, folder / "simulated")


def checked(program: Path, folder: Path) -> dict[str, int]:
    """Check all sets, also with threads that are late and send nonsense; return how often jobs ran ahead in each."""
    aheads = {}
    for name, system in systems(folder):
        aheads[name] = check_simulated(program, system)
        for seed in SEEDS:
            check_replays(program, system, seed)
    return aheads


def test_each_set_has_jobs_that_run_ahead(objects: list[Path], tmp_path: Path) -> None:
    aheads = checked(program_with(SOURCE, objects, tmp_path), tmp_path)
    assert {name for name, count in aheads.items() if count == 0} == {
        f"window {number}" for number in range(WINDOWS)
    }, aheads


@pytest.mark.parametrize("fault", FAULTS)
def test_each_condition_of_the_foresight_is_needed(fault: str, objects: list[Path], tmp_path: Path) -> None:
    text, faulty = FAULTS[fault]
    source = SOURCE.read_text(encoding="utf-8")
    assert source.count(text) == 1
    (tmp_path / "foresight.c").write_text(source.replace(text, faulty))
    program = program_with(tmp_path / "foresight.c", objects, tmp_path)
    with pytest.raises(AssertionError):
        checked(program, tmp_path)
