# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Output files: a name holds a whole file or what it held before, whatever fails, for every output of every command.

The list of outputs comes from the command line itself: a new parameter that is a path fails the first test until it is
named here, as an input or as an output with a command that writes it.
"""

from __future__ import annotations

import ast
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import get_type_hints

import pytest
import takt
from places import ROOT
from takt.base import output_files
from takt.base.errors import InputError
from takt.command import command_class, main
from typer.models import CommandInfo
from typer.testing import CliRunner, Result

COMMAND = str(Path(sys.executable).with_name("takt"))
EXAMPLES = ROOT / "examples"
SMALLEST = str(EXAMPLES / "smallest.toml")
SERVERS = str(EXAMPLES / "servers.toml")
OLD = b"what was here before\n"
GIVEN = {"STUDY.toml", "RUN.takt"}

INPUTS = {
    ("run", "files"),
    ("compare", "files"),
    ("convert", "source"),
    ("analyse", "files"),
    ("analyze", "files"),
    ("replay", "file"),
    ("estimate", "file"),
    ("generate", "file"),
    ("study", "file"),
}
LINUX_INPUTS = {
    ("linux check", "root"),
    ("linux load", "file"),
    *((f"linux {command}", "socket") for command in ("daemon", "load", "status", "detach", "trace")),
}

OUTPUTS: dict[tuple[str, str], list[str]] = {
    ("demo", "page"): [],  # it reads no file of the user
    ("new", "output"): [],  # it replaces no file
    ("run", "segments"): [f"{SMALLEST} --segments OUT.csv"],
    ("run", "jobs"): [f"{SMALLEST} --jobs OUT.csv"],
    ("run", "budgets"): [f"{SERVERS} --budgets OUT.csv"],
    ("run", "trace"): [f"{SMALLEST} --trace OUT.takt", f"{SMALLEST} --on posix --horizon 5 --trace OUT.takt"],
    ("run", "page"): [f"{SMALLEST} --report OUT.html"],
    ("run", "gantt"): [f"{SMALLEST} --gantt OUT.{suffix}" for suffix in ("svg", "pdf", "png")],
    ("run", "perfetto"): [f"{SMALLEST} --perfetto OUT.perfetto"],
    ("run", "platform_out"): [],  # it needs an emulated board: tests/board/test_clock.py
    ("compare", "page"): [f"{SMALLEST} --report OUT.html"],
    ("convert", "target"): [
        f"{SMALLEST} OUT.{suffix} --to {name}"
        for suffix, name in (("toml", "toml"), ("xmlv3", "cheddar"), ("xml", "simso"), ("csv", "csv"))
    ],
    ("analyse", "page"): [f"{SMALLEST} --report OUT.html"],
    ("analyze", "page"): [f"{SMALLEST} --report OUT.html"],
    ("analyse", "output"): [f"{SMALLEST} --apply 1 --output OUT.toml"],
    ("analyze", "output"): [f"{SMALLEST} --apply 1 -o OUT.toml"],
    ("estimate", "output"): ["RUN.takt --output OUT.toml"],
    ("replay", "perfetto"): ["RUN.takt --perfetto OUT.perfetto"],
    ("generate", "output"): ["--tasks 3 --utilization 0.5 --count 2 --output OUT"],
    ("study", "output"): ["STUDY.toml --workers 1 --output OUT"],
    ("study", "plot"): [
        f"STUDY.toml --workers 1 --output kept --plot OUT.{suffix}" for suffix in ("svg", "pdf", "png")
    ],
    ("linux trace", "target"): [],  # it reads no file, and needs taktd
}
CASES = [f"{command} {words}" for (command, _), lines in OUTPUTS.items() for words in lines]

STUDY = """
schema = 1
[study]
sets = 4
chunk = 2
[generate]
tasks = 3
[grid]
utilization = [0.5, 0.9]
[[measure]]
kind = "acceptance"
tests = ["rm", "edf"]
"""

POLICY = """
import takt

class First(takt.Policy):
    def release(self, job):
        return job.wcet
"""


@pytest.fixture(autouse=True)
def in_a_folder_with_a_study_and_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("STUDY.toml").write_text(STUDY)
    takt.simulate(SMALLEST, trace="RUN.takt")


def invoke(words: str, names: Mapping[str, str]) -> Result:
    """Run a command in this process."""
    for name, path in names.items():
        words = re.sub(rf"\b{name}\b", path, words)
    return CliRunner().invoke(main.app, words.split())


@contextmanager
def disk_with(bytes_left: int) -> Iterator[None]:
    """Refuse what is written to a file behind a number of bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole(found: Result) -> None:
    """Check that a command wrote what it was to write."""
    assert found.exit_code == 0, found.output


