"""Runs: simulation, replay, and frames of what happened."""
