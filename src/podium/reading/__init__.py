"""Files, frames and relations become comparisons, or labelled rows. It stands on `comparisons` alone."""

from podium.reading.comparisons import read_comparisons
from podium.reading.features import read_rows

__all__ = ["read_comparisons", "read_rows"]
