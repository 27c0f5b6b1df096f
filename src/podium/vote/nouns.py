"""The nouns of a vote: what is shown, what is asked and answered, and why a request is refused."""

import re
from dataclasses import dataclass
from math import inf
from typing import Literal

Kind = Literal["text", "markdown", "code", "image"]
Answer = Literal["left", "right", "tie", "both bad", "much left", "much right"]


@dataclass(frozen=True)
class Shown:
    """One thing that can be shown: what an item looks like, or what it answers to a prompt.

    ``text`` is the text itself, or the description of an image. ``data`` has the bytes of an image, and
    ``language`` is that of code, such as ``"python"``.
    """

    item: str
    kind: Kind
    text: str
    prompt: str = ""
    data: bytes | None = None
    language: str = ""


@dataclass(frozen=True)
class Matchup:
    """Two items side by side that answer the same prompt, and the probability with which they were chosen.

    The prompt and the items are ids of the database.
    """

    prompt: int
    left: int
    right: int
    probability: float

    @property
    def pair(self) -> "Seen":
        """The prompt and the two items, whichever of them is on the left."""
        return self.prompt, min(self.left, self.right), max(self.left, self.right)


Seen = tuple[int, int, int]  # a prompt and two items, the smaller id first


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the page asks, and who may answer. A setting that makes no sense is a ValueError.

    Attributes
    ----------
    question : str
        Asked above every pair.
    ask_name : bool
        Whether judges are asked for a name.
    consent : str
        A text that judges must agree to; empty for none.
    both_bad : bool
        Whether there is one more button, "Both bad".
    grades : int
        How many buttons there are besides: 3, or 5 with "much better" on both sides.
    votes_per_judge : int or None
        The most votes that one judge may cast; None for no limit.
    invited_only : bool
        Whether voting needs an invitation.
    hide_board : bool
        Whether only the owner sees the board.
    goal : str
        What the votes are for, as in `podium next`: ranking, best or top-K.
    explore : float
        The probability of a pair drawn at random.
    expires : float
        Seconds after which a shown pair can no longer be voted on.
    votes_per_minute : int
        The most votes that one judge may cast per minute.
    keep_addresses : bool
        Whether the network addresses of judges are stored.
    """

    question: str = "Which is better?"
    ask_name: bool = False
    consent: str = ""
    both_bad: bool = False
    grades: int = 3
    votes_per_judge: int | None = None
    invited_only: bool = False
    hide_board: bool = False
    goal: str = "ranking"
    explore: float = 0.2
    expires: float = 3600.0
    votes_per_minute: int = 60
    keep_addresses: bool = False

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise ValueError("the question is empty; ask something, such as 'Which is better?'")
        if not re.fullmatch(r"ranking|best|top-[1-9][0-9]*", self.goal):
            raise ValueError(f"the goal '{self.goal}' is none of ranking, best, and top-K such as top-3")
        if self.grades not in (3, 5):
            raise ValueError(f"grades is the number of buttons, 3 or 5, not {self.grades}")
        if not 0 <= self.explore <= 1:
            raise ValueError(f"explore is a probability from 0 to 1, not {self.explore:g}")
        for name in ("votes_per_judge", "votes_per_minute", "expires"):
            value = getattr(self, name)
            if value is not None and not 0 < value < inf:
                raise ValueError(f"{name} must be a number above 0, not {value:g}")

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that there are buttons for."""
        much: tuple[Answer, ...] = ("much left", "much right") if self.grades == 5 else ()
        return "left", "right", "tie", *(("both bad",) if self.both_bad else ()), *much


class StoreError(RuntimeError):
    """The database does not work; the message is a sentence for the people who see the page."""


class Refused(Exception):
    """A vote or a request that does not count, with the reason as a sentence.

    Parameters
    ----------
    reason : str
        The sentence.
    status : int
        The HTTP status.
    stays : bool, default=False
        Whether the same vote may be tried again, so that the pair stays on the page.
    """

    def __init__(self, reason: str, status: int, *, stays: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.stays = stays
