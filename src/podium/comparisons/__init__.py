"""Who met whom and how it ended: the data type, and all it is made of. It touches nothing else of podium."""

from podium.comparisons.table import Comparisons

__all__ = ["Comparisons"]