def refused(found: Result) -> None:
    """Check that a command ended with one line about a file."""
    assert found.exit_code == 2, found.output
    (line,) = found.stderr.splitlines()
    assert re.search(r"(new[/.].*|image.bin): cannot write: .*(File too large|os error 27)", line)


# ---- the list ---------------------------------------------------------------------------------------


def test_every_path_of_the_command_line_is_an_input_or_an_output_that_is_tested() -> None:
    roles = dict(roles_of("", main.app.registered_commands))
    for group in main.app.registered_groups:
        assert group.typer_instance is not None
        roles |= roles_of(f"{group.typer_instance.info.name} ", group.typer_instance.registered_commands)
    assert {place for place, is_output in roles.items() if not is_output} == INPUTS | LINUX_INPUTS
    assert {place for place, is_output in roles.items() if is_output} == set(OUTPUTS)


def roles_of(group: str, commands: Iterable[CommandInfo]) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield the parameters of commands that are paths, and whether each is declared to be an output."""
    for command in commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        for parameter, kind in get_type_hints(command.callback, include_extras=True).items():
            if "Path" in str(kind):
                yield (group + name, parameter), command_class.OUTPUT in kind.__metadata__


WRITERS = {
    ("base/output_files.py", "open"): "the function for all outputs",
    ("board/processor_time.py", "open"): "what a process says, in a temporary folder, which is removed as a whole",
}


def test_one_function_writes_all_outputs() -> None:
    """No other module of the package or of the studies opens a file for writing, or has a library do it."""
    found = set()
    for folder in (ROOT / "python" / "takt", ROOT / "studies"):
        for path in folder.rglob("*.py"):
            calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
            found |= {(str(path.relative_to(folder)), name) for call in calls if (name := writer_of(call))}
    assert found == set(WRITERS)


def writer_of(call: ast.Call) -> str | None:
    """Return the function that a call writes a file with, if it does."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    modes = [node.value for node in call.args[:2] if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if name == "open":
        return name if any(set("wax+") & set(mode) and len(mode) <= 3 for mode in modes) else None
    is_direct = name in ("write_csv", "write_parquet", "savefig") and not is_open_file(call.args)
    return name if name in ("write_text", "write_bytes") or is_direct else None


def is_open_file(arguments: list[ast.expr]) -> bool:
    """True if the output is a file that is open already, by the names that the project uses."""
    return len(arguments) > 0 and isinstance(arguments[0], ast.Name) and arguments[0].id in ("file", "data")


def test_a_standard_output_that_was_closed_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from takt.command.main import main; main()", "run", "missing.toml"]
    closed = ["sh", "-c", '"$@" >&-', "sh", *command]
    done = subprocess.run(closed, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "standard output: cannot write: Bad file descriptor\n")


