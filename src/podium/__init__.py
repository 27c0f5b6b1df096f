"""podium learns from comparisons: who is better, or is there no difference?"""

from podium import datasets
from podium.comparisons import Comparisons
from podium.reading import read_comparisons

__version__ = "0.1.0"
__all__ = ["Comparisons", "datasets", "read_comparisons"]
