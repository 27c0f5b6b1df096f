"""How the columns of a table of comparisons are read, and its rows as comparisons."""
