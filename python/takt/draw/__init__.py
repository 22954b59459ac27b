# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random task sets: one family of numbers per file; takt.Recipe selects them, columns.py joins them."""
