"""The tables and figures of the five papers, recomputed with podium; one file each."""
