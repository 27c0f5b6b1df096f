"""Independent computations, side by side."""
