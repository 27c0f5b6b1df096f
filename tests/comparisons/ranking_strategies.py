"""Random rankings for hypothesis tests."""

from typing import Any

from hypothesis import strategies as st

from podium import Rankings

LABELS = [f"item {number}" for number in range(6)]


@st.composite
def lists(draw: Any, ties: bool = True) -> list[list[Any]]:
    """Rankings as lists; a tuple of two or more is a tie."""
    return [_ranking(draw, ties) for _ in range(draw(st.integers(1, 8)))]


def _ranking(draw: Any, ties: bool) -> list[Any]:
    order = draw(st.permutations(LABELS))[: draw(st.integers(1, len(LABELS)))]
    if not ties:
        return list(order)
    places: list[list[str]] = [[order[0]]]
    for label in order[1:]:
        if draw(st.booleans()):
            places.append([label])
        else:
            places[-1].append(label)
    return [place[0] if len(place) == 1 else tuple(place) for place in places]


@st.composite
def rankings(draw: Any) -> Rankings:
    """Rankings with ties, sometimes with a rest, weights, counts, groups and times."""
    orders = draw(lists())

    def column(values: Any) -> Any:
        each = st.lists(st.sampled_from(values), min_size=len(orders), max_size=len(orders))
        return draw(st.none() | each)

    return Rankings.from_lists(
        orders,
        column([0.5, 1.0, 2.0]),
        count=column([1.0, 3.0]),
        group=column(["x", "y"]),
        time=column([2001, 2002]),
        rest=column([True, False]),
    )
