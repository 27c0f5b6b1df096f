"""What `read_comparisons` is asked for, and the rows of a table as comparisons."""
