"""What maintainers run."""
