"""Small data sets that come with podium. All of them are invented by ``tools/shipped_data.py``."""

from pathlib import Path

from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.reading.comparisons import read_comparisons
from podium.reading.features import LabelledRows, read_rows
from podium.reading.rankings.read import read_rankings


def shipped_file(name: str) -> Path:
    """The path of a CSV file that comes with podium.

    Parameters
    ----------
    name : str
        The name of the file, such as ``"chess_club.csv"``.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> shipped_file("chess_club.csv").name
    'chess_club.csv'
    """
    folder = Path(__file__).parent / "data"
    path = folder / name
    if path.suffix != ".csv" or not path.is_file():
        known = ", ".join(sorted(file.name for file in folder.glob("*.csv")))
        raise ValueError(f"podium does not come with a file '{name}'; it has {known}")
    return path


def load_chess_club() -> Comparisons:
    """Five seasons of a chess club: 14 players, 910 games, many draws, an advantage for White.

    Returns
    -------
    Comparisons
        Grouped by season.

    Examples
    --------
    >>> load_chess_club()
    <Comparisons: 910 comparisons of 14 items, ... ties (...), connected, 5 groups>
    """
    return read_comparisons(shipped_file("chess_club.csv"), group="season")


def load_model_votes() -> Comparisons:
    """Votes of 40 judges on the answers of nine language models to 60 prompts, ties included.

    Judges have preferences of their own, so the votes of one judge are not independent.

    Returns
    -------
    Comparisons
        Grouped by judge.

    Examples
    --------
    >>> load_model_votes()
    <Comparisons: 1,600 comparisons of 9 items, ... ties (...), connected, 40 groups>
    """
    return read_comparisons(shipped_file("model_votes.csv"), group="judge")


def load_arena_votes() -> Comparisons:
    """4,600 votes of 120 judges on the answers of 28 language models, with the style of the answers.

    Votes favour long answers with lists. magpie-chat and parrot-pro are average models with long answers;
    wren-nano is good and brief; kestrel-coder is good only at code; judge-013 always prefers the left answer.
    The true qualities are in ``tools/shipped_data.py``.

    Returns
    -------
    Comparisons
        Grouped by judge, with the task as category, and the numbers of words and list items as covariates.

    Examples
    --------
    >>> load_arena_votes()
    <Comparisons: 4,600 comparisons of 28 items, ... ties (...), connected, 120 groups, 2 covariates>
    """
    path = shipped_file("arena_votes.csv")
    return read_comparisons(path, group="judge", category="task", covariates=["words", "lists"])


def load_doubles_league() -> Comparisons:
    """A doubles league: 16 players in changing pairs, 480 matches without ties.

    Returns
    -------
    Comparisons
        Teams of two.

    Examples
    --------
    >>> load_doubles_league()
    <Comparisons: 480 comparisons of 16 items, no ties, teams of 2, connected>
    """
    return read_comparisons(shipped_file("doubles_league.csv"), team_separator="/")


def load_regatta() -> Rankings:
    """30 races of a sailing club: 12 boats, of which 7 to 12 start; some tie, some do not finish.

    Boats that do not finish are an unordered rest behind the others.

    Returns
    -------
    Rankings

    Examples
    --------
    >>> load_regatta()
    <Rankings: 30 rankings of 12 items, ... with ties, ... with an unordered rest, connected>
    """
    return read_rankings(shipped_file("regatta.csv"))


def load_tasting() -> Comparisons:
    """A tasting of eight puddings: 30 judges compare 20 pairs each, ties included.

    The pudding that is tasted first has an advantage, and one judge votes against all others.

    Returns
    -------
    Comparisons
        Grouped by judge. Left is tasted first. The features are the recipe: sugar and gel in percent.

    Examples
    --------
    >>> load_tasting()
    <Comparisons: 600 comparisons of 8 items, ... ties (...), connected, 30 groups, 2 features>
    """
    return read_comparisons(
        shipped_file("tasting.csv"),
        left="first",
        right="second",
        outcome="better",
        group="judge",
        items=shipped_file("puddings.csv"),
        item_key="pudding",
    )


def load_ballots() -> Rankings:
    """Ballots of 220 members of a gardening club, who rank as many of eight projects as they like.

    Returns
    -------
    Rankings
        Projects that a member does not rank are an unordered rest behind the others.

    Examples
    --------
    >>> load_ballots()
    <Rankings: 220 rankings of 8 items, ... with ties, ... with an unordered rest, connected>
    """
    return read_rankings(shipped_file("ballots.csv")).with_rest()


def load_search() -> LabelledRows:
    """Search results of a recipe site: 15 for each of 80 queries, labelled from 0 to 4 by relevance.

    Some queries have better results, and were labelled more generously, than others.

    Returns
    -------
    LabelledRows

    Examples
    --------
    >>> load_search()
    <LabelledRows: 1,200 rows, 6 features, 5 labels, 80 queries>
    """
    return read_rows(shipped_file("search.csv"), label="relevance", query="query")
