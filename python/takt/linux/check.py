# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check of a machine for Takt under sched_ext; each finding names the remedy.

A file that is not there or cannot be read is unknown, and unknown is not yes. What a kernel accepts of the programs is
tried: no list knows it.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from takt.base.errors import file_error

State = Literal["ok", "reduced", "missing"]

_CAPABILITIES = {"CAP_SYS_NICE": 23, "CAP_PERFMON": 38, "CAP_BPF": 39}
_SYS_ADMIN = 21
"""The number of CAP_SYS_ADMIN, which Linux accepts for CAP_PERFMON and CAP_BPF."""

_OLDEST = (6, 13)
_OWN = "takt"
_SCHED_EXT = "sys/kernel/sched_ext"
_SHOWN = 5
_REAL_TIME = "PREEMPT_RT"
_LOADING_SECONDS = 300


@dataclass(frozen=True)
class Finding:
    """One thing that Takt needs of a machine.

    Args:
        what: the thing.
        state: "ok"; "reduced": without it one mode or some precision is missing; "missing": Takt cannot run.
        found: what there is.
        wanted: what there should be.
        remedy: what to do; empty if the state is ok.
    """

    what: str
    state: State
    found: str
    wanted: str
    remedy: str


def check(root: str | Path = "/") -> list[Finding]:
    """Return what a machine has and lacks, by its files.

    Args:
        root: where /proc, /sys and /boot are.

    Raises:
        InputError: the root is no folder.

    Example:
        >>> [finding.what for finding in check() if finding.what == "kernel"]
        ['kernel']
    """
    if not Path(root).is_dir():
        raise file_error(root, "expected a folder with proc and sys, found none", "cannot-read")
    machine = _Machine(Path(root))
    return [
        machine.kernel(),
        machine.sched_ext(),
        machine.btf(),
        *machine.capabilities(),
        machine.attached(),
        machine.calls_of_programs(),
        machine.preemption(),
        machine.isolated(),
        machine.tickless(),
        machine.interrupts(),
    ]


def programs(folder: Path | None) -> list[Finding]:
    """Return whether the kernel of this machine loads the programs in a folder; None: there is no such folder.

    There is an object for each family of task sets, and one of all functions, the largest. A kernel can refuse one of
    them alone. Without the smallest one Takt cannot run.
    """
    if folder is None:
        remedy = "run make linux in Takt's folder, or install a package that make wheel-linux has built"
        return [Finding("programs", "missing", "none here", "programs that this kernel loads", remedy)]
    remedy = "mend what is missing above; else boot Linux 6.18, with which the programs were verified"
    objects = sorted(folder.glob("takt*.bpf.o"), key=lambda path: path.stat().st_size) or [folder / "takt.bpf.o"]
    findings = list[Finding]()
    for path in objects:
        refused = _refusal([str(folder / "takt-linux"), str(path), str(folder / "tables.bin")])
        family = path.name.removesuffix(".bpf.o").removeprefix("takt").removeprefix("-") or "all together"
        state: State = "reduced" if findings else "missing"
        what = f"programs, {family}" if findings else "programs"
        findings.append(_finding(what, refused or "loaded", "loaded", remedy, is_met=refused is None, otherwise=state))
    return findings


def with_trial(findings: list[Finding], tried: list[Finding]) -> list[Finding]:
    """Return all findings; programs that load refute what is said of PREEMPT_RT, for which a kernel may refuse them."""
    has_loaded = any(one.state == "ok" for one in tried)
    refuted = {_REAL_TIME} if has_loaded else set()
    known = [replace(one, state="ok", remedy="") if one.what in refuted else one for one in findings]
    return known + tried


