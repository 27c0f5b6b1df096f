"""Rows become counts of the pairs that met: all that a paired-comparison model needs."""
