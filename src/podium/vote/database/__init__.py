"""The database of a vote: its tables, and everything that reads or changes them."""
