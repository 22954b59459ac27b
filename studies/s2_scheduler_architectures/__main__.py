# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes S2 again: `python -m studies.s2_scheduler_architectures [--quick]`."""

from studies.common import run_study
from studies.s2_scheduler_architectures.study import make

run_study(make)
