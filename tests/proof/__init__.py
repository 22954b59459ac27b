"""Proofs by bounded model checking: the harnesses, and what runs them."""
