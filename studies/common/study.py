# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Content of a study: sections of claims, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from studies.common.claims import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """A table: a file of comma-separated values, and what of it the page has room for.

    Args:
        name: of the file, without a suffix.
        title: what is in it, for people.
        frame: the rows.
    """

    name: str
    title: str
    frame: pl.DataFrame


@dataclass(frozen=True)
class Plot:
    """A plot: a file of each kind, and a picture on the page.

    Args:
        name: of the files, without a suffix.
        title: what is to be seen.
        figure: the picture.
    """

    name: str
    title: str
    figure: Figure


@dataclass(frozen=True)
class Section:
    """One experiment.

    Args:
        title: its heading.
        text: what was done, in a few sentences.
        claims: of the paper, which it is about.
        tables: what came out.
        plots: its figures.
    """

    title: str
    text: str
    claims: Sequence[Claim] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Study:
    """A paper, made again.

    Args:
        name: of the folder that it is written to.
        title: heading of the page.
        source: authors and title of the paper.
        is_quick: whether the sweeps were cut short.
        sections: the experiments.
    """

    name: str
    title: str
    source: str
    is_quick: bool
    sections: Sequence[Section]

    @property
    def claims(self) -> list[Claim]:
        """All claims, by number."""
        return sorted((claim for section in self.sections for claim in section.claims), key=lambda claim: claim.id)

    def claim(self, id: str) -> Claim:
        """Return one claim.

        Raises:
            KeyError: there is none of this number.
        """
        return {claim.id: claim for claim in self.claims}[id]
