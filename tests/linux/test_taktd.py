# SPDX-License-Identifier: Apache-2.0 OR MIT
"""taktd and `takt linux`: what each call does, and that no message, program or kernel stops the daemon.

The daemon is built with fake_machine.c, a kernel that schedules no thread. test_taktd_guest.py has the real one.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
import takt
from places import EXAMPLES, ROOT
from recipes import compile_objects, found, link, recipe_of_linux
from rich.console import Console
from takt.base.errors import BoardError, InputError
from takt.board import programs
from takt.command import linux_options as options
from takt.command import taktd as command
from takt.linux import board, daemon
from test_boards import invoke

SET = str(EXAMPLES / "iot_node.toml")
TWO = """schema = 1
[system]
policy = "edf"
cpus = 2
[[task]]
name = "a"
cpu = 0
period = "10ms"
wcet = "3ms"
[[task]]
name = "b"
cpu = 1
period = "8ms"
wcet = "2ms"
"""
STATUSES = (
    *("OK", "MESSAGE", "ALLOWED", "NAME", "TAKEN", "FOREIGN", "JOINED", "NOT_JOINED", "NOT_BEGUN", "DETACHED"),
    *("ATTACHED", "OTHER", "REFUSED", "KERNEL", "NOTHING"),
)
JOIN, ENTER, LEAVE, STATUS, TASK, ADD, ATTACH, DETACH, TRACE = range(1, 10)
OFFSET_OF_STATE = 64 + 28


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = found(*(f"{folder}/*.c" for folder in ("core", "policy", "system", "remote")))
    sources += [
        f"linux/{name}.c" for name in ("domain", "negotiation", "daemon/loaded", "daemon/service", "daemon/taktd")
    ]
    how = {**recipe_of_linux(), "ldflags": ["-Wl,--wrap=accept4"]}
    objects = compile_objects(how, sources, tmp_path_factory)
    return link(how, ["tests/linux/fake_machine.c"], objects, tmp_path_factory.mktemp("taktd") / "taktd")


class Daemon:
    """A taktd that runs, and the folder in which its kernel is made up."""

    def __init__(self, program: Path, folder: Path, *options: str, limit: int | None = None) -> None:
        self.program, self.folder, self.limit = program, folder, limit
        self.path = folder / "socket"
        for name in ("takt.bpf.o", "tables.bin"):
            (folder / name).touch()
        self.process = self.start(*options)
        assert self.process.stderr is not None
        assert self.process.stderr.readline() == f"taktd: ready at {self.path}\n"

    def start(self, *options: str) -> subprocess.Popen[str]:
        limited = [] if self.limit is None else ["prlimit", f"--nofile={self.limit}:{self.limit}"]
        command = [*limited, str(self.program), "--socket", str(self.path), "--objects", str(self.folder), *options]
        environment = {**os.environ, "TAKT_FAKE": str(self.folder)}
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    def takt(self, *words: str) -> tuple[int, str, str]:
        return invoke("linux", *words, "--socket", str(self.path))

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(20)
        connection.connect(str(self.path))
        return connection

    def state(self) -> str:
        return daemon.status(self.path).state

    def end(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


@pytest.fixture
def taktd(program: Path, tmp_path: Path) -> Iterator[Daemon]:
    found = Daemon(program, tmp_path)
    yield found
    assert found.end()[0] == 0


def ask(connection: socket.socket, kind: int, files: tuple[int, ...] = (), **fields: Any) -> str:
    """Return the status of a call."""
    return told(connection, kind, files, **fields)[0]


def told(connection: socket.socket, kind: int, files: tuple[int, ...] = (), **fields: Any) -> tuple[str, Any, Any]:
    """Return the status of a call, the fields of the reply and the files that come with it."""
    keys = ("version", "kind", "thread", "cpu", "entity", "flags", "tick_ns", "records", "name")
    values = {"version": 1, "kind": kind, "thread": threading.get_native_id(), "name": b"", **fields}
    socket.send_fds(connection, [daemon._CALL.pack(*(values.get(key, 0) for key in keys))], files)
    data, received, _, _ = socket.recv_fds(connection, 512, 4)
    reply = daemon._REPLY.unpack(data)
    assert (reply[0], reply[1]) == (1, values["kind"])
    return STATUSES[reply[2]], reply, received


def files_of(taktd: Daemon) -> int:
    """Count the files that a daemon has open."""
    return len(list(Path(f"/proc/{taktd.process.pid}/fd").iterdir()))


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def other_process(path: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that joins as a task and then sleeps."""
    code = (
        "import socket, sys, threading, time\nfrom takt.linux import daemon\n"
        "one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); one.connect(sys.argv[1])\n"
        "one.send(daemon._CALL.pack(1, 1, threading.get_native_id(), 0, 0, 0, 0, 0, sys.argv[2].encode()))\n"
        "print(one.recv(256)[8], flush=True)\ntime.sleep(60)\n"
    )
    command = [sys.executable, "-c", code, str(path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        yield process
        process.kill()


# ---- takt linux ---------------------------------------------------------------------------------------------------


def test_a_set_is_loaded_watched_detached_and_replayed(taktd: Daemon, tmp_path: Path) -> None:
    assert taktd.takt("load", SET, "--policy", "edf") == (
        0,
        f"{SET} decides now; programs join as its tasks through {taktd.path}\n",
        "",
    )
    status, output, _ = taktd.takt("status")
    assert status == 0
    assert f"taktd, process {taktd.process.pid}: attached, partial mode" in output
    assert [line.split()[1:4] for line in output.splitlines() if " no thread " in line] == [
        [name, "-", "no"] for name in ("control", "sensor", "multimedia", "packets", "logging")
    ]
    document = json.loads(taktd.takt("status", "--json")[1])
    assert (document["state"], document["is_full"], len(document["processors"])) == ("attached", False, 1)
    assert document["processors"][0]["tasks"][0] == {
        **{"cpu": 0, "name": "control", "thread": 0, "is_attached": False, "has_job": False},
        **{"job": 0, "waiting": 0, "started": 0, "is_missed": False},
    }
    assert taktd.takt("detach")[0] == 0
    target = tmp_path / "T.takt"
    assert taktd.takt("trace", str(target)) == (0, "", "")
    trace = takt.files.trace_file.read(target)
    assert (trace.system.policy, trace.platform, trace.is_remote) == ("edf", "linux-host", True)
    assert takt.replay(target).is_identical
    assert taktd.end() == (0, "taktd: attached\ntaktd: detached\n")


def test_domains_have_one_trace(taktd: Daemon, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    assert taktd.takt("load", str(tmp_path / "two.toml"))[0] == 0
    assert [one.cpu for one in daemon.status(taktd.path).processors] == [0, 1]
    daemon.detach(taktd.path)
    daemon.trace(tmp_path / "T.takt", taktd.path)
    assert [one.processors for one in takt.files.trace_file.read(tmp_path / "T.takt").domains] == [(0,), (1,)]
    assert takt.replay(tmp_path / "T.takt").is_identical
    assert taktd.takt("load", str(tmp_path / "two.toml"), "--cpu", "1")[2].endswith(
        "expected one domain, found 2; the file places them\n"
    )


def test_a_trace_whose_memory_was_full_ends_there(
    taktd: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "RECORDS", 2)
    (tmp_path / "two.toml").write_text(TWO)
    for file in (SET, str(tmp_path / "two.toml")):
        assert taktd.takt("load", file)[0] == 0
        daemon.detach(taktd.path)
        daemon.trace(tmp_path / "T.takt", taktd.path)
        assert takt.files.trace_file.read(tmp_path / "T.takt").full_at == 0
        assert takt.replay(tmp_path / "T.takt").difference is None


def test_it_ends_at_the_horizon(taktd: Daemon) -> None:
    assert taktd.takt("load", SET, "--horizon", "100ms", "--cpu", "1")[0] == 0
    assert [one.cpu for one in daemon.status(taktd.path).processors] == [1]
    until(lambda: taktd.state() == "idle")
    assert taktd.takt("detach")[::2] == (1, "taktd: no task set is attached\n")


def test_what_is_loaded_is_not_replaced(taktd: Daemon, tmp_path: Path) -> None:
    attached = "taktd: a task set is attached; detach it first: takt linux detach\n"
    assert taktd.takt("trace", str(tmp_path / "T")) == (
        1,
        "",
        "taktd: there is no trace; load a task set and detach it first\n",
    )
    assert taktd.takt("load", SET)[0] == 0
    assert taktd.takt("load", SET) == (1, "", attached)
    assert taktd.takt("trace", str(tmp_path / "T")) == (1, "", attached)


def test_another_scheduler_is_named_and_stays(taktd: Daemon) -> None:
    (taktd.folder / "root").mkdir()
    (taktd.folder / "root" / "ops").write_text("lavd\n")
    (taktd.folder / "state").write_text("enabled\n")
    expected = "another scheduler is attached: lavd; end it first, Takt does not replace it\n"
    assert taktd.takt("load", SET) == (1, "", expected)
    (taktd.folder / "state").write_text("disabled\n")
    assert taktd.takt("load", SET)[0] == 0


def test_what_the_kernel_refuses_or_ends_is_told(taktd: Daemon) -> None:
    (taktd.folder / "refuses").write_text("yes")
    expected = "taktd: the kernel refuses: the kernel does not attach the scheduler: Device or resource busy\n"
    assert taktd.takt("load", SET) == (1, "", expected)
    (taktd.folder / "refuses").unlink()
    assert taktd.takt("load", SET)[0] == 0
    (taktd.folder / "ends").write_text("runnable task stall")
    until(lambda: taktd.state() == "idle")
    assert "the kernel ended the last scheduler: runnable task stall" in taktd.takt("status", "--once")[1]
    (taktd.folder / "ends").unlink()
    assert taktd.takt("load", SET)[0] == 0
    assert daemon.status(taktd.path).reason == ""


def test_a_second_taktd_is_refused_with_the_name_of_the_first(taktd: Daemon) -> None:
    second = taktd.start()
    assert second.communicate(timeout=20)[1] == (
        f"taktd: another taktd runs at this socket, as process: {taktd.process.pid}\n"
    )
    assert (second.returncode, taktd.state()) == (2, "idle")


def test_what_a_killed_taktd_left_is_no_obstacle(program: Path, tmp_path: Path) -> None:
    first = Daemon(program, tmp_path)
    first.process.kill()
    first.process.communicate()
    assert first.path.exists()
    assert Daemon(program, tmp_path).end() == (0, "")
    assert not first.path.exists()


def test_what_stands_at_its_paths_and_is_not_its_own_stays(program: Path, tmp_path: Path) -> None:
    for name in ("takt.bpf.o", "tables.bin"):
        (tmp_path / name).touch()
    (kept := tmp_path / "kept").write_text("mine")
    (tmp_path / "linked.lock").symlink_to(kept)
    for path, status, line in (
        (kept, 2, "this is no socket; remove it, or name another path by --socket"),
        (tmp_path, 2, "this is no socket; remove it, or name another path by --socket"),
        (tmp_path / "linked", 1, "Too many levels of symbolic links"),
    ):
        words = [str(program), "--socket", str(path), "--objects", str(tmp_path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
        place = f"{path}.lock" if status == 1 else path
        assert (done.returncode, done.stderr) == (status, f"taktd: {place}: {line}\n")
        assert kept.read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "status", "line"),
    [
        (("--nothing",), 2, "usage: taktd"),
        (("more",), 2, "more: expected an option"),
        (("--mode", "9"), 2, "--mode: expected a number"),
        (("--group", "no such group"), 2, "--group: expected a number"),
        (
            ("--objects", "/nowhere"),
            1,
            "the compiled programs cannot be read: No such file or directory; takt linux check says",
        ),
        (("--socket", "/nowhere/at/all"), 1, "/nowhere/at/all.lock: No such file or directory"),
        (("--socket", 110 * "x"), 2, 110 * "x" + ": the path is too long for a socket"),
        (("--others", "rest"), 2, "--others: needs --full: else the other threads come before the task set\n"),
    ],
)
def test_options_that_are_wrong(
    program: Path, tmp_path: Path, options: tuple[str, ...], status: int, line: str
) -> None:
    for name in ("takt.bpf.o", "tables.bin"):
        (tmp_path / name).touch()
    words = [str(program), "--socket", str(tmp_path / "socket"), "--objects", str(tmp_path), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == status
    assert done.stderr.startswith(f"taktd: {line}")


def test_the_file_of_the_socket_has_mode_and_group(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for name in ("takt.bpf.o", "tables.bin"):
        (tmp_path / name).touch()
    words = [str(program), "--socket", str(folder / "s"), "--objects", str(tmp_path), "--mode", "600"]
    with subprocess.Popen([*words, "--group", str(os.getgid())], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        assert ((folder / "s").stat().st_mode & 0o777, (folder / "s").stat().st_gid) == (0o600, os.getgid())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_systemd_is_told(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        running = Daemon(program, tmp_path)
        notified.settimeout(20)
        assert notified.recv(64) == b"READY=1"
        assert running.end()[0] == 0


def systemd_analyze() -> tuple[str, str] | None:
    """Return systemd-analyze and the folders of its libraries: that of this machine, or that of the guest."""
    folder = ROOT / "build" / "linux" / "systemd"
    found = shutil.which("systemd-analyze"), folder / "usr/bin/systemd-analyze"
    libraries = [str(place) for path in folder.rglob("*-linux-gnu") for place in (path, path / "systemd")]
    if found[0] is not None:
        return found[0], ""
    return (str(found[1]), ":".join(libraries)) if found[1].exists() else None


@pytest.mark.skipif(systemd_analyze() is None, reason="no systemd-analyze here: make soak fetches it")
def test_the_unit_takes_from_taktd_what_it_does_not_need() -> None:
    program, libraries = systemd_analyze() or ("", "")
    unit = ROOT / "linux" / "daemon" / "taktd.service"
    done = subprocess.run(
        [program, "security", "--offline=true", "--no-pager", "--threshold=20", str(unit)],
        env={**os.environ, "LD_LIBRARY_PATH": libraries},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, re.findall(r"level for taktd.service: (\S+)", done.stdout)) == (0, ["1.0"]), done.stdout


def test_without_taktd_the_remedy_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none"
    remedy = "start it: systemctl start taktd, or takt linux daemon as root"
    expected = f"taktd does not run at {path} (No such file or directory); {remedy}\n"
    for words in (("load", SET), ("status",), ("detach",), ("trace", "T")):
        assert invoke("linux", *words, "--socket", str(path)) == (1, "", expected)


def test_bad_input_is_refused_in_one_line(taktd: Daemon, tmp_path: Path) -> None:
    def refused(*words: str) -> str:
        status, output, errors = taktd.takt("load", *words)
        assert (status, output) == (2, "")
        return errors

    (tmp_path / "long.toml").write_text(TWO.replace('"a"', f'"{64 * "x"}"'))
    assert refused("nowhere.toml").startswith("nowhere.toml: cannot read")
    assert refused(SET, "--policy", "fp,edf") == "--policy: expected one policy, found 2\n"
    assert refused(SET, "--policy", "none").startswith("--policy: ")
    assert refused(SET, "--horizon", "long").startswith("--horizon: ")
    assert refused(str(EXAMPLES / "dhall.toml")).endswith("found 4; give each task a cpu\n")
    assert refused(str(tmp_path / "long.toml")).endswith(f"a name has at most 63 bytes, found {64 * 'x'}\n")
    last = (os.cpu_count() or 1) - 1
    expected = f"{SET}: taktd refuses the task set: there is no processor 99 here, the last one is {last}\n"
    assert refused(SET, "--cpu", "99") == expected
    assert taktd.state() == "idle"


def test_the_status_of_a_terminal_is_live(taktd: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        assert seconds == 0.5
        signal.raise_signal(signal.SIGINT)

    daemon.load(takt.load(SET).replace(horizon="1000s"), taktd.path)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setattr(time, "sleep", interrupt)
    command.show_status(taktd.path, once=False, as_json=False)
    assert taktd.takt("status", "--once")[0] == 0


def test_the_table_of_processors_has_each_count_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    counts: dict[str, int] = dict.fromkeys(("epoch_ns", "mismatches", "absences", "stolen", "orphans", "lost"), 0)
    counts |= {"cpu": 63, "decisions": 12_345_678, "records": 98_765_432, "records_lost": 123_456}
    counts |= {"stolen_ns": 98_765_400_000, "refused": 999, "visits": 4321}
    processor = daemon.Processor(running="multimedia", tasks=(), **counts)
    status = daemon.Status(process=9, state="attached", is_full=False, reason="", processors=(processor,))
    Console(width=80).print(command._picture(status))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    titles = ["processor", "runs", "decisions", "records", "lost", "stolen", "refused", "visits"]
    assert titles in rows
    values = ["63", "multimedia", "12345678", "98765432", "123456", "98765.4", "ms", "999", "4321"]
    assert values in rows


# ---- what the package has -------------------------------------------------------------------------------------------


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the programs for Linux."""
    place = tmp_path / "shipped"
    place.mkdir()
    for name in ("takt.bpf.o", "tables.bin", "takt-linux", "taktd"):
        (place / name).touch()
    monkeypatch.setattr(board, "SHIPPED", place)
    return place


def executed(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[Path, list[str]]:
    """Return the program that a command becomes, and its words."""
    found: list[tuple[Path, list[str]]] = []
    monkeypatch.setattr(os, "execv", lambda path, words: found.append((path, words)))
    assert invoke("linux", "daemon", *words)[0] == 0
    return found[0]


def test_the_daemon_of_the_package_is_started(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ["taktd", "--socket", "/run/takt/taktd.sock", "--mode", "0660"]
    assert executed(monkeypatch) == (shipped / "taktd", plain)
    more = executed(monkeypatch, "--full", "--group", "takt", "--mode", "600", "--socket", "S")
    assert more[1] == ["taktd", "--socket", "S", "--mode", "600", "--full", "--group", "takt"]
    assert executed(monkeypatch, "--full", "--others", "rest")[1] == [*plain, "--full", "--others", "rest"]


def test_without_it_that_of_make_linux_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "SHIPPED", tmp_path / "none")
    monkeypatch.setenv(board.FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "vmlinux").touch()
    remedy = "run make linux in Takt's folder, or install a package that make wheel-linux has built"
    missing = (1, "", f"there is no taktd here; {remedy}\n")
    assert invoke("linux", "daemon") == missing
    (tmp_path / "vmlinux").unlink()
    assert invoke("linux", "daemon") == missing
    (tmp_path / "vmlinux").touch()
    (tmp_path / "takt").mkdir()
    (tmp_path / "takt" / "taktd").touch()
    assert executed(monkeypatch)[0] == tmp_path / "takt" / "taktd"


def test_runs_on_this_machine_use_what_the_package_has(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def run_list(place: Path, built: dict[str, Path], orders: dict[int, Any]) -> list[tuple[int, Any]]:
        asked.append((place, set(built.values())))
        return [(number, None) for number in orders]

    monkeypatch.setattr(board, "_check_host", lambda: None)
    monkeypatch.setattr(board, "_run_list", run_list)
    board.run(takt.load(SET), tmp_path / "T", board.HOST)
    programs = {shipped / name for name in ("takt.bpf.o", "tables.bin", "takt-linux")}
    assert asked == [(shipped, programs)]
    (tmp_path / "linux").mkdir()
    assert set(board.products(tmp_path / "linux").values()) == programs  # a kernel without the sources


# ---- programs -----------------------------------------------------------------------------------------------------


def test_a_thread_joins_enters_and_leaves(taktd: Daemon) -> None:
    with taktd.connect() as one, taktd.connect() as two:
        assert ask(one, JOIN, name=b"control") == "DETACHED"
        assert (ask(one, ENTER), ask(one, LEAVE)) == ("DETACHED", "NOT_JOINED")
        assert taktd.takt("load", SET)[0] == 0
        status, reply, files = told(one, JOIN, name=b"sensor")
        assert (status, reply[3], reply[4], len(files)) == ("OK", 0, reply[4], 1)
        assert (ask(one, JOIN, name=b"control"), ask(two, JOIN, name=b"control")) == ("JOINED", "JOINED")
        assert os.pread(files[0], 1, reply[6] + OFFSET_OF_STATE) == b"\0"
        assert (ask(two, ENTER), ask(one, ENTER)) == ("NOT_JOINED", "OK")
        assert os.pread(files[0], 1, reply[6] + OFFSET_OF_STATE) == b"\1"
        task = daemon.status(taktd.path).processors[0].tasks[1]
        assert (task.name, task.thread, task.is_attached) == ("sensor", threading.get_native_id(), True)
        os.pwrite(files[0], b"\6", reply[6])  # a request of the thread that leaves is not one of the next thread
        assert ask(one, LEAVE) == "OK"
        status, reply, _ = told(two, JOIN, entity=reply[4])
        assert (status, os.pread(files[0], 1, reply[6])) == ("OK", b"\0")
        os.close(files[0])
    binding = f"binding {threading.get_native_id()}\nunbind {threading.get_native_id()}\n"
    assert (taktd.folder / "classes").read_text() == binding


def test_what_a_thread_cannot_join_as(taktd: Daemon, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    assert taktd.takt("load", str(tmp_path / "two.toml"))[0] == 0
    with taktd.connect() as one:
        assert ask(one, JOIN, name=b"nobody") == "NAME"
        assert ask(one, JOIN, entity=1) == "NAME"  # of which domain?
        for thread in (1, 0, -1, 2**31 - 1):
            assert ask(one, JOIN, name=b"a", thread=thread) == "FOREIGN"
        with other_process(taktd.path, "a"):
            assert ask(one, JOIN, name=b"a") == "TAKEN"
            assert ask(one, JOIN, name=b"b") == "OK"
    daemon.detach(taktd.path)
    assert taktd.takt("load", SET)[0] == 0
    with taktd.connect() as one:
        for entity in (0, 99, 2**32 - 1):
            assert ask(one, JOIN, entity=entity) == "NAME"
        assert ask(one, JOIN, entity=daemon.status(taktd.path).processors[0].tasks[0].job + 1) in ("OK", "NAME")


def test_the_binding_of_a_process_that_is_killed_is_free(taktd: Daemon) -> None:
    assert taktd.takt("load", SET)[0] == 0
    with other_process(taktd.path, "sensor") as process, taktd.connect() as one:
        assert ask(one, JOIN, name=b"sensor") == "TAKEN"
        process.kill()
        process.wait()
        until(lambda: ask(one, JOIN, name=b"sensor") == "OK")


def test_the_binding_of_a_thread_that_ends_is_free(taktd: Daemon) -> None:
    assert taktd.takt("load", SET)[0] == 0
    with taktd.connect() as one, taktd.connect() as two:
        thread = threading.Thread(target=lambda: ask(one, JOIN, name=b"sensor"))
        thread.start()
        thread.join()
        until(lambda: daemon.status(taktd.path).processors[0].tasks[1].thread == 0)
        assert ask(two, JOIN, name=b"sensor") == "OK"


def test_instant_0_waits_for_all_threads(taktd: Daemon, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    assert taktd.takt("load", str(tmp_path / "two.toml"), "--wait")[0] == 0
    with taktd.connect() as one:
        assert (ask(one, JOIN, name=b"a"), ask(one, ENTER), taktd.state()) == ("OK", "NOT_BEGUN", "waits for threads")
        with other_process(taktd.path, "b"):
            assert (ask(one, ENTER), taktd.state()) == ("OK", "attached")
        daemon.detach(taktd.path)
        assert (ask(one, ENTER), ask(one, LEAVE)) == ("DETACHED", "NOT_JOINED")
        assert taktd.takt("load", str(tmp_path / "two.toml"), "--wait")[0] == 0
    assert daemon.status(taktd.path).state == "waits for threads"
    daemon.detach(taktd.path)
    with pytest.raises(BoardError, match="there is no trace"):
        daemon.trace(tmp_path / "T", taktd.path)
    changes = "waits for threads", "attached", "detached", "waits for threads", "detached"
    assert taktd.end() == (0, "".join(f"taktd: {change}\n" for change in changes))


def test_a_task_stands_for_the_other_threads(program: Path, tmp_path: Path) -> None:
    rest = '[[task]]\nname = "rest"\ncpu = 1\nmin_separation = "9ms"\nwcet = "1ms"\n'
    sets = {"sparse": TWO + rest, "periodic": TWO + rest.replace("min_separation", "period"), "none": TWO}
    paths = {name: tmp_path / f"{name}.toml" for name in sets}
    for name, text in sets.items():
        paths[name].write_text(text)
    taktd = Daemon(program, tmp_path, "--full", "--others", "rest")

    def refused(name: str) -> str:
        status, output, errors = taktd.takt("load", str(paths[name]))
        assert (status, output, taktd.state()) == (2, "", "idle")
        return errors.removeprefix(f"{paths[name]}: taktd refuses the task set: ")

    assert refused("none") == "no task is called rest, which is to stand for the other threads\n"
    assert refused("periodic") == "task rest stands for the other threads, so it cannot be periodic\n"
    assert taktd.takt("load", str(paths["sparse"]), "--wait")[0] == 0
    with taktd.connect() as one, other_process(taktd.path, "a"):
        assert (ask(one, JOIN, name=b"rest"), taktd.state()) == ("TAKEN", "waits for threads")
        assert (ask(one, JOIN, name=b"b"), taktd.state()) == ("OK", "attached")  # instant 0 waits for no thread of rest
    assert taktd.end()[0] == 0


def test_many_programs_at_once(taktd: Daemon) -> None:
    assert taktd.takt("load", SET)[0] == 0
    connections = [taktd.connect() for _ in range(300)]
    assert {ask(one, STATUS) for one in connections} == {"OK"}
    assert sum(ask(one, JOIN, name=b"control") == "OK" for one in connections) == 1
    for one in connections:
        one.close()
    until(lambda: daemon.status(taktd.path).processors[0].tasks[0].thread == 0)


def test_when_there_are_too_many_connections_later_ones_wait(program: Path, tmp_path: Path) -> None:
    taktd = Daemon(program, tmp_path, limit=70)
    connections = [taktd.connect() for _ in range(7)]
    assert {ask(one, STATUS) for one in connections[:6]} == {"NOTHING"}
    connections[6].settimeout(0.3)
    with pytest.raises(TimeoutError):
        ask(connections[6], STATUS)
    connections[0].close()
    connections[6].settimeout(20)
    assert connections[6].recv(256)[4] == STATUS
    for one in connections:
        one.close()
    assert taktd.end()[0] == 0


def seconds_of(process: subprocess.Popen[str]) -> float:
    """Return the processor time of a process."""
    words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:13])) / os.sysconf("SC_CLK_TCK")


def test_it_rests_while_it_can_accept_no_connection(taktd: Daemon) -> None:
    (taktd.folder / "full").write_text("yes")
    with taktd.connect() as one:
        one.settimeout(0.1)
        with pytest.raises(TimeoutError):
            ask(one, STATUS)
        before = seconds_of(taktd.process)
        time.sleep(1)
        assert seconds_of(taktd.process) - before < 0.1
        (taktd.folder / "full").unlink()
        one.settimeout(20)
        assert len(one.recv(512)) == 256
    assert taktd.state() == "idle"
    said = taktd.end()[1]
    assert said == "taktd: connections have to wait: Too many open files\n"


IDLE = """
import os, socket, sys, time
user, path, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
os.setgid(65534); os.setuid(user)
connections, open_ones = [], 0
for _ in range(count):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.connect(path)
    connections.append(one)
time.sleep(0.5)
for one in connections:
    one.setblocking(False)
    try:
        one.recv(1)
    except BlockingIOError:
        open_ones += 1
print(open_ones, flush=True)
time.sleep(60)
"""


@contextmanager
def idle_connections(taktd: Daemon, user: int, count: int) -> Iterator[int]:
    """Connections of another user, of which taktd keeps so many open."""
    command = [sys.executable, "-c", IDLE, str(user), str(taktd.path), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.kill()


def let_others_in(taktd: Daemon) -> None:
    """Let other users connect."""
    taktd.path.chmod(0o666)
    for parent in list(taktd.path.parents)[:4]:
        parent.chmod(parent.stat().st_mode | 0o055)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_users_lock_each_other_or_root_out(program: Path, tmp_path: Path) -> None:
    most = 100
    taktd = Daemon(program, tmp_path, limit=64 + most)
    let_others_in(taktd)
    with idle_connections(taktd, 65530, most) as first, idle_connections(taktd, 65531, 3) as second:
        assert (first, second, taktd.state()) == (25, 3, "idle")
        with (
            idle_connections(taktd, 65532, most) as third,
            idle_connections(taktd, 65533, most) as fourth,
            idle_connections(taktd, 65534, most) as fifth,
        ):
            assert (third, fourth, fifth) == (25, 25, 14)
            assert (second + third + fourth + fifth + first, taktd.state()) == (most - 8, "idle")
    until(lambda: files_of(taktd) < 20)
    assert taktd.end()[0] == 0


# ---- messages that no program of ours sends -------------------------------------------------------------------------


def test_messages_that_are_none_are_refused(taktd: Daemon) -> None:
    good: dict[str, Any] = {"version": 1, "kind": STATUS, "thread": 0, "cpu": 0}
    with taktd.connect() as one:
        for wrong in (
            *({"version": 0}, {"version": 2}, {"kind": 0}, {"kind": 10}, {"kind": 2**32 - 1}, {"flags": 2}),
            {"name": 64 * b"x"},
        ):
            fields = {**good, **wrong}
            assert ask(one, fields.pop("kind"), **fields) == "MESSAGE"
        for length in (1, 7, 8, 127, 129, 4000):
            one.send(bytes(length))
            reply = one.recv(512)
            assert (len(reply), reply[8]) == (256, 1)
        assert ask(one, TASK) == "NAME"
    assert taktd.state() == "idle"


def sent_with_files(taktd: Daemon, length: int, count: int, file: int) -> None:
    """Send a message of any length with any number of files, and wait until it is judged."""
    with taktd.connect() as one:
        socket.send_fds(one, [bytes(length)], [file] * count)
        assert len(one.recv(512)) == (256 if length else 0)


@pytest.mark.parametrize("length", [0, 1, 128, 129])
def test_no_message_leaves_a_file_behind(taktd: Daemon, length: int) -> None:
    before = files_of(taktd)
    with daemon._file(b"") as file:
        for count in (1, 2, 3, 253):
            for _ in range(20):
                sent_with_files(taktd, length, count, file)
    until(lambda: files_of(taktd) == before)
    assert taktd.state() == "idle"


def test_an_empty_message_ends_the_connection_only(taktd: Daemon) -> None:
    with taktd.connect() as one:
        one.send(b"")
        assert one.recv(512) == b""
    assert taktd.state() == "idle"


def test_files_that_are_none_are_refused_and_closed(taktd: Daemon, tmp_path: Path) -> None:
    (part,) = board.parts(takt.load(SET).replace(horizon="1000s"))
    whole = daemon.contents(part)
    spoiled = [
        *(b"", whole[:20], whole[:-1], whole + b"x"),
        bytes(24) + whole[24:],
        (2**64 - 8).to_bytes(8, "little") + (8).to_bytes(8, "little") + whole[16:],
        whole.replace(b"control\0", b"control!"),
        whole.replace(b"\0control", b"\0" + 70 * b"c" + b"control"),
    ]
    before = files_of(taktd)
    for data in spoiled:
        with taktd.connect() as one, daemon._file(data) as file:
            assert ask(one, ADD, (file,), tick_ns=1000, records=100) in ("MESSAGE", "REFUSED")
            assert ask(one, ATTACH) == "NOTHING"
    with taktd.connect() as one, daemon._file(whole) as file:
        assert ask(one, ADD, tick_ns=1000, records=100) == "MESSAGE"
        assert ask(one, ADD, (file,), tick_ns=0, records=100) == "MESSAGE"
        assert ask(one, ADD, (file,), tick_ns=1000, records=0) == "REFUSED"
        assert ask(one, ADD, (0,), tick_ns=1000, records=100) == "MESSAGE"
        assert ask(one, ADD, (file, file), tick_ns=1000, records=100) == "OK"
        assert ask(one, ADD, (file,), tick_ns=1000, records=100) == "MESSAGE"  # there is one for this processor
        with taktd.connect() as two:
            assert (ask(two, ADD, (file,), tick_ns=1000, records=9), ask(two, ATTACH)) == ("ATTACHED", "NOTHING")
    until(lambda: files_of(taktd) == before)
    with taktd.connect() as one:  # the domain of a client that is gone is forgotten
        assert ask(one, ATTACH) == "NOTHING"
    assert daemon.status(taktd.path).processors == ()


def test_images_that_are_none_are_refused(taktd: Daemon) -> None:
    (part,) = board.parts(takt.load(SET).replace(horizon="1000s"))
    whole, draw = daemon.contents(part), random.Random(5)
    size = int.from_bytes(whole[:8], "little")
    found = set()
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            data[24 + draw.randrange(size)] = draw.randrange(256)
        with taktd.connect() as one, daemon._file(bytes(data)) as file:
            found.add(ask(one, ADD, (file,), tick_ns=1000, records=100))
    assert found == {"OK", "REFUSED"}


def test_random_messages_change_nothing(taktd: Daemon) -> None:
    assert taktd.takt("load", SET)[0] == 0
    draw = random.Random(7)
    with taktd.connect() as one:
        for _ in range(2000):
            data = bytearray(draw.randbytes(128))
            if draw.randrange(4):
                data[:24] = b"".join(
                    draw.choice((0, 1, draw.randrange(12), 2**32 - 1)).to_bytes(4, "little") for _ in range(6)
                )
            if data[4] == DETACH:
                data[4] = STATUS
            one.send(data)
            assert len(one.recv(512)) == 256
    assert taktd.state() == "attached"


def test_a_program_that_does_not_read_is_dropped(taktd: Daemon) -> None:
    with taktd.connect() as one:
        one.settimeout(0.5)
        with pytest.raises(OSError, match=r"timed out|Broken pipe|reset"):
            deque(map(one.send, repeat(daemon._CALL.pack(1, STATUS, 0, 0, 0, 0, 0, 0, b""))), maxlen=0)
        assert taktd.state() == "idle"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_users_may_join_and_watch_but_not_load(taktd: Daemon) -> None:
    assert taktd.takt("load", SET)[0] == 0
    let_others_in(taktd)
    code = (
        "import os, socket, struct, sys, threading\nos.setgid(65534); os.setuid(65534)\n"
        "one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); one.connect(sys.argv[1])\n"
        "def ask(kind, name=b''):\n"
        "    call = struct.pack('=IIiIIIQQ24x64s', 1, kind, threading.get_native_id(), 0, 0, 0, 0, 0, name)\n"
        "    one.send(call); return one.recv(256)[8]\n"
        "print([ask(kind) for kind in range(6, 10)], ask(4), ask(1, b'sensor'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, taktd.path], capture_output=True, text=True, check=False)
    assert done.stdout == "[2, 2, 2, 2] 0 0\n", done.stderr
    assert taktd.state() == "attached"


def test_a_daemon_of_another_version_is_named(tmp_path: Path) -> None:
    replies = [b"", b"short", bytes(256), daemon._REPLY.pack(1, STATUS, 1, 0, 0, 0, 0, b"", b"")]
    texts = [
        "taktd has ended",
        *(["taktd: taktd does not understand this takt; use those of one version"] * 3),
    ]
    for number, (reply, text) in enumerate(zip(replies, texts, strict=True)):
        path = tmp_path / str(number)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()

            def serve(listener: socket.socket = listener, reply: bytes = reply) -> None:
                connection, _ = listener.accept()
                connection.recv(128)
                connection.send(reply)
                connection.close()

            thread = threading.Thread(target=serve)
            thread.start()
            with pytest.raises(BoardError, match=f"^{text}$"):
                daemon.status(path)
            thread.join()


# ---- systems --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iot_65", "servers", "resources", "fpds", "mode_change", "smallest", "shared_rates"])
def test_examples_are_loaded_without_an_end(taktd: Daemon, name: str) -> None:
    system = takt.load(EXAMPLES / f"{name}.toml")
    daemon.load(daemon.without_end(system), taktd.path)
    assert taktd.state() == "attached"


def test_without_an_end_no_task_runs_out_of_numbers() -> None:
    system = daemon.without_end(takt.load(SET))
    ticks = takt.model.horizon.horizon_ticks(system)
    shortest = min(task.period for task in system.resolved.tasks)
    assert ticks // shortest == 2**32 - 2


def test_arrivals_of_the_file_are_not_made() -> None:
    system = daemon.without_end(takt.load(EXAMPLES / "mode_change.toml"))
    (part,) = board.parts(system)
    assert len(programs.image_of_service(part.system.resolved, part.described, part.horizon)) < 10_000
    with pytest.raises(InputError):
        board.parts(takt.load(EXAMPLES / "dhall.toml"))


def test_all_sides_look_for_the_socket_at_one_place() -> None:
    assert f'#define TAKT_PROTOCOL_PATH "{daemon.SOCKET}"' in (ROOT / "linux/protocol.h").read_text()
    assert options._SOCKET == daemon.SOCKET
