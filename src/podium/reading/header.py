"""Which column of a table means what: guessed from the header when only one reading is possible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from podium.comparisons.messages import listed, quoted
from podium.comparisons.outcomes import words_of

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
SIDE_NOUNS = set("id name item label model p player response school side team user".split()) | {""}
SCORE_NOUNS = set("goals points pts runs score".split())
OUTCOME_NAMES = set("outcome preference result verdict vote winner y".split())

Side = str | Sequence[str]
LEFT_IS_BETTER = ()  # the outcome of winner and loser: it needs no column


@dataclass(frozen=True)
class Roles:
    """The columns by their meaning.

    A side is some columns (several for a team), or none, if the rows are described by ``features`` alone. The
    outcome is one column, two with the scores of the sides, no column at all (`LEFT_IS_BETTER`), or None.
    """

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    outcome: tuple[str, ...] | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    features: tuple[str, ...] = ()

    def feature_columns(self, side: str) -> list[str]:
        return [f"{side}_{name}" for name in self.features]

    def used(self) -> list[str]:
        """Every column that has to be read."""
        single = [name for name in (self.weight, self.group, self.time) if name is not None]
        features = [*self.feature_columns("left"), *self.feature_columns("right")]
        return list(dict.fromkeys([*self.left, *self.right, *(self.outcome or ()), *single, *features]))


def names_given(value: Any, argument: str, most: int | None = None) -> tuple[str, ...]:
    """An argument that names a column or several."""
    if value is None or value is False:
        return ()
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(f"{argument}= takes the name of a column, or different ones, not {quoted(value)}")
    if argument == "features" and isinstance(value, str):
        raise ValueError(f"features= takes a list of names, such as ['{value}']")
    if most is not None and len(names) > most:
        raise ValueError(
            f"{argument}= takes one column, or two with the scores of the sides, not {len(names)}"
        )
    return names


def name_given(value: Any, argument: str) -> str | None:
    """An argument that names one column."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{argument}= takes the name of a column, not {quoted(value)}")
    return value


def find_roles(header: Sequence[str], given: Roles, *, outcome_exists: bool = True) -> Roles:
    """Check the columns that were given and guess the others.

    >>> roles = find_roles(["date", "white", "black", "white_elo", "black_elo", "result"], Roles())
    >>> roles.left, roles.right, roles.outcome
    (('white',), ('black',), ('result',))
    """
    _check_given(header, given)
    unasked: dict[str, Any] = {  # as Comparisons.to_frame writes them
        name: name for name in ("weight", "group", "time") if getattr(given, name) is None and name in header
    }
    roles = replace(given, **unasked)
    if not roles.left and not roles.features:
        left, right = _guess_sides(header)
        roles = replace(roles, left=left, right=right)
    if outcome_exists and roles.outcome is None:
        roles = replace(roles, outcome=_guess_outcome(header, roles))
    if not roles.left and not roles.features:
        rest = [name for name in header if name not in (roles.outcome or ())]
        _check_partners(rest)
        roles = replace(roles, features=paired_features(rest))
    return roles


def _check_given(header: Sequence[str], given: Roles) -> None:
    for name in given.used():
        if name not in header:
            raise ValueError(f"there is no column '{name}'; the columns are {listed(header)}")
    if bool(given.left) != bool(given.right):
        missing = "right" if given.left else "left"
        raise ValueError(f"{missing}= is not given but the other side is; name columns for both sides")
    if given.left and given.features:
        raise ValueError(
            "left= and right= name the items while features= describes them by left_* and right_* alone; "
            "give one of the two, or a table of items with items="
        )


def _guess_sides(header: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the two sides; none, if the rows are described by features."""
    options = _pairs(header, [*SIDE_WORDS, *BETTER_WORSE], SIDE_NOUNS)
    if len(options) == 1:
        left, right = options[0]
        return (left,), (right,)
    if not options and paired_features(header):
        return (), ()
    raise ValueError(_cannot_tell("the two sides", "left= and right=", options, header))


def _guess_outcome(header: Sequence[str], roles: Roles) -> tuple[str, ...]:
    taken = {*roles.left, *roles.right}
    options: list[tuple[str, ...]] = [
        (name,) for name in header if name not in taken and "".join(words_of(name)) in OUTCOME_NAMES
    ]
    for pair in _pairs(header, SIDE_WORDS, SCORE_NOUNS):
        options += _as_the_sides(pair, roles)
    if len(roles.left) == 1 and (*roles.left, *roles.right) in _pairs(header, BETTER_WORSE, SIDE_NOUNS):
        options.append(LEFT_IS_BETTER)
    if len(options) == 1:
        return options[0]
    raise ValueError(_cannot_tell("the outcome", "outcome= (False if there is none)", options, header))


def _as_the_sides(scores: tuple[str, str], roles: Roles) -> list[tuple[str, str]]:
    """The two scores in the order of the sides; none, if nothing tells which score is whose."""
    first, second = (set(words_of(name)) for name in scores)
    left, right = (set(words_of(" ".join(side))) for side in (roles.left, roles.right))
    if not left:  # sides that are described by left_* and right_*
        left, right = {"left"}, {"right"}
    first, second, left, right = first - second, second - first, left - right, right - left
    straight, crossed = bool(first & left or second & right), bool(first & right or second & left)
    if straight == crossed:
        return []
    return [scores if straight else (scores[1], scores[0])]


def _pairs(header: Sequence[str], words: Iterable[tuple[str, str]], nouns: set[str]) -> list[tuple[str, str]]:
    """Columns that differ in one word, such as white_id and black_id, beside a noun that is known."""
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for name in header:
        columns_of.setdefault(tuple(words_of(name)), []).append(name)
    found: list[tuple[str, str]] = []
    for tokens, names in columns_of.items():
        for one, other in words:
            for k, token in enumerate(tokens):
                partner = (*tokens[:k], other, *tokens[k + 1 :])
                noun = "".join(tokens[:k] + tokens[k + 1 :])
                if token == one and noun in nouns:
                    found += product(names, columns_of.get(partner, []))
    return found


def paired_features(header: Sequence[str]) -> tuple[str, ...]:
    """The x that the header has as left_x and as right_x."""
    right = {name.removeprefix("right_") for name in header if name.startswith("right_")}
    left = [name.removeprefix("left_") for name in header if name.startswith("left_")]
    return tuple(name for name in left if name in right)


def _check_partners(header: Sequence[str]) -> None:
    """A description of one side alone is a slip of the pen, not a feature to be left out in silence."""
    for side, other in (("left_", "right_"), ("right_", "left_")):
        for name in header:
            partner = other + name.removeprefix(side)
            if name.startswith(side) and partner not in header:
                raise ValueError(
                    f"column '{name}' has no partner '{partner}'; rename one, or choose with features= "
                    f"out of {listed(header)}"
                )


def _cannot_tell(what: str, how: str, options: Sequence[tuple[str, ...]], header: Sequence[str]) -> str:
    if options:
        shown = " or ".join("/".join(option) or "that the left side is always better" for option in options)
        return f"{what} could be {shown}; choose with {how}"
    return f"no column is known to hold {what}; name them with {how} out of {listed(header) or 'none at all'}"
