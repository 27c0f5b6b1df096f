"""Data sets: ``load_*`` come with podium, ``make_*`` simulate, ``fetch_*`` read files that you have."""

from podium.datasets.fetched import fetch_beans as fetch_beans
from podium.datasets.fetched import fetch_chess as fetch_chess
from podium.datasets.fetched import fetch_classic as fetch_classic
from podium.datasets.fetched import fetch_football as fetch_football
from podium.datasets.fetched import fetch_llm_votes as fetch_llm_votes
from podium.datasets.fetched import fetch_nascar as fetch_nascar
from podium.datasets.fetched import fetch_nba as fetch_nba
from podium.datasets.fetched import fetch_nfl as fetch_nfl
from podium.datasets.fetched import fetch_tennis_doubles as fetch_tennis_doubles
from podium.datasets.fetched import get_data_home as get_data_home
from podium.datasets.shipped import load_arena_votes as load_arena_votes
from podium.datasets.shipped import load_ballots as load_ballots
from podium.datasets.shipped import load_chess_club as load_chess_club
from podium.datasets.shipped import load_doubles_league as load_doubles_league
from podium.datasets.shipped import load_model_votes as load_model_votes
from podium.datasets.shipped import load_regatta as load_regatta
from podium.datasets.shipped import load_search as load_search
from podium.datasets.shipped import load_tasting as load_tasting
from podium.datasets.shipped import shipped_file as shipped_file
from podium.datasets.simulated import make_class_probabilities as make_class_probabilities
from podium.datasets.simulated import make_coded_probabilities as make_coded_probabilities
from podium.datasets.simulated import make_games as make_games
from podium.datasets.simulated import make_norm_comparisons as make_norm_comparisons
from podium.datasets.sushi import fetch_sushi as fetch_sushi
from podium.datasets.sushi import fetch_sushi_orders as fetch_sushi_orders

__all__ = sorted(
    name for name in globals() if name.startswith(("fetch_", "get_", "load_", "make_", "shipped_"))
)
