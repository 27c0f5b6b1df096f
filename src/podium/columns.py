"""Which column of a table means what: guessed from the header when only one reading is possible."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

SIDE_WORDS = (
    ("left", "right"),
    ("white", "black"),
    ("home", "away"),
    ("a", "b"),
    ("1", "2"),
    ("first", "second"),
    ("i", "j"),
)
BETTER_WORSE = (("winner", "loser"), ("chosen", "rejected"), ("better", "worse"))
SIDE_NOUNS = {"", "id", "name", "item", "label", "model", "player", "school", "side", "team", "user"}
SCORE_NOUNS = {"goals", "points", "pts", "runs", "score"}
OUTCOME_NAMES = {"outcome", "preference", "result", "verdict", "vote", "winner", "y"}

Side = str | Sequence[str]


@dataclass(frozen=True)
class Roles:
    """The columns by their meaning.

    A side is one column, several (a team), or none, if the rows are described by ``features`` alone. The
    outcome is one column, a pair of scores, or none; ``left_always_better`` says that it needs no column.
    """

    left: Side | None = None
    right: Side | None = None
    outcome: str | tuple[str, str] | None = None
    left_always_better: bool = False
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    features: tuple[str, ...] = ()

    def used(self) -> list[str]:
        """Every column that has to be read."""
        if self.features:
            sides = [f"{side}_{name}" for side in ("left", "right") for name in self.features]
        else:
            sides = [*as_list(self.left), *as_list(self.right)]
        return list(
            dict.fromkeys(
                [
                    *sides,
                    *as_list(self.outcome),
                    *(name for name in (self.weight, self.group, self.time) if name),
                ]
            )
        )


def as_list(columns: Side | None) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def find_roles(header: Sequence[str], given: Roles, *, with_outcome: bool = True) -> Roles:
    """Check the columns that were given and guess the others.

    >>> roles = find_roles(["date", "white", "black", "white_elo", "black_elo", "result"], Roles())
    >>> roles.left, roles.right, roles.outcome
    ('white', 'black', 'result')
    """
    _check_given(header, given)
    unasked: dict[str, Any] = {  # as Comparisons.to_frame writes them
        name: name for name in ("weight", "group", "time") if getattr(given, name) is None and name in header
    }
    roles = replace(given, **unasked)
    if given.left is None and not given.features:
        roles = _guess_sides(header, roles)
    if with_outcome and roles.outcome is None and not roles.left_always_better:
        roles = replace(roles, outcome=_guess_outcome(header, roles))
    return roles


def _check_given(header: Sequence[str], given: Roles) -> None:
    for name in given.used():
        if name not in header:
            raise ValueError(f"there is no column '{name}'; the columns are {_listed(header)}")
    if (given.left is None) != (given.right is None):
        missing = "left" if given.left is None else "right"
        raise ValueError(f"{missing}= is not given but the other side is; name a column for both sides")


def _guess_sides(header: Sequence[str], roles: Roles) -> Roles:
    sides = _pairs(header, SIDE_WORDS, SIDE_NOUNS)
    ordered = _pairs(header, BETTER_WORSE, SIDE_NOUNS)
    if len(sides) + len(ordered) == 1:
        left, right = (sides + ordered)[0]
        return replace(roles, left=left, right=right, left_always_better=bool(ordered) and not roles.outcome)
    features = _paired_features(header)
    if not sides and not ordered and features:
        return replace(roles, features=features)
    raise ValueError(_cannot_tell("the two sides", "left= and right=", sides + ordered, header))


def _guess_outcome(header: Sequence[str], roles: Roles) -> str | tuple[str, str]:
    taken = {*as_list(roles.left), *as_list(roles.right)}
    columns: list[str | tuple[str, str]] = [
        name for name in header if name not in taken and "".join(_words(name)) in OUTCOME_NAMES
    ]
    options = columns + _pairs(header, SIDE_WORDS, SCORE_NOUNS)
    if len(options) == 1:
        return options[0]
    raise ValueError(_cannot_tell("the outcome", "outcome= (False if there is none)", options, header))


def _pairs(header: Sequence[str], words: Iterable[tuple[str, str]], nouns: set[str]) -> list[tuple[str, str]]:
    """Columns that differ in one word, such as white_id and black_id, beside a noun that is known."""
    column_of = {tuple(_words(name)): name for name in header}
    found = []
    for tokens, name in column_of.items():
        for one, other in words:
            for k, token in enumerate(tokens):
                partner = (*tokens[:k], other, *tokens[k + 1 :])
                noun = "".join(tokens[:k] + tokens[k + 1 :])
                if token == one and noun in nouns and partner in column_of:
                    found.append((name, column_of[partner]))
    return found


def _paired_features(header: Sequence[str]) -> tuple[str, ...]:
    right = {name.removeprefix("right_") for name in header if name.startswith("right_")}
    left = [name.removeprefix("left_") for name in header if name.startswith("left_")]
    return tuple(name for name in left if name in right)


def _words(name: str) -> list[str]:
    """The words of a column's name: whiteTeam, white_team and White Team are one."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", spaced.casefold())


def _cannot_tell(what: str, how: str, options: Sequence[Side], header: Sequence[str]) -> str:
    if options:
        listed = " or ".join("/".join(as_list(option)) for option in options)
        return f"{what} could be {listed}; choose with {how}"
    return f"no column is known to hold {what}; name it with {how} out of {_listed(header)}"


def _listed(header: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in header[:20])
    return shown if len(header) <= 20 else f"{shown} and {len(header) - 20} more"
