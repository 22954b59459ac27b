# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples run, say what their comments say, and equal the golden schedules of the specification."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import polars as pl
import pytest
import takt
from places import EXAMPLE_FILES, GOLDEN

WITHOUT_LLF = ("architectures", "dhall", "machine", "shared_rates", "shared_server_resources")
"""Examples on an architecture, on several processors, and where resources have ceilings."""


def example(name: str) -> takt.System:
    """One example."""
    (path,) = [path for path in EXAMPLE_FILES if path.stem == name]
    return takt.load(path)


def golden(name: str) -> list[dict[str, str]]:
    """The rows of one golden file."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def segments(result: takt.Result) -> list[tuple[int, int, str, str]]:
    """Segments as the golden files list them: neighbours merged across jobs."""
    merged: list[tuple[int, int, str, str]] = []
    for start, end, server, task in result.segments.select("start", "end", "server", "task").rows():
        if merged and merged[-1][1:] == (start, server, task):
            start = merged.pop()[0]
        merged.append((start, end, server, task))
    return merged


WINDOWS = {
    "time-driven": {"time_driven"},
    "dual-priority": {"iot_node", "overload", "servers", "smallest", "time_driven"},
    "imprecise": {"iot_node", "smallest", "time_driven"},
    "pinwheel": {"time_driven"},
}
"""Policies that want more of a task set than others, and the examples that have it."""


def policies_of(path: Path) -> list[str]:
    """The policies that order any tasks, but for llf where that cannot be; those with windows where they fit; and the
    example's own."""
    general = ["dm", "edf", "fp"] + ["llf"] * (path.stem not in WITHOUT_LLF) + ["rm"] * (path.stem != "flows")
    general += [policy for policy, stems in WINDOWS.items() if path.stem in stems]
    general += ["rbe"] * (path.stem in ("iot_node", "overload", "servers", "smallest"))
    general += ["share"] * (path.stem in ("iot_node", "overload", "smallest"))
    own = str(takt.load(path).policy)
    return general + [own] * (own not in general)


@pytest.mark.parametrize(
    ("path", "policy"),
    [pytest.param(path, policy, id=f"{policy}-{path.stem}") for path in EXAMPLE_FILES for policy in policies_of(path)],
)
def test_every_example_runs_under_every_policy_that_fits_and_replays(path: Path, policy: str, tmp_path: Path) -> None:
    result = takt.simulate(takt.load(path).replace(policy=policy), trace=tmp_path / "T.takt")
    assert (result.summary["finished"] + result.summary["cut"] > 0).all()
    assert takt.replay(tmp_path / "T.takt").is_identical


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_every_example_begins_with_a_comment_that_says_how_to_run_it(path: Path) -> None:
    header = path.read_text().split("\n\n")[0]
    assert header.startswith("# ")
    assert re.search(rf"takt (run|compare) examples/{path.name}", header)


def test_the_iot_node_misses_under_fp_and_meets_every_deadline_under_edf() -> None:
    fp = takt.simulate(example("iot_node"))
    edf = takt.simulate(example("iot_node").replace(policy="edf"))
    assert fp.summary.filter(pl.col("missed") > 0)["task"].to_list() == ["packets"]
    assert edf.missed == 0


def test_the_smallest_example_misses_under_fp_and_not_under_edf() -> None:
    assert takt.simulate(example("smallest")).missed == 1
    assert takt.simulate(example("smallest").replace(policy="edf")).missed == 0


def test_dhalls_heavy_task_is_late_under_edf_and_rm_on_any_number_of_processors_and_not_if_it_comes_first() -> None:
    dhall = example("dhall")
    for cpus in (2, 4, 16):
        light = [dhall.tasks[1].replace(name=f"light-{number}") for number in range(cpus)]
        system = dhall.replace(cpus=cpus, tasks=[dhall.tasks[0], *light])
        late = {policy: takt.simulate(system.replace(policy=policy)) for policy in ("edf", "rm", "fp")}
        missed = {policy: dict(result.summary.select("task", "missed").rows()) for policy, result in late.items()}
        assert [missed[policy]["heavy"] for policy in ("edf", "rm", "fp")] == [1, 10, 0]
        assert all(result.missed == missed[policy]["heavy"] for policy, result in late.items())


