# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Work of the workers: the chunk of a study, a pure function of the study and of the chunk's number."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from takt.study.description import Study, of_document
from takt.study.measures import UTILIZATION, Columns

POINT, SET = "point", "set"
"""Columns that say which task set a row is about: number of the point, and of the set within it."""


@lru_cache(maxsize=1)
def _study_of(document: str) -> Study:
    """Return the study of a document, read once for all chunks of it that a worker gets."""
    return of_document(document)


def answer(document: str, number: int) -> Columns | str:
    """Compute a chunk in another process or on another machine.

    Args:
        document: of the study.
        number: of the chunk.

    Returns:
        The columns of the chunk, a row for each task set; or in one line why there are none.
    """
    try:
        return compute(_study_of(document), number)
    except Exception as error:
        lines = str(error).splitlines() or ["no message"]
        return f"{type(error).__name__}: {lines[0]}"


def compute(study: Study, number: int) -> Columns:
    """Compute a chunk.

    Args:
        study: which one.
        number: of the chunk.
    """
    batch = study.batch_of(number)
    columns: Columns = {
        POINT: np.full(batch.count, study.point_of(number), dtype=np.uint32),
        SET: np.arange(batch.first, batch.first + batch.count, dtype=np.uint32),
        UTILIZATION: batch.utilization,
    }
    for quantity in study.quantities.values():
        columns |= quantity(batch)
    return columns
