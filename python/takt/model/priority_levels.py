# SPDX-License-Identifier: Apache-2.0 OR MIT
"""From users' priorities (larger = more urgent) to core's levels (1 = most urgent, no gaps).

This is the one place that ranks: each dispatcher, the root or a server, ranks the priorities and thresholds
of its own children.
"""

from __future__ import annotations

from collections.abc import Iterable

from takt import _core


def rank(priorities: Iterable[int]) -> dict[int, int]:
    """Return the level of each distinct priority of one dispatcher.

    Args:
        priorities: priorities and thresholds of the children, in any order, repeated or not.

    Returns:
        The level of each priority: 1 for the most urgent, then 2 and so on. Level 0 is core's own.

    Example:
        >>> rank([7, 3, 7, 90])
        {3: 3, 7: 2, 90: 1}
    """
    distinct = sorted(set(priorities))
    return {priority: _core.level_from_priority(place, len(distinct)) for place, priority in enumerate(distinct)}
