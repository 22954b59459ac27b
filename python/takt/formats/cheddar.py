# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cheddar's XML: architecture models of the analysis tool Cheddar, its ADL (.xmlv3) and, to be read, release 2.

Source: Cheddar's own examples and source, release 3: cheddar_adl/tasks.ads, resources.ads, and the scheduler for what
the numbers mean. Numbers have no unit, so a number is a tick. Larger priorities are more urgent. A critical section
counts the units of time that a job executes from 1, its first and its last both included. An offset with activation 0
delays every release, a sporadic task draws its separations with the period as mean and as least. Names of elements
are read in either case.

Left out: all processors but one, communication, memories and caches, networks, energy, security.
"""

from __future__ import annotations

from takt.formats import documents
from takt.formats.cheddar_reading import read
from takt.formats.cheddar_writing import write
from takt.formats.contracts import Format

FORMAT = Format(
    "cheddar",
    (".xml", ".xmlv3"),
    lambda data: documents.begins_with(data, "cheddar"),
    read,
    write,
    keeps_units=False,
)
