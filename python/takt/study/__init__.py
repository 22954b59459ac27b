# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Studies at scale: many task sets at each point of a grid, with the results of tests and simulations.

Example:
    >>> import takt
    >>> study = takt.study.load("examples/studies/acceptance.toml")  # doctest: +SKIP
    >>> result = takt.study.run(study, workers=2)  # doctest: +SKIP
    >>> result.filter(measure="acceptance", subject="edf")  # doctest: +SKIP
"""

from takt.study.description import Study, load
from takt.study.registry import TESTS as tests  # noqa: N811 (the registry is data that users read)
from takt.study.registry import MatrixTest, SystemTest, Test
from takt.study.running import run
from takt.study.workers import StudyError

__all__ = ["MatrixTest", "Study", "StudyError", "SystemTest", "Test", "load", "run", "tests"]


def __dir__() -> list[str]:
    """Return the names that users need."""
    return __all__
