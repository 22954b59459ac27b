"""How many random systems the properties try, and which.

`make test` tries the same few at every run, so that what it says depends on the sources alone. TAKT_SYSTEMS, as `make
soak` sets it, makes every run try others, and as many of them as it says where `make test` tries UNIT.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

UNIT = 200
SYSTEMS = os.environ.get("TAKT_SYSTEMS")


def count(sample: int) -> int:
    """Say how many to try where `make test` tries `sample`: in proportion to TAKT_SYSTEMS, at least 1."""
    return sample if SYSTEMS is None else max(1, sample * int(SYSTEMS) // UNIT)


def tries(sample: int) -> settings:
    """Make the settings of a property that tries `sample` random systems in `make test`."""
    return settings(
        max_examples=count(sample),
        derandomize=SYSTEMS is None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
