"""What a judge sees: a pair, a form to fill in first, or a sentence that says why there is none."""

from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Literal

from markupsafe import Markup
from sqlalchemy import select

from podium.vote.content import rendered
from podium.vote.database.people import Judge, judge_of
from podium.vote.database.store import Store
from podium.vote.database.tables import contents, prompts
from podium.vote.live import LiveBoard
from podium.vote.nouns import Matchup, Settings
from podium.vote.tokens import Signer

NOTHING = Markup()
MOST_RENDERED = 2000  # prompts, and as many things, kept as HTML, so that showing them again takes no time
ALL_SEEN = "You have seen every pair. Thank you!"
TOO_FEW = "There is nothing to compare yet: the owner has to add at least two items."


@dataclass(frozen=True)
class View:
    """What a page shows to a judge.

    ``state`` chooses the template. ``said`` is what became of the last vote, and ``alarm`` whether something
    went wrong with it.
    """

    state: Literal["pair", "join", "message"]
    judge: Judge
    form: str
    said: str
    alarm: bool
    message: str = ""
    prompt: Markup = NOTHING
    left: Markup = NOTHING
    right: Markup = NOTHING
    token: str = ""


class Booth:
    """Shows pairs to judges."""

    def __init__(self, store: Store, settings: Settings, signer: Signer, live: LiveBoard) -> None:
        self.store = store
        self.settings = settings
        self.signer = signer
        self.live = live
        self._random = Random()
        self._prompt = lru_cache(MOST_RENDERED)(self._render_prompt)
        self._content = lru_cache(MOST_RENDERED)(self._render_content)

    def judge(self, judge: str) -> Judge:
        """What the database knows of a judge."""
        with self.store.read() as connection:
            return judge_of(connection, judge, self.settings)

    def view(self, judge: Judge, again: Matchup | None = None, said: str = "", alarm: bool = False) -> View:
        """The next page of a judge; ``again`` is a pair to show once more."""
        show = partial(View, judge=judge, form=self.signer.form(judge.id), said=said, alarm=alarm)
        if judge.barred:
            return show("message", message=judge.barred)
        if judge.joins:
            return show("join")
        if judge.finished:
            return show("message", message="You have cast all your votes. Thank you!")
        choice = self.live.standing.choice
        if again and not set(again.pair[1:]) <= choice.catalogue.answers.get(again.prompt, frozenset()):
            again = None  # one of the two was withdrawn
        matchup = again or choice.draw(judge.seen, self._random)
        if matchup is None:
            return show("message", message=ALL_SEEN if judge.seen else TOO_FEW)
        return show(
            "pair",
            prompt=self._prompt(matchup.prompt),
            left=self._content(matchup.prompt, matchup.left),
            right=self._content(matchup.prompt, matchup.right),
            token=self.signer.token(judge.id, matchup),
        )

    def _render_prompt(self, prompt: int) -> Markup:
        with self.store.read() as connection:
            text = connection.scalar(select(prompts.c.text).where(prompts.c.id == prompt))
        return rendered("markdown", text) if text else NOTHING

    def _render_content(self, prompt: int, item: int) -> Markup:
        found = select(contents.c.id, contents.c.kind, contents.c.text, contents.c.language)
        with self.store.read() as connection:
            row = connection.execute(found.where(contents.c.item == item, contents.c.prompt == prompt)).one()
        return rendered(row.kind, row.text, row.language, f"/image/{row.id}")
