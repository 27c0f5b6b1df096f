"""The Plackett–Luce model: skill from rankings and choices."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import row_weights
from podium.comparisons.random_states import generator
from podium.comparisons.rankings import Rankings
from podium.leaderboard.leaderboard import Leaderboard
from podium.numerics.estimators import BaseEstimator
from podium.numerics.parameters import check_choice, check_not_negative, check_stopping, check_whole
from podium.numerics.progress import Progress, progress_of
from podium.skill.estimator import StillModel

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult
    from podium.rankings.fitted import RankingFit
    from podium.skill.bootstrap import Bootstrap

TIES = ("auto", "ignore")
COVARIANCES = ("model", "robust", "cluster")


@dataclass(eq=False, repr=False)
class PlackettLuce(StillModel, BaseEstimator):
    """Skills from rankings of several items and from choices, by maximum likelihood.

    Use it for races, ranked ballots, top-k lists and choices among several. A ranking is a sequence of
    choices: item i is the best of those that remain with probability α_i / Σ α. A ranking of two is a paired
    comparison, and the model is then `BradleyTerry` with Davidson's ties. Breaking longer rankings into pairs
    gives errors that are too small and, with ties, wrong skills.

    A set S of tied items comes first in proportion to ``δ_|S| (Π α)^(1/|S|)`` among all sets whose size
    occurs (Davidson and Luce; Turner et al. 2020).

    Parameters
    ----------
    ties : {"auto", "ignore"}, default="auto"
        ``"auto"`` has one parameter δ_d for each number d of items that tie somewhere. ``"ignore"`` leaves
        out the choices that ended in a tie; the tied items still lost to those before them.
    prior : "auto", "normal" or float, default="auto"
        The weight μ of eq. (7) of [GeneralizedBT]. With a number above 0, all items are ranked together. With
        ``"auto"``, groups of items that were never compared are ranked separately. A group that has no finite
        estimate gets a *local* prior, with a warning: pseudo-choices among the items of each ranking, which
        all of them win equally often. ``"normal"``: log-skills are normal, and their standard deviation is
        estimated by the marginal likelihood (up to 3,000 items).
    covariance : {"model", "robust", "cluster"}, default="model"
        Where standard errors come from. ``"model"``: the observed information, which is right if rankings are
        independent and weights are counts. ``"robust"``: the sandwich estimator over rankings, which also
        allows weights that are not counts. ``"cluster"``: the same for rankings that depend on each other
        within a group (``rankings.group``), such as those of a voter. It needs at least 5 groups; with G of
        them, intervals and tests use Student's t distribution with G - 1 degrees of freedom.
    fixed : dict, Leaderboard or None, default=None
        Skills that are known: ``{item: log_skill}``, ``{item: (log_skill, standard_error)}``, or an earlier
        leaderboard, whose scores and intervals are converted from its scale. They stay as they are, and all
        other skills are measured by them instead of being centred. It needs ``prior="auto"`` or 0, at most
        3,000 items.
    tol : float, default=1e-9
        The gradient, relative to the number of choices, at which the solver stops.
    max_iter : int, default=1000
        The maximum number of iterations of the solver.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items that appear, sorted.
    skill_ : array of shape (n_items,)
        The skills α, which sum to 1.
    log_skill_ : array of shape (n_items,)
        The logarithms of the skills, with mean 0 in every component that has no ``fixed`` skills.
    components_ : array of int
        The number of each item's component: a set of items that rankings connect; 0 is the largest.
    tie_ : dict
        δ of each number of items that tie somewhere; empty without ties. δ_2 is Davidson's ν.
    prior_ : float
        The largest μ that was used, of eq. (7) or of the local prior.
    prior_scale_ : float
        The standard deviation of normal log-skills; nan without ``prior="normal"``.
    covariance_ : array of shape (n_items, n_items)
        The covariance of ``log_skill_``, computed when first asked for.
    standard_error_ : array of shape (n_items,)
        The standard errors of ``log_skill_``, computed when first asked for.
    log_likelihood_ : float
        The sum of log P(ranking), each times its weight, without the prior.
    aic_, bic_ : float
        2 or log(number of choices) for each free parameter, minus twice ``log_likelihood_``.
    notes_ : tuple of str
        The warnings of `fit`.
    fit_ : RankingFit
        The fit as an immutable object, which leaderboards, tests and the bootstrap use. The wins, ties and
        losses of an item are the items below, level with and above it, counted over all its rankings.
    n_iter_ : int
        Iterations of the solver, at least 1.
    result_ : SolverResult
        The report of the solver, with its relative gradient norm.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    Rankings : rankings and choices among several items
    read_rankings : read rankings and choices

    Examples
    --------
    >>> from podium import Rankings
    >>> races = [["ann", "bob", "cat"], ["bob", "ann", "cat"], ["ann", "cat", "bob"], ["cat", "ann"]]
    >>> model = PlackettLuce().fit(Rankings.from_lists(races))
    >>> dict(zip(model.items_, model.skill_.round(2).tolist()))
    {'ann': 0.52, 'bob': 0.28, 'cat': 0.2}
    >>> model.predict_proba([["ann", "bob"]])[0].round(2)
    array([0.65, 0.35])
    """

    ties: Literal["auto", "ignore"] = "auto"
    _: KW_ONLY
    prior: float | Literal["auto", "normal"] = "auto"
    covariance: Literal["model", "robust", "cluster"] = "model"
    fixed: Mapping[Any, Any] | Leaderboard | None = None
    tol: float = 1e-9
    max_iter: int = 1000

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, rankings: Rankings | Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the skills.

        Parameters
        ----------
        rankings : Rankings, or anything that `podium.read_rankings` reads
            Orders of items, or choices. Of a lazy frame (Dask, Spark, Ibis, polars, DuckDB) and of files
            larger than memory, only the distinct rankings are read, with their counts.
        y : None
            Not used; the order is part of the rankings.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of the rankings. A ranking of weight 2 counts as two; one of weight 0 is
            left out.

        Returns
        -------
        self
        """
        from podium.rankings.estimate import Settings, estimate
        from podium.reading.rankings.read import as_rankings
        from podium.skill.plan import warn

        self._check_parameters()
        how = Settings(**self.get_params())
        fit, result = estimate(_weighted(as_rankings(rankings), sample_weight), how)
        warn(fit.notes)  # before any attribute is set, since a warning may be turned into an error
        result.warn_if_stopped_early(self.tol)
        self._set_fitted(fit, result)
        return self

    def _check_parameters(self) -> None:
        check_choice("ties", self.ties, TIES)
        check_choice("covariance", self.covariance, COVARIANCES)
        check_not_negative("prior", self.prior, unless=("auto", "normal"))
        check_stopping(self.tol, self.max_iter)
        if self.fixed is not None and self.prior not in ("auto", 0):
            raise ValueError(f"with fixed skills, prior must be 'auto' or 0, not {self.prior!r}")

    def _set_fitted(self, fit: "RankingFit", result: "SolverResult") -> None:
        super()._set_fitted(fit, result)
        self.tie_ = fit.tie_by_size

    # ------------------------------------------------------------------------------------ predictions

    def predict_proba(self, sets: Any, *, uncertainty: bool = False) -> list[Floats]:
        """The chance of each item to come first in each set.

        With ties, a tie of d items for first place counts 1 / d for each of them, so the chances of a set add
        up to 1.

        Parameters
        ----------
        sets : list of lists of labels, or Rankings
            The sets to choose from. Of rankings, the items of each are a set, in their order.
        uncertainty : bool, default=False
            Average over the errors of the estimates: over 1,000 draws of them with a fixed seed.

        Returns
        -------
        list of ndarray
            One array per set, in the order of its items; nan, with a warning, if the items of a set are in
            groups that were never compared.
        """
        from podium.rankings.prediction import first_probabilities

        return first_probabilities(self.fit_, sets, uncertainty=uncertainty)

    def predict(self, sets: Any) -> NDArray[Any]:
        """The item of each set that comes first most probably: the one with the largest skill.

        Parameters
        ----------
        sets : list of lists of labels, or Rankings
            The sets to choose from, as in `predict_proba`.

        Returns
        -------
        ndarray of labels
            One item per set; of several equal ones, the first.
        """
        from podium.rankings.prediction import sets_of

        indptr, entries = sets_of(self.fit_, sets)
        best = [part[np.argmax(self.log_skill_[part])] for part in np.split(entries, indptr[1:-1])]
        return np.asarray(self.items_[best])

    def sample(self, sets: Any, n: int = 1, random_state: Any = None) -> Rankings:
        """Draw whole rankings from the model, ties included.

        Parameters
        ----------
        sets : list of lists of labels, or Rankings
            The sets to rank, as in `predict_proba`.
        n : int, default=1
            The number of rankings of each set.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the draws.

        Returns
        -------
        Rankings
            The n rankings of the first set, then those of the second, and so on.
        """
        from podium.rankings.prediction import sample_rankings

        check_whole("n", n)
        return sample_rankings(self.fit_, sets, n, generator(random_state))

    def score(self, rankings: Rankings, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of log P(ranking), weighted; higher is better.

        Items that were not seen in `fit` count as average, with a warning, so that every fold of a
        cross-validation has a score. A tie of a size that was not seen in `fit` has probability 0, so the
        score is then minus infinity.

        Parameters
        ----------
        rankings : Rankings
            Orders of items, or choices.
        y : None
            Not used.
        sample_weight : array-like of shape (n,), default=None
            Multiplies the weights of the rankings.

        Returns
        -------
        float
        """
        from podium.rankings.prediction import mean_log_likelihood

        return mean_log_likelihood(self.fit_, _weighted(rankings, sample_weight))

    # ------------------------------------------------------------------------------------ uncertainty

    def bootstrap(
        self,
        n: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        groups: bool = False,
        progress: bool | Progress = False,
    ) -> "Bootstrap":
        """Refit to resamples of the rankings.

        Weights are treated as counts, unless ``covariance`` is "robust". A normal prior keeps its scale.

        Parameters
        ----------
        n : int, default=1000
            The number of resamples.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the resamples.
        n_jobs : int, default=None
            The number of threads; -1 is one per core. None is 1, unless ``joblib.parallel_config`` says
            otherwise: its backend is used (see "Many fits on a cluster" in the documentation). The result
            does not depend on it.
        groups : bool, default=False
            Whether to resample whole groups of rankings (voters, seasons) instead of single ones. With few
            groups its intervals hold less often than those of ``covariance="cluster"``: of scores, 83 % with
            5 groups and 93 % with 30.
        progress : bool or callable, default=False
            True shows a progress bar; a function is called with the number of refits done and the total.

        Returns
        -------
        Bootstrap
            The estimates of all resamples; ``tie`` has one column per tie size.
        """
        from podium.rankings.bootstrap import run_bootstrap

        with progress_of(progress, "bootstrap") as tell:
            return run_bootstrap(self.fit_, n, random_state, n_jobs, groups, tell)


def _weighted(rankings: Any, sample_weight: Any) -> Rankings:
    """The rankings, their weights times ``sample_weight``; those of weight 0 are left out."""
    if not isinstance(rankings, Rankings):
        raise ValueError(
            f"rankings are expected, not {type(rankings).__name__}; make them with podium.read_rankings or "
            "podium.Rankings.from_lists"
        )
    if not len(rankings):
        raise ValueError("there are no rankings to learn from")
    if sample_weight is None:
        return rankings
    weight = row_weights(sample_weight, len(rankings))
    return replace(rankings, weight=rankings.weight * weight)[weight > 0]
