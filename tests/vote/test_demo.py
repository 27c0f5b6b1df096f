"""The demo has ten posters and votes that put them in their order."""

from collections import Counter

from podium.vote.demo import POSTERS, demo_items, demo_votes
from podium.vote.items import image_type


def test_posters_are_different_images() -> None:
    posters = demo_items()
    assert [poster.item for poster in posters] == list(POSTERS)
    assert {image_type(poster.data or b"") for poster in posters} == {"image/svg+xml"}
    assert len({poster.data for poster in posters}) == len({poster.text for poster in posters}) == 10


def test_no_judge_sees_a_pair_twice() -> None:
    votes = demo_votes()
    seen = Counter((vote.judge, frozenset((vote.left, vote.right))) for vote in votes)
    assert len(votes) == 300
    assert max(seen.values()) == 1
    assert {vote.judge for vote in votes} == set(range(1, 13))
    assert {vote.answer for vote in votes} == {"left", "right", "tie"}
    assert demo_votes() == votes


def test_the_votes_agree_with_the_known_order() -> None:
    score = dict.fromkeys(POSTERS, 0.0)
    for vote in demo_votes():
        left = {"left": 1.0, "tie": 0.5, "right": 0.0}[vote.answer]
        score[vote.left] += left - 0.5
        score[vote.right] += 0.5 - left
    board = sorted(POSTERS, key=lambda name: -score[name])
    assert max(abs(board.index(name) - known) for known, name in enumerate(POSTERS)) <= 2
