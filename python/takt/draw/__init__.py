"""How task sets are drawn at random: one family of numbers per file; takt.Recipe says which, columns.py joins them."""
