"""Real data sets that podium cannot ship: they are read from a folder and never downloaded.

The folder is ``data_home``, else the variable ``PODIUM_DATA``, else ``~/podium_data``.
"""

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np

from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.reading.comparisons import read_comparisons
from podium.reading.rankings.read import read_rankings

Home = str | Path | None


def get_data_home(data_home: Home = None) -> Path:
    """The folder in which ``fetch_*`` look for their files.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    pathlib.Path
    """
    return Path(data_home or os.environ.get("PODIUM_DATA") or "~/podium_data").expanduser()


def find_file(name: str, data_home: Home) -> Path:
    """The path of a file in the folder; an error if it is not there."""
    path = get_data_home(data_home) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no '{path}', and podium does not download it; put the file there, or set data_home= "
            "or PODIUM_DATA to its folder"
        )
    return path


def fetch_chess(
    which: Literal["lichess", "twic", "kaggle", "fide"] = "lichess", *, data_home: Home = None
) -> Comparisons:
    """Chess games, White on the left.

    Parameters
    ----------
    which : {"lichess", "twic", "kaggle", "fide"}, default="lichess"
        ``"lichess"``: 19,111 online games (CC0), without two games of a player against himself.
        ``"twic"``: 868,741 games of 1999–2009 from The Week in Chess. ``"kaggle"``: 65,053 games of the 2010
        rating contest. ``"fide"``: 418,349 games of its follow-up, with unknown colours. The terms of the
        contest leave redistribution unclear.
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    files: dict[str, tuple[str, dict[str, Any]]] = {
        "lichess": ("lichess_20k", {"left": "white_id", "right": "black_id", "keep": "white_id != black_id"}),
        "twic": ("twic_1999_2009", {"left": "white", "right": "black", "time": "month"}),
        "kaggle": ("kaggle_elo2010", {"left": "white", "right": "black", "time": "month"}),
        "fide": ("fide_secondary", {"left": "player1", "right": "player2", "time": "month"}),
    }
    name, columns = _choose(files, which)
    return _read(f"chess/{name}.csv.gz", data_home, **columns)


def fetch_football(*, data_home: Home = None) -> Comparisons:
    """49,520 matches of national football teams since 1872, the home team on the left (CC0).

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    path = "football/international_results.csv.gz"
    return _read(path, data_home, left="home_team", right="away_team", time="date")


def fetch_tennis_doubles(*, data_home: Home = None) -> Comparisons:
    """26,392 ATP doubles matches of 2000–2020, teams of two players (CC BY-NC-SA 4.0, Jeff Sackmann).

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    path = "tennis_doubles/atp_doubles_2000_2020.csv.gz"
    return _read(path, data_home, left=["a1", "a2"], right=["b1", "b2"], time="date")


def fetch_llm_votes(
    which: Literal["llmfao", "vicuna", "qlora"] = "llmfao", *, data_home: Home = None
) -> Comparisons:
    """Votes on answers of language models.

    Parameters
    ----------
    which : {"llmfao", "vicuna", "qlora"}, default="llmfao"
        ``"llmfao"``: 8,931 votes on 59 models, grouped by 124 workers (CC BY 4.0). ``"vicuna"``: 6,720 human
        votes on 8 models, grouped by 80 questions (MIT). ``"qlora"``: 43,011 verdicts of GPT-4 on 8 systems,
        grouped by question (MIT).
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    files: dict[str, tuple[str, dict[str, Any]]] = {
        "llmfao": ("llmfao", {"left": "left", "right": "right", "group": "worker"}),
        "vicuna": ("vicuna80_human", {"left": "model_a", "right": "model_b", "group": "question"}),
        "qlora": ("qlora_gpt4_judge", {"left": "model_a", "right": "model_b", "group": "question"}),
    }
    name, columns = _choose(files, which)
    return _read(f"llm_votes/{name}.csv.gz", data_home, **columns)


def fetch_nba(*, data_home: Home = None) -> Comparisons:
    """26,523 NBA basketball games of 2003–2022, the home team on the left, grouped by season; no ties.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    return _read("nba/nba_games.csv.gz", data_home, left="home", right="away", group="season", time="date")


def fetch_nfl(*, data_home: Home = None) -> Comparisons:
    """16,810 NFL games of 1920–2021, the home team on the left, grouped by season (MIT).

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    return _read("nfl/nfl_games.csv.gz", data_home, left="team1", right="team2", group="season", time="date")


