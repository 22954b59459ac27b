# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs that are linked with shared libraries, for the guest: what its root folder needs for them.

The files stand below root/ of the guest's folder /work, at their places in the guest; MOVE puts them there.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

MOVE = "for each in /work/root/*; do /bin/busybox mv $each /; done"


def programs(places: Mapping[str, Path], folders: Sequence[Path] = ()) -> dict[str, Path | bytes]:
    """Return programs, modules and the libraries that they need.

    Args:
        places: the programs, by their places in the guest.
        folders: those of libraries, before the folders of this machine.
    """
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, folders))}
    command = ["ldd", *map(str, places.values())]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    libraries = {Path(found) for found in re.findall(r"(/\S+) \(0x", told)}
    named = {f"root/{place}": file for place, file in places.items()}
    for library in libraries:
        folder = "lib64" if library.name.startswith("ld-linux") else f"usr/lib/{platform.machine()}-linux-gnu"
        named[f"root/{folder}/{library.name}"] = library
    return dict(named)
