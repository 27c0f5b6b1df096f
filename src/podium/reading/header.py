"""Which column of a table means what: guessed from the header when only one reading is possible."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any

from podium.comparisons.messages import NAMED, InputError, few, listed, quoted
from podium.comparisons.outcomes import words_of
from podium.comparisons.summary import LEFT_IS_BETTER, Columns, CovariateColumns
from podium.reading.column_pairs import (
    BETTER_WORSE,
    SIDE_WORDS,
    WAYS,
    Pair,
    as_the_sides,
    last_part,
    pairs,
    whole_name,
)

SIDE_NOUNS = {
    "",
    *"id name item label model p player school side team user".split(),
    *"equipo jugador équipe joueur".split(),
}
RESPONSE = {"response"}  # names a side unless something else does
OUTCOME_NAMES = set(
    "outcome preference result verdict vote winner y ergebnis resultado résultat resultat risultato".split()
)
GOALS = ("fthg", "ftag"), ("hg", "ag")  # of the home and the away team, in tables of football
SCORE_WORDS = set("goals points pts runs score".split())
COUNT_WORDS = set("win wins count counts n number votes".split())
WIN_WORDS = {"win", "wins", "won", "winnermodel"}  # the last in votes on language models: winner_model_a
WINS_AND_LOSSES = (("win", "loss"), ("wins", "losses"), ("won", "lost"))  # of the left side
TIE_WORDS = set("tie ties tied draw draws drawn".split())
BESIDE_TIES = set("ij n number count winner".split())  # n_ties, tie_ij, winner_tie


def names_given(value: Any, argument: str, most: int | None = None) -> tuple[str, ...]:
    """An argument that names a column or several."""
    if value is None or value is False:
        return ()
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"{{@{argument}}} takes the name of a column, or different ones, not {quoted(value)}"
        )
    if argument == "features" and isinstance(value, str):
        raise InputError(f"{{@features}} takes a list of names, such as ['{value}']")
    if most is not None and len(names) > most:
        raise InputError(
            f"{{@{argument}}} takes one column, or two with the scores of the sides, not {len(names)}"
        )
    return names


def name_given(value: Any, argument: str) -> str | None:
    """An argument that names one column."""
    if value is not None and not isinstance(value, str):
        raise InputError(f"{{@{argument}}} takes the name of a column, not {quoted(value)}")
    return value


def groups_given(value: Any) -> dict[str, Any]:
    """The argument ``group``: one column, or the columns of several groups by their names.

    >>> groups_given(["prompt", "judge"])
    {'group': 'judge', 'groups': (('judge', 'judge'), ('prompt', 'prompt'))}
    """
    if value is None or isinstance(value, str):
        return {"group": value}
    columns = names_given([*value.values()] if isinstance(value, Mapping) else value, "group")
    pairs = zip(value if isinstance(value, Mapping) else columns, columns, strict=True)
    groups = tuple(sorted(pairs, key=lambda pair: pair[0] != "judge"))
    return {"group": groups[0][1], "groups": groups}


def check_choice(value: Any, argument: str, known: Sequence[Any]) -> None:
    """Refuse a word that is none of those known."""
    if value not in known:
        words = [repr(word) for word in known]
        raise ValueError(f"{argument} is {', '.join(words[:-1])} or {words[-1]}, not {quoted(value)}")


def check_known(names: Sequence[str], header: Sequence[str]) -> None:
    """Refuse a name that no column has."""
    known = set(header)
    if unknown := [name for name in names if name not in known]:
        several = known.issuperset(unknown[0].split(","))
        more = "; name each of these columns by itself" if several else f"; the columns are {listed(header)}"
        raise ValueError(f"there is no column {quoted(unknown[0])}{more}")


def without(header: Sequence[str], used: Sequence[str]) -> tuple[str, ...]:
    """The columns that are not used."""
    taken = set(used)
    return tuple(name for name in header if name not in taken)


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
    names = side_options(header)
    if not given.left and not names:
        described |= any(name.startswith(("left_", "right_")) for name in header)
    described |= bool(given.features)
    columns = replace(given, **_unasked(header, given))
    if not given.left and not described:
        left, right = _only(names, "the two sides", "{@left} and {@right}", header)
        columns = replace(columns, left=(left,), right=(right,))
    columns = replace(columns, covariates=find_covariates(header, columns))
    outcomes = _outcome_options(header, columns) if given.outcome is None else []
    if outcome_exists and given.outcome is None and not given.wins:
        wins = () if outcomes else wins_options(header, columns)
        if wins:
            columns = replace(columns, **_counted(header, wins))
        else:
            if not outcomes and (counts := pairs(header, SIDE_WORDS, COUNT_WORDS)):
                raise counts_or_score(counts[0])
            outcomes = outcomes or lone_scores(header, columns)
            outcome = _only(outcomes, "the outcome", "{@outcome= (False if there is none)}", header)
            columns = replace(columns, outcome=outcome)
    if described:
        aside = {*columns.used(), *chain(*names), *(outcomes[0] if len(outcomes) == 1 else ())}
        rest = header if given.features else [name for name in header if name not in aside]
        columns = replace(columns, left=(), right=(), features=given.features or _features(rest, header))
    if columns.wins:
        columns = replace(columns, count=None)  # wins and ties are the counts
    return replace(columns, unused=without(header, columns.used()))


def _check_given(header: Sequence[str], given: Columns) -> None:
    check_known(given.used(), header)
    if bool(given.left) != bool(given.right):
        missing = "right" if given.left else "left"
        raise InputError(f"{{@{missing}}} is not given but the other side is; name columns for both sides")
    if given.wins and given.outcome is not None:
        raise InputError("{@outcome} is the outcome of one game, {@wins} counts several; give one of the two")
    if given.wins and given.count is not None:
        raise InputError(
            "{@wins} counts the observations of a pair, and so does {@count}; give one of the two"
        )
    if given.ties is not None and not given.wins:
        raise InputError("{@ties} counts the ties of a pair beside its wins; name those columns with {@wins}")
    if given.left and given.features:
        raise InputError(
            "{@left} and {@right} name the items while {@features} describes them by left_* and right_* "
            "alone; give one of the two, or a table of items with {@items}"
        )


def _unasked(header: Sequence[str], given: Columns) -> dict[str, Any]:
    """Columns that are used without being asked for, named as `Comparisons.to_frame` names them."""
    names = ["weight", "group", "time"] if "count" in given.used() else ["count", "weight", "group", "time"]
    return {name: name for name in names if getattr(given, name) is None and name in header}


def side_options(header: Sequence[str]) -> list[Pair]:
    """Names of the two sides; fields of one nested column by their own names, if there are no others."""
    words = [*SIDE_WORDS, *BETTER_WORSE]
    for nouns, parts_of in product((SIDE_NOUNS, RESPONSE), WAYS):
        if found := pairs(header, words, nouns, parts_of):
            return found
    return []


def _outcome_options(header: Sequence[str], columns: Columns) -> list[tuple[str, ...]]:
    taken = {*columns.left, *columns.right}
    options: list[tuple[str, ...]] = []
    for parts_of in (whole_name, last_part):
        options = options or [
            (name,) for name in header if name not in taken and "".join(parts_of(name)[1]) in OUTCOME_NAMES
        ]
    for pair in pairs(header, SIDE_WORDS, SCORE_WORDS):
        options += as_the_sides(pair, columns)
    if not options and "home" in words_of(" ".join(columns.left)):
        options += pairs(header, GOALS, {""})
    if len(columns.left) == 1 and (*columns.left, *columns.right) in pairs(header, BETTER_WORSE, SIDE_NOUNS):
        options.append(LEFT_IS_BETTER)
    return options


def lone_scores(header: Sequence[str], columns: Columns) -> list[tuple[str, ...]]:
    """A column called score, which is the outcome if its cells are scores of both sides, such as 2-1."""
    return [(name,) for name in header if words_of(name) == ["score"] and name not in columns.used()]


def _counted(header: Sequence[str], wins: Sequence[Pair]) -> dict[str, Any]:
    """The columns of a table of counts."""
    pair = _only(wins, "how often each side has won", "{@wins}", header)
    ties = [(name,) for name in ties_options(header, (pair[0], pair[1]))]
    return {"wins": pair, "ties": _only(ties, "the ties", "{@ties}", header)[0] if ties else None}


def _features(rest: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """The x that the rest of the header has as left_x and as right_x."""
    left, right = (
        dict.fromkeys(name.removeprefix(side) for name in rest if name.startswith(side))
        for side in ("left_", "right_")
    )
    for side, other, names, partners in (("left", "right", left, right), ("right", "left", right, left)):
        if lonely := [name for name in names if name not in partners]:
            raise InputError(  # a slip of the pen, not a feature to be left out in silence
                f"column '{side}_{lonely[0]}' has no partner '{other}_{lonely[0]}'; rename one, or choose "
                f"with {{@features}} out of {listed(rest)}"
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
        raise InputError(f"no column is known to hold {what}; name them with {how} out of {known}")
    shown = [
        "/".join(few([name]) for name in option) or "that the left side is always better"
        for option in options[:NAMED]
    ]
    more = f" or {len(options) - NAMED:,} more" if len(options) > NAMED else ""
    raise InputError(f"{what} could be {' or '.join(shown)}{more}; choose with {how}")


# ------------------------------------------------------------------------------------ covariates


def covariates_given(value: Any) -> CovariateColumns:
    """The argument ``covariates`` as names with their columns; a bare name has none yet.

    >>> covariates_given(["length"]), covariates_given({"length": ("la", "lb"), "bold": "more_bold"})
    ((('length', ()),), (('length', ('la', 'lb')), ('bold', ('more_bold',))))
    >>> covariates_given({"length": ("la", "lb"), "bold": None})  # the columns of bold are to be found
    (('length', ('la', 'lb')), ('bold', ()))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        raise InputError(f"{{@covariates}} takes a list of names, such as [{quoted(value)}]")
    if isinstance(value, Mapping):
        return tuple((str(name), _columns_given(name, columns)) for name, columns in value.items())
    names: Any = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"{{@covariates}} takes different names, or a mapping to columns, not {quoted(value)}"
        )
    return tuple((name, ()) for name in names)


