"""Which column of a table means what: guessed from the header when only one reading is possible."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from podium.comparisons.messages import NAMED, few, listed, quoted
from podium.comparisons.outcomes import words_of
from podium.comparisons.summary import LEFT_IS_BETTER, Columns
from podium.reading.scores import COUNT_WORDS, SCORE_WORDS, counts_sentence

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
OUTCOME_NAMES = set("outcome preference result verdict vote winner y".split())

SideColumns = str | Sequence[str]
Pair = tuple[str, str]


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


def find_columns(
    header: Sequence[str], given: Columns, *, outcome_exists: bool = True, described: bool = False
) -> Columns:
    """Check the columns that were given and guess the others.

    The two sides have names, or are ``described`` by features: if that is asked for, if features are given,
    or if there are no names. Names are no features, and neither is what is used for something else.

    >>> find_columns(["date", "white", "black", "white_elo", "black_elo", "result"], Columns()).unused
    ('date', 'white_elo', 'black_elo')
    >>> offers = ["left_id", "right_id", "left_price", "right_price", "winner"]
    >>> find_columns(offers, Columns(), described=True).features
    ('price',)
    """
    _check_given(header, given)
    names = _pairs(header, [*SIDE_WORDS, *BETTER_WORSE], SIDE_NOUNS)
    if not given.left and not names:
        described |= any(name.startswith(("left_", "right_")) for name in header)
    described |= bool(given.features)
    unasked: dict[str, Any] = {  # as Comparisons.to_frame writes them
        name: name for name in ("weight", "group", "time") if getattr(given, name) is None and name in header
    }
    columns = replace(given, **unasked)
    if not given.left and not described:
        left, right = _only(names, "the two sides", "left= and right=", header)
        columns = replace(columns, left=(left,), right=(right,))
    outcomes = _outcome_options(header, columns) if given.outcome is None else []
    if outcome_exists and given.outcome is None:
        if not outcomes and (counts := _pairs(header, SIDE_WORDS, COUNT_WORDS)):
            raise ValueError(counts_sentence(counts[0]))
        outcome = _only(outcomes, "the outcome", "outcome= (False if there is none)", header)
        columns = replace(columns, outcome=outcome)
    if described:
        aside = {*columns.used(), *chain(*names), *(outcomes[0] if len(outcomes) == 1 else ())}
        rest = header if given.features else [name for name in header if name not in aside]
        columns = replace(columns, left=(), right=(), features=given.features or _features(rest, header))
    used = set(columns.used())
    return replace(columns, unused=tuple(name for name in header if name not in used))


def _check_given(header: Sequence[str], given: Columns) -> None:
    known = set(header)
    for name in given.used():
        if name not in known:
            raise ValueError(f"there is no column {quoted(name)}; the columns are {listed(header)}")
    if bool(given.left) != bool(given.right):
        missing = "right" if given.left else "left"
        raise ValueError(f"{missing}= is not given but the other side is; name columns for both sides")
    if given.left and given.features:
        raise ValueError(
            "left= and right= name the items while features= describes them by left_* and right_* alone; "
            "give one of the two, or a table of items with items="
        )


def _outcome_options(header: Sequence[str], columns: Columns) -> list[tuple[str, ...]]:
    taken = {*columns.left, *columns.right}
    options: list[tuple[str, ...]] = [
        (name,) for name in header if name not in taken and "".join(words_of(name)) in OUTCOME_NAMES
    ]
    for pair in _pairs(header, SIDE_WORDS, SCORE_WORDS):
        options += _as_the_sides(pair, columns)
    if len(columns.left) == 1 and (*columns.left, *columns.right) in _pairs(header, BETTER_WORSE, SIDE_NOUNS):
        options.append(LEFT_IS_BETTER)
    return options


def _as_the_sides(scores: Pair, columns: Columns) -> list[Pair]:
    """The two scores in the order of the sides; none, if nothing tells which score is whose."""
    first, second = (set(words_of(name)) for name in scores)
    left, right = (set(words_of(" ".join(side))) for side in (columns.left, columns.right))
    if not left:  # sides that are described by left_* and right_*
        left, right = {"left"}, {"right"}
    first, second, left, right = first - second, second - first, left - right, right - left
    straight, crossed = bool(first & left or second & right), bool(first & right or second & left)
    if straight == crossed:
        return []
    return [scores if straight else (scores[1], scores[0])]


def _pairs(header: Sequence[str], words: Iterable[Pair], nouns: set[str]) -> list[Pair]:
    """Columns that differ in one word, such as white_id and black_id, beside a noun that is known.

    Each column that has such a partner is in one of the pairs, however many are spelled alike.
    """
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for name in header:
        columns_of.setdefault(tuple(words_of(name)), []).append(name)
    found: list[Pair] = []
    for tokens, names in columns_of.items():
        for one, other in words:
            for k in (k for k, token in enumerate(tokens) if token == one):
                partners = columns_of.get((*tokens[:k], other, *tokens[k + 1 :]), [])
                if partners and "".join(tokens[:k] + tokens[k + 1 :]) in nouns:
                    found += [(names[0], partner) for partner in partners]
                    found += [(name, partners[0]) for name in names[1:]]
    return found


def _features(rest: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """The x that the rest of the header has as left_x and as right_x."""
    left, right = (
        dict.fromkeys(name.removeprefix(side) for name in rest if name.startswith(side))
        for side in ("left_", "right_")
    )
    for side, other, names, partners in (("left", "right", left, right), ("right", "left", right, left)):
        if lonely := [name for name in names if name not in partners]:
            raise ValueError(  # a slip of the pen, not a feature to be left out in silence
                f"column '{side}_{lonely[0]}' has no partner '{other}_{lonely[0]}'; rename one, or choose "
                f"with features= out of {listed(rest)}"
            )
    if not left:
        raise ValueError(
            "the two sides have no features: describe them in columns left_* and right_*, or in a table "
            f"of items; the columns are {listed(header)}"
        )
    return tuple(left)


def _only(options: Sequence[tuple[str, ...]], what: str, how: str, header: Sequence[str]) -> tuple[str, ...]:
    """The one option that there is."""
    if len(options) == 1:
        return options[0]
    if not options:
        known = listed(header) or "none at all"
        raise ValueError(f"no column is known to hold {what}; name them with {how} out of {known}")
    shown = [
        "/".join(few([name]) for name in option) or "that the left side is always better"
        for option in options[:NAMED]
    ]
    more = f" or {len(options) - NAMED:,} more" if len(options) > NAMED else ""
    raise ValueError(f"{what} could be {' or '.join(shown)}{more}; choose with {how}")
