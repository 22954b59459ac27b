# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Columns as the binding of the analyses takes them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.uint64]


def column(values: Iterable[int]) -> Column:
    """Return a column."""
    return np.fromiter(values, np.uint64)
