# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The wheel and the environment of a new user, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import make_environment, make_wheel, once


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of a test run have in common."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if base.name.startswith("popen-") else base


@pytest.fixture(scope="session")
def wheel(shared: Path) -> Path:
    """The wheel of `make wheel`."""
    (found,) = once(shared / "wheel", make_wheel).glob("*.whl")
    return found


@pytest.fixture(scope="session")
def environment(shared: Path, wheel: Path) -> Path:
    """An environment with the wheel and its dependencies alone."""
    return once(shared / "environment", lambda folder: make_environment(folder, wheel))
