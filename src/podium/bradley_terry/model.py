"""The generalized Bradley–Terry model: skill from who beat whom, for items and for teams of items."""

from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.links import outcome_probabilities

if TYPE_CHECKING:
    from podium.bradley_terry.fitted import PairedFit
    from podium.bradley_terry.goodness import GoodnessOfFit, Intransitivity
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.numerics.result import SolverResult
    from podium.skill.bootstrap import Bootstrap
    from podium.skill.certainty import Difference
    from podium.skill.prediction import Unseen

TIES = ("davidson", "rao-kupper", "half", "ignore")
SOLVERS = ("auto", "lbfgs", "newton", "mm")


class BradleyTerry(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Skills from paired comparisons, by maximum likelihood: eq. (2), (4) and (7) of [GeneralizedBT].

    Use it to rank items, or members of teams, from who beat whom. The right side beats the left with odds
    q_right : q_left e^h, where q is the skill of an item or the sum of the skills of a team, and h is the
    advantage of the left side.

    Parameters
    ----------
    ties : {"davidson", "rao-kupper", "half", "ignore"}, default="davidson"
        ``"davidson"`` and ``"rao-kupper"`` model ties with one more parameter. ``"half"`` counts a tie as
        half a win of each side; this is no likelihood, so intervals use the sandwich. ``"ignore"`` drops
        ties.
    prior : "auto" or float, default="auto"
        The weight μ of eq. (7). A number above 0 joins all items. With ``"auto"``, groups of items that were
        never compared are ranked apart; μ is 0 wherever the estimate exists without a prior, otherwise 0.1,
        with a warning; teams of more than one member always get 0.1.
    order_effect : bool, default=False
        Estimate the advantage h of the left side (home, White, shown first).
    solver : {"auto", "lbfgs", "newton", "mm"}, default="auto"
        All reach the same optimum; ``"mm"`` is Algorithms 1 and 2 of the paper, ``"auto"`` takes the fastest.
    tol : float, default=1e-9
        The gradient, relative to the number of games, at which the solver stops.
    max_iter : int, default=1000
        The maximum number of iterations of the solver.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items that appear, sorted.
    skill_ : array of shape (n_items,)
        Skills, which sum to 1.
    log_skill_ : array of shape (n_items,)
        Their logarithms, with mean 0 in every component.
    components_ : array of int
        The number of each item's component: a set of items that comparisons connect; 0 is the largest.
    tie_ : float
        Davidson's ν, or θ of Rao and Kupper; nan if ties are not modelled.
    order_effect_ : float
        h: above 0 if it favours the left side.
    prior_ : float
        The largest μ that was used.
    covariance_ : array of shape (n_items, n_items)
        The covariance of ``log_skill_``, computed when first asked for.
    standard_error_ : array of shape (n_items,)
        The standard errors of ``log_skill_``, computed when first asked for.
    notes_ : tuple of str
        What `fit` warned about.
    fit_ : PairedFit
        The frozen fit, which boards, tests and the bootstrap read.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        Iterations of the solver, at least 1.
    result_ : SolverResult
        The end of the solver's run, with its relative gradient norm.

    Examples
    --------
    >>> from podium import Comparisons
    >>> votes = [("ann", "bob", -1)] * 3 + [("ann", "bob", 1), ("bob", "cat", -1), ("cat", "bob", -1)]
    >>> model = BradleyTerry().fit(Comparisons.from_arrays(*zip(*votes)))
    >>> dict(zip(model.items_, model.skill_.round(2).tolist()))
    {'ann': 0.6, 'bob': 0.2, 'cat': 0.2}
    >>> model.predict_proba(Comparisons.from_arrays(["ann"], ["cat"])).round(2)
    array([[0.75, 0.  , 0.25]])
    """

    def __init__(
        self,
        ties: Literal["davidson", "rao-kupper", "half", "ignore"] = "davidson",
        *,
        prior: float | Literal["auto"] = "auto",
        order_effect: bool = False,
        solver: Literal["auto", "lbfgs", "newton", "mm"] = "auto",
        tol: float = 1e-9,
        max_iter: int = 1000,
    ) -> None:
        self.ties = ties
        self.prior = prior
        self.order_effect = order_effect
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the skills.

        Parameters
        ----------
        c : Comparisons
            Who met whom, and how it ended.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default those of ``c``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``. A row of weight 2 counts as two rows; a row of weight 0 is left
            out.

        Returns
        -------
        self
        """
        from podium.bradley_terry.counts import paired_input
        from podium.bradley_terry.fit import fit_paired
        from podium.bradley_terry.fitted import PairedFit
        from podium.bradley_terry.likelihood import PairedProblem
        from podium.bradley_terry.prior import check_no_runaway, plan_prior, warn

        self._check_parameters()
        c = with_outcomes(c, y, sample_weight)
        data = paired_input(c, self.order_effect)
        counts = data.counts.without_ties() if self.ties == "ignore" else data.counts
        modelled = self.ties in ("davidson", "rao-kupper") and bool(counts.ties.any())
        if self.ties == "ignore" and not counts.total.any():
            raise ValueError("there are only ties, and ties='ignore' leaves nothing to learn from")
        only_ties = modelled and not (counts.total > counts.ties).any()
        free_tie, free_order = modelled and not only_ties, bool(self.order_effect) and not only_ties
        plan = plan_prior(self.prior, data, counts, free_tie, free_order)
        rao_kupper = free_tie and self.ties == "rao-kupper"  # without ties the two models are one
        problem = PairedProblem(
            counts, len(data.items), data.teams, plan.group, plan.prior, rao_kupper, free_tie, free_order
        )
        result = fit_paired(problem, self.solver, self.tol, self.max_iter)
        check_no_runaway(problem, result.solution, data.items)
        notes = plan.notes
        if only_ties:
            notes += ("there are only ties: all skills are equal and the tie parameter is infinite",)
        fit = PairedFit(
            items=data.items,
            solution=result.solution,
            component=plan.group,
            ties=self.ties,
            tie=np.inf if only_ties else problem.tie(result.solution, self.ties),
            has_order_effect=free_order,
            notes=notes,
            data=data,
            problem=problem,
            rows=c,
        )
        warn(notes)  # before anything is set, since a warning may be an error
        result.warn_if_stopped_early(self.tol)
        self._set_fitted(fit, result)
        return self

    def _check_parameters(self) -> None:
        if self.ties not in TIES:
            raise ValueError(f"ties is one of {', '.join(TIES)}, not {self.ties!r}")
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is one of {', '.join(SOLVERS)}, not {self.solver!r}")
        number = isinstance(self.prior, int | float | np.number) and not isinstance(self.prior, bool)
        if self.prior != "auto" and not (number and 0 <= self.prior < np.inf):
            raise ValueError(f"prior is 'auto' or a finite number of at least 0, not {self.prior!r}")
        if not self.tol > 0 or not self.max_iter >= 1:
            raise ValueError("tol is above 0 and max_iter at least 1")

    def _set_fitted(self, fit: "PairedFit", result: "SolverResult") -> None:
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        self.items_, self.log_skill_ = fit.items, fit.log_skill
        self.skill_ = _shares(fit.log_skill)
        self.components_ = fit.component
        self.tie_, self.order_effect_ = fit.tie, fit.order_effect
        self.prior_ = float(fit.problem.prior.max())
        self.notes_ = fit.notes
        self.n_iter_ = max(result.iterations, 1)
        self.result_ = result
        self.fit_ = fit

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, c: Comparisons, *, unseen: "Unseen" = "error") -> Floats:
        """r(right) - r(left) - order_effect_, r being the log-skill (of a team: the log of its sum).

        nan, with a warning, where the two sides are in groups that were never compared. An item that was not
        seen in fit is an error; with ``unseen="average"`` its log-skill is 0, and a warning names it.
        """
        from podium.skill.prediction import differences

        check_is_fitted(self)
        return differences(self.fit_, c, unseen)

    def predict_proba(self, c: Comparisons, *, unseen: "Unseen" = "error") -> Floats:
        """P(left is better), P(no difference), P(right is better): columns as in ``classes_``.

        ``unseen`` is that of `decision_function`.
        """
        return outcome_probabilities(self.decision_function(c, unseen=unseen), self.ties, self.tie_)

    def predict(self, c: Comparisons, *, unseen: "Unseen" = "error") -> NDArray[np.int8]:
        """The most probable outcome; without a model of ties, the side that is better.

        0 also where nothing is known: sides of equal skill, or from groups that were never compared.
        ``unseen`` is that of `decision_function`.
        """
        d = self.decision_function(c, unseen=unseen)
        table = outcome_probabilities(d, self.ties, self.tie_)
        decided = table[:, 1] < np.maximum(table[:, 0], table[:, 2])  # never true of nan
        return np.where(decided, np.sign(np.nan_to_num(d)), 0).astype(np.int8)

    def score(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy, weighted by the weights of the comparisons.

        A model of ties predicts one of three outcomes, and is right or wrong. With ``"half"`` and
        ``"ignore"`` ties are never predicted: a tie gives half a point, whatever the prediction, and so does
        a prediction of 0 for a comparison that did not end in a tie. Items that were not seen in fit count as
        average, with a warning, so that cross-validation has a score for every fold.
        """
        c = with_outcomes(c, y, sample_weight, "score")
        assert c.outcome is not None
        predicted = self.predict(c, unseen="average")
        point = (predicted == c.outcome).astype(np.float64)
        if self.ties in ("half", "ignore"):
            point[(c.outcome == 0) | (predicted == 0)] = 0.5
        return float(np.average(point, weights=c.weight))

    def win_matrix(self) -> Floats:
        """The score that each row item expects against each column item: P(win) + half of P(tie).

        Entries (i, j) and (j, i) add up to 1. The order effect is left out, as on neutral ground. nan on the
        diagonal and between groups that were never compared.
        """
        check_is_fitted(self)
        table = outcome_probabilities(self.log_skill_ - self.log_skill_[:, None], self.ties, self.tie_)
        score: Floats = table[..., 0] + table[..., 1] / 2
        score[self.components_ != self.components_[:, None]] = np.nan
        np.fill_diagonal(score, np.nan)
        return score

    # ------------------------------------------------------------------------------------ uncertainty

    @property
    def covariance_(self) -> Floats:
        """The covariance of ``log_skill_``, whose mean is 0 in every component."""
        check_is_fitted(self)
        return self.fit_.covariance

    @property
    def standard_error_(self) -> Floats:
        """The standard error of ``log_skill_``, as a difference to the mean of the component.

        Exact up to 3,000 items. Beyond, by the first terms of a series if a bound shows that they leave out
        at most one per cent; if not, by draws with fixed seeds, good to about one per cent too, and to three
        where items hang on the rest by few pairs or with ``ties="half"``.
        """
        check_is_fitted(self)
        return self.fit_.standard_error

    def interval(self, level: float = 0.95) -> Floats:
        """Lower and upper bounds of ``log_skill_``, a row an item."""
        from podium.skill.certainty import normal_quantile

        check_is_fitted(self)
        width = normal_quantile(level) * self.standard_error_
        return np.column_stack([self.log_skill_ - width, self.log_skill_ + width])

    def compare(self, a: Any, b: Any, level: float = 0.95) -> "Difference":
        """Is item a better than item b? The difference of their log-skills with its interval and test."""
        from podium.skill.certainty import difference

        check_is_fitted(self)
        return difference(self.fit_, a, b, level)

    def top_probability(self, k: int = 1, *, n_draws: int = 10_000, random_state: Any = None) -> Floats:
        """The probability of each item to be among the k best of its component.

        From draws of the normal distribution around the estimate; `Bootstrap.top_probability` does not
        assume it.
        """
        from podium.skill.certainty import top_probability

        check_is_fitted(self)
        return top_probability(self.fit_, k, n_draws, random_state)

    def bootstrap(
        self, n: int = 1000, random_state: Any = None, n_jobs: int | None = None, groups: bool = False
    ) -> "Bootstrap":
        """Refit to ``n`` resamples of the comparisons.

        ``groups=True`` resamples whole groups (judges, prompts) of the comparisons instead of rows: votes of
        one judge are not independent. Weights are taken as counts.
        """
        from podium.bradley_terry.bootstrap.run import run_bootstrap

        check_is_fitted(self)
        return run_bootstrap(self.fit_, n, random_state, n_jobs, groups)

    # ------------------------------------------------------------------------------------ checks and results

    def goodness_of_fit(self) -> "GoodnessOfFit":
        """Do the counts of the pairs look as the model expects them to?"""
        from podium.bradley_terry.goodness import goodness_of_fit

        check_is_fitted(self)
        return goodness_of_fit(self.fit_)

    def intransitivity(self, limit: int = 10) -> "Intransitivity":
        """Cycles of three items that beat each other round and round, the least credible first."""
        from podium.bradley_terry.goodness import intransitivity

        check_is_fitted(self)
        return intransitivity(self.fit_, limit)

    @overload
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
        by: None = None,
    ) -> "Leaderboard": ...
    @overload
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
        by: Any,
    ) -> "Boards": ...
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
        by: Any = None,
    ) -> "Leaderboard | Boards":
        """All items with intervals, the best score first; items that cannot be told apart may share a rank.

        An item's rank is 1 + the number of items of its component that are certainly better. With
        ``ranks="simultaneous"`` all these statements are right together at this level; with ``"pairwise"``
        each difference is tested on its own, so that some of many are wrong. Items of which hardly anything
        is known have no rank. ``scale``: ``"elo"`` (400 points are odds of 10 to 1, mean 1500), ``"log"``
        (mean 0) or ``"skill"`` (sum 1). ``anchor``, an item or (item, score), is put at 1500, 0 or 1, or at
        that score; intervals of its component are then those of the difference to it. ``min_games`` leaves
        out items with fewer. ``bootstrap``, a result of `bootstrap` or a number of replicates (drawn by
        ``random_state``), takes intervals and tests from there.

        ``by`` gives `Boards`: this board, and one for each category, to whose comparisons alone the model is
        fitted. It is an array with one category per comparison that was fitted, or ``"group"`` or
        ``"category"`` for those of the comparisons themselves. A board by category needs a number of
        replicates, not a result, for ``bootstrap``. A category without the item of ``anchor`` has no board.
        """
        from podium.skill.board import standings

        check_is_fitted(self)
        replicates = bootstrap
        if isinstance(bootstrap, int | np.integer):
            bootstrap = self.bootstrap(int(bootstrap), random_state)
        board = standings(self.fit_, level, scale, anchor, min_games, bootstrap, ranks)
        if by is None:
            return board
        from podium.skill.categories import boards_by

        if replicates is bootstrap and bootstrap is not None:
            raise ValueError("boards by category need a number of replicates for bootstrap, not a result")

        def board_of(part: Comparisons) -> "Leaderboard":
            fitted: Self = clone(self).fit(part)
            return fitted.leaderboard(
                level=level,
                scale=scale,
                anchor=anchor,
                min_games=min_games,
                bootstrap=replicates,
                random_state=random_state,
                ranks=ranks,
            )

        return boards_by(by, self.fit_.rows, board, board_of)


def _shares(theta: Floats) -> Floats:
    p = np.exp(theta - theta.max())
    return np.asarray(p / p.sum())
