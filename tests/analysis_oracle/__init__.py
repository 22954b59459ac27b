# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Slow references of the analyses, written from the specification: exhaustive search over what may arrive."""
