# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A policy or a key that is new to this build: what the analysis does not know it does not prove, and nothing crashes.

Policies, a kind of servers, a protocol and a key are added to a copy of the sources as the guides of docs/how-to say.
FIFO looks like any other policy of job-level keys; another policy is edf, letter by letter, under another name. Copies
of all rows stand before and behind the others, with every subset of their traits: they change no answer about these.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import added_rows
import how_to
import pytest
import takt
from places import EXAMPLE_FILES, ROOT
from takt import _core
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from takt.model import catalogue

FOLDERS = ("core", "policy", "system", "sim", "analysis", "cmake", "kernel", "port", "boards", "firmware")

REFUSED_BY_FIFO = '[[task]] "A" threshold: expected none under "POLICY", which gives tasks no levels, found "B"'


def change(path: Path, *pairs: tuple[str, str]) -> str:
    """Replace texts that stand in a file."""
    text = path.read_text()
    for old, new in pairs:
        assert old in text, (path, old)
        text = text.replace(old, new)
    return text


def name_beside(path: Path, old: str, new: str) -> None:
    """Put the text of further declarations or rows in the place of one."""
    path.write_text(change(path, (old, new)))


def add_policies(sources: Path) -> None:
    """Add FIFO as its guide says, FIFO with a trait, and a copy of edf."""
    how_to.apply("add-a-policy", sources)
    part = sources / "policy"
    named = (("takt_policy_fifo", "takt_policy_busy"), ('"fifo"', '"busy-fifo"'))
    trait = ("};\n", "    .traits = TAKT_POLICY_WORK_CONSERVING,\n};\n")
    (part / "busy.c").write_text(change(part / "fifo.c", *named, trait))
    (part / "copy.c").write_text(change(part / "edf.c", ("takt_policy_edf", "takt_policy_copy"), ('"edf"', '"copy"')))
    name_beside(part / "table.h", "takt_policy_fifo;", "takt_policy_fifo, takt_policy_busy, takt_policy_copy;")
    name_beside(part / "table.c", "&takt_policy_fifo,", "&takt_policy_busy, &takt_policy_copy, &takt_policy_fifo,")


def add_kinds(sources: Path) -> None:
    """Add a kind of servers as its guide says, and the same without traits."""
    how_to.apply("add-a-server-kind", sources)
    part = sources / "core"
    named = (("takt_server_twin", "takt_server_unheard"), ('"twin"', '"unheard"'))
    traits = ("    .traits = TAKT_KIND_DEFERS,\n", "")
    (part / "server_unheard.c").write_text(change(part / "server_twin.c", *named, traits))
    name_beside(part / "server.h", "takt_server_twin;", "takt_server_twin, takt_server_unheard;")
    name_beside(part / "server_kinds.c", "&takt_server_twin,", "&takt_server_twin, &takt_server_unheard,")


def add_protocols(sources: Path) -> None:
    """Add a protocol as its guide says, and the same without traits."""
    how_to.apply("add-a-protocol", sources)
    part = sources / "core"
    named = (("takt_protocol_pcp_twin", "takt_protocol_pcp_unheard"), ('"pcp_twin"', '"pcp_unheard"'))
    traits = ("    .is_bounded = true,\n", "")
    (part / "protocol_pcp_unheard.c").write_text(change(part / "protocol_pcp_twin.c", *named, traits))
    row = "&takt_protocol_pcp_twin, [TAKT_PROTOCOL_UNHEARD] = &takt_protocol_pcp_unheard,"
    name_beside(part / "protocol.h", "pcp_twin;", "pcp_twin, takt_protocol_pcp_unheard;")
    name_beside(part / "protocols.c", "&takt_protocol_pcp_twin,", row)
    name_beside(part / "resource.h", "TAKT_PROTOCOLS = 11,", "TAKT_PROTOCOL_UNHEARD = 11, TAKT_PROTOCOLS = 12,")


