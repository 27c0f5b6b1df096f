"""Numerical methods, one a file: plain arrays in, a result with its certificate out. numba lives only here."""