def _refusal(command: list[str]) -> str | None:
    """Return why a program does not load; None if it does."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LOADING_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"not tried: {problem}"
    if done.returncode == 0:
        return None
    last = (done.stderr.strip() or "no word").splitlines()[-1]
    return last.partition(": ")[2].partition(";")[0] or last


def _finding(what: str, found: str, wanted: str, remedy: str, *, is_met: bool, otherwise: State = "missing") -> Finding:
    """Return a finding; one that is met needs no remedy."""
    return Finding(what, "ok" if is_met else otherwise, found, wanted, "" if is_met else remedy)


class _Machine:
    """The files of a machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.release = self.text("proc/sys/kernel/osrelease") or ""
        try:
            text: str | None = gzip.decompress((root / "proc/config.gz").read_bytes()).decode(errors="replace")
        except (OSError, EOFError, zlib.error):
            text = self.text(f"boot/config-{self.release}")
        # The options with which the kernel was built; None if no file has them.
        self.options = None if text is None else dict(re.findall(r"^(CONFIG_\w+)=(.*)$", text, re.MULTILINE))
        self.has_sched_ext = (root / _SCHED_EXT).is_dir()
        self.apart = _processors(self.text("sys/devices/system/cpu/isolated"))

    def text(self, path: str) -> str | None:
        """Read a file; None if that is not possible."""
        try:
            return (self.root / path).read_text(errors="replace").strip().replace("\0", "")
        except OSError:
            return None

    def kernel(self) -> Finding:
        """Compare the release of the kernel."""
        numbers = re.match(r"(\d+)\.(\d+)", self.release)
        is_met = numbers is not None and (int(numbers[1]), int(numbers[2])) >= _OLDEST
        return _finding("kernel", self.release or "unknown", "6.13 or later", "boot a later kernel", is_met=is_met)

    def sched_ext(self) -> Finding:
        """Return the finding about the scheduling class of BPF."""
        option = None if self.options is None else self.options.get("CONFIG_SCHED_CLASS_EXT", "not set")
        found = f"/{_SCHED_EXT}" if self.has_sched_ext else "unknown" if option is None else option
        remedy = "boot a kernel with this option; Debian's 6.12 is without, its backports from 6.18 on have it"
        is_met = self.has_sched_ext or option == "y"
        return _finding("sched_ext", found, "CONFIG_SCHED_CLASS_EXT=y", remedy, is_met=is_met)

    def btf(self) -> Finding:
        """Return the finding about the types of the kernel."""
        place = "sys/kernel/btf/vmlinux"
        is_met = (self.root / place).exists()
        remedy = "boot a kernel with CONFIG_DEBUG_INFO_BTF=y"
        return _finding("BTF", f"/{place}" if is_met else "none", f"/{place}", remedy, is_met=is_met)

    def capabilities(self) -> list[Finding]:
        """Return the findings about the privileges of this process."""
        found = re.search(r"^CapEff:\s*([0-9a-fA-F]+)$", self.text("proc/self/status") or "", re.MULTILINE)
        held = 0 if found is None else int(found[1], 16)
        rows = []
        for name, number in _CAPABILITIES.items():
            is_met = bool(held >> number & 1 or (name != "CAP_SYS_NICE" and held >> _SYS_ADMIN & 1))
            what = "held" if is_met else "unknown" if found is None else "not held"
            remedy = f"run as root, or give the program this capability: setcap {name.lower()}+ep"
            rows.append(_finding(name, what, "held", remedy, is_met=is_met))
        return rows

    def attached(self) -> Finding:
        """Return the finding about another scheduler that is attached: Linux has one at a time."""
        state = self.text(f"{_SCHED_EXT}/state") if self.has_sched_ext else "disabled"
        name = self.text(f"{_SCHED_EXT}/root/ops") or "one without a name"
        is_own = state == "enabled" and name.startswith(_OWN)
        found = "none" if state == "disabled" else "unknown" if state is None else f"{name} ({state})"
        remedy = "end that scheduler first; Takt does not replace it"
        return _finding("attached scheduler", found, "none, or Takt", remedy, is_met=is_own or state == "disabled")

    def calls_of_programs(self) -> Finding:
        """Return whether the kernel calls programs at its functions: so the domain is called."""
        found = self.text("proc/sys/kernel/ftrace_enabled")
        remedy = "sysctl kernel.ftrace_enabled=1, and leave it so: the scheduler ends when it becomes 0"
        return _finding("ftrace_enabled", found or "unknown", "1", remedy, is_met=found == "1")

    def preemption(self) -> Finding:
        """Find PREEMPT_RT, under which Linux refuses the timers of BPF."""
        options = None if self.options is None else self.options.get("CONFIG_PREEMPT_RT", "n")
        version, file = self.text("proc/version"), self.text("sys/kernel/realtime")
        is_real_time = "PREEMPT_RT" in (version or "") or file == "1" or options == "y"
        found = "yes" if is_real_time else "unknown" if version is file is options is None else "no"
        remedy = "boot a kernel without PREEMPT_RT: one with it has no timers for the programs"
        return _finding(_REAL_TIME, found, "no", remedy, is_met=found == "no")

    def isolated(self) -> Finding:
        """Find processors that Linux leaves alone, for the partial mode."""
        remedy = "for the partial mode boot with isolcpus=N nohz_full=N; the full mode needs none"
        found = "unknown" if self.apart is None else _listed(self.apart)
        return _finding(
            "isolated processors", found, "one or more", remedy, is_met=bool(self.apart), otherwise="reduced"
        )

    def tickless(self) -> Finding:
        """Return the finding whether the isolated processors have no tick while one thread runs."""
        quiet = _processors((self.text("sys/devices/system/cpu/nohz_full") or "").replace("(null)", ""))
        is_met = bool(self.apart) and quiet is not None and (self.apart or set()) <= quiet
        wanted = _listed(self.apart) if self.apart else "the isolated processors"
        remedy = "for the partial mode boot with nohz_full= these processors"
        found = "unknown" if quiet is None else _listed(quiet)
        return _finding("nohz_full", found, wanted, remedy, is_met=is_met, otherwise="reduced")

    def interrupts(self) -> Finding:
        """Return the finding about interrupts that isolated processors may get."""
        masks = {path.parent.name: path for path in self.root.glob("proc/irq/*/smp_affinity_list")}
        numbers = sorted((name for name in masks if name.isdigit()), key=int)
        allowed = {name: _processors(self.text(f"proc/irq/{name}/smp_affinity_list")) for name in numbers}
        there = [name for name, cpus in allowed.items() if cpus is None or cpus & (self.apart or set())]
        more = " ..." if len(there) > _SHOWN else ""
        found = f"{len(there)} of {len(allowed)}: {', '.join(there[:_SHOWN])}{more}" if there else "none"
        if not self.apart or not allowed:
            found = "no isolated processor" if allowed else "unknown"
        remedy = "write the other processors to /proc/irq/N/smp_affinity_list, or boot with irqaffinity= them"
        return _finding(
            "interrupts there",
            found,
            "none on isolated processors",
            remedy,
            is_met=bool(self.apart and allowed and not there),
            otherwise="reduced",
        )


def _processors(text: str | None) -> set[int] | None:
    """Read a list such as 0-2,5; None if it is none."""
    if text is None or not re.fullmatch(r"(\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*)?", text):
        return None
    ranges = [part.split("-") for part in text.split(",") if part]
    return {cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)}


def _listed(processors: set[int]) -> str:
    return ", ".join(map(str, sorted(processors))) or "none"
