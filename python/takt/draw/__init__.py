# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How task sets are drawn at random: one family of numbers per file; takt.Recipe says which, columns.py joins them."""
