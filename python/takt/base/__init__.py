# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Foundations of every package: errors, times, files as a whole, forks, the version."""
