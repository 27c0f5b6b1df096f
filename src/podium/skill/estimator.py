"""What every estimator of skills offers once it is fitted; all of it reads the frozen fit ``fit_``."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from podium.comparisons.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from podium.leaderboard.leaderboard import Leaderboard
    from podium.numerics.result import SolverResult
    from podium.skill.bootstrap import Bootstrap
    from podium.skill.certainty import Difference
    from podium.skill.summary import Summary


class Unfitted:
    """Stands for the fit of a model until there is one: whatever asks for it raises scikit-learn's error."""

    def __get__(self, model: Any, owner: Any) -> Any:
        from sklearn.utils.validation import check_is_fitted

        return self if model is None else check_is_fitted(model)


class SkillModel:
    """Errors, tests, likelihood, summary and leaderboard of a model whose fit is a `SkillFit`."""

    fit_: Any = Unfitted()
    bootstrap: "Callable[..., Bootstrap]"  # each model resamples its own kind of data

    # ------------------------------------------------------------------------------------ uncertainty

    @property
    def covariance_(self) -> Floats:
        """The covariance of ``log_skill_``, which has mean 0 in every component; computed on first use."""
        return np.asarray(self.fit_.covariance)

    @property
    def standard_error_(self) -> Floats:
        """The standard error of ``log_skill_``, which is relative to the mean of the component.

        It is exact up to 3,000 items, and for teams. For more items it comes from the first terms of a series
        if a bound shows that the rest is at most 1 %. Otherwise it comes from random draws with fixed seeds,
        accurate to about 1 %, or to 3 % for items with few opponents and for ``ties="half"``.
        """
        return np.asarray(self.fit_.standard_error)

    def interval(self, level: float = 0.95) -> Floats:
        """Confidence intervals of ``log_skill_``.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of each interval.

        Returns
        -------
        ndarray of shape (n_items, 2)
            Lower and upper bounds.
        """
        from podium.skill.certainty import quantile

        fit = self.fit_
        theta, width = fit.log_skill, quantile(level, fit.degrees) * fit.standard_error
        return np.column_stack([theta - width, theta + width])

    def compare(self, a: Any, b: Any, level: float = 0.95, *, anytime: bool = False) -> "Difference":
        """Test whether item a is better than item b.

        Parameters
        ----------
        a : label
            An item.
        b : label
            Another item of the same component.
        level : float, default=0.95
            The confidence level of the interval.
        anytime : bool, default=False
            Make an interval and a p-value that hold whenever you look: you may test after every vote and
            stop when you like. They also hold for pairs that `next_pairs` chose. The interval is at least 1.5
            times as wide as the usual one. Skills must stay the same, so this is an error for models with a
            half-life or with skills that move, for errors clustered by fewer than 20 groups, and for
            ``prior="normal"``, whose errors are too small while its estimated spread is near 0.

        Returns
        -------
        Difference
            ``difference`` of the log-skills, with ``standard_error``, ``low``, ``high`` and ``p_value``.
        """
        from podium.skill.certainty import difference

        return difference(self.fit_, a, b, level, anytime=anytime)

    def top_probability(self, k: int = 1, *, n_draws: int = 10_000, random_state: Any = None) -> Floats:
        """The probability that each item is among the k best of its component.

        It assumes that the errors of the log-skills are normal, or have a multivariate t distribution if they
        are clustered by groups; ``bootstrap().top_probability`` does not.

        Parameters
        ----------
        k : int, default=1
            The number of top places.
        n_draws : int, default=10_000
            The number of random draws around the estimate.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the draws.

        Returns
        -------
        ndarray of shape (n_items,)
        """
        from podium.skill.certainty import top_probability

        return top_probability(self.fit_, k, n_draws, random_state)

    # ------------------------------------------------------------------------------------ campaigns

    @overload
    def votes_needed(
        self, a: Any, b: Any, power: float = 0.8, level: float = 0.95, *, top: None = None
    ) -> float: ...
    @overload
    def votes_needed(
        self, a: None = None, b: None = None, power: float = 0.8, level: float = 0.95, *, top: int
    ) -> "pd.DataFrame": ...
    def votes_needed(
        self, a: Any = None, b: Any = None, power: float = 0.8, level: float = 0.95, *, top: int | None = None
    ) -> "float | pd.DataFrame":
        """How many more votes it takes until `compare` finds a difference, or until the first are separated.

        The estimated differences count as the true ones. The power is that of the whole experiment: how often
        `compare` would find the difference if the votes so far and the new ones were cast again.

        If you ask again after every batch of votes and stop when the answer is 0, you stop at will. The test
        for this is ``compare(anytime=True)``.

        Parameters
        ----------
        a, b : label, default=None
            Two items of the same component.
        power : float, default=0.8
            The probability with which `compare` has to find each difference.
        level : float, default=0.95
            The confidence level of the interval of `compare`, which must exclude 0.
        top : int, default=None
            Instead of a and b: separate each of the first ``top`` items from the next one.

        Returns
        -------
        float, or pandas.DataFrame with ``top``
            The number of votes between a and b: 0 if there are enough, infinite if the scores are equal. With
            ``top``, one row per pair of neighbours on the board: a, b, votes. The votes of one pair also help
            the others, so the rows belong together. ``attrs["total"]`` is their sum.

        Examples
        --------
        >>> import podium as pod
        >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
        >>> model.votes_needed("Ada", "Carmen")
        188.0
        """
        from podium.skill.votes_needed import votes_for_pair, votes_for_top

        fit = self.fit_
        if (top is None) == (a is None) or (a is None) != (b is None):
            raise ValueError("votes_needed takes two items, or top= and no items")
        if top is None:
            return votes_for_pair(fit, a, b, power, level)
        return votes_for_top(fit, top, power, level)

    # ------------------------------------------------------------------------------------ as in a paper

    @property
    def log_likelihood_(self) -> float:
        """The logarithm of the likelihood, without the prior."""
        return float(self.fit_.log_likelihood)

    @property
    def aic_(self) -> float:
        """Akaike's criterion; nan if there is no likelihood."""
        return float(self.fit_.aic)

    @property
    def bic_(self) -> float:
        """The Bayesian information criterion; nan if there is no likelihood."""
        return float(self.fit_.bic)

    def summary(
        self, level: float = 0.95, *, quasi: bool = False, sort: Literal["item", "estimate"] = "item"
    ) -> "Summary":
        """All parameters with errors, tests and intervals, and the likelihood, as in a paper.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of each interval.
        quasi : bool, default=False
            Add the quasi-errors of `quasi_variances`.
        sort : {"item", "estimate"}, default="item"
            The order of the items: as in ``items_``, or the best first, as papers list them. Groups that were
            never compared with each other follow one after the other.

        Returns
        -------
        Summary
            A table for a terminal, a notebook, Markdown, LaTeX or a frame.
        """
        from podium.skill.summary import summary_of

        return summary_of(self.fit_, level, quasi, sort)

    def draws(self, n: int = 1000, random_state: Any = None) -> "pd.DataFrame":
        """Random draws of all estimates together, which show what follows from their errors.

        They are normal around the estimates, with the covariance of all of them; if errors are clustered by
        groups, they have Student's t distribution. Above 3,000 items, tie parameter and order effect count
        as known.

        Parameters
        ----------
        n : int, default=1000
            The number of draws.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the draws.

        Returns
        -------
        pandas.DataFrame
            One row per draw, and one column per item with its log-skill. ``order_effect`` and ``tie`` (ν or
            κ; δ_2 of rankings) follow if the model has them. An item with one of these names is an error.

        Examples
        --------
        >>> import podium as pod
        >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
        >>> draws = model.draws(1000, random_state=0)
        >>> best = draws[model.items_].idxmax(axis=1)
        >>> best.mode()[0]
        'Ada'
        """
        from podium.skill.certainty import draws

        return draws(self.fit_, n, random_state)

    def pairwise_tests(
        self,
        items: Any = None,
        adjust: Literal["holm", "bonferroni", "max", "none"] = "holm",
        level: float = 0.95,
    ) -> "pd.DataFrame":
        """Test all differences between items, adjusted for the number of tests.

        Parameters
        ----------
        items : list of labels, default=None
            The items to compare; by default all. Pairs in different components are left out. A table has at
            most 100,000 pairs. With more than 3,000 items in the model, errors are exact for at most 10
            pairs, and otherwise those that ranks use.
        adjust : {"holm", "bonferroni", "max", "none"}, default="holm"
            How p-values and intervals are adjusted so that they hold jointly. ``"max"`` uses the
            distribution of the largest of all ``|z|``, from random draws with a fixed seed; this is Tukey's
            test if all errors are equal. If errors are clustered by groups, it is Šidák's bound instead.
            Bonferroni's is the crudest. The intervals of ``"holm"`` are Bonferroni's.
        level : float, default=0.95
            The confidence level of the intervals: of all together, or of each with ``adjust="none"``.

        Returns
        -------
        pandas.DataFrame
            One row per pair: a, b, difference of the log-skills, error, z, p, p_adjusted, low, high.
        """
        from podium.skill.pairwise import pairwise_tests

        return pairwise_tests(self.fit_, items, adjust, level)

    def quasi_variances(self) -> "pd.DataFrame":
        """One error per item from which a reader gets the error of any difference.

        The error of a difference of items a and b is about √(quasi_error_a² + quasi_error_b²) (Firth and de
        Menezes 2004). A component may have at most 3,000 items.

        Returns
        -------
        pandas.DataFrame
            One row per item: item, estimate (log-skill), error (its standard error), quasi_error, and
            worst_error, the largest relative error of this approximation in any difference with the item.
        """
        from podium.skill.quasi_variances import quasi_frame

        return quasi_frame(self.fit_)

    # ------------------------------------------------------------------------------------ campaigns

    def next_pairs(
        self,
        n: int = 10,
        goal: Any = "ranking",
        *,
        candidates: Any = None,
        batch: bool = True,
        explore: float = 0.1,
        random_state: Any = None,
    ) -> "pd.DataFrame":
        """The pairs whose comparison is expected to help most.

        The gain of a pair is what one comparison takes off the expected size of wrong orders: the sum, over
        all differences that matter for the goal, of the derivative by their variance times the variance that
        they lose. It is small for pairs whose winner is clear, and for pairs that are well known.

        Pairs that are chosen by earlier results make the usual intervals and tests too sure, even for one
        look. Read their votes with ``leaderboard(anytime=True)`` and ``compare(anytime=True)``.

        Parameters
        ----------
        n : int, default=10
            The number of pairs.
        goal : "ranking", "best", "top-k" or (label, label), default="ranking"
            What the comparisons are for: the order of all items, the best item, the k best (such as
            ``"top-5"``), or which of two items is better.
        candidates : list of labels or of pairs, default=None
            The items to choose pairs from, or the pairs; by default all items. Items that were not in `fit`
            need a normal prior.
        batch : bool, default=True
            Choose each pair as if the pairs before it had been compared, so that they do not all ask the
            same. With False the pairs are those with the largest gains now.
        explore : float, default=0.1
            The probability with which a pair is drawn at random from all candidates instead.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the exploration, of the choice among equal gains, and of left and right.

        Returns
        -------
        pandas.DataFrame
            One row per pair, no pair twice: left and right, in random order, the gain, and the probability
            with which this pair was drawn at this point. There are fewer than n rows if there are fewer
            candidates.
        """
        from podium.skill.next_pairs import next_pairs

        return next_pairs(self.fit_, n, goal, candidates, batch, explore, random_state)

    # ------------------------------------------------------------------------------------ results

    def leaderboard(
        self,
        level: float = 0.95,
        scale: Literal["elo", "log", "skill"] = "elo",
        anchor: Any = None,
        min_games: float = 0,
        bootstrap: "Bootstrap | int | None" = None,
        random_state: Any = None,
        ranks: Literal["simultaneous", "pairwise"] = "simultaneous",
        *,
        anytime: bool = False,
    ) -> "Leaderboard":
        """All items with scores, intervals and ranks, the best score first.

        The rank of an item is its place by score in its component; equal scores share a place. Its range,
        ``rank_low`` to ``rank_high``, leaves out as many places at the top as items are certainly better, and
        as many at the end as are certainly worse. Items about which almost nothing is known have no rank.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of intervals and ranks.
        scale : {"elo", "log", "skill"}, default="elo"
            ``"elo"``: mean 1500, and 400 points are odds of 10 to 1. ``"log"``: log-skill, mean 0.
            ``"skill"``: sum 1.
        anchor : label or (label, score), default=None
            An item whose score is fixed: at 1500, 0 or 1 depending on the scale, or at the given score. Other
            items of its component then get intervals of their difference from the anchor.
        min_games : float, default=0
            Items with fewer games are left out.
        bootstrap : Bootstrap or int, default=None
            Take intervals and tests from this bootstrap, or from a new one with this many resamples.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the resamples if ``bootstrap`` is a number.
        ranks : {"simultaneous", "pairwise"}, default="simultaneous"
            Whether all differences behind the ranks hold together at this level, or each on its own. Among
            many pairwise tests some are wrong by chance.
        anytime : bool, default=False
            Make intervals and ranks that hold whenever you look, for a board that is watched while votes
            come in, and for pairs that `next_pairs` chose. Ranks are then for at most 3,000 items. It
            excludes ``bootstrap``, ``prior="normal"``, a half-life, and errors clustered by fewer than 20
            groups.

        Returns
        -------
        Leaderboard
        """
        from podium.comparisons.provenance import provenance
        from podium.skill.anytime import check_anytime
        from podium.skill.board import standings

        if anytime:
            check_anytime(self.fit_, bootstrap)  # before a bootstrap, which takes long
        if isinstance(bootstrap, int | np.integer):
            bootstrap = self.bootstrap(int(bootstrap), random_state)
        board = standings(self.fit_, level, scale, anchor, min_games, bootstrap, ranks, anytime)
        how = f"{level=}, {scale=}, {anchor=}, {min_games=}, {ranks=}, {anytime=}"
        origin = partial(provenance, self.fit_.rows, f"{self!r}; board: {how}")
        made: Leaderboard = replace(board, origin=origin)
        return made


