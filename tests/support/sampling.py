# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How many random systems the properties try, and which.

`make test` tries the same few at every run, so that what it says depends on the sources alone. TAKT_SYSTEMS, as `make
soak` sets it, makes every run try others, and as many of them as it says where `make test` tries UNIT. With
TAKT_STEADY, as `make mutate` sets it, they are the same at every run nevertheless, and one that fails is not made
smaller.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

UNIT = 200
SYSTEMS = os.environ.get("TAKT_SYSTEMS")
IS_STEADY = "TAKT_STEADY" in os.environ
IS_SMALLER = SYSTEMS is not None and int(SYSTEMS) < UNIT


def count(sample: int) -> int:
    """Return how many to try where `make test` tries `sample`: in proportion to TAKT_SYSTEMS, at least 1."""
    return sample if SYSTEMS is None else max(1, sample * int(SYSTEMS) // UNIT)


def tries(sample: int) -> settings:
    """Return the settings of a property that tries `sample` random systems in `make test`."""
    return settings(
        max_examples=count(sample),
        derandomize=SYSTEMS is None or IS_STEADY,
        phases=(Phase.explicit, Phase.generate) if IS_STEADY else tuple(Phase),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )


def expect_cases(came_up: bool, seen: object = "") -> None:
    """Check that the cases of a property came up as often as they should, in a sample of at least that of `make test`.

    A smaller sample may miss a case without a defect.

    Args:
        came_up: Whether they did.
        seen: What did, for the message.
    """
    assert came_up or IS_SMALLER, seen
