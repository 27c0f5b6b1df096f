"""Whether a table holds rankings, how it lays them out, and what its columns mean: guessed if it is clear."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from podium.comparisons.messages import InputError, few, listed
from podium.comparisons.outcomes import tells_winner, words_of
from podium.comparisons.summary import Columns, columns_text
from podium.options import RankingKind
from podium.reading.header import check_known, lone_scores, side_options, without
from podium.reading.header import find_columns as find_comparisons
from podium.reading.sources.opened import Opened
from podium.reading.sources.preflib import PreflibFiles

KINDS: tuple[str, ...] = get_args(RankingKind)

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
ENDINGS = {"st", "nd", "rd", "th"}
RANK_NOUNS = set("choice finish place placing pos position pref preference rank ranking".split()) | ENDINGS
ALTERNATIVE_NOUNS = set("alt alternative item option".split())
BALLOT_NAMES = set(
    "ballot event heat judge list qid query race ranking rater regatta respondent session user vote "
    "voter".split()
)
ITEM_NAMES = set(
    "alternative athlete boat candidate car competitor doc document driver horse item model option player "
    "product rider runner sailor skier swimmer team".split()
)
PLACE_NAMES = set("finish place placing pos position rank".split())
TEXT_NAMES = {"ballot", "order", "preference", "preferences", "ranking", "rankings", "vote"}
CHOSEN_NAMES = {"choice", "chosen", "picked", "selected"}
ALTERNATIVES_NAMES = {"alternatives", "available", "choices", "menu", "options"}
FILLERS = set("final finishing id name no nr number official".split())  # race_id, finishing position


@dataclass(frozen=True)
class RankingColumns:
    """The columns by their meaning; as text, one line with a few names for each.

    ``ranks`` are the columns of a wide table, best first, or the items of a table of scores. ``left_out``
    says which rows were not wanted, ``place_as`` and ``time_as`` say how these columns were read, ``unnamed``
    what became of items that rankings do not name.
    """

    kind: str = ""
    ranks: tuple[str, ...] = ()
    ranking: str | None = None
    ballot: tuple[str, ...] = ()
    item: str | None = None
    place: str | None = None
    chosen: str | None = None
    alternatives: tuple[str, ...] = ()
    count: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    unused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unnamed: str = ""
    place_as: str = "place"
    time_as: str = "time"

    def used(self) -> list[str]:
        """Every column that has to be read."""
        single = (self.ranking, self.item, self.place, self.chosen)
        described = (self.count, self.weight, self.group, self.time)
        named = [*self.ranks, *self.ballot, *self.alternatives, *single, *described]
        return list(dict.fromkeys(name for name in named if name is not None))

    def __str__(self) -> str:
        several = (
            (self.ranks, "scores" if self.kind == "scores" else "items, best first"),
            (self.ballot, "ballot"),
            (self.alternatives, "alternatives"),
        )
        parts = [(few(names), what) for names, what in several if names]
        single = {"ranking": "ranking", "item": "item", "place": self.place_as, "chosen": "chosen item"}
        single |= {"count": "count", "weight": "weight", "group": "group", "time": self.time_as}
        parts += [(few([name]), what) for field, what in single.items() if (name := getattr(self, field))]
        left_out = f"; left out: {'; '.join(self.left_out)}" if self.left_out else ""
        return columns_text(parts, self.unused) + left_out + (f"; {self.unnamed}" if self.unnamed else "")


def find_columns(header: Sequence[str], given: RankingColumns) -> RankingColumns:
    """Check the columns that were given and guess the others.

    >>> str(find_columns(["race", "rank1", "rank2", "rank3"], RankingColumns()))
    'rank1, rank2, rank3 (items, best first); not used: race'
    >>> str(find_columns(["Race", "Horse", "Place", "Jockey"], RankingColumns()))
    'Race (ballot), Horse (item), Place (place); not used: Jockey'
    """
    check_known(given.used(), header)
    used = set(given.used())
    unasked = {
        name: name
        for name in ("count", "weight", "group", "time")
        if getattr(given, name) is None and name in header and name not in used
    }
    columns = replace(given, **unasked)  # type: ignore[arg-type]
    free = [name for name in header if name not in unasked]
    kind = _kind_given(given) or _kind_of(free)
    columns = replace(_FINDERS[kind](free, columns), kind=kind)
    return replace(columns, unused=without(header, columns.used()))


def _kind_given(given: RankingColumns) -> str | None:
    """The kind of table that the arguments speak of."""
    said = {
        "{@ranks}": ("wide", bool(given.ranks)),
        "{@ranking}": ("text", given.ranking is not None),
        "{@ballot}, {@item} and {@place}": ("long", bool(given.ballot or given.item or given.place)),
        "{@chosen} and {@alternatives}": ("choices", bool(given.chosen or given.alternatives)),
    }
    if given.kind:
        said[f"{{@kind}}'{given.kind}'"] = (given.kind, True)
    if given.kind == "scores":
        del said["{@ranks}"]  # the items of a table of scores
    found = {kind: argument for argument, (kind, is_given) in said.items() if is_given}
    if len(found) > 1:
        one, other, *_ = found.values()
        raise InputError(f"{one} and {other} are for different kinds of tables; give one of the two")
    return next(iter(found), None)


def kinds_of(header: Sequence[str]) -> list[str]:
    """The kinds of tables that the header fits; a table of scores could have any header."""
    fits = {
        "wide": bool(_numbered(header, RANK_NOUNS)),
        "long": bool(_named(header, ITEM_NAMES) and _named(header, PLACE_NAMES)),
        "choices": bool(_named(header, CHOSEN_NAMES))
        and bool(_named(header, ALTERNATIVES_NAMES) or _numbered(header, ALTERNATIVE_NOUNS)),
    }
    found = [kind for kind, fit in fits.items() if fit]
    if not found and _named(header, TEXT_NAMES):
        found = ["text"]
    return found


def _kind_of(header: Sequence[str]) -> str:
    """The one kind of table that the header fits."""
    found = kinds_of(header)
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"the columns could be read as {{@kind}}'{found[0]}' or {{@kind}}'{found[1]}'; say which"
        )
    raise InputError(
        "no columns are known to hold rankings; name the columns of rank 1, 2, ... with {@ranks}, or give "
        "{@ballot}, {@item} and {@place}, or {@ranking} for text such as 'a > b = c', or {@chosen} and "
        "{@alternatives}, or say {@kind}'scores' if each item has a column of scores; the columns are "
        f"{listed(header)}"
    )


# ------------------------------------------------------------------------------------ the columns of a kind


def _wide(header: Sequence[str], columns: RankingColumns) -> RankingColumns:
    ranks = columns.ranks or _only(_numbered(header, RANK_NOUNS), "rank 1, 2, ...", "{@ranks}", header)
    return replace(columns, ranks=ranks)


def _long(header: Sequence[str], columns: RankingColumns) -> RankingColumns:
    item = columns.item or _only_name(header, ITEM_NAMES, "the item", "{@item}")
    place = columns.place or _only_name(header, PLACE_NAMES, "the place", "{@place}")
    rest = [name for name in header if name not in (item, place)]
    ballot = columns.ballot or (_only_name(rest, BALLOT_NAMES, "the ballot (race, voter)", "{@ballot}"),)
    return replace(columns, item=item, place=place, ballot=ballot)


def _text(header: Sequence[str], columns: RankingColumns) -> RankingColumns:
    ranking = columns.ranking or _only_name(header, TEXT_NAMES, "the ranking", "{@ranking}")
    return replace(columns, ranking=ranking)


def _choices(header: Sequence[str], columns: RankingColumns) -> RankingColumns:
    chosen = columns.chosen or _only_name(header, CHOSEN_NAMES, "the chosen item", "{@chosen}")
    rest = [name for name in header if name != chosen]
    options = [(name,) for name in _named(rest, ALTERNATIVES_NAMES)] or _numbered(rest, ALTERNATIVE_NOUNS)
    found = columns.alternatives or _only(options, "the alternatives", "{@alternatives}", header)
    return replace(columns, chosen=chosen, alternatives=found)


def _scores(header: Sequence[str], columns: RankingColumns) -> RankingColumns:
    """All columns that are not used otherwise are items; what names the ballot is none."""
    taken = {columns.count, columns.weight, columns.group, columns.time, *_named(header, BALLOT_NAMES)}
    ranks = columns.ranks or tuple(name for name in header if name not in taken)
    if len(ranks) < 2:
        raise ValueError(f"a table of scores has a column for each item; the columns are {listed(header)}")
    return replace(columns, ranks=ranks)


_FINDERS = {"wide": _wide, "long": _long, "text": _text, "choices": _choices, "scores": _scores}


# ------------------------------------------------------------------------------------ names of columns


def _named(header: Sequence[str], nouns: set[str]) -> list[str]:
    """The columns called by one of the nouns, if need be after words that say nothing: race_id."""
    return [name for name in header if _noun(name) in nouns]


def _noun(name: str) -> str:
    words = words_of(name)
    return " ".join([word for word in words if word not in FILLERS] or words)


def _numbered(header: Sequence[str], nouns: set[str]) -> list[tuple[str, ...]]:
    """Columns that differ in a number only, which runs from 1 on: rank1, rank2 or 1st, 2nd.

    >>> _numbered(["1st place", "2nd place", "rank_1", "x1", "x2"], RANK_NOUNS)
    [('1st place', '2nd place')]
    >>> _numbered(["Which do you want? [Choice 1]", "Which do you want? [Choice 2]"], RANK_NOUNS)
    [('Which do you want? [Choice 1]', 'Which do you want? [Choice 2]')]
    """
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in header:
        question, _, asked = name.strip().removesuffix("]").rpartition("[") if "]" in name else ("", "", name)
        words = words_of(asked)
        numbers = [word for word in words if word.isdecimal() or word in ORDINALS]
        others = {word for word in words if word not in numbers}
        if len(numbers) == 1 and others <= nouns and (others or numbers[0] in ORDINALS):
            [word] = numbers
            number = ORDINALS.index(word) + 1 if word in ORDINALS else int(word)
            found.setdefault((question, " ".join(sorted(others - ENDINGS))), {})[number] = name
    runs = [[columns.get(number) for number in range(1, len(columns) + 1)] for columns in found.values()]
    return [tuple(name for name in run if name) for run in runs if len(run) > 1 and all(run)]


def _only_name(header: Sequence[str], nouns: set[str], what: str, how: str) -> str:
    return _only([(name,) for name in _named(header, nouns)], what, how, header)[0]


def _only(options: Sequence[tuple[str, ...]], what: str, how: str, header: Sequence[str]) -> tuple[str, ...]:
    """The one option that there is."""
    if len(options) == 1:
        return options[0]
    if not options:
        raise InputError(f"no column is known to hold {what}; name it with {how} out of {listed(header)}")
    shown = " or ".join("/".join(few([name]) for name in option[:2]) for option in options)
    raise InputError(f"{what} could be {shown}; choose with {how}")


# ------------------------------------------------------------------------------------ rankings or comparisons


def holds_rankings(opened: Opened) -> bool:
    """Whether a table holds rankings; one that could be read as comparisons does not."""
    if isinstance(opened, PreflibFiles):
        return True
    header = opened.header
    if not kinds_of(header) or _are_comparisons(header):
        return False
    _check_for_outcomes(opened)
    return True


def _are_comparisons(header: Sequence[str]) -> bool:
    """Whether the header has columns for two sides, apart from those that a ranking would use.

    >>> _are_comparisons(["player_1", "player_2", "rank_1", "rank_2"])
    True
    >>> _are_comparisons(["first", "second", "third"])
    False
    """
    try:
        found = find_comparisons(header, Columns())
        if found.outcome not in lone_scores(header, Columns()):  # rankings may have a score too
            return True
    except ValueError:
        pass
    sides = {name for pair in side_options(header) for name in pair}
    try:
        ranked = find_columns(header, RankingColumns()).used()
    except ValueError:  # a column of the ranking is still to be named
        ranked = []
    return not sides <= set(ranked)


def _check_for_outcomes(opened: Opened) -> None:
    """Refuse to guess if rows with two items have a column that may say which of the two is better."""
    try:
        columns = find_columns(opened.header, RankingColumns())
    except ValueError:  # a column is still to be named
        return
    if columns.kind != "wide" or len(columns.ranks) != 2 or not columns.unused:
        return
    first, second = columns.ranks
    table = opened.load([first, second, *columns.unused])
    left, right = (table[name].to_pylist() for name in (first, second))
    for name in columns.unused:
        cells = table[name].to_pylist()
        named = [cell in items for cell, *items in zip(cells, left, right, strict=True)]
        kinds = [is_item or tells_winner(cell) for is_item, cell in zip(named, cells, strict=True)]
        if all(kinds) and (any(named) or (name,) in lone_scores(opened.header, Columns())):
            raise ValueError(
                f"column '{name}' tells which of '{first}' and '{second}' is better, so the rows may be "
                f"comparisons; say --left {first} --right {second} --outcome {name}, or --rankings if "
                f"'{first}' is always better"
            )
