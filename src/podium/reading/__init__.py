"""Files, frames and relations become comparisons. It stands on `comparisons` alone."""

from podium.reading.comparisons import read_comparisons

__all__ = ["read_comparisons"]
