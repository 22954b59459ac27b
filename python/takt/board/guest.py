# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Linux in an emulator: a kernel that has sched_ext runs a command, and output, exit status and files come back.

Files come back at the end; what the command gives to HAND_OVER comes back at once. Each run boots. Time in the guest is
the number of executed instructions: one takes 4 ns, and time in which every processor is idle is skipped. The same call
gives the same bytes in every run. Several processors take turns of 50 us
together, and share the instructions of that time.

When not to use it: for times of silicon; for programs that are linked with shared libraries, which the guest lacks; for
the network, which it has not.
"""

from __future__ import annotations

import io
import re
import stat
import subprocess
import tarfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from takt.base import output_files
from takt.base.errors import BoardError
from takt.board import emulation, firmware, processor_time

NS_PER_INSTRUCTION = 4
_SHIFT = 2
HAND_OVER = "/hand_over"
"""A program of the guest: gives files and folders back at once. Its arguments are names that are relative to /."""

_PATIENCE_SECONDS = 120
_PACKAGES = {"busybox": "busybox-static", "cc": "gcc libc6-dev"}
_FOLDERS = ("bin", "dev", "proc", "sys", "tmp", "work")
_PROGRAMS = ("hand_out", "metronome")
_STATUS = "status"
_EMULATOR = "root/usr/bin/qemu-system-x86_64"
_FIRMWARE = "root/usr/share/qemu"
_FAILURE = re.compile(r"(Kernel panic - not syncing|hand_out): .*")
_MACHINE = (
    *("-M", "microvm,acpi=on,rtc=on,pcie=on", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
    *("-accel", "tcg,thread=single", "-cpu", "max,-rdrand,-rdseed", "-icount", f"shift={_SHIFT},sleep=off"),
    *("-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1"),
    *("-device", "isa-serial,index=1,chardev=output", "-device", "ivshmem-plain,memdev=results,addr=4"),
    *("-serial", "file:console", "-chardev", "file,id=output,path=output", "-initrd", "initramfs"),
)
"""Devices act at once, by the processor's own thread: with virtio, runs on several processors differ."""

_RESULT_BYTES = 64 << 20
_WORD_BYTES = 8
_CALLS_LEFT_OUT = (
    "load_system_certificate_list",
    "jent_mod_init",
    "bpf_tcp_ca_kfunc_init",
    "bpf_dummy_struct_ops_init",
    "bpf_qdisc_kfunc_init",
)
"""What the kernel need not start: certificates, random numbers of jitter, BPF for networks. Half of the boot's time."""

_KERNEL_ARGUMENTS = (
    *("console=ttyS0", "quiet", "panic=-1", "oops=panic", "nokaslr", "norandmaps"),
    *("damon_stat.enabled=N", "transparent_hugepage=never"),
    *("cryptomgr.notests", "thash_entries=16", "uhash_entries=256", f"initcall_blacklist={','.join(_CALLS_LEFT_OUT)}"),
)
"""Among them: no daemon that takes the processor from threads of SCHED_EXT. kdamond takes up to 3.5 ms every 156 ms,
khugepaged 24 ms every 10 s."""


@dataclass(frozen=True)
class Machine:
    """An emulated machine.

    Args:
        folder: where `make linux` puts the kernel: build/linux of the project.
        cpus: the number of processors.
        memory_mb: the memory; half of it holds files.
        kernel_arguments: further arguments of the kernel.
        emulator_arguments: likewise of the emulator.
    """

    folder: Path
    cpus: int = 1
    memory_mb: int = 512
    kernel_arguments: Sequence[str] = ()
    emulator_arguments: Sequence[str] = ()


@dataclass(frozen=True)
class Outcome:
    """Result of a command.

    Args:
        status: its exit status.
        output: what it printed, errors included.
        files: the requested files that exist, by name.
        console: the kernel's messages from warnings on.
    """

    status: int
    output: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)
    console: str = ""


def run(
    machine: Machine,
    command: str,
    files: Mapping[str, Path | bytes] | None = None,
    results: Iterable[str] = (),
    *,
    patience: int = _PATIENCE_SECONDS,
) -> Outcome:
    """Boot the guest and run a command in it; arguments and errors are those of stream.

    Returns:
        What the command did, with all files that came back.
    """
    running = stream(machine, command, files, results, patience=patience)
    found = dict[str, bytes]()
    while True:
        try:
            found |= next(running)
        except StopIteration as end:
            outcome: Outcome = end.value
            return replace(outcome, files={**found, **outcome.files})


