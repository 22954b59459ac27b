# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes S3 again: `PYTHONPATH=tests python -m studies.s3_general_framework [--quick]`."""

from studies.common import run_study
from studies.s3_general_framework.study import make

run_study(make)
