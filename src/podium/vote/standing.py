"""Where the vote stands: the board, who beats whom, and which pairs to ask about next."""

import random
import time
import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium.bradley_terry.model import BradleyTerry
from podium.comparisons.items import connected_items
from podium.comparisons.table import Comparisons
from podium.leaderboard.board import NO_RANK
from podium.leaderboard.leaderboard import Leaderboard
from podium.skill.anytime import TOO_SHORT, board_of_chosen
from podium.vote.database.catalogue import Catalogue
from podium.vote.nouns import Settings
from podium.vote.pairs import Choice, Pair
from podium.vote.tally import Tally, VotesOverTime
from podium.web.board import ENOUGH
from podium.web.head_to_head import HeadToHead

FEWEST_TARGETS, MOST_TARGETS = 10, 64
MOST_CANDIDATES = 1000  # items among which targets are chosen; more would take seconds
UNKNOWN = dict.fromkeys(("score", "low", "high"), np.nan)  # of an item without votes
NONE = dict.fromkeys(("rank", "rank_low", "rank_high"), NO_RANK) | dict.fromkeys(
    ("games", "wins", "ties", "losses", "component"), 0
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Standing:
    """Where the vote stands.

    Attributes
    ----------
    revision : int
        A number that changes with the standing.
    votes, judges : int
        The votes that count, and the judges who cast them.
    board : Leaderboard or None
        All items with their scores; None without votes.
    head_to_head : HeadToHead or None
        The best items against each other; None without votes.
    over_time : VotesOverTime or None
        When the votes were cast; None without votes.
    notes : tuple of str
        Sentences about what the board lacks.
    choice : Choice
        How the next pairs are drawn.
    made : float
        When this was computed, in seconds since 1970.
    """

    revision: int = 0
    votes: int = 0
    judges: int = 0
    board: Leaderboard | None = None
    head_to_head: HeadToHead | None = None
    over_time: VotesOverTime | None = None
    notes: tuple[str, ...] = ()
    choice: Choice
    made: float


def standing_from(tally: Tally, settings: Settings, catalogue: Catalogue) -> Standing:
    """Where the vote stands; the catalogue must have all items with votes.

    This may take seconds, so do not keep a connection open meanwhile.
    """
    aimless = Choice(catalogue, (), settings.explore)
    standing = Standing(votes=tally.votes, judges=tally.judges, choice=aimless, made=time.time())
    shortage = _shortage(aimless)
    if not tally.votes:
        return replace(standing, notes=(*shortage, "There are no votes yet."))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes say what is missing
        c = _comparisons(tally)
        model = BradleyTerry().fit(c)  # as `podium rank` does, so that both show the same board
        board = board_of_chosen(model)
        rivals = HeadToHead.of(model, c, board)
        votes = dict(zip(board.item.tolist(), board.games.tolist(), strict=True))
        targets, remarks = _targets(model, votes, settings.goal, catalogue)
    return replace(
        standing,
        board=_with_names(board, catalogue),
        head_to_head=replace(rivals, items=_names(rivals.items.tolist(), catalogue)),
        over_time=tally.over_time,
        notes=(*shortage, *_notes(tally, c, board, catalogue), *remarks),
        choice=replace(aimless, targets=targets),
    )


def _comparisons(tally: Tally) -> Comparisons:
    """One row per pair and result; the labels are the ids, since a name may be that of two items."""
    ids, codes = np.unique(tally.pairs, return_inverse=True)
    pair, result = np.nonzero(tally.results)
    left, right = codes.reshape(-1, 2)[pair].T
    return Comparisons.from_codes(
        ids, left, right, (result - 1).astype(np.int8), count=tally.results[pair, result]
    )


# ------------------------------------------------------------------------------------ names and notes


def _names(ids: Sequence[int], catalogue: Catalogue) -> Any:
    active = set(catalogue.items)
    names = np.empty(len(ids), dtype=object)
    names[:] = [catalogue.names[one] + " (withdrawn)" * (one not in active) for one in ids]
    return names


def _with_names(board: Leaderboard, catalogue: Catalogue) -> Leaderboard:
    """The board with names in place of ids, and with the items without votes at its end."""
    ids = board.item.tolist()
    new = sorted(set(catalogue.items) - set(ids))
    columns: Any = {}
    for name, value in (UNKNOWN | NONE).items():
        known = getattr(board, name)
        columns[name] = np.append(known, np.full(len(new), value, dtype=known.dtype))
    for name in ("low", "high"):  # infinite if all votes are ties
        columns[name] = np.where(np.isfinite(columns[name]), columns[name], np.nan)
    return replace(board, item=_names([*ids, *new], catalogue), notes=(), **columns)


def _shortage(choice: Choice) -> tuple[str, ...]:
    """A note if there is nothing to compare."""
    if len(choice.catalogue.items) < 2:
        return ("There are fewer than two items, so there is nothing to compare.",)
    if not choice.n_matchups:
        return ("No two items answer the same prompt, so there is nothing to compare.",)
    return ()


def _notes(tally: Tally, c: Comparisons, board: Leaderboard, catalogue: Catalogue) -> list[str]:
    """What is still missing from the board."""
    notes = []
    if n_new := len(set(catalogue.items) - set(c.items.tolist())):
        notes.append(f"{_counted(n_new)} no votes yet.")
    if not tally.results[:, [0, 2]].any():
        notes.append("All votes are ties, so no item is ahead.")
    elif n_unknown := int((board.rank == NO_RANK).sum()):
        notes.append(f"{_counted(n_unknown)} too few votes for a rank.")
    if (board.games < ENOUGH).any():
        notes.append(f"Scores in grey are hardly known yet: these items have fewer than {ENOUGH} votes.")
    if connected_items(c.left, c.right, c.n_items, None).any():
        notes.append(
            "The items are in groups that were never compared with each other, so scores of different groups "
            "cannot be compared yet."
        )
    if TOO_SHORT in board.notes:  # too many items for ranks that hold whenever you look
        notes.append(f"{TOO_SHORT[:1].upper()}{TOO_SHORT[1:]}.")
    return notes


def _counted(n: int) -> str:
    return "1 item has" if n == 1 else f"{n:,} items have"


# ------------------------------------------------------------------------------------ targets


def _targets(
    model: BradleyTerry, votes: Mapping[int, float], goal: str, catalogue: Catalogue
) -> tuple[tuple[Pair, ...], list[str]]:
    """The pairs to ask about next, items without votes first, and notes about how they were chosen."""
    n = min(max(len(catalogue.items), FEWEST_TARGETS), MOST_TARGETS)
    targets, notes = _first_votes(catalogue, votes.keys(), n), []
    voted = sorted(votes.keys() & set(catalogue.items), key=votes.__getitem__)
    if len(voted) > MOST_CANDIDATES:
        voted = voted[:MOST_CANDIDATES]
        notes.append(f"Pairs are chosen from the {MOST_CANDIDATES:,} items with the fewest votes.")
    candidates = _candidates(catalogue, voted)
    if len(targets) < n and candidates:
        how: Any = {"candidates": candidates, "explore": 0.0}
        try:
            frame = model.next_pairs(n - len(targets), goal, **how)
        except ValueError as error:  # such as top-5 of three items
            notes.append(f"Pairs are chosen for the whole ranking: {error}.")
            frame = model.next_pairs(n - len(targets), "ranking", **how)
        targets += zip(frame["left"].tolist(), frame["right"].tolist(), strict=True)
    return tuple(targets), notes


def _first_votes(catalogue: Catalogue, voted: Set[int], n: int) -> list[Pair]:
    """Pair items without votes with random ones that answer the same prompt, preferably some with votes."""
    new = [item for item in catalogue.items if item not in voted]
    pairs = []
    for item in random.sample(new, min(n, len(new))):
        groups = [group - {item} for group in catalogue.answers.values() if item in group and len(group) > 1]
        if groups:
            partners = random.choice(groups)
            pairs.append((item, random.choice(sorted(partners & voted or partners))))
    return pairs


def _candidates(catalogue: Catalogue, items: list[int]) -> list[Any]:
    """The items, or if no prompt is answered by all of them, the pairs that have a prompt in common."""
    if len(items) < 2:
        return []
    wanted = frozenset(items)
    groups = {group & wanted for group in catalogue.answers.values()}
    if wanted in groups:
        return items
    place = {item: k for k, item in enumerate(items)}
    meet = np.zeros((len(items), len(items)), dtype=bool)
    for group in groups:
        places = [place[item] for item in group]
        meet[np.ix_(places, places)] = True
    return [(items[i], items[j]) for i, j in np.argwhere(np.triu(meet, 1)).tolist()]
