"""The words that the name of a column is made of."""

import re


def words_of(name: str) -> list[str]:
    """whiteTeam, white_team and White Team are made of the same words.

    >>> words_of("whiteTeam"), words_of("Team 1")
    (['white', 'team'], ['team', '1'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", spaced.casefold())
