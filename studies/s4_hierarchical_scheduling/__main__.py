# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes S4 again: `python -m studies.s4_hierarchical_scheduling [--quick]`."""

from studies.common import run_study
from studies.s4_hierarchical_scheduling.study import make

run_study(make)