# ---- a full disk ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", CASES)
def test_on_a_full_disk_the_old_file_stays_and_nothing_else_is_left(words: str, tmp_path: Path) -> None:
    whole(invoke(words, {"OUT": "good"}))
    good = {name.replace("good", "new", 1): data for name, data in contents(tmp_path).items() if "good" in name}
    for name in good:
        Path(name).parent.mkdir(exist_ok=True)
        if not name.startswith("new/"):
            Path(name).write_bytes(OLD)
    before = contents(tmp_path)
    most = max(map(len, good.values()))
    for bytes_left in {most // 2, most - 1 if is_streamed(words) else most // 2}:
        with disk_with(bytes_left):
            refused(invoke(words, {"OUT": "new"}))
        for name, data in contents(tmp_path).items():
            assert data in (before.get(name), good.get(name)), name


def is_streamed(words: str) -> bool:
    """True if an output is written piece by piece, and not at once."""
    return any(option in words for option in ("--segments", "--trace", "--output"))


def test_without_a_temporary_folder_a_board_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    found = invoke(f"run {SMALLEST} --on posix", {})
    assert (found.exit_code, found.stderr) == (1, "no temporary folder can be made: No such file or directory\n")


def test_a_trace_of_a_run_that_fails_on_the_way_is_not_there(tmp_path: Path) -> None:
    """The disk is full long before the end, in C; what C says first is told, and the table is not printed."""
    with disk_with(100_000):
        found = invoke(f"run {SMALLEST} --horizon 1000s --trace new.takt", {})
    refused(found)
    assert found.stdout == ""
    assert set(contents(tmp_path)) == GIVEN


@pytest.mark.parametrize(
    "words",
    [
        f"run {SMALLEST}",
        f"run {SMALLEST} --json",
        f"analyse {SMALLEST} --json",
        "schema",
        "policies",
        "generate --tasks 3 --utilization 0.5",
    ],
)
def test_a_standard_output_that_is_full_is_one_line_and_status_2(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        found = subprocess.run([COMMAND, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.stderr == "standard output: cannot write: No space left on device\n"
    assert found.returncode == 2


# ---- interrupts -------------------------------------------------------------------------------------


def test_an_interrupt_while_a_file_is_written_leaves_the_old_one(tmp_path: Path) -> None:
    Path("new").write_bytes(OLD)
    writing = output_files.replacing("new")
    writing.__enter__().write(b"some of it")
    assert writing.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None) is not True
    assert (set(contents(tmp_path)), Path("new").read_bytes()) == (GIVEN | {"new"}, OLD)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_as_it_does_any_process_and_removes_its_trace(
    number: signal.Signals, tmp_path: Path
) -> None:
    Path("new.takt").write_bytes(OLD)
    command = [COMMAND, "run", SMALLEST, "--horizon", "2000000s", "--trace", "new.takt"]
    assert status_after(number, command) == -number
    assert (set(contents(tmp_path)), Path("new.takt").read_bytes()) == (GIVEN | {"new.takt"}, OLD)


def test_a_signal_ends_a_simulation_of_the_library_too(tmp_path: Path) -> None:
    call = (
        "takt.simulate(takt.load(sys.argv[1]), '2000000s', segments=False, jobs=False, points=False, trace='new.takt')"
    )
    command = [sys.executable, "-c", f"import sys, takt; {call}", SMALLEST]
    assert status_after(signal.SIGTERM, command) == -signal.SIGTERM
    assert set(contents(tmp_path)) == GIVEN


def status_after(number: signal.Signals, command: list[str]) -> int:
    """Start a command, send it a signal while it writes a file here, and give the status with which it ends."""
    with disk_with(2**30):  # a run that does not end must not fill the machine's disk
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    with process:
        try:
            until = time.monotonic() + 30
            while not any(path.stat().st_size > 0 for path in Path().glob("*.part")):
                assert time.monotonic() < until
                time.sleep(0.01)
            process.send_signal(number)
            return process.wait(timeout=30)
        finally:
            process.kill()


def test_what_a_killed_study_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    Path("new/chunks").mkdir(parents=True)
    for name in ("new/.takt-1.part", "new/chunks/.takt-2.part"):
        Path(name).write_bytes(b"some of it")
    whole(invoke("study STUDY.toml --workers 1 --output new", {}))
    assert not [name for name in contents(tmp_path) if name.endswith(".part")]


# ---- inputs -----------------------------------------------------------------------------------------

WAYS = ("itself", "spelled otherwise", "a symbolic link", "a hard link")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("words", [words for words in CASES if not words.startswith("generate")])
def test_no_output_takes_the_place_of_an_input(words: str, way: str) -> None:
    (source,) = (word for word in words.split() if Path(word).exists() and word != "kept")
    suffix = re.search(r"\bOUT(\S*)", words)[1]  # type: ignore[index]
    content = Path(source).read_bytes()
    given = named(way, f"input{suffix}", f"other{suffix}", content)
    arguments = words.replace(source, f"input{suffix}").replace(f"OUT{suffix}", given)
    found = invoke(arguments, {})
    assert (found.exit_code, found.stdout) == (2, ""), found.output
    assert re.fullmatch(
        rf'\S+: expected a file of its own, found "{re.escape(given)}", the input input\S*; give another name\n',
        found.stderr,
    )
    assert (Path(f"input{suffix}").read_bytes(), Path(given).read_bytes()) == (content, content)


def named(way: str, name: str, other: str, content: bytes) -> str:
    """Return a name of a file, which is created."""
    Path(name).write_bytes(content)
    if way == "a symbolic link":
        Path(other).symlink_to(name)
    elif way == "a hard link":
        Path(other).hardlink_to(name)
    else:
        return name if way == "itself" else f"../{Path.cwd().name}/{name}"
    return other


@pytest.mark.parametrize(
    ("words", "name", "content"),
    [
        ("generate KEPT --output OUT", "set-0.toml", "[generate]\ntasks = 3\nutilization = 0.5\n"),
        *(
            (f"study KEPT --workers 1 --output OUT{option}", name, STUDY)
            for name in ("study.json", "result.csv", "result.parquet", "lock", "chunks/00000000.parquet")
            for option in ("", " --fresh")
        ),
        ("study KEPT --workers 1 --plot OUT/a.svg", "a.svg", STUDY),
        *(
            (f"{command} {SMALLEST} --policy KEPT:First {option} KEPT", f"a{suffix}", POLICY)
            for command, option, suffix in (
                *(("run", option, ".py") for option in ("--segments", "--jobs", "--trace", "--report", "--perfetto")),
                ("compare", "--report", ".py"),
                ("analyse", "--report", ".py"),
            )
        ),
    ],
)
def test_an_input_that_a_command_would_write_to_by_itself_stays(words: str, name: str, content: str) -> None:
    """In the folder that it is told, or over a policy, which is no parameter of its own."""
    kept = Path("OUT", name)
    kept.parent.mkdir(parents=True)
    kept.write_text(content)
    found = invoke(words, {"KEPT": str(kept)})
    assert kept.read_text() == content
    assert found.exit_code == (0 if name == "lock" else 2), found.output
    assert len(found.stderr.splitlines()) == (name != "lock")


def test_a_program_may_replace_what_it_has_read() -> None:
    Path("set.toml").write_bytes(Path(SMALLEST).read_bytes())
    takt.save(takt.load("set.toml").replace(name="other"), "set.toml")
    assert takt.load("set.toml").name == "other"


@pytest.mark.parametrize("name", ["lock", "study.json", "result.csv", "result.parquet"])
def test_a_study_follows_no_link_to_a_file_of_its_folder(name: str, tmp_path: Path) -> None:
    Path("victim").write_bytes(OLD)
    Path("folder/chunks").mkdir(parents=True)
    for target in ("victim", "nothing"):
        Path("folder", name).symlink_to(tmp_path / target)
        found = invoke("study STUDY.toml --workers 1 --output folder", {})
        assert found.exit_code == 2
        assert re.fullmatch(rf"folder/{name}: .*\n", found.stderr)
        assert (Path("victim").read_bytes(), Path("nothing").exists()) == (OLD, False)
        Path("folder", name).unlink()


# ---- as an open in place would be -------------------------------------------------------------------


def mode_of(path: str) -> int:
    """Permissions of a file."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_a_new_file_has_the_permissions_that_the_umask_leaves() -> None:
    before = os.umask(0o027)
    try:
        output_files.write("new", b"text")
    finally:
        os.umask(before)
    assert mode_of("new") == 0o640


def test_a_file_that_is_replaced_keeps_its_permissions() -> None:
    Path("new").write_bytes(OLD)
    Path("new").chmod(0o604)
    output_files.write("new", b"text")
    assert (mode_of("new"), Path("new").read_bytes()) == (0o604, b"text")


def test_a_symbolic_link_stays_and_its_target_is_replaced() -> None:
    Path("below").mkdir()
    Path("below/target").write_bytes(OLD)
    Path("link").symlink_to("below/target")
    Path("to-nothing").symlink_to("below/made")
    for name in ("link", "to-nothing"):
        output_files.write(name, b"text")
        assert Path(name).is_symlink()
    assert contents(Path("below")) == {"target": b"text", "made": b"text"}


def test_what_is_no_regular_file_is_written_directly() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        whole(invoke(f"run {SMALLEST} --horizon 10 --trace pipe", {}))
        read = reader.communicate(timeout=30)[0]
    whole(invoke(f"run {SMALLEST} --horizon 10 --trace file.takt", {}))
    assert read == Path("file.takt").read_bytes()
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_a_name_of_the_standard_output_is_the_standard_output_though_that_is_a_file(name: str) -> None:
    with Path("all").open("w") as file:
        subprocess.run([COMMAND, "run", SMALLEST, "--segments", name], stdout=file, check=True)
    text = Path("all").read_text()
    assert "start,end,cpu,server,task,job\n" in text
    assert "1 of 12 jobs late in 35 ms.  policy fp" in text
    assert not list(Path().glob(".takt-*"))


def test_a_file_that_may_not_be_written_is_refused_though_its_folder_may() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        file = folder / "old"
        file.write_bytes(OLD)
        file.chmod(0o444)
        with unprivileged():
            assert refusal(file) == "Permission denied"
        assert contents(folder) == {"old": OLD}


def test_a_folder_in_which_no_file_can_be_made_is_said_to_be_the_reason() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "old"
        file.write_bytes(OLD)
        file.chmod(0o666)
        folder.chmod(0o555)
        with unprivileged():
            assert refusal(file) == "a file cannot be made in its folder: Permission denied"
            assert refusal(folder / "new") == "Permission denied"
        assert contents(folder) == {"old": OLD}
        folder.chmod(0o777)


def test_a_folder_or_a_name_that_is_none_is_refused() -> None:
    Path("folder").mkdir()
    assert refusal(Path("folder")) == "Is a directory"
    assert refusal(Path("nowhere/new")) == "No such file or directory"
    assert refusal(Path("new\0")) == "not a file name"


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be a user for whom permissions hold, which they do not for root."""
    user = os.geteuid()
    os.seteuid(user or 65534)
    try:
        yield
    finally:
        os.seteuid(user)


def refusal(path: Path) -> str:
    """Why a file cannot be written."""
    with pytest.raises(InputError) as caught:
        output_files.write(path, b"text")
    return str(caught.value.problems[0].message).removeprefix("cannot write: ")
