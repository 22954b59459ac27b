# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs: simulation, replay, and frames of what happened."""
