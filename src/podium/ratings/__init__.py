"""Rating systems: ratings that change with every game, the baselines of §4.3 of [SVMcompare]."""

from podium.ratings.elo import Elo
from podium.ratings.glicko import Glicko
from podium.ratings.glicko2 import Glicko2
from podium.ratings.performance import performance_rating

__all__ = ["Elo", "Glicko", "Glicko2", "performance_rating"]
