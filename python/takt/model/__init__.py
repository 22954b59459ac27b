"""Systems: the tables that authors write, what fits together, and what core is given."""
