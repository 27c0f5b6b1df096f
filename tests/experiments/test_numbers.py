from io import BytesIO

import numpy as np
import pandas as pd

from experiments.numbers import from_csv, to_csv


def test_a_frame_comes_back_as_it_was() -> None:
    frame = pd.DataFrame(
        {
            "model": ["Elo", "linear"],
            "features": ["", "all, of them"],  # an empty string is not a missing number
            "n": [50, 100],
            "scaled": [True, False],
            "value": [0.1 + 0.2, np.nan],
            "small": [1e-16, 1.1920928955078125e-07],
            "seconds": [0.25, 1.5],
            "state": ["podium 0.1.0, committed with 1234abc", "podium 0.2.0 at 0123456"],
        }
    )
    pd.testing.assert_frame_equal(from_csv(BytesIO(to_csv(frame))), frame)
