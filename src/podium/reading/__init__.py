"""Tables become comparisons, rankings or labelled rows. It stands on `comparisons` alone."""

from podium.reading.comparisons import read_comparisons
from podium.reading.features import read_rows
from podium.reading.rankings.read import read_rankings

__all__ = ["read_comparisons", "read_rankings", "read_rows"]
