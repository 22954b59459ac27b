# SPDX-License-Identifier: Apache-2.0 OR MIT
"""rt-app's JSON: the threads of the load generator rt-app 1.0 for Linux.

Source: tutorial.txt and workgen of rt-app 1.0. Times are whole microseconds. A thread is a loop of events; its jobs
are what it does from one timer to the next. An absolute timer is a period; SCHED_FIFO is fp and SCHED_DEADLINE edf,
with a hard constant bandwidth server where a job may need more than its budget.

Left out: threads that wait for others, loads of memory and devices, clamps, groups, memory nodes.
"""

from __future__ import annotations

from takt.formats import rt_app_json
from takt.formats.contracts import Format
from takt.formats.rt_app_reading import read
from takt.formats.rt_app_writing import write

FORMAT = Format("rt-app", (".json",), rt_app_json.recognizes, read, write)
