# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes S1 again: `python -m studies.s1_deferred_preemption [--quick]`."""

from studies.common import run_study
from studies.s1_deferred_preemption.study import make

run_study(make)