def _columns_given(name: Any, columns: Any) -> tuple[str, ...]:
    if columns is None:
        return ()
    found = (columns,) if isinstance(columns, str) else columns
    good = isinstance(found, list | tuple) and len(found) in (1, 2)
    if not good or not all(isinstance(column, str) for column in found):
        raise InputError(
            f"{{@covariates}} has {quoted(columns)} for {quoted(name)}; give the columns of the two sides, "
            "left first, or one column that has the value of the right side minus that of the left one"
        )
    return tuple(found)


def find_covariates(header: Sequence[str], columns: Columns) -> CovariateColumns:
    """Every covariate with its columns: one of each side, in the order of the sides, or their difference."""
    return tuple((name, given or _columns_of(name, header, columns)) for name, given in columns.covariates)


def _columns_of(name: str, header: Sequence[str], columns: Columns) -> tuple[str, ...]:
    noun, words = {"".join(words_of(name))}, [*SIDE_WORDS, *BETTER_WORSE]
    ways = (pairs(header, words, noun, parts_of) for parts_of in WAYS)
    found: list[Pair] = next(filter(None, ways), [])
    options = [pair for each in found for pair in as_the_sides(each, columns)]
    options = options or [pair for each in found for pair in as_the_sides(each, columns, by_place=True)]
    if len(options) == 1:
        return options[0]
    given = f"{{{quoted(name)}: (left column, right column)}}"
    if options:
        shown = " or ".join(f"{left}/{right}" for left, right in options)
        what = f"covariate {quoted(name)} could be {shown}; give {{@pair_given}}"
        raise InputError(what, pair_given=given, covariate=name)
    if name in header:
        return (name,)
    near = [column for column in header if name.casefold() in column.casefold()]
    columns_are = f" out of {listed(near)}" if near else f"; the columns are {listed(header)}"
    what = f"no column pair for covariate {quoted(name)}; give {{@pair_given}}{columns_are}"
    raise InputError(what, pair_given=given, covariate=name)


