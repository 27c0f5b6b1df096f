"""Rating systems: ratings that change with every game, the baselines of §4.3 of [SVMcompare]."""

from podium.ratings.elo import Elo
from podium.ratings.glicko import Glicko

__all__ = ["Elo", "Glicko"]
