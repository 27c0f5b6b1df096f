"""How much two pictures differ."""

from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.image import imread


def difference(one: Path | BytesIO, other: Path | BytesIO) -> float:
    """The mean difference of brightness: 0 for equal pictures, infinite for different sizes."""
    a, b = (imread(picture)[..., :3].astype(float) for picture in (one, other))
    if a.shape != b.shape:
        return float("inf")
    return float(np.abs(a - b).mean())
