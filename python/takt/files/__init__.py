"""Files of systems, recipes and traces: reading and writing."""
