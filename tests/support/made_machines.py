# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Machines that are made of files: what /proc, /sys and /boot say on one that lacks nothing for Takt."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

RELEASE = "6.18.15+deb13-cloud-amd64"
OPTIONS = "#\n# Linux\n#\nCONFIG_SCHED_CLASS_EXT=y\nCONFIG_HZ=250\n# CONFIG_PREEMPT_RT is not set\n"
FILES = {
    "proc/sys/kernel/osrelease": f"{RELEASE}\n",
    "proc/version": "Linux version 6.18.15+deb13-cloud-amd64 (gcc-14) #1 SMP PREEMPT_DYNAMIC Debian 6.18.15-1\n",
    "proc/sys/kernel/ftrace_enabled": "1\n",
    "proc/self/status": "Name:\ttakt\nCapPrm:\t0000000000000000\nCapEff:\t000000c000800000\n",
    "sys/kernel/btf/vmlinux": "",
    "sys/kernel/sched_ext/state": "disabled\n",
    "sys/devices/system/cpu/isolated": "2-3\n",
    "sys/devices/system/cpu/nohz_full": "1-3\n",
    "proc/irq/0/smp_affinity_list": "0-1\n",
    "proc/irq/24/smp_affinity_list": "0\n",
    "proc/irq/default_smp_affinity": "3\n",
}


def make_machine(root: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """Return a machine.

    Args:
        root: its folder.
        changes: files with another text, or None for none; a name that ends with .gz is compressed.
    """
    files: dict[str, str | None] = {**FILES, "proc/config.gz": OPTIONS, **(changes or {})}
    for path, text in files.items():
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            data = text.encode()
            (root / path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
    return root
