from dataclasses import dataclass

from podium.vote.pairs import Choice


@dataclass
class Standing:
    revision: int
    votes: int
    judges: int
    choice: object
    notes: tuple = ()
    board: object = None
    head_to_head: object = None


class Live:
    def __init__(self, read, current):
        self.current = current
        self.refit()

    def refit(self):
        s, c = self.current()
        self.standing = Standing(0, 0, 0, Choice(c, (), s.explore))

    def start(self):
        self.refit()

    def stop(self):
        pass

    def nudge(self):
        self.refit()
