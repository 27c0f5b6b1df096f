"""What the solvers of several families share. It stands on `comparisons` alone."""
