# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The summary of a run, as it is whatever is kept."""

from __future__ import annotations

import polars as pl

OF_JOBS = ("response_p50", "response_p99")


def counted(summary: pl.DataFrame) -> pl.DataFrame:
    """Return a summary without its percentiles, which are null unless the jobs are kept."""
    return summary.drop(OF_JOBS)
