"""Refits to resampled comparisons."""
