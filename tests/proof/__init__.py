# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs by bounded model checking: the harnesses, and what runs them."""