def add_architectures(sources: Path) -> None:
    """Add an architecture as its guide says, and one with traits that no theorem covers together."""
    how_to.apply("add-an-architecture", sources)
    twin, unheard = 'X(TWIN, "twin", .is_entered = false)', 'X(UNHEARD, "unheard", .has_latency = true)'
    name_beside(sources / "system" / "architectures.h", twin, f"{twin} {unheard}")


def add_keys(sources: Path) -> None:
    """Add a key of servers and one of the kernel's work, which nothing uses."""
    tables = sources / "python/takt/model/tables.py"
    for key in ("    parent: OptionalName = None\n", "    point: Offset = 0\n"):
        name_beside(tables, key, f"{key}    lag: Offset = 0\n")
    for table in ("SERVER", "COSTS"):
        head = f"#define TAKT_{table}_FIELDS(X, T) \\\n"
        line = '    X(T, takt_duration_t, lag, lag, TIME, "ticks", 0, TAKT_TIME_MOST, 0, UNREAD, "not used") \\\n'
        name_beside(sources / "system/fields.def", head, head + line)


def must_run(command: list[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the extension with the new policies, unoptimised, and give a folder with the package."""
    sources = tmp_path_factory.mktemp("sources")
    for part in FOLDERS:
        shutil.copytree(ROOT / part, sources / part)
    shutil.copy(ROOT / "CMakeLists.txt", sources)
    shutil.copytree(ROOT / "python", sources / "python", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs" / "reference", sources / "docs" / "reference")
    add_policies(sources)
    add_kinds(sources)
    add_protocols(sources)
    add_architectures(sources)
    how_to.apply("add-a-key-that-core-uses", sources)
    add_keys(sources)
    added_rows.add_copies(sources)
    build, folder = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("package")
    options = ["-DTAKT_PYTHON=ON", "-DCMAKE_BUILD_TYPE=Plain", f"-DPython_EXECUTABLE={sys.executable}"]
    must_run(["cmake", "-G", "Ninja", "-S", sources, "-B", build, *options])
    must_run(["cmake", "--build", build, "--target", "_core"])
    shutil.copytree(sources / "python" / "takt", folder / "takt")
    analysis = importlib.util.find_spec("takt._analysis")
    assert analysis is not None
    assert analysis.origin is not None
    for extension in [*build.glob("_core.*"), Path(analysis.origin)]:
        shutil.copy(extension, folder / "takt")
    for part in FOLDERS:
        shutil.copytree(sources / part, folder / "takt" / "source" / part)
    return folder


ANSWER = """
import json, sys, tempfile, takt
from takt.board import emulation
from takt.model import key_types

def made(text, policy):
    given = json.loads(text.replace("POLICY", policy))
    kinds = {"tasks": takt.Task, "servers": takt.Server, "resources": takt.Resource, "changes": takt.Change}
    lists = {key: [kinds[key](**each) for each in given.pop(key, [])] for key in kinds}
    platform = takt.Platform(**given.pop("platform", {}))
    return takt.System(**lists, platform=platform, **({"policy": policy} | given))

def told(text, policy, board):
    try:
        system = made(text, policy)
    except takt.InputError as error:
        return {"error": str(error).replace(policy, "POLICY")}
    found, seen = takt.analyse(system), takt.simulate(system, 100)
    rows = [
        (row.task, row.verdict.value, row.response, row.reason.replace(policy, "POLICY"), row.test and row.test.name)
        for row in found.tasks
    ]
    answer = {"verdict": found.verdict.value, "reason": found.reason.replace(policy, "POLICY"), "rows": rows}
    answer |= {"missed": seen.missed, "segments": seen.segments.rows()}
    if board:
        with tempfile.TemporaryDirectory() as folder:
            trace = emulation.run(system.replace(horizon=100), folder + "/T.takt", board)
            answer["trace"] = trace.data.hex()
    return answer

policy, board, *texts = sys.argv[1:]
print(json.dumps([told(text, policy, board) for text in texts]))
"""

TASKS = [{"name": "A", "period": 5, "wcet": 1, "deadline": 2, "offset": 1}, {"name": "B", "period": 20, "wcet": 6}]
SHARING = [{"name": name, "period": 20, "body": ["run 1", "lock R", "run 2", "unlock R"]} for name in "AB"]
INSIDE = [{"name": "A", "period": 20, "wcet": 2, "server": "S"}, {"name": "B", "period": 20, "wcet": 6}]


def server(**keys: object) -> dict[str, object]:
    return {"name": "S", "period": 5, "budget": 2} | keys


SYSTEMS: dict[str, dict[str, Any]] = {
    "plain": {"tasks": TASKS},
    "threshold": {"tasks": [TASKS[0] | {"threshold": "B"}, TASKS[1]]},
    "own threshold": {"tasks": [TASKS[0] | {"threshold": "A"}, TASKS[1]]},
    "not preemptive": {"tasks": [TASKS[0], TASKS[1] | {"preemption": "non-preemptive"}]},
    "jitter": {"tasks": [TASKS[0] | {"deadline": 5, "jitter": 1}, TASKS[1]]},
    "srp": {"tasks": SHARING, "resources": [{"name": "R", "protocol": "srp"}]},
    "pcp": {"tasks": SHARING, "resources": [{"name": "R", "protocol": "pcp"}]},
    "costs": {"tasks": TASKS, "platform": {"context_switch": 1}},
    "processors": {"tasks": TASKS, "cpus": 2},
    "becomes": {"tasks": TASKS, "policy": "fp", "changes": [{"at": 60, "policy": "POLICY"}]},
    "another than it": {"tasks": TASKS, "changes": [{"at": 60, "policy": "rm"}]},
    "software": {"tasks": TASKS, "platform": {"model": "software", "interval": 1}},
    "coprocessor": {"tasks": TASKS, "platform": {"model": "coprocessor", "latency": 1}},
    "hardware": {"tasks": TASKS, "platform": {"model": "hardware"}},
    **{f"over {kind.name}": {"tasks": INSIDE, "servers": [server(kind=kind.name)]} for kind in takt.server_kinds()},
    **{
        f"in {kind.name}": {"tasks": INSIDE, "servers": [server(kind=kind.name, policy="POLICY")], "policy": root}
        for kind in takt.server_kinds()
        if not kind.is_rule
        for root in ["edf" if kind.wants_deadline else "fp"]
    },
}


def answers(
    package: Path, policy: str, *systems: dict[str, Any], board: str = "", cache: Path | None = None
) -> list[dict[str, Any]]:
    """Analyse and simulate systems with the package that was built, and run them on a board."""
    command = [sys.executable, "-c", ANSWER, policy, board, *map(json.dumps, systems)]
    environment = {**os.environ, "PYTHONPATH": str(package)} | ({"XDG_CACHE_HOME": str(cache)} if cache else {})
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def answer(package: Path, policy: str, **more: object) -> dict[str, Any]:
    """Analyse and simulate two tasks; `more` are keys of A."""
    (told,) = answers(package, policy, {"tasks": [TASKS[0] | more, TASKS[1]]})
    return told


def test_a_policy_without_a_test_is_not_proved_by_that_of_another_one(package: Path) -> None:
    told = answer(package, "fifo")
    assert told["missed"] == 5
    assert (told["verdict"], told["reason"]) == ("not known", "there is no test of POLICY")


def test_a_policy_without_levels_refuses_a_task_as_threshold(package: Path) -> None:
    assert answer(package, "fifo", threshold="B") == {"error": REFUSED_BY_FIFO}


def test_a_copy_of_edf_is_edf_everywhere(package: Path) -> None:
    own = answers(package, "edf", *SYSTEMS.values())
    for name, copied, wanted in zip(SYSTEMS, answers(package, "copy", *SYSTEMS.values()), own, strict=True):
        assert copied == wanted, name
    assert not [name for name, told in zip(SYSTEMS, own, strict=True) if "error" in told]
    assert {told["verdict"] for told in own} >= {"schedulable", "not schedulable"}


def test_a_copy_of_edf_is_edf_on_a_board(package: Path, tmp_path: Path) -> None:
    chosen = [SYSTEMS[name] for name in ("plain", "threshold", "srp", "over cbs")]
    own, copied = (answers(package, name, *chosen, board="posix", cache=tmp_path) for name in ("edf", "copy"))
    assert [told["segments"] for told in copied] == [told["segments"] for told in own]
    assert all(told["trace"] for told in copied)


def test_fifo_is_never_proved_where_it_misses(package: Path) -> None:
    drawn = random.Random(1)
    systems = [
        {
            "tasks": [
                {
                    "name": f"T{number}",
                    "period": drawn.choice([5, 8, 10, 20]),
                    "wcet": drawn.randint(1, 4),
                    "deadline": drawn.randint(4, 20),
                }
                for number in range(drawn.randint(1, 3))
            ]
        }
        for _ in range(60)
    ]
    for policy in ("fifo", "busy-fifo"):
        found = answers(package, policy, *systems)
        assert not [told for told in found if told["verdict"] == "schedulable" and told["missed"]]
        assert any(told["missed"] for told in found)
    assert any(told["verdict"] == "schedulable" for told in found)


def nested(inner: str, outer: str) -> dict[str, Any]:
    """Return a system with a server in a server."""
    around = {"name": "Q", "period": 5, "budget": 3, "priority": 1, "kind": outer}
    return {"tasks": INSIDE, "servers": [server(kind=inner, parent="Q"), around], "policy": "fp"}


KINDS = {
    "one": {"tasks": INSIDE, "servers": [server(kind="KIND")], "policy": "fp"},
    "by deadlines": {"tasks": INSIDE, "servers": [server(kind="KIND", policy="edf")], "policy": "edf"},
    "nested": nested("KIND", "idling"),
    "around": nested("idling", "KIND"),
    "in sporadic": nested("KIND", "sporadic"),
    "costs": {"tasks": INSIDE, "servers": [server(kind="KIND")], "policy": "fp", "platform": {"context_switch": 1}},
    "shared": {
        "tasks": [SHARING[0] | {"server": "S"}, SHARING[1]],
        "servers": [server(kind="KIND", budget=4)],
        "resources": [{"name": "R", "protocol": "hsrp"}],
        "policy": "fp",
    },
}


ANY_ORDER = "longest busy period, any order"
NESTED = ["run 1", "lock Q", "lock R", "run 1", "unlock R", "unlock Q"]

PROTOCOLS: dict[str, dict[str, Any]] = {
    **{policy: {"tasks": SHARING, "policy": policy} for policy in ("fp", "rm", "dm", "edf")},
    "nested": {"tasks": [SHARING[0], {"name": "C", "period": 40, "body": NESTED}], "policy": "fp"},
    "costs": {"tasks": SHARING, "policy": "fp", "platform": {"context_switch": 1}},
    "in a server": {"tasks": [each | {"server": "S"} for each in SHARING], "servers": [server(budget=4)]},
    "nested, by deadlines": {"tasks": [SHARING[0], {"name": "C", "period": 40, "body": NESTED}], "policy": "edf"},
}


def under(package: Path, protocol: str) -> list[dict[str, Any]]:
    """Analyse and simulate systems with a protocol."""
    resources = [{"name": name, "protocol": protocol} for name in "QR"]
    found = answers(package, "fp", *({"resources": resources} | system for system in PROTOCOLS.values()))
    return json.loads(json.dumps(found).replace(protocol, "PROTOCOL"))  # type: ignore[no-any-return]


def test_a_copy_of_a_protocol_is_that_protocol_everywhere(package: Path) -> None:
    own = under(package, "pcp")
    for name, copied, wanted in zip(PROTOCOLS, under(package, "pcp_twin"), own, strict=True):
        assert copied == wanted, name
    assert not [name for name, told in zip(PROTOCOLS, own, strict=True) if "error" in told]
    assert any(told["verdict"] == "schedulable" for told in own)


def test_of_a_protocol_without_traits_only_what_holds_in_any_order_is_known(package: Path) -> None:
    for name, found, wanted in zip(PROTOCOLS, under(package, "pcp_unheard"), under(package, "pcp"), strict=True):
        assert found["segments"] == wanted["segments"], name
        proofs = {test for _, verdict, _, _, test in found["rows"] if verdict == "schedulable"}
        assert proofs <= {ANY_ORDER}, name
        assert wanted["verdict"] == "not known" or found["rows"] != wanted["rows"], name


def of_kind(package: Path, kind: str) -> list[dict[str, Any]]:
    """Analyse and simulate systems with a kind of servers."""
    systems = [json.loads(json.dumps(system).replace("KIND", kind)) for system in KINDS.values()]
    return json.loads(json.dumps(answers(package, "fp", *systems)).replace(kind, "KIND"))  # type: ignore[no-any-return]


def test_a_copy_of_a_kind_of_servers_is_that_kind_everywhere(package: Path) -> None:
    own = of_kind(package, "deferrable")
    for name, copied, wanted in zip(KINDS, of_kind(package, "twin"), own, strict=True):
        assert copied == wanted, name
    assert not [name for name, told in zip(KINDS, own, strict=True) if "error" in told]


def test_of_a_kind_of_servers_without_traits_nothing_is_known(package: Path) -> None:
    own = of_kind(package, "deferrable")
    for name, found, wanted in zip(KINDS, of_kind(package, "unheard"), own, strict=True):
        assert found["segments"] == wanted["segments"], name
        assert {verdict for task, verdict, *_ in found["rows"] if task == "A"} == {"not known"}, name


def on(package: Path, model: str, **keys: object) -> list[dict[str, Any]]:
    """Analyse and simulate tasks with an architecture, under both kinds of policies and where it is refused."""
    systems = [{"tasks": TASKS, "policy": policy, "cpus": cpus} for policy in ("rm", "edf") for cpus in (1, 2)]
    platform = {"platform": {"model": model, "context_switch": 1} | keys}
    found = answers(package, "fp", *(system | platform for system in systems))
    return json.loads(json.dumps(found).replace(model, "MODEL"))  # type: ignore[no-any-return]


def test_a_copy_of_an_architecture_is_that_architecture_everywhere(package: Path) -> None:
    own = on(package, "hardware")
    assert on(package, "twin") == own
    assert [told.get("verdict", "refused") for told in own] == ["schedulable", "refused"] * 2
    (told, *_) = on(package, "twin", latency=1)
    assert told["error"].endswith('latency: expected model = "coprocessor" or "unheard" with it, found model = "MODEL"')


def test_of_an_architecture_with_other_traits_nothing_is_known(package: Path) -> None:
    found = on(package, "unheard", latency=0)
    assert found[0]["segments"] == on(package, "hardware")[0]["segments"]
    assert found[0]["segments"] != on(package, "unheard", latency=1)[0]["segments"]
    assert [told.get("verdict", "refused") for told in found] == ["not known", "refused"] * 2
    assert found[0]["reason"] == "there is no test of a scheduler in MODEL with a scheduler that takes time under rm"


COMMANDS = """
import json, sys
from typer.testing import CliRunner
import takt
from takt.command import main
from takt.study.batch import Batch

DRAWN = takt.Recipe(tasks=3, utilization=0.7, periods=[8, 12, 16, 20], deadlines="constrained", priorities="random")

def studied():
    for name, test in takt.study.tests.items():
        verdicts = test.ask(Batch(DRAWN, 1, 0, 20)).tolist()
        yield [name, test.summary, test.source, test.policy, test.is_exact, verdicts]

def told(command, path):
    done = CliRunner().invoke(main.app, [command, "--json", path])
    assert done.exception is None or isinstance(done.exception, SystemExit), (path, done.exception)
    return [done.exit_code, done.output]

answers = {path: [told(command, path) for command in ("analyse", "run")] for path in sys.argv[1:]}
print(json.dumps({"studies": [*studied()], "answers": answers}))
"""

ADVISED = {
    "policy": """
schema = 1
system.policy = "rm"
task = [{ name = "A", period = 10, wcet = 5 }, { name = "B", period = 14, wcet = 7 }]
""",
    "protocol": """
schema = 1
resource = [{ name = "R", protocol = "none" }]
task = [
    { name = "A", period = 20, deadline = 4, wcet = 2, priority = 3 },
    { name = "B", period = 40, priority = 2, sections = ["1", "2 R"] },
    { name = "C", period = 60, priority = 1, sections = ["1", "6 R", "1"] },
]
""",
    "kind": """
schema = 1
server = [{ name = "S", kind = "deferrable", period = 10, budget = 3, priority = 2 }]
task = [
    { name = "A", period = 20, wcet = 5, server = "S" },
    { name = "B", period = 15, deadline = 11, wcet = 7, priority = 1 },
]
""",
    "error": """
schema = 1
system.policy = "rate-based"
resource = [{ name = "R", protocol = "pcp" }]
task = [{ name = "A", period = 20, body = ["lock R", "run 2", "unlock R"] }]
""",
}
"""Systems of which an advice or an error names a policy, a protocol or a kind of servers."""

NAMING = {
    "policy": "with policy edf",
    "protocol": "with other protocols: R protocol srp",
    "kind": "with other kinds of servers: S kind idling",
    "error": 'expected "srp" with policy = "rate-based"',
}
"""What is said of them."""

OF_CORE = re.compile(r'\b(policy|kind|server_kind|protocol)( *= *)"([a-z-]+)"')
"""A key of a task set whose value is a name of core."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write the examples and the systems with advice to one folder."""
    folder = tmp_path_factory.mktemp("asked")
    texts = {path.stem: path.read_text() for path in EXAMPLE_FILES} | ADVISED
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return sorted(folder.glob("*.toml"))


def commands(package: Path | None, files: list[Path]) -> dict[str, Any]:
    """Run files and the tests of studies with a package, else with the one that is tested."""
    environment = {**os.environ} | ({"PYTHONPATH": str(package)} if package is not None else {})
    command = [sys.executable, "-c", COMMANDS, *(file.name for file in files)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=600, cwd=files[0].parent
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_rows_before_and_behind_the_others_change_no_answer_about_them(package: Path, asked: list[Path]) -> None:
    own, beside = commands(None, asked), commands(package, asked)
    assert beside["studies"] == own["studies"]
    for name, wanted in own["answers"].items():
        assert beside["answers"][name] == wanted, name
    for name, sentence in NAMING.items():
        assert sentence in own["answers"][f"{name}.toml"][0][1], name


def test_a_copy_of_any_row_is_that_row_in_every_example(package: Path, asked: list[Path], tmp_path: Path) -> None:
    names = {row.name for row in takt.policies()} | {row.name for row in takt.server_kinds()} | {*catalogue.PROTOCOLS}
    copied = [tmp_path / file.name for file in asked]
    seen: set[str] = set()
    for file, copy in zip(asked, copied, strict=True):
        seen.update(name for _, _, name in OF_CORE.findall(file.read_text()) if name in names)
        copy.write_text(OF_CORE.sub(partial(with_copy, names), file.read_text()))
    own, found = commands(package, asked)["answers"], commands(package, copied)["answers"]
    for name, wanted in own.items():
        assert json.loads(json.dumps(found[name]).replace(added_rows.copy_of(""), "")) == wanted, name
    assert len(seen) >= 12, seen


def with_copy(names: Collection[str], found: re.Match[str]) -> str:
    """Return a key with the copy in place of a row of core; a name that is no row stays."""
    return f'{found[1]}{found[2]}"{added_rows.copy_of(found[3]) if found[3] in names else found[3]}"'


def test_a_role_is_held_by_a_row_with_the_traits_that_it_needs() -> None:
    ordering = (catalogue.LEVEL_POLICY, catalogue.PERIOD_POLICY, catalogue.DEADLINE_POLICY)
    assert [_core.policy_key(policy, 1, 2, 3) for policy in ordering] == [1, 2, 3]
    assert catalogue.traits_of(catalogue.EARLIEST_DEADLINE).is_deadline_driven
    assert catalogue.traits_of(catalogue.RATES_OPTIONS).allocates_rates
    assert catalogue.traits_of(catalogue.SLOTS_OPTIONS).has_slots
    assert catalogue.traits_of(catalogue.VIRTUAL_TIME_OPTIONS).has_virtual_time
    kind = catalogue.kind_traits(catalogue.TASK_LIKE_KIND)
    assert kind.acts_as_task
    assert kind.is_steady
    assert catalogue.protocol_traits(catalogue.BARRING_PROTOCOL).bars_runs
    bounded = catalogue.protocols_that(lambda each: each.is_bounded and not each.is_among)
    assert sorted(catalogue.ADVISED_PROTOCOLS) == sorted(bounded)


def test_an_unknown_policy_has_no_test() -> None:
    view = view_of(takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy="edf"))
    root = replace(view.dispatchers[0], policy="unheard-of")
    unknown = replace(view, resolved=replace(view.resolved, policy="unheard-of"), dispatchers=(root,))
    assert [row.verdict for row in judge(unknown).rows()] == [Verdict.NOT_KNOWN]


@pytest.mark.parametrize("kind", ["idling", "cbs"])
def test_an_unknown_policy_of_a_server_has_no_test(kind: str) -> None:
    task, server = takt.Task(name="A", period=20, wcet=1, server="S"), takt.Server(name="S", period=5, budget=2)
    view = view_of(takt.System(tasks=[task], servers=[server.replace(kind=kind, policy="edf")], policy="edf"))
    inside = replace(view.dispatchers[1], policy="unheard-of")
    found = judge(replace(view, dispatchers=(view.dispatchers[0], inside)))
    assert [row.verdict for row in found.rows()] == [Verdict.NOT_KNOWN]


KEY = """
import contextlib, io, sys
from pathlib import Path
import takt
from takt import formats
from takt.command import main
from takt.files import task_set_writing, trace_file

folder = Path(sys.argv[1])
task = takt.Task(name="A", period="5ms", wcet="2ms", deadline="1ms", grace="3ms")
system = takt.System(tasks=[task], horizon=20)
for name in ("a.toml", "a.csv"):
    formats.write(system, folder / name)
    assert formats.read(folder / name).system.tasks[0].grace == "3ms", name
(lost,) = [loss for loss in formats.write(system, folder / "a.xml", "simso") if loss.key == "grace"]
assert str(lost).endswith('grace: lost: "3ms" in Takt, 0 in the file'), lost
strict = system.replace(tasks=[task.replace(grace=0)])
found, known = takt.analyse(system), takt.analyse(strict)
assert (found.verdict.value, found.reason) == ("not known", "the analysis does not read grace of A"), found
assert known.verdict.value == "not schedulable", known
server = takt.Server(name="S", period="5ms", budget="4ms")
inside = strict.replace(tasks=[task.replace(grace=0, server="S", deadline="5ms")], servers=[server])
assert takt.analyse(inside).verdict.value == "schedulable"
inside = inside.replace(servers=[server.replace(lag="1ms")])
assert takt.analyse(inside).reason == "the analysis does not read lag of S"
late = strict.replace(platform=takt.Platform(lag="1ms"))
assert takt.analyse(late).reason == "the analysis does not read lag of costs"
trace = folder / "a.takt"
assert (takt.simulate(system, trace=trace).missed, takt.simulate(strict).missed) == (0, 4)
assert trace_file.read(trace).system.tasks[0].grace == 3
assert takt.replay(trace).difference is None
try:
    task.replace(grece=1)
except takt.InputError as error:
    assert 'grece: unknown key; did you mean "grace"' in str(error), error
    print("refused")
"""


def test_a_key_that_core_uses_is_read_written_converted_traced_and_replayed(package: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, "-c", KEY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_a_key_that_core_uses_has_an_effect_on_a_board(package: Path, tmp_path: Path) -> None:
    tasks = [TASKS[0] | {"on_miss": "abort", "wcet": 3}, TASKS[1]]
    kept = {"tasks": [tasks[0] | {"grace": 2}, tasks[1]]}
    aborted, told = answers(package, "edf", {"tasks": tasks}, kept, board="posix", cache=tmp_path)
    assert aborted["missed"] > told["missed"] == 0
    assert aborted["trace"] != told["trace"]
