# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A worker process: computes the chunks that are requested on its standard input. See workers.py."""

from __future__ import annotations

import os
import sys

from takt.study.workers import serve


def main() -> None:
    """Write answers to the original standard output; all other output goes to the standard error output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
