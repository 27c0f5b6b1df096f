"""Resamples of groups: their tables add up to the data."""

import numpy as np

from podium import Comparisons
from podium.bradley_terry.bootstrap.resample import tables_by_group
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


def test_groups_resampled_once_each_are_the_data() -> None:
    c, _ = make_games(6, 400, order_effect=0.3, random_state=0)
    for ties in ("davidson", "ignore"):
        for order_effect in (False, True):
            grouped = Comparisons.from_arrays(c.left, c.right, c.outcome, group=np.arange(400) % 7)
            model = BradleyTerry(ties=ties, order_effect=order_effect).fit(grouped)
            total, tied, margin = (table.sum(axis=1) for table in tables_by_group(model.fit_))
            counts = model.fit_.problem.counts
            np.testing.assert_allclose(total, counts.total)
            np.testing.assert_allclose(tied, counts.ties)
            np.testing.assert_allclose(margin, counts.margin)
