"""Models of a few items whose errors are computed as those of very many."""

from copy import copy
from dataclasses import replace
from typing import Any


def with_many_items(model: Any, exact_items: int = 10) -> Any:
    """The same model, as if more than ``exact_items`` items were too many for a covariance matrix."""
    twin = copy(model)
    twin.fit_ = replace(model.fit_, exact_items=exact_items)
    return twin
