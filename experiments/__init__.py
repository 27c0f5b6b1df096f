"""The tables and figures of the five papers, one file each, computed again with podium."""
