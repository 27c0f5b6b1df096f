"""The plan adds a prior where there is no finite estimate without one, in a fit and in a refit alike."""

import numpy as np
import pytest

from podium.skill.plan import WEAK, Existence, Plan, bounded, plan_prior

ITEMS = np.array(["a", "b", "c", "d", "e"])
GROUP = np.array([0, 0, 0, 1, 1], np.int32)


def existence(strong: list[int], rest: str = "") -> Existence:
    return Existence(lambda: (GROUP, np.array(strong, np.int32)), lambda: rest)


def test_only_the_group_without_an_estimate_gets_a_prior() -> None:
    plan = plan_prior("auto", ITEMS, existence([0, 0, 1, 2, 2]))
    assert plan.local.tolist() == [True] * 3 + [False] * 2
    assert not plan.prior.any()
    assert plan.group.tolist() == GROUP.tolist()
    assert plan.ridge is None
    groups, reason = plan.notes
    assert groups.startswith("the items form 2 groups")
    assert reason.startswith("the skills of 'c' have no finite")
    assert reason.endswith("pseudo-games per item, only between items that met, keep them finite")


def test_what_is_not_needed_is_not_asked() -> None:
    def fail() -> None:
        raise AssertionError

    never = Existence(fail, fail)  # type: ignore[arg-type]
    assert plan_prior("normal", ITEMS, never).prior.tolist() == [0] * 5
    assert plan_prior(2.0, ITEMS, never).prior.tolist() == [2] * 5
    for whole in (Plan.of(GROUP, WEAK), Plan.of(GROUP)._replace(local=np.ones(5, np.bool_))):
        assert bounded(whole, ITEMS, never) is whole


def test_without_a_prior_the_items_are_named() -> None:
    with pytest.raises(ValueError, match=r"the skills of 'c' have no finite .* use prior='auto'"):
        plan_prior(0.0, ITEMS, existence([0, 0, 1, 2, 2]))
    with pytest.raises(ValueError, match=r"no unique finite .* together with the tie parameter; use prior"):
        plan_prior(0.0, ITEMS, existence([0, 0, 0, 1, 1], "tie parameter"))


def test_a_refit_keeps_what_the_fit_has_and_adds_what_it_needs() -> None:
    own = Plan.of(GROUP)._replace(local=GROUP == 1)
    assert bounded(own, ITEMS, existence([0, 0, 0, 1, 2])) is own  # d and e have a prior already
    more = bounded(own, ITEMS, existence([0, 0, 1, 2, 3]))
    assert more.local.all()
    assert len(more.notes) == 1
    together = bounded(own, ITEMS, existence([0, 0, 0, 1, 1], "order effect"))
    assert together.local.all()
