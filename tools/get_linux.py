#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fetches a kernel that has sched_ext, and what builds programs in BPF for it, into a folder of the project.

Usage: get_linux.py [--into FOLDER] [--systemd | --kernel PACKAGE] (default: build/linux).

Prints the folder. Debian's packages are unpacked into it, not installed:

    vmlinux             the kernel, as an emulator starts it
    vmlinux.h           its types, for programs in BPF
    root/               usr/sbin/bpftool, usr/include/bpf, usr/lib/*-linux-gnu/libbpf.a, usr/bin/qemu-system-x86_64;
                        usr/bin/cyclictest and usr/bin/rt-app with their libraries, as clients
    systemd/            with --systemd: systemd and its libraries, for the test of taktd's unit
    packages            what was unpacked; written last. systemd/ has its own

With --kernel there is only vmlinux, the kernel of another package.

The emulator is unpacked too, because that of Debian 12 lets one of several processors run for milliseconds. Its
libraries, and all else, are installed from the machine's own release: `prepare.py tools linux`. Exit status 1 and one
line on standard error where the packages cannot be had.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from unpack_debian import ROOT, NotHadError, run, unpack

KERNEL = "linux-image-6.18.15+deb13-cloud-amd64|linux-binary-6.19.14+deb13-cloud-amd64"
"""The version with which everything was tested; a later one that works, should the archive no longer have it."""

PACKAGES = {
    "trixie-backports": (KERNEL,),
    "bookworm": ("rt-tests", "rt-app", "libjson-c5", "libnuma1", "libc6", "libgcc-s1"),
    "bookworm-backports": ("bpftool", "libbpf-dev", "libbpf1", "qemu-system-x86", "qemu-system-data"),
}
SYSTEMD = (
    *("systemd", "libsystemd-shared", "libacl1", "libapparmor1", "libaudit1", "libblkid1", "libcap-ng0", "libcap2"),
    *("libcrypt1", "libgcrypt20", "libgpg-error0", "libip4tc2", "libkmod2", "liblz4-1", "liblzma5", "libmount1"),
    *("libpam0g", "libpcre2-8-0", "libseccomp2", "libselinux1", "libssl3", "libzstd1"),
)
ZSTD = b"\x28\xb5\x2f\xfd"
"""The first bytes of what zstd compressed."""


def extract(image: Path, kernel: Path) -> None:
    """Write the kernel that a bootable image holds.

    Raises:
        NotHadError: The image holds none that zstd compressed.
    """
    data = image.read_bytes()
    start = max(data.find(ZSTD), 0)
    # zstd complains about what follows the compressed kernel, after it has written the whole kernel.
    done = subprocess.run(["zstd", "-dcq"], input=data[start:], capture_output=True, check=False)
    if not done.stdout.startswith(b"\x7fELF"):
        raise NotHadError(f"{image.name} holds no kernel that zstd compressed")
    kernel.write_bytes(done.stdout)


def begin(stamp: Path, packages: object) -> bool:
    """Empty the folder of a stamp, unless the stamp says that it has just these packages. Return whether it did."""
    if stamp.exists() and stamp.read_text(encoding="utf-8") == repr(packages):
        return False
    shutil.rmtree(stamp.parent, ignore_errors=True)
    return True


def fetch_systemd(folder: Path) -> None:
    """Unpack systemd into a folder, unless it is there.

    Raises:
        NotHadError: It cannot be had.
    """
    stamp = folder / "packages"
    if begin(stamp, SYSTEMD):
        unpack("bookworm", SYSTEMD, folder)
        stamp.write_text(repr(SYSTEMD), encoding="utf-8")


def fetch_kernel(package: str, folder: Path) -> None:
    """Unpack the kernel of a package into a folder, unless it is there.

    Raises:
        NotHadError: It cannot be had.
    """
    stamp = folder / "packages"
    if not begin(stamp, package):
        return
    unpack("trixie-backports", (package,), folder / "kernel")
    unpack_image(folder / "kernel", folder / "vmlinux")
    shutil.rmtree(folder / "kernel")
    stamp.write_text(repr(package), encoding="utf-8")


def unpack_image(root: Path, kernel: Path) -> None:
    """Write the kernel that an unpacked package holds.

    Raises:
        NotHadError: There is none.
    """
    image = next(root.glob("boot/vmlinuz-*"), None)
    if image is None:
        raise NotHadError("the package of the kernel holds no kernel")
    extract(image, kernel)


def fetch(folder: Path) -> None:
    """Unpack the kernel and what builds programs for it into a folder, unless they are there.

    Raises:
        NotHadError: It cannot be had.
    """
    stamp = folder / "packages"
    if not begin(stamp, PACKAGES):
        return
    root, kernel = folder / "root", folder / "vmlinux"
    for release, packages in PACKAGES.items():
        unpack(release, packages, root)
    unpack_image(root, kernel)
    for name in ("boot", "usr/lib/modules"):
        shutil.rmtree(root / name)
    text = run([str(root / "usr/sbin/bpftool"), "btf", "dump", "file", str(kernel), "format", "c"])
    (folder / "vmlinux.h").write_text(text, encoding="utf-8")
    stamp.write_text(repr(PACKAGES), encoding="utf-8")


def main() -> int:
    """Print where it is."""
    parser = argparse.ArgumentParser(description="fetch a kernel that has sched_ext, bpftool and libbpf")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "linux")
    parser.add_argument("--systemd", action="store_true", help="fetch systemd, too")
    parser.add_argument("--kernel", metavar="PACKAGE", help="fetch the kernel of this package alone")
    options = parser.parse_args()
    folder = options.into.resolve()
    what = "the kernel of Linux"
    try:
        if options.kernel:
            fetch_kernel(options.kernel, folder)
        else:
            fetch(folder)
        if options.systemd:
            what = "systemd"
            fetch_systemd(folder / "systemd")
    except (NotHadError, OSError, subprocess.TimeoutExpired) as error:
        print(f"{what} cannot be had here: {error}", file=sys.stderr)
        return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
