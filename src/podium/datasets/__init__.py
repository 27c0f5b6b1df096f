"""Data sets: ``load_*`` come with podium, ``make_*`` simulate, ``fetch_*`` read files that you have."""

from podium.datasets.fetched import (
    fetch_beans,
    fetch_chess,
    fetch_classic,
    fetch_football,
    fetch_llm_votes,
    fetch_nascar,
    fetch_nba,
    fetch_nfl,
    fetch_tennis_doubles,
    get_data_home,
)
from podium.datasets.shipped import (
    load_arena_votes,
    load_ballots,
    load_chess_club,
    load_doubles_league,
    load_model_votes,
    load_regatta,
    load_search,
    load_tasting,
    shipped_file,
)
from podium.datasets.simulated import (
    make_class_probabilities,
    make_coded_probabilities,
    make_games,
    make_norm_comparisons,
)
from podium.datasets.sushi import fetch_sushi, fetch_sushi_orders

__all__ = [
    "fetch_beans",
    "fetch_chess",
    "fetch_classic",
    "fetch_football",
    "fetch_llm_votes",
    "fetch_nascar",
    "fetch_nba",
    "fetch_nfl",
    "fetch_sushi",
    "fetch_sushi_orders",
    "fetch_tennis_doubles",
    "get_data_home",
    "load_arena_votes",
    "load_ballots",
    "load_chess_club",
    "load_doubles_league",
    "load_model_votes",
    "load_regatta",
    "load_search",
    "load_tasting",
    "make_class_probabilities",
    "make_coded_probabilities",
    "make_games",
    "make_norm_comparisons",
    "shipped_file",
]
