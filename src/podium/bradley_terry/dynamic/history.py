"""The skills of items through time as a table."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.bradley_terry.dynamic.posterior import Posterior
from podium.comparisons.arrays import ranges
from podium.leaderboard.board import ELO_UNIT
from podium.skill.board import ELO_MEAN
from podium.skill.certainty import quantile
from podium.skill.prediction import positions

if TYPE_CHECKING:
    import pandas as pd


def history(posterior: Posterior, items: Any, level: float, scale: str, relative: bool) -> "pd.DataFrame":
    """One row per item and time at which it played."""
    import pandas as pd

    if scale not in ("elo", "log"):
        raise ValueError(f"scale must be 'elo' or 'log', not {scale!r}")
    design, chains = posterior.design, posterior.chains
    if items is None:
        places = np.argsort(design.items, kind="stable")
    else:
        wanted = [items] if isinstance(items, str) or np.ndim(items) == 0 else list(items)
        if not wanted:
            raise ValueError("items is empty; name at least one item, or leave it out for all")
        places = positions(design.items, wanted)
    first = chains.start[design.n_effects + places]
    owner, states = ranges(first, chains.start[design.n_effects + places + 1])
    unit, mean = (ELO_UNIT, ELO_MEAN) if scale == "elo" else (1.0, 0.0)
    score = mean + unit * posterior.x[states]
    width = unit * quantile(level) * np.sqrt(posterior.bands(relative=relative)[states])
    frame = pd.DataFrame(
        {
            "time": posterior.time[states],
            "item": design.items[places[owner]],
            "score": score,
            "low": score - width,
            "high": score + width,
        }
    )
    frame.attrs |= {"scale": scale, "level": level}
    return frame
