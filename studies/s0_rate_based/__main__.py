# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes S0 again: `python -m studies.s0_rate_based [--quick]`."""

from studies.common import run_study
from studies.s0_rate_based.study import make

run_study(make)
