# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Forks: a process is unusable for polars if its parent had started the threads of polars before the fork.

polars answers queries (select, filter, sort, join, write_csv) with a pool of threads that it starts at the first query.
A fork copies the pool's memory but none of its threads, so the first query in the child waits for ever. Simulations
build their frames without queries. Where the caller's own queries came before the fork, the child gets an error.

Source: POSIX.1-2017, fork: the new process has a single thread; polars' documentation, "Multiprocessing".
When not to use it: where there is no /proc. There no thread is found; macOS and Windows do not fork unless asked.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from takt.base.errors import ForkError

_TASKS = Path("/proc/self/task")
_POOL = ("polars-", "tokio-rt-worker")
_NOT_POOL = "polars-ooc"  # started when polars is imported; no query waits for it

_is_pool_running = False
_is_pool_lost = False


def check() -> None:
    """Raise where a query would hang.

    Raises:
        ForkError: polars' threads were lost in a fork.
    """
    if _is_pool_lost:
        raise ForkError(
            "this process was forked after polars had started its threads, which a fork does not copy; "
            'use spawn: ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
        )


def has_pool_started() -> bool:
    """True if this process has threads that answer queries."""
    names = []
    for thread in _TASKS.glob("*/comm"):
        with suppress(OSError):  # it has ended
            names.append(thread.read_text(errors="replace"))
    return any(name.startswith(_POOL) and not name.startswith(_NOT_POOL) for name in names)


def _before() -> None:
    """Record the threads before the fork."""
    global _is_pool_running
    _is_pool_running = has_pool_started()


def _in_child() -> None:
    """Record that the threads are lost, in this process and its children."""
    global _is_pool_lost
    _is_pool_lost = _is_pool_lost or _is_pool_running


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
