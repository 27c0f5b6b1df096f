"""Columns that differ in one word, such as white_id and black_id: one column for each side."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from podium.comparisons.outcomes import words_of
from podium.comparisons.summary import Columns

SIDE_WORDS = (
    ("left", "right"),
    ("white", "black"),
    ("home", "away"),
    ("weiss", "schwarz"),  # and weiß
    ("heim", "gast"),
    ("blancas", "negras"),
    ("local", "visitante"),
    ("blancs", "noirs"),
    ("domicile", "extérieur"),
    ("a", "b"),
    ("1", "2"),
    ("first", "second"),
    ("i", "j"),
)
PLACES = {  # of sides that have no other names
    **dict.fromkeys(("a", "1", "first", "i"), "first"),
    **dict.fromkeys(("b", "2", "second", "j"), "second"),
}
BETTER_WORSE = (("winner", "loser"), ("winners", "losers"), ("chosen", "rejected"), ("better", "worse"))
SIDES = {word for pair in SIDE_WORDS for word in pair}
Pair = tuple[str, str]
Parts = tuple[str, tuple[str, ...]]  # what two columns have to share, and the words that may differ


def whole_name(name: str) -> Parts:
    words = tuple(words_of(name))
    return "", ("rejected",) if words == ("not", "chosen") else words


def last_part(name: str) -> Parts:
    """Of a dotted name, as that of a nested field."""
    above, _, last = name.rpartition(".")
    return above, tuple(words_of(last))


def side_and_field(name: str) -> Parts:
    """Of a dotted name, the part that names a side and the last one.

    >>> side_and_field("vote.a.usage.tokens")
    ('vote.usage', ('a', 'tokens'))
    """
    *above, last = name.split(".")
    side = next((k for k, part in enumerate(above) if not SIDES.isdisjoint(words_of(part))), len(above))
    rest = [*above[:side], *above[side + 1 :]]
    return ".".join(rest), tuple(words_of(" ".join([*above[side : side + 1], last])))


WAYS = (whole_name, last_part, side_and_field)  # to read a name; the last two are for nested columns


def pairs(
    header: Sequence[str],
    words: Iterable[Pair],
    nouns: set[str],
    parts_of: Callable[[str], Parts] = whole_name,
) -> list[Pair]:
    """Columns that differ in one word beside a noun that is known.

    Each column that has such a partner is in one of the pairs, however many are spelled alike.

    >>> pairs(["vote.model_a", "vote.model_b", "vote.turn"], SIDE_WORDS, {"model"}, last_part)
    [('vote.model_a', 'vote.model_b')]
    """
    columns_of = _by_words(tuple(header), parts_of)
    others: dict[str, list[str]] = {}
    for one, other in words:
        others.setdefault(one, []).append(other)
    found: list[Pair] = []
    for (above, tokens), names in columns_of.items():
        for k, token in enumerate(tokens):
            for other in others.get(token, ()):
                partners = columns_of.get((above, (*tokens[:k], other, *tokens[k + 1 :])), [])
                if partners and "".join(tokens[:k] + tokens[k + 1 :]) in nouns:
                    found += [(names[0], partner) for partner in partners]
                    found += [(name, partners[0]) for name in names[1:]]
    return found


@lru_cache(maxsize=3)  # a header is asked for several kinds of pairs in a row
def _by_words(header: tuple[str, ...], parts_of: Callable[[str], Parts]) -> dict[Parts, list[str]]:
    columns_of: dict[Parts, list[str]] = {}
    for name in header:
        columns_of.setdefault(parts_of(name), []).append(name)
    return columns_of


def as_the_sides(pair: Pair, columns: Columns, by_place: bool = False) -> list[Pair]:
    """Two columns in the order of the sides; an empty list if their names do not tell the sides.

    With ``by_place``, length_1 belongs to model_a: both come first.
    """
    first, second = (set(words_of(name)) for name in pair)
    left, right = (set(words_of(" ".join(side))) for side in (columns.left, columns.right))
    if not left:  # sides that are described by left_* and right_*
        left, right = {"left"}, {"right"}
    first, second, left, right = first - second, second - first, left - right, right - left
    if (first, second) == ({"ij"}, {"ji"}):  # w_ij: how often i beat j
        first, second = {"i"}, {"j"}
    if by_place:
        first, second, left, right = (
            {PLACES.get(word, word) for word in words} for words in (first, second, left, right)
        )
    straight, crossed = bool(first & left or second & right), bool(first & right or second & left)
    if straight == crossed:
        return []
    return [pair if straight else (pair[1], pair[0])]