class StillModel(SkillModel):
    """A model of skills that stand still, whose fit is a `podium.skill.problem.ProblemFit`."""

    def _set_fitted(self, fit: Any, result: "SolverResult") -> None:
        self.items_, self.log_skill_ = fit.items, fit.log_skill
        share = np.exp(fit.log_skill - fit.log_skill.max())
        self.skill_: Floats = np.asarray(share / share.sum())
        self.components_ = fit.component
        self.prior_, self.prior_scale_ = fit.largest_prior, fit.prior_scale
        self.notes_ = fit.notes
        self.n_iter_ = max(result.iterations, 1)
        self.result_ = result
        self.fit_ = fit

    def win_matrix(self) -> Floats:
        """The expected score of each item against each other item, if only the two meet: P(win) + ½ P(tie).

        Returns
        -------
        ndarray of shape (n_items, n_items)
            The score of the row's item against the column's. Entries (i, j) and (j, i) add up to 1, since an
            order effect is left out. The diagonal, and entries between groups that were never compared, are
            nan.
        """
        from podium.core.links import outcome_probabilities

        fit = self.fit_
        table = outcome_probabilities(fit.log_skill - fit.log_skill[:, None], fit.link)
        score: Floats = table[..., 0] + table[..., 1] / 2
        score[fit.component != fit.component[:, None]] = np.nan
        np.fill_diagonal(score, np.nan)
        return score
