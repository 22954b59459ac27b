# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Errata: what is printed and cannot be meant, what replaces it, and where that is shown."""

from __future__ import annotations

import polars as pl

from studies.common import Claim, Section, Table, Verdict
from studies.s0_rate_based.iot import LOADS, POLICIES, printed

ERRATA = (
    ("(3)", "last factor 1 - U_SRT", "U_HRT, defined for it, would not occur; beta can exceed the room",
     "1 - U_HRT", "S0-06"),
    ("(4)", "min(U_SRT, 1 - U_HRT - beta)", "can be below 0", "0 then: the soft tasks have no rate", "S0-07"),
    ("(3), (6)", "cited from [1]", "neither is there", "taken as the paper's own", "S0-06"),
    ("(8)", 'D\' "defines the new calculated period"', "it is a deadline", "d = r + P'", "S0-09"),
    ("(9)", "max(t + C, D + P')", "claims a whole processor until t + C", "max(t, D) + P'", "S0-09"),
    ("(10)", "P' = D - P'", "a period with the dimension of an instant", "release r' = D' - P'", "S0-09"),
    ("(11)", "max(t + C/wU, D + P)", "D + P is safe only while the old rate is reserved", "max(t, D) + P'", "S0-09"),
    ("(12)", "P' = D' - t", "a window that only once has that length", "P' of (7) stays", "S0-09"),
    ("(14)", "P = C / wU", "the period is what stays fixed", "C = P wU, rounded down", "S0-11"),
    ("Table 1", "NRT 4 (pseudo)", "the text has 8, a tenth of 80", "(13): 28, all that is left", "S0-21"),
    ("Table 2", "printed as Table 1", "U = 0.75 is no overload", "H1 (3, 10), H2 (6, 15)", "S0-22"),
    ("Figure 2b", "20 to 25 and 50 to 65", "(6) and (7) stretch both by one factor", "25 and 63; 65 on a grid of 5",
     "S0-22"),
    ("Algorithm 1", "counts first, rejects no task", "contradicts the admission of section 4", "test before counting",
     "S0-13"),
    ("Algorithm 1", "weight overwritten, period nnrt - sysClkGet, queue sorted before the insertion, dcb",
     "see S0-23", "given weight and period", "S0-23"),
    ("Algorithm 2", "max(BETA, u_hrt - u_srt) * weight", "(13) has 1 - u_hrt - u_srt", "as (13)", "S0-24"),
    ("Algorithm 2", "only the calling task", "all soft and NRT rates change", "each at its own boundary", "S0-24"),
    ("3.2.4", "queue sorted by execution rates", "3.2 says EDF", "earliest end of a window", "S0-21"),
    ("3.2.4, 5", "100 ticks or 10 ms; ticks of 1 to 1.99 ms", "two tick rates", "the tick is a choice", "S0-37"),
    ("5", '"Deadline Monotonic (RM)"; DM better than RM', "one order where deadlines are periods", "RM = DM", "S0-30"),
    ("4, 5", "a second Figure 3; a section 3.4", "there is none", "", ""),
)  # fmt: skip


def run() -> Section:
    """Check the printed tables, and list everything."""
    errata = pl.DataFrame(ERRATA, schema=["where", "printed", "problem", "taken", "claim"], orient="row")
    impossible, copied, falling = impossible_rows(), copied_columns(), falling_rows()
    claim = Claim(
        "S0-35",
        "Equations, algorithms, Tables 1 to 4",
        "Equations (3) to (14), Algorithms 1 and 2 and Tables 1 to 4 as printed.",
        f"{errata.height} places cannot be meant as they stand. Tables 3 and 4: {impossible.height} rows with an "
        "average "
        f"above the maximum, {copied} of 5 tasks with one minimum and average in both at 1.1, {falling} rows whose "
        "average or misses fall from 1.0 to 1.1.",
        Verdict.CORRECTED,
        "Each with what was taken instead; what follows from that is judged by the claim named beside it.",
        {"places": errata.height, "impossible": impossible.height, "copied": copied, "falling": falling},
    )
    return Section(
        "Errata",
        "What is printed and cannot be meant, and what this project does.",
        [claim],
        [
            Table("errata", "Printed, and taken instead", errata),
            Table("impossible_rows", "Tables 3 and 4: rows whose average is above the maximum", impossible),
        ],
    )


def impossible_rows() -> pl.DataFrame:
    """Return the rows whose average is above the maximum."""
    return printed().filter(pl.col("average") > pl.col("max"))


def copied_columns() -> int:
    """Count the tasks whose minimum and average at 1.1 are the same in both tables."""
    first, second = (
        printed().filter(load=LOADS[-1], policy=policy).select("task", "min", "average").rows() for policy in POLICIES
    )
    return sum(mine == other for mine, other in zip(first, second, strict=True))


def falling_rows() -> int:
    """Count the rows whose average or misses fall although the load rises from 1.0 to 1.1."""
    before, after = (printed().filter(load=load) for load in LOADS[1:])
    pairs = before.join(after, on=["policy", "task"], suffix="_after")
    falls = (pl.col("average_after") < pl.col("average")) | (pl.col("miss_percent_after") < pl.col("miss_percent"))
    return pairs.filter(falls).height