# ------------------------------------------------------------------------------------ counts


def wins_options(header: Sequence[str], columns: Columns) -> list[Pair]:
    """The pairs of columns that count how often each side has won, judged by their names."""
    found = pairs(header, SIDE_WORDS, WIN_WORDS) + pairs(header, [("ij", "ji")], {*WIN_WORDS, "w"})
    options = [pair for each in found for pair in as_the_sides(each, columns)]
    return options or pairs(header, WINS_AND_LOSSES, {""}) or pairs(header, WINS_AND_LOSSES, {"adj"})


def ties_options(header: Sequence[str], wins: Pair) -> list[str]:
    """The columns that count ties; none beside adjusted wins, which have half of each tie."""
    if "adj" in words_of(wins[0]):
        return []
    return [name for name in header if _counts_ties(words_of(name))]


def _counts_ties(words: Sequence[str]) -> bool:
    said = set(words)
    return said == {"t", "ij"} or (bool(said & TIE_WORDS) and said <= TIE_WORDS | BESIDE_TIES)


def counts_or_score(names: tuple[str, str]) -> InputError:
    return InputError(
        f"columns '{names[0]}' and '{names[1]}' look like counts of several games in each row; if they are, "
        "name them with {@wins} (and a column of ties with {@ties}), but if they are the score of one game, "
        "name them with {@outcome} and say {@outcome_format}'score'"
    )
