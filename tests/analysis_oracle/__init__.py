"""Slow references of the analyses, written from the specification: exhaustive search over what may arrive."""
