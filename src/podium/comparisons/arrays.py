"""The arrays that most signatures name."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]  # of items, teams, groups: positions in a table of them
Index = NDArray[np.int64]
Positions = NDArray[np.intp]  # as NumPy itself returns them