def fetch_classic(
    which: Literal["baseball", "cems", "epl", "icehockey", "pudding", "springall"], *, data_home: Home = None
) -> Comparisons:
    """Textbook examples of paired comparisons, from the R packages BradleyTerry2 and PlackettLuce (GPL).

    Tables of counts become rows with counts.

    Parameters
    ----------
    which : {"baseball", "cems", "epl", "icehockey", "pudding", "springall"}
        The data set. ``"cems"`` is grouped by student, without its 91 comparisons that have no answer;
        ``"epl"`` is grouped by season.
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Comparisons
    """
    counts = {
        "baseball": ("home", "away", {"home_wins": -1, "away_wins": 1}),
        "pudding": ("i", "j", {"win_i": -1, "tie": 0, "win_j": 1}),
        "springall": ("i", "j", {"win_i": -1, "tie": 0, "win_j": 1}),
    }
    games: dict[str, tuple[str, dict[str, Any]]] = {
        "epl": ("epl_2008_2013", {"left": "home", "right": "away", "group": "season"}),
        "icehockey": ("icehockey", {"left": "visitor", "right": "opponent", "time": "date"}),
        "cems": ("cems", {"left": "school1", "right": "school2", "group": "student", "keep": "y == y"}),
    }
    if which in counts:
        left, right, columns = counts[which]
        return _read_counts(find_file(f"bt_classic/{which}.csv.gz", data_home), left, right, columns)
    name, options = _choose({**games, **dict.fromkeys(counts, ("", {}))}, which)
    return _read(f"bt_classic/{name}.csv.gz", data_home, **options)


def fetch_nascar(*, data_home: Home = None) -> Rankings:
    """36 NASCAR races of 2002 with 43 of 87 drivers each, from the R package PlackettLuce (GPL).

    Four of the drivers never beat anybody, so they have no finite estimate without a prior.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Rankings
    """
    return read_rankings(find_file("rankings/nascar_2002.csv.gz", data_home))


def fetch_beans(*, data_home: Home = None) -> Rankings:
    """842 farmers of Nicaragua on varieties of bean, from the R package PlackettLuce (GPL).

    Each farmer ranked three varieties, and said of each whether it is better than the local one: four
    rankings per farmer.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Rankings
        Grouped by farmer, from 0 on.
    """
    import pandas as pd

    table = pd.read_csv(find_file("rankings/beans.csv.gz", data_home))
    rankings: list[list[str]] = []
    for farmer in table.to_dict("records"):
        first, last = farmer["best"].lower(), farmer["worst"].lower()
        [middle] = {"a", "b", "c"} - {first, last}
        rankings.append([farmer[f"variety_{letter}"] for letter in (first, middle, last)])
        for letter in "abc":
            pair = [farmer[f"variety_{letter}"], "Local"]
            rankings.append(pair if farmer[f"var_{letter}"] == "Better" else pair[::-1])
    return Rankings.from_lists(rankings, group=np.repeat(np.arange(len(table)), 4))


def _choose(known: dict[str, tuple[str, dict[str, Any]]], which: str) -> tuple[str, dict[str, Any]]:
    if which not in known:
        raise ValueError(f"which must be one of {', '.join(sorted(known))}, not {which!r}")
    return known[which]


def _read(name: str, data_home: Home, *, keep: str | None = None, **options: Any) -> Comparisons:
    """Read a file whose column y is the score of the left side; ``keep`` is a query that selects rows."""
    source: Any = find_file(name, data_home)
    if keep is not None:
        import pandas as pd

        source = pd.read_csv(source).query(keep)
    return read_comparisons(source, outcome="y", outcome_format="score", **options)


def _read_counts(path: Path, left: str, right: str, outcomes: dict[str, int]) -> Comparisons:
    """Read a table with one row per pair and one column of counts per outcome."""
    import pandas as pd

    table = pd.read_csv(path)
    long = pd.concat([table.assign(outcome=sign, count=table[column]) for column, sign in outcomes.items()])
    long = long[np.asarray(long["count"]) > 0]
    return read_comparisons(long, left=left, right=right, outcome="outcome", outcome_format="sign")
