"""Bradley–Terry with skills that move: curves of skill, and predictions of the next game."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.checks import in_utc
from podium.comparisons.inputs import check_comparisons, with_outcomes
from podium.comparisons.messages import InputError, names_of
from podium.comparisons.table import Comparisons
from podium.core.links import most_probable
from podium.leaderboard.history import time_text
from podium.numerics.estimators import BaseEstimator, ClassifierMixin
from podium.numerics.parameters import (
    check_choice,
    check_not_negative,
    check_positive,
    check_stopping,
    is_number,
)
from podium.skill.estimator import SkillModel
from podium.skill.fit import ExistenceWarning

if TYPE_CHECKING:
    import pandas as pd

    from podium.bradley_terry.dynamic.estimate import Fitted
    from podium.bradley_terry.dynamic.games import Games
    from podium.bradley_terry.dynamic.posterior import Posterior
    from podium.bradley_terry.dynamic.snapshot import Snapshot
    from podium.leaderboard.leaderboard import Leaderboard

TIES = ("davidson", "rao-kupper", "half", "ignore")


@dataclass(eq=False, repr=False)
class DynamicBradleyTerry(SkillModel, ClassifierMixin, BaseEstimator):
    """Skills that change over time, from who beat whom and when.

    Use it if the comparisons span enough time for skills to change, for the curve of a player over the years
    or the best prediction of the next game. It needs the ``time`` of every comparison.

    The outcome of a comparison depends on the skills of its two sides at that time as in `BradleyTerry`. The
    log-skill of an item is normal with standard deviation ``spread`` at its first comparison. From then on it
    moves at random, with variance ``drift``² per year, and is drawn back towards 0 at the rate ``reversion``:

        r(t + Δ) = φ r(t) + N(0, q),   φ = e^(-ρΔ),   q = drift² (1 - e^(-2ρΔ)) / (2ρ),   ρ = reversion,

    with q = drift² Δ if ρ is 0. Years have 365.25 days; if times are numbers, "year" means their unit.

    `fit` finds the posterior mode of all skills at all times, given all comparisons (the smoother). `before`
    predicts each comparison from earlier ones only (the filter).

    The logarithm of every parameter that is ``"auto"``, and that of ties, has a weak normal prior, so that a
    handful of comparisons does not give a wild estimate. The prior median of the spread is 0.7 (122 Elo
    points), and so is that of the movement of a skill over the whole span of the comparisons; both are within
    a factor of 7 of it with probability 95 %. With dozens of items and hundreds of comparisons the prior
    hardly matters.

    Parameters
    ----------
    spread : "auto" or float, default="auto"
        The standard deviation of the log-skills of new items.
    drift : "auto" or float, default="auto"
        The standard deviation of the change of a log-skill in a year. With 0 skills stand still, and the
        model is ``BradleyTerry(prior="normal")``; ``"auto"`` is never 0.
    reversion : "auto" or float, default="auto"
        The rate per year at which log-skills are drawn back to 0. ``"auto"`` is 0 unless it raises
        ``log_likelihood_`` by 1.
    ties : {"davidson", "rao-kupper", "half", "ignore"}, default="davidson"
        ``"davidson"`` and ``"rao-kupper"`` model ties with one more parameter. ``"half"`` counts a tie as
        half a win of each side. ``"ignore"`` drops ties.
    order_effect : bool, default=False
        Estimate the advantage h of the left side (home, White, shown first). Rows that ``c.neutral`` marks
        do not have it. Before any game it is normal with standard deviation 2, and so are the effects of
        covariates, for a standardised covariate.
    order_drift : "auto" or float, default="auto"
        The standard deviation of the change of h in a year. ``"auto"`` is 0 unless a moving h helps.
    tol : float, default=1e-9
        The gradient, relative to that at equal skills, at which the smoother stops.
    max_iter : int, default=100
        The maximum number of Newton steps of the smoother.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items that appear, sorted.
    time_ : datetime64 or float
        The time of the last comparison.
    log_skill_ : array of shape (n_items,)
        The log-skills at ``time_``, relative to the mean of the prior.
    skill_ : array of shape (n_items,)
        The skills at ``time_``, which sum to 1.
    spread_, drift_, reversion_, order_drift_ : float
        The parameters that were used. Those that are ``"auto"`` maximise ``log_likelihood_`` plus the
        log-density of a weak prior, and their errors are part of all intervals, but not of forecasts. If
        ``drift`` is 0, spread and tie are those of ``BradleyTerry(prior="normal")`` and count as known.
    tie_ : float
        Davidson's ν, or κ of Rao and Kupper; nan if ties are not modelled.
    order_effect_ : float
        The advantage of the left side at ``time_``.
    covariate_names_ : tuple of str
        The names of the covariates.
    covariate_effect_ : array of shape (n_covariates,)
        How much one unit more of a covariate raises the log-odds of a side; nan if it was left out.
    covariate_error_ : array of shape (n_covariates,)
        The standard errors of ``covariate_effect_``, computed on first use.
    covariance_ : array of shape (n_items, n_items)
        The covariance of ``log_skill_`` minus its mean, computed on first use.
    standard_error_ : array of shape (n_items,)
        The standard errors of ``log_skill_`` minus its mean, computed on first use.
    log_likelihood_ : float
        The sum over the comparisons of log P(outcome), each predicted from earlier ones by the filter. If
        nobody plays twice at one time, this is about the marginal likelihood, by the chain rule.
    aic_, bic_ : float
        2 (AIC) or log(number of comparisons) (BIC) for each estimated parameter, minus twice
        ``log_likelihood_``; nan with ``ties="half"``.
    notes_ : tuple of str
        Remarks of `fit`, which leaderboards show.
    fit_ : Snapshot
        The fit at ``time_`` as an immutable object.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        Newton steps of the smoother, at least 1.
    result_ : SolverResult
        The report of the smoother, with its relative gradient norm.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    Glicko2 : ratings with deviations and volatilities
    HistoryDisplay : skills through time
    highest_ever : the best items of all times
    biggest_movers : the items that rose or fell most

    Examples
    --------
    Ann was better than Bob, and now Bob is better:

    >>> from podium import Comparisons
    >>> left, right = ["ann"] * 40, ["bob"] * 40
    >>> games = Comparisons.from_arrays(left, right, [-1] * 20 + [1] * 20, time=range(40))
    >>> model = DynamicBradleyTerry(spread=1.0, drift=0.5).fit(games)
    >>> frame = model.history(scale="log")
    >>> frame[frame["time"].isin([0, 39])].round(1)
        time item  score  low  high
    0      0  ann    0.8 -0.9   2.5
    39    39  ann   -1.9 -6.9   3.0
    40     0  bob   -0.8 -2.5   0.9
    79    39  bob    1.9 -3.0   6.9
    """

    fit_: "Snapshot" = field(init=False)
    spread: float | Literal["auto"] = "auto"
    _: KW_ONLY
    drift: float | Literal["auto"] = "auto"
    reversion: float | Literal["auto"] = "auto"
    ties: Literal["davidson", "rao-kupper", "half", "ignore"] = "davidson"
    order_effect: bool = False
    order_drift: float | Literal["auto"] = "auto"
    tol: float = 1e-9
    max_iter: int = 100

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the skills at all times.

        Parameters
        ----------
        c : Comparisons
            Who met whom and when, with the outcomes.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``. A row of weight 2 counts as two rows; a row of weight 0 is left
            out.

        Returns
        -------
        self
        """
        from podium.bradley_terry.dynamic.estimate import estimate

        self._check_parameters()
        self._set_fitted(estimate(with_outcomes(c, y, sample_weight), self))
        return self

    def update(self, c: Comparisons, sample_weight: Any = None) -> Self:
        """Add later comparisons and smooth again; spread, drift and the other parameters stay as they are.

        Parameters
        ----------
        c : Comparisons
            The comparisons, with outcomes. Their ``time`` must not be before ``time_``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        from podium.bradley_terry.dynamic.estimate import go_on

        self._check_parameters()
        c = with_outcomes(c, None, sample_weight)
        self._check_later(c, self.fit_.posterior.end)
        self._set_fitted(go_on(self.fit_.fitted, c, self))
        return self

    def _check_parameters(self) -> None:
        check_choice("ties", self.ties, TIES)
        check_positive("spread", self.spread, unless=("auto",))
        for name in ("drift", "reversion", "order_drift"):
            check_not_negative(name, getattr(self, name), unless=("auto",))
        if self.drift == 0 and self.reversion not in ("auto", 0):
            raise ValueError("reversion without drift would bring all skills to 0; set reversion=0")
        check_stopping(self.tol, self.max_iter)
        if self.order_effect not in (False, True):
            raise ValueError(f"order_effect must be true or false, not {self.order_effect!r}")

    def _check_later(self, c: Comparisons, end: float) -> None:
        """Refuse comparisons before ``end``, that of what was fitted or of what was predicted since."""
        if c.time is None:
            raise InputError("these comparisons have no times; give {@time} when you read or make them")
        posterior = self.fit_.posterior
        if posterior.design.when(c.time).min() < end:
            first = time_text(c.time.min())
            last = f"up to {time_text(self.time_)}" if end == posterior.end else "after it"
            raise ValueError(f"'time' goes back to {first}, but comparisons {last} are already known")

    def _set_fitted(self, fitted: "Fitted") -> None:
        from podium.bradley_terry.dynamic.snapshot import Snapshot

        fitted.result.warn_if_stopped_early(self.tol)
        posterior = fitted.posterior
        fit = Snapshot.at(fitted, self.ties, posterior.end)
        self.fit_ = fit
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        self.items_, self.log_skill_, self.time_ = fit.items, fit.log_skill, posterior.times[-1]
        self.skill_ = np.exp(fit.log_skill - np.logaddexp.reduce(fit.log_skill))
        self.spread_, self.drift_ = posterior.motion.spread, posterior.motion.drift
        self.reversion_, self.order_drift_ = posterior.motion.reversion, posterior.motion.order_drift
        self.tie_, self.order_effect_ = fit.tie, fit.order_effect
        self.covariate_names_ = posterior.design.covariates.names
        self.covariate_effect_ = fit.covariate_effect
        self.notes_, self.result_ = fit.notes, fitted.result
        self.n_iter_ = max(fitted.result.iterations, 1)

    @property
    def covariate_error_(self) -> Floats:
        """The standard errors of ``covariate_effect_``."""
        return self.fit_.covariate_error

    # ------------------------------------------------------------------------------------ predictions

    @overload
    def before(self, c: Comparisons) -> Floats: ...  # type: ignore[overload-overlap]

    @overload
    def before(self, c: Iterable[Comparisons]) -> Iterator[Floats]: ...

    def before(self, c: Comparisons | Iterable[Comparisons]) -> Floats | Iterator[Floats]:
        """The probabilities of the outcomes of each game before it is played, from where `fit` ended.

        Every row is predicted from what was fitted and from the rows of ``c`` that are strictly earlier. Rows
        at ``time_`` itself count as later than what was fitted. The model does not change.

        The filter streams: of games in parts, as `podium.read_chunks` makes them from a file larger than
        memory, it keeps one belief per item. `fit` and `update` smooth the skills at all times, so they keep
        all games.

        Parameters
        ----------
        c : Comparisons, or an iterable of them
            Comparisons with outcomes, none of them before ``time_``. The parts of an iterable are in order of
            time, and no time is in two of them.

        Returns
        -------
        ndarray of shape (n_comparisons, 3), or an iterator of them
            P(left is better), P(no difference) and P(right is better), in the order of ``classes_``; one
            array for each part of an iterable.
        """
        if isinstance(c, Comparisons) or not isinstance(c, Iterable):
            return next(self._filtered(self.fit_.posterior, [c]))
        return self._filtered(self.fit_.posterior, c)

    def _filtered(self, posterior: "Posterior", parts: Iterable[Comparisons]) -> Iterator[Floats]:
        """The probabilities of each part, from what was fitted and the parts before."""
        from podium.bradley_terry.dynamic.filter import forward

        design, beliefs, end = posterior.design, posterior.beliefs, posterior.end
        for part in parts:
            c = with_outcomes(part, purpose="learn from")
            self._check_later(c, end)
            games = design.games(c, design.when(c.time))
            if self.ties == "ignore":
                games = replace(games, mass=games.mass * (games.outcome != 0))
            design = design.with_new(c)
            motion = replace(posterior.motion, n_items=len(design.items))
            seen = forward(games, motion, posterior.problem.link, beliefs)
            beliefs, end = seen.beliefs, float(games.when[-1])
            yield games.by_row(seen.probability)

    def _games(self, c: Comparisons) -> "Games":
        design = self.fit_.posterior.design
        when = np.full(len(c), self.fit_.posterior.end) if c.time is None else design.when(c.time)
        return design.games(c, when)

    def _predict(self, c: Comparisons, *, uncertainty: bool = False) -> tuple[Floats, Floats]:
        """The probabilities of the outcomes, and the differences."""
        from podium.bradley_terry.dynamic.filter import predict

        check_comparisons(c)
        posterior, games = self.fit_.posterior, self._games(c)
        when = np.repeat(games.when[games.moment], np.diff(games.indptr))
        there = posterior.between(games.mover, when)
        self._warn_of_newcomers(c, games.mover[there.k < 0])
        variance = posterior.variance_at(there)
        if uncertainty:
            variance = variance + (there.of(posterior.moved) ** 2).sum(axis=1)
        table, d = predict(games, there.of(posterior.x), variance, posterior.problem.link)
        return games.by_row(table), games.turn * d[games.game]

    def _warn_of_newcomers(self, c: Comparisons, movers: Index) -> None:
        design = self.fit_.posterior.design
        new = np.unique(movers[movers >= design.n_effects]) - design.n_effects
        if len(new):
            names = names_of(design.with_new(c).items[new])
            have = f"item {names} has" if len(new) == 1 else f"items {names} have"
            warnings.warn(
                f"the {have} no comparison up to the time of a prediction, which is then from the prior",
                ExistenceWarning,
                stacklevel=4,
            )

    def decision_function(self, c: Comparisons) -> Floats:
        """The difference of the log-skills at ``c.time``, r(right) - r(left), minus h, plus covariates.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed. Without times they take place at ``time_``.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Above 0 if the right side is better. Items that have not played by then have log-skill 0, and a
            warning names them.
        """
        return self._predict(c)[1]

    def predict_proba(self, c: Comparisons, *, uncertainty: bool = False) -> Floats:
        """The probabilities of the three outcomes at ``c.time``, given everything that was fitted.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed. Without times they take place at ``time_``.
        uncertainty : bool, default=False
            Average over the errors of spread, drift and the other parameters as well. Probabilities are
            always means over those of the skills.

        Returns
        -------
        ndarray of shape (n_comparisons, 3)
            P(left is better), P(no difference) and P(right is better), in the order of ``classes_``, as means
            over the uncertainty of the skills. Items that have not played by then have the skill of the
            prior, and a warning names them.
        """
        return self._predict(c, uncertainty=uncertainty)[0]

    def predict(self, c: Comparisons) -> NDArray[np.int8]:
        """The most probable outcome at ``c.time``; without a model of ties, the better side.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed. Without times they take place at ``time_``.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            -1, 0 or 1.
        """
        return most_probable(self.predict_proba(c))

    def score(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy.

        With ``ties="half"`` and ``"ignore"`` a comparison counts half a point if it ended in a tie or if the
        prediction is 0.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Their weights are used.
        y : array-like of shape (n_comparisons,), default=None
            Outcomes -1, 0 or 1; by default ``c.outcome``.
        sample_weight : array-like of shape (n_comparisons,), default=None
            Multiplies the weights of the comparisons.

        Returns
        -------
        float
        """
        from podium.skill.prediction import accuracy

        c = with_outcomes(c, y, sample_weight, "score predictions with")
        return accuracy(self.predict(c), c, half=self.ties in ("half", "ignore"))

    # ------------------------------------------------------------------------------------ results

    def history(
        self,
        items: Any = None,
        *,
        level: float = 0.95,
        scale: Literal["elo", "log"] = "elo",
        relative: bool = False,
    ) -> "pd.DataFrame":
        """The skills of the items at all times at which they played.

        Scores are relative to the mean of the prior. Games show only differences, so all items share part of
        the error; pictures leave it out (``relative=True``).

        Parameters
        ----------
        items : label or list of labels, default=None
            The items; by default all.
        level : float, default=0.95
            The level of the intervals.
        scale : {"elo", "log"}, default="elo"
            ``"elo"``: mean 1500, and 400 points are odds of 10 to 1. ``"log"``: log-skill, mean 0.
        relative : bool, default=False
            Whether the intervals are those of the difference from the mean of all items at the time.

        Returns
        -------
        pandas.DataFrame
            One row per item and time: time, item, score, low, high; sorted by item and time.
        """
        return self.fit_.posterior.history(items, level, scale, relative)

    def draws(self, n: int = 1000, random_state: Any = None, *, at: Any = None) -> "pd.DataFrame":
        """Random draws of all estimates at one time, as `BradleyTerry.draws` makes them.

        Parameters
        ----------
        n : int, default=1000
            The number of draws.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the draws.
        at : date or number, default=None
            The time of the skills, by default ``time_``; see `leaderboard`.

        Returns
        -------
        pandas.DataFrame
            One row per draw, and one column per item that has played by then. ``order_effect`` and ``tie``
            follow if the model has them; the tie parameter counts as known.
        """
        from podium.skill.certainty import draws

        return draws(self.fit_ if at is None else self._snapshot(at), n, random_state)

    def leaderboard(  # type: ignore[override]
        self,
        level: float = 0.95,
        scale: Literal["elo", "log", "skill"] = "elo",
        anchor: Any = None,
        min_games: float = 0,
        at: Any = None,
        ranks: Literal["simultaneous", "pairwise"] = "simultaneous",
        *,
        anytime: bool = False,
    ) -> "Leaderboard":
        """All items that have played by a time, with scores, intervals and ranks, the best score first.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of intervals and ranks.
        scale : {"elo", "log", "skill"}, default="elo"
            ``"elo"``: 1500 is the mean of the prior, and 400 points are odds of 10 to 1. ``"log"``:
            log-skill. ``"skill"``: sum 1.
        anchor : label or (label, score), default=None
            An item whose score is fixed: at 1500, 0 or 1 depending on the scale, or at the given score. Other
            items then get intervals of their difference from the anchor.
        min_games : float, default=0
            Items with fewer games by then are left out.
        at : date or number, default=None
            The time of the board, by default ``time_``. The skills at that time are estimated from all
            comparisons, later ones included. For what was known at the time, fit only the earlier rows.
        ranks : {"simultaneous", "pairwise"}, default="simultaneous"
            Whether all differences behind the ranks hold together at this level, or each on its own.
        anytime : bool, default=False
            True is an error: intervals that hold whenever you look are for skills that do not move.

        Returns
        -------
        Leaderboard
        """
        from podium.skill.board import standings

        fit = self.fit_ if at is None else self._snapshot(at)
        return standings(fit, level, scale, anchor, min_games, None, ranks, anytime)

    def _snapshot(self, at: Any) -> "Snapshot":
        from podium.bradley_terry.dynamic.snapshot import Snapshot

        posterior = self.fit_.posterior
        time: Any = at
        if posterior.times.dtype.kind == "M":
            try:
                time = np.datetime64(in_utc(at))
            except ValueError:
                time = None
            if time is None or np.isnat(time):
                raise ValueError(f"at must be a date such as '2015-01-01', not {at!r}")
        elif not is_number(at) or not np.isfinite(at):
            raise ValueError(f"at must be a number, as the times of the comparisons are, not {at!r}")
        if time < posterior.times[0]:
            first = time_text(posterior.times[0])
            raise ValueError(f"at is {at}, but the first comparison is from {first}; choose a later time")
        return Snapshot.at(self.fit_.fitted, self.ties, float(posterior.design.when(time)))