def test_calls_of_the_example_with_an_allocator_fit_in_bulk_and_do_not_one_by_one() -> None:
    in_bulk = takt.simulate(example("allocator"))
    one_by_one = takt.simulate(in_bulk.system.replace(allocator=takt.Allocator(bulk=1, cost="1.5ms")))
    assert in_bulk.missed == 0
    shares = [result.summary["busy"][3] * 100 / result.horizon for result in (in_bulk, one_by_one)]
    assert shares == pytest.approx([7, 26], abs=1)
    assert one_by_one.summary.select("finished", "missed")[2].row(0) == (5, 11)


@pytest.mark.parametrize(("file", "policy"), [("basic_edf_57", "edf"), ("basic_rm_57", "fp")])
def test_the_smallest_example_equals_its_golden_schedules(file: str, policy: str) -> None:
    result = takt.simulate(example("smallest").replace(policy=policy))
    expected = [(int(row["start"]), int(row["end"]), "", row["task"]) for row in golden(file)]
    assert segments(result) == expected


def with_wcet_of_t2(wcet: int) -> takt.System:
    """The servers example, with another wcet of T2: test 1 of the paper has 2, test 2 has 6."""
    system = example("servers")
    tasks = [task.replace(wcet=wcet) if task.name == "T2" else task for task in system.tasks]
    return system.replace(tasks=tasks)


@pytest.mark.parametrize(("number", "wcet"), [(1, 2), (2, 6)])
def test_the_servers_example_equals_the_golden_schedules_to_the_tick(number: int, wcet: int) -> None:
    result = takt.simulate(with_wcet_of_t2(wcet))
    name = f"hsf_test{number}_deferrable"
    assert segments(result) == [
        (int(row["start"]), int(row["end"]), row["server"], row["task"])
        for row in golden(name)
        if row["task"] != "idle"
    ]
    finished = result.jobs.drop_nulls("finish").with_columns(pl.col("missed").cast(int))
    assert as_text(finished.drop("job")) == [tuple(row.values()) for row in golden(f"{name}_jobs")]
    assert as_text(result.budgets) == [tuple(row.values()) for row in golden(f"{name}_budget")]


def as_text(frame: pl.DataFrame) -> list[tuple[str, ...]]:
    """A frame as a file would say it."""
    return [tuple(map(str, row)) for row in frame.rows()]


def test_the_mode_change_needs_edf_from_then_on() -> None:
    system = example("mode_change")
    in_rm = system.replace(changes=[change.replace(policy=None) for change in system.changes])
    assert takt.simulate(system).missed == 0
    missed = takt.simulate(in_rm).jobs.filter(missed=True)
    assert set(missed["task"]) == {"camera"}
    assert takt.simulate(system).changes["instant"].to_list() == [60, 60, 60, 60, 130]


def test_the_drone_negotiates_its_rates() -> None:
    result = takt.simulate(example("negotiation"))
    answers = [detail.split("; ")[1] for detail in result.changes["detail"].to_list()]
    assert answers == ["in force from 120ms", "in force from 240ms", "rejected"]
    assert result.missed == 0


@pytest.mark.parametrize(("protocol", "control", "store"), [("hsrp", 6, 20), ("sirap", 4, 33), ("global-srp", 16, 31)])
def test_servers_that_share_a_bus_show_what_each_protocol_costs(protocol: str, control: int, store: int) -> None:
    system = example("shared_server_resources")
    result = takt.simulate(system.replace(resources=[system.resources[0].replace(protocol=protocol)]))
    first = dict(result.jobs.filter(pl.col("job") == 0).select("task", "response").rows())
    assert first == {"control": control, "store": store}
