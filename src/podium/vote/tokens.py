"""What the server signs: the pair that was shown, the cookie of a judge, the forms.

A token proves that this server showed this pair to this judge. Showing a pair therefore writes nothing.
"""

from dataclasses import dataclass
from secrets import compare_digest, token_urlsafe

from itsdangerous import BadSignature, SignatureExpired, URLSafeSerializer, URLSafeTimedSerializer

from podium.vote.nouns import Matchup, Refused


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
        self._pairs = URLSafeTimedSerializer(secret, salt="pair")
        self._judges = URLSafeSerializer(secret, salt="judge")
        self._forms = URLSafeSerializer(secret, salt="form")

    def token(self, judge: str, m: Matchup) -> str:
        """A token for one vote on a pair."""
        signed = self._pairs.dumps([token_urlsafe(12), judge, m.prompt, m.left, m.right, m.probability])
        return signed if isinstance(signed, str) else signed.decode()

    def ballot(self, signed: str, judge: str, expires: float) -> Ballot:
        """The pair behind a token, if this judge may still vote on it."""
        try:
            content, when = self._pairs.loads(signed, max_age=int(expires), return_timestamp=True)
        except SignatureExpired:
            raise Refused(
                "The pair was shown too long ago, so this vote was not counted. Here is a new one.", 410
            ) from None
        except BadSignature:
            raise Refused("This vote was not counted: the pair was not shown by this page.", 403) from None
        token, owner, prompt, left, right, probability = content
        if not compare_digest(owner, judge):
            raise Refused("This vote was not counted: the pair was shown to somebody else.", 403)
        return Ballot(token, judge, Matchup(prompt, left, right, probability), when.timestamp())

    def cookie(self, judge: str) -> str:
        """The cookie of a judge."""
        return str(self._judges.dumps(judge))

    def judge(self, cookie: str | None) -> str | None:
        """The judge of a cookie, or None if this server did not sign it."""
        try:
            return None if cookie is None else str(self._judges.loads(cookie))
        except BadSignature:
            return None

    def form(self, judge: str) -> str:
        """What a form of this judge carries, so that no other site can send it."""
        return str(self._forms.dumps(judge))

    def check_form(self, signed: str, judge: str) -> None:
        """Refuse a form that was not made for this judge."""
        try:
            maker = str(self._forms.loads(signed))
        except BadSignature:
            maker = ""
        if not compare_digest(maker, judge):
            raise Refused("This form is out of date. Please try again.", 403)


def new_judge() -> str:
    """The id of a new judge, which tells nothing about the person."""
    return token_urlsafe(12)
