# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems under Linux: what a machine needs for them."""
