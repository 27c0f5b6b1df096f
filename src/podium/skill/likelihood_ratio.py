"""The likelihood-ratio test of two nested models of the same comparisons."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.comparisons.messages import listed, quoted
from podium.comparisons.table import Comparisons
from podium.skill.categories import categories_of
from podium.skill.fit import SkillFit

ENOUGH = 20  # comparisons per parameter: with 10 of them, 6.5 to 11.5 % of true nulls are rejected at 5 %
# The columns in which two tables of comparisons must agree.
SAME = ("items", "left", "right", "outcome", "grade", "count", "weight", "neutral")


@dataclass(frozen=True)
class LikelihoodRatio:
    """The test of a smaller model against a larger one.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods.
    df : int
        How many more parameters the larger model has.
    p_value : float
        P(χ² with ``df`` degrees of freedom is at least the statistic). It is small if the larger model
        explains the comparisons better than it would by chance.
    notes : tuple of str
        What to keep in mind.
    """

    statistic: float
    df: int
    p_value: float
    notes: tuple[str, ...] = ()


def likelihood_ratio(smaller: Any, larger: Any) -> LikelihoodRatio:
    """Test whether a larger model explains the same comparisons better: an order effect, a covariate.

    Under the smaller model, twice the difference of the log-likelihoods has a χ² distribution. Both models
    must be fitted to the same comparisons, with the same model of ties and the same prior; the larger one has
    all parameters of the smaller one and more. The models of ties are not special cases of each other, so
    they cannot be tested this way: compare their ``aic_``. ``ties="half"`` is not a likelihood.

    Parameters
    ----------
    smaller : fitted model
        A `BradleyTerry` model.
    larger : fitted model
        A model with the parameters of the smaller one and at least one more.

    Returns
    -------
    LikelihoodRatio
        Its ``statistic``, ``df``, ``p_value`` and ``notes``.

    Raises
    ------
    ValueError
        If the models cannot be compared.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    PlackettLuce : skills from rankings and choices

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> plain, home = (pod.BradleyTerry(order_effect=effect).fit(games) for effect in (False, True))
    >>> found = pod.likelihood_ratio(plain, home)
    >>> round(found.statistic, 2), found.df, round(found.p_value, 5)
    (14.26, 1, 0.00016)
    """
    from scipy.special import chdtrc

    for model in (smaller, larger):
        if not hasattr(type(model), "log_likelihood_"):
            raise ValueError(f"{type(model).__name__} has no likelihood; likelihood_ratio needs BradleyTerry")
    small, large = smaller.fit_, larger.fit_
    _check_settings(small, large)
    _check_same_comparisons(small, large)
    _check_nested(small, large)
    df = large.n_parameters - small.n_parameters
    statistic = max(2 * (large.log_likelihood - small.log_likelihood), 0.0)  # up to rounding, or the prior
    return LikelihoodRatio(statistic, df, float(chdtrc(df, statistic)), tuple(_notes(small, large)))


def difference(model: Any, by: Any) -> LikelihoodRatio:
    """Test whether categories of the comparisons need boards of their own, or one board explains all."""
    from scipy.special import chdtrc
    from sklearn.base import clone

    whole, parts = model.fit_, dict[str, SkillFit]()
    if whole.no_likelihood:
        raise ValueError(f"{whole.no_likelihood}, and so no test; fit the model without it")
    if whole.has_normal_prior or model.half_life is not None:
        raise ValueError("differ needs a model without a normal prior and half-life; fit it without them")
    names, code = categories_of(by, whole.rows)
    if len(names) < 2:
        raise ValueError(f"every comparison is of {quoted(names[0])}; by= takes two categories or more")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes say what these fits lack
        for number, name in enumerate(names.tolist()):
            try:
                parts[name] = clone(model).fit(whole.rows[code == number]).fit_
            except ValueError as error:
                raise ValueError(f"{quoted(name)} has no board of its own: {error}") from None
    fits = list(parts.values())
    df = sum(fit.n_parameters for fit in fits) - whole.n_parameters
    statistic = max(2 * (sum(fit.log_likelihood for fit in fits) - whole.log_likelihood), 0.0)
    notes = list(_notes(whole, max(fits, key=lambda fit: fit.largest_prior)))
    few = [name for name, fit in parts.items() if fit.n_comparisons < ENOUGH * fit.n_parameters]
    if few:
        notes.append(
            f"{listed(few)} have fewer than {ENOUGH} comparisons for each parameter, so the p-value may be "
            "too small"
        )
    return LikelihoodRatio(statistic, df, float(chdtrc(df, statistic)), tuple(notes))


def _check_settings(small: SkillFit, large: SkillFit) -> None:
    for fit in (small, large):
        if fit.no_likelihood:
            raise ValueError(f"{fit.no_likelihood} to compare; fit both models without it")
    if small.has_normal_prior != large.has_normal_prior:
        raise ValueError("one model has a normal prior and the other has none; fit both with the same prior")
    if small.largest_prior != large.largest_prior:
        raise ValueError(
            f"the smaller model has a prior of {small.largest_prior:g} and the larger one of "
            f"{large.largest_prior:g}; fit both with the same prior"
        )
    has_ties = bool(np.any(small.record["ties"]))  # without ties all models of ties are the same
    if has_ties and small.ties != large.ties:
        raise ValueError(
            f"ties='{small.ties}' and ties='{large.ties}' are not special cases of each other; fit both "
            "models with the same ties=, or compare the aic_ of 'davidson' and 'rao-kupper'"
        )


def _check_same_comparisons(small: SkillFit, large: SkillFit) -> None:
    """Compare the rows; a saved model has none, so only the records of its items are compared."""
    if not np.array_equal(small.items, large.items):
        raise ValueError("the models have different items; fit both to the same comparisons")
    if small.rows is not None and large.rows is not None and not _same_rows(small.rows, large.rows):
        raise ValueError(
            "the models were fitted to different comparisons, or in another order; fit both to the same"
        )
    same_records = all(np.allclose(small.record[name], large.record[name]) for name in small.record)
    if not same_records or not np.isclose(small.n_comparisons, large.n_comparisons):
        raise ValueError(
            "the items have other games, wins or ties in the other model; fit both to the same comparisons "
            "with the same weights"
        )


def _same_rows(one: Comparisons, other: Comparisons) -> bool:
    same = (np.array_equal(getattr(one, name), getattr(other, name)) for name in SAME)
    return one is other or (one.teams == other.teams and all(same) and _same_covariates(one, other))


def _same_covariates(one: Comparisons, other: Comparisons) -> bool:
    """Whether covariates that both have are equal; one of the models may have more."""
    shared = [name for name in one.covariate_names if name in other.covariate_names]
    if not shared:
        return True
    places = [[c.covariate_names.index(name) for name in shared] for c in (one, other)]
    first, second = np.asarray(one.covariates), np.asarray(other.covariates)
    return np.array_equal(first[:, places[0]], second[:, places[1]])


def _check_nested(small: SkillFit, large: SkillFit) -> None:
    if not np.array_equal(small.component, large.component):
        raise ValueError("the models rank other groups of items together; fit both with the same prior")
    missing = [name for name in small.extra_names if name not in large.extra_names]
    if small.has_order_effect > large.has_order_effect:  # whatever its covariates are called
        missing = missing or ["order effect"]
    if missing:
        raise ValueError(
            f"the larger model lacks {listed(missing)} of the smaller one, so they are not nested; give the "
            "smaller model first"
        )
    if small.n_parameters >= large.n_parameters:
        raise ValueError("both models have the same parameters, so there is nothing to test")


def _notes(small: SkillFit, large: SkillFit) -> Iterator[str]:
    if small.largest_prior > 0:
        yield (
            f"the estimates have a prior of {small.largest_prior:g}, so they do not maximise the likelihood "
            "exactly, and the p-value is approximate"
        )
    if {small.errors_from, large.errors_from} != {"model"}:
        yield "the p-value is for independent comparisons; it does not use the robust errors of the models"
    if any(fit.rows is not None and np.any(fit.rows.weight % 1) for fit in (small, large)):
        yield "some weights are not whole numbers; the p-value treats every weight as a number of comparisons"
    if small.rows is None or large.rows is None:
        yield "a saved model has no rows, so only the record of every item was compared"
