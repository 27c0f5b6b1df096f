"""The arguments of `read_comparisons`, and the rows of a table as comparisons."""
