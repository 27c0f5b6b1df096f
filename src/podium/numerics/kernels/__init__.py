"""Kernels between items and between pairs: checked, evaluated, cached, factored."""