def stream(
    machine: Machine,
    command: str,
    files: Mapping[str, Path | bytes] | None = None,
    results: Iterable[str] = (),
    *,
    patience: int = _PATIENCE_SECONDS,
) -> Generator[Mapping[str, bytes], None, Outcome]:
    """Boot the guest and run a command in it, and yield what it hands over when that exists.

    Args:
        machine: what is emulated.
        command: a script for busybox's shell; it runs as root in the folder /work.
        files: what stands in that folder, by name. All may be executed.
        results: names of the files of that folder that are given back at the end.
        patience: seconds of processor time of the host that the emulator may use.

    Yields:
        Files, by name in that folder.

    Returns:
        What the command did, with the files of the end.

    Raises:
        BoardError: a tool or the kernel is missing, the kernel panicked, or the guest did not end; after all that the
            guest has handed over.
    """
    if not (machine.folder / _EMULATOR).exists():
        raise BoardError(f"there is no emulator of Linux in {machine.folder}; run make linux")
    with emulation.temporary_folder() as folder:
        contents = _contents(command, files or {}, results)
        contents |= {name: _compile(name, folder) for name in _PROGRAMS}
        output_files.write(folder / "initramfs", _initramfs(contents))
        found = dict[str, bytes]()
        for found in _emulate(machine, folder, patience):
            if _STATUS not in found:
                yield found
        console = (folder / "console").read_text(encoding="utf-8", errors="replace").replace("\r", "")
        output = (folder / "output").read_bytes()
    if _STATUS not in found:
        failure = _FAILURE.search(console)
        raise BoardError(f"the guest stopped: {failure[0] if failure else last_line(console)}")
    return Outcome(int(found.pop(_STATUS)), output, found, console)


def _emulate(machine: Machine, folder: Path, patience: int) -> Iterator[dict[str, bytes]]:
    """Run the emulator in a folder that has the initramfs, until the guest powers off; yield what it hands over."""
    installed = machine.folder.resolve()
    command = [str(installed / _EMULATOR), *_MACHINE, "-smp", str(machine.cpus), "-m", str(machine.memory_mb)]
    command += ["-L", str(installed / _FIRMWARE), "-kernel", str(installed / "vmlinux")]
    command += ["-object", f"memory-backend-file,id=results,size={_RESULT_BYTES},mem-path=results,share=on"]
    command += ["-append", " ".join((*_KERNEL_ARGUMENTS, *machine.kernel_arguments)), *machine.emulator_arguments]
    shared = _Shared(folder / "results")
    with processor_time.started(command, folder) as process:
        try:
            for _ in processor_time.waits(process, patience):
                yield from shared.new()
        except processor_time.ImpatientError as error:
            yield from shared.new()
            output = folder / "output"
            said = last_line(output.read_text(encoding="utf-8", errors="replace") if output.exists() else "")
            raise BoardError(f"the guest {error}; its last line was: {said}") from None
    if process.returncode != 0:
        raise BoardError(f"the emulator failed: {last_line((folder / 'stderr').read_text(errors='replace'))}")
    yield from shared.new()


def last_line(text: str) -> str:
    """Return the last line with a text."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no word")


class _Shared:
    """The memory that is shared with the guest: the number of bytes that are used, then archives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.taken = 0

    def new(self) -> Iterator[dict[str, bytes]]:
        """Yield the files of the archives that have come, if any have; files that the guest lacks are left out."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            used = int.from_bytes(file.read(_WORD_BYTES), "little")
            file.seek(_WORD_BYTES + self.taken)
            archives = file.read(used - self.taken)
        self.taken = used
        if archives:
            with tarfile.open(fileobj=io.BytesIO(archives), ignore_zeros=True) as members:
                found = {member.name.removeprefix("work/"): members.extractfile(member) for member in members}
                yield {name: content.read() for name, content in found.items() if content is not None}


# ---- the root folder --------------------------------------------------------------------------------------


def _contents(command: str, files: Mapping[str, Path | bytes], results: Iterable[str]) -> dict[str, Path | bytes]:
    """Return the files of the root folder, by their path."""
    return {
        "bin/busybox": Path(firmware.tool("busybox", _PACKAGES)),
        "command": f"{command}\n".encode(),
        "init": _source() / "init.sh",
        HAND_OVER.strip("/"): _source() / "hand_over.sh",
        "results": " ".join((_STATUS, *(f"work/{name}" for name in results))).encode(),
        **{f"work/{name}": content for name, content in files.items()},
    }


def _source() -> Path:
    return firmware.source_folder() / "linux" / "guest"


def _compile(name: str, folder: Path) -> Path:
    program = folder / name
    compiler = firmware.tool("cc", _PACKAGES)
    command = [compiler, "-O2", "-static", "-o", str(program), str(_source() / f"{name}.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BoardError(f"the guest's program could not be built: {last_line(done.stderr)}")
    return program


def _initramfs(contents: Mapping[str, Path | bytes]) -> bytes:
    """Return the archive that the kernel unpacks as the root folder."""
    folders = {str(parent) for name in contents for parent in Path(name).parents} - {"."}
    entries = [_entry(name, stat.S_IFDIR | 0o755) for name in sorted({*_FOLDERS, *folders})]
    entries.append(_entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    for name, content in sorted(contents.items()):
        data = content if isinstance(content, bytes) else content.read_bytes()
        entries.append(_entry(name, stat.S_IFREG | 0o755, data))
    return b"".join((*entries, _entry("TRAILER!!!", 0)))


def _entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """Return an entry of an archive in the format newc of cpio; without inode numbers, for there are no links."""
    numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    header = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
    return _padded(header) + _padded(data)


def _padded(data: bytes) -> bytes:
    """Fill up to a multiple of four bytes."""
    return data + b"\0" * (-len(data) % 4)
