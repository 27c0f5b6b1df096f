"""Numerical methods, one a file: plain arrays in, a certified result out. numba lives only here."""
