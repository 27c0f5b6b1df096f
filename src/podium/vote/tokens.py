"""What the server signs: tokens for the pairs it shows, the cookies of judges, and forms.

A token proves that this server showed this pair to this judge. Showing a pair therefore writes nothing.

Signing is part of every vote, so it avoids calls that release the interpreter lock, such as compression and
the system's random numbers: the thread that writes would take the lock, and the vote would wait.
"""

from dataclasses import dataclass
from itertools import count
from secrets import compare_digest, token_urlsafe

import itsdangerous
from itsdangerous import BadSignature, SignatureExpired, TimestampSigner

from podium.vote.nouns import Matchup, Refused

BETWEEN = "~"  # separates the parts of a token; no part contains it


@dataclass(frozen=True)
class Ballot:
    """A pair that was shown to a judge and may be voted on once."""

    token: str
    judge: str
    matchup: Matchup
    shown: float


class Signer:
    """Makes and checks what is signed with the secret of the database."""

    def __init__(self, secret: str) -> None:
        self._pairs = TimestampSigner(secret, salt="pair")
        self._judges = itsdangerous.Signer(secret, salt="judge")
        self._forms = itsdangerous.Signer(secret, salt="form")
        self._server, self._number = token_urlsafe(9), count()

    def token(self, judge: str, m: Matchup) -> str:
        """A token for one vote on a pair."""
        token = f"{self._server}{next(self._number)}"  # need not be secret, only never used twice
        parts = (token, judge, m.prompt, m.left, m.right, m.probability)
        return self._pairs.sign(BETWEEN.join(map(str, parts))).decode()

    def ballot(self, signed: str, judge: str, expires: float) -> Ballot:
        """The pair behind a token, if this judge may still vote on it."""
        try:
            content, when = self._pairs.unsign(signed, max_age=int(expires), return_timestamp=True)
        except SignatureExpired:
            raise Refused(
                "The pair was shown too long ago, so this vote was not counted. Here is a new one.", 410
            ) from None
        except BadSignature:
            raise Refused("This vote was not counted: the pair was not shown by this page.", 403) from None
        token, owner, *ids, probability = content.decode().split(BETWEEN)
        prompt, left, right = map(int, ids)
        if not compare_digest(owner, judge):
            raise Refused("This vote was not counted: the pair was shown to somebody else.", 403)
        return Ballot(token, judge, Matchup(prompt, left, right, float(probability)), when.timestamp())

    def cookie(self, judge: str) -> str:
        """The cookie of a judge."""
        return self._judges.sign(judge).decode()

    def judge(self, cookie: str | None) -> str | None:
        """The judge of a cookie, or None if this server did not sign it."""
        try:
            return None if cookie is None else self._judges.unsign(cookie).decode()
        except BadSignature:
            return None

    def form(self, judge: str) -> str:
        """A hidden field for the forms of a judge, so that no other site can send them."""
        return self._forms.sign(judge).decode()

    def check_form(self, signed: str, judge: str) -> None:
        """Refuse a form that was not made for this judge."""
        try:
            maker = self._forms.unsign(signed).decode()
        except BadSignature:
            maker = ""
        if not compare_digest(maker, judge):
            raise Refused("This form is out of date. Please try again.", 403)


def new_judge() -> str:
    """A random id for a new judge, which says nothing about the person."""
    return token_urlsafe(12)
