"""The generalized Bradley–Terry model: skill from who beat whom, for items and for teams of items."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import with_outcomes
from podium.comparisons.table import Comparisons
from podium.core.links import GradedLink, most_probable
from podium.leaderboard.leaderboard import Leaderboard
from podium.numerics.estimators import BaseEstimator, ClassifierMixin
from podium.numerics.parameters import check_choice, check_stopping, is_number
from podium.numerics.progress import Progress, progress_of
from podium.skill.estimator import StillModel

if TYPE_CHECKING:
    import pandas as pd

    from podium.bradley_terry.fitted import PairedFit
    from podium.bradley_terry.fragility import Fragility
    from podium.bradley_terry.goodness import GoodnessOfFit, Intransitivity
    from podium.leaderboard.boards import Boards
    from podium.numerics.result import SolverResult
    from podium.skill.bootstrap import Bootstrap
    from podium.skill.likelihood_ratio import LikelihoodRatio
    from podium.skill.prediction import Unseen

TIES = ("davidson", "rao-kupper", "half", "ignore")
COVARIANCES = ("model", "robust", "cluster")
SOLVERS = ("auto", "lbfgs", "newton", "mm")


@dataclass(eq=False, repr=False)
class BradleyTerry(StillModel, ClassifierMixin, BaseEstimator):
    """Skills from paired comparisons, by maximum likelihood: equations (2), (4) and (7) of [GeneralizedBT].

    Use it to rank items, or members of teams, from who beat whom. The right side beats the left with odds
    q_right e^(z·g) : q_left e^h, where q is the skill of an item or the sum of the skills of a team, h is the
    advantage of the left side, z are the covariates of the comparison (right minus left; see
    `read_comparisons`) and g their effects.

    Parameters
    ----------
    ties : {"davidson", "rao-kupper", "half", "ignore"}, default="davidson"
        ``"davidson"`` and ``"rao-kupper"`` model ties with one more parameter. ``"half"`` counts a tie as
        half a win of each side; this is not a likelihood, so intervals use the sandwich estimator of the
        covariance. ``"ignore"`` drops ties. If the comparisons have grades (``c.grade``), the first two model
        all of them, by adjacent categories and by cumulative odds; the last two use only their signs.
    prior : "auto", "normal" or float, default="auto"
        The weight μ of eq. (7). With a number above 0, all items are ranked together. With ``"auto"``, groups
        of items that were never compared are ranked separately. A group that has no finite estimate gets a
        *local* prior, with a warning: about 1.5 pseudo-games per item, half a win for each side, spread over
        the comparisons that there are. A tie parameter, order effect or covariate that the comparisons
        do not bound, or hardly, gets a normal prior with variance 10. Teams of more than one member always
        have μ = 0.1. ``0`` adds nothing, and is an error if the estimate does not exist.

        With ``"normal"``, log-skills are normal with standard deviation s around x·b, where x are the
        features of an item minus their means, if there are features. s, b and all other parameters maximise
        the marginal likelihood (Laplace's method). All items are ranked together. Items about which little is
        known are drawn towards their mean, and items never seen can be predicted.
    order_effect : bool, default=False
        Estimate the advantage h of the left side (home, White, shown first). Rows that ``c.neutral`` marks
        do not have it.
    judge_effects : None, "auto" or a tuple of "sharpness", "ties" and "side", default=None
        How judges (``c.group``) may differ: how sharply they see differences between items, how often they
        call ties, and which side they prefer. Each judge has random effects, which are integrated out, and
        whose spreads maximise the marginal likelihood. Skills, errors and boards are those of the typical
        judge. With ``"auto"``, all three are tried, and those that do not earn their place are left out. The
        section "What works together" of the documentation says what this excludes.
    half_life : float or str, default=None
        The age, counted from the last comparison, at which a comparison has lost half its weight: ``"2y"``,
        ``"6mo"``, ``"3w"``, ``"30d"`` or ``"12h"`` if times are dates, otherwise a number in the unit of the
        times.
    covariance : {"model", "robust", "cluster"}, default="model"
        Where standard errors come from. ``"model"``: the information of the likelihood, which is right if
        comparisons are independent and weights are counts. ``"robust"``: the sandwich estimator, which also
        allows weights that are not counts. ``"cluster"``: the same for comparisons that depend on each other
        within a group (``c.group``), such as the votes of a judge. It needs at least 5 groups; with G of
        them, intervals and tests use Student's t distribution with G - 1 degrees of freedom. Intervals,
        tests, ranks and leaderboards use the errors that you choose.
    fixed : dict, Leaderboard or None, default=None
        Skills that are known: ``{item: log_skill}``, ``{item: (log_skill, standard_error)}``, or an earlier
        leaderboard, whose scores and intervals are converted from its scale. They stay as they are, and all
        other skills are measured by them instead of being centred. It needs ``prior="auto"`` or 0, at most
        3,000 items and no teams.
    judge_kind : str, default=None
        The kind of judge, such as ``"human"``, whose scale the board has, if ``c.judge_kind`` says of which
        kind the judge of each comparison is. Every other kind (such as language models) then has its own
        sharpness, tie habit and side preference, and its own opinion of every item. Log-skills are normal
        with mean 0, and ``prior`` must be "auto". For at most 3,000 items times kinds.
    solver : {"auto", "lbfgs", "newton", "mm"}, default="auto"
        All solvers find the same optimum. ``"mm"`` is Algorithms 1 and 2 of the paper; ``"auto"`` chooses the
        fastest.
    tol : float, default=1e-9
        The gradient, relative to the number of games, at which the solver stops.
    max_iter : int, default=1000
        The maximum number of iterations of the solver.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items that appear, sorted.
    skill_ : array of shape (n_items,)
        The skills, which sum to 1.
    log_skill_ : array of shape (n_items,)
        The logarithms of the skills, with mean 0 in every component that has no ``fixed`` skills.
    components_ : array of int
        The number of each item's component: a set of items that comparisons connect; 0 is the largest.
    tie_ : float
        Davidson's ν, or κ of Rao and Kupper; nan if ties are not modelled.
    grade_ : array of float
        How rare or frequent the grades of the comparisons are. With ``ties="davidson"``, λ of the grades 2 to
        G, where λ of 1 is 0: P(k) ∝ exp(k d / 2 + λ of k without its sign), and d is the difference of the
        two sides. With ``"rao-kupper"``, the thresholds c of the grades 1 to G: the right side is better by k
        or more with the odds exp(d - c); if 0 never occurs, c of 1 is 0 and left out. Without grades, empty.
    grades_ : array of int
        The grades -G to G that occurred on either side; without grades, -1, 0 and 1.
    order_effect_ : float
        The advantage h of the left side; below 0 if the right side has the advantage.
    covariate_names_ : tuple of str
        The names of the covariates.
    covariate_effect_ : array of shape (n_covariates,)
        How much one unit more of a covariate raises the log-odds of a side; nan if it was left out.
    covariate_error_ : array of shape (n_covariates,)
        The standard errors of ``covariate_effect_``, computed on first use.
    judge_effects_ : DataFrame
        With judge effects, one row per judge: judge, votes, then sharpness (1 is the typical judge; 2 doubles
        all differences), ties (a factor of ν) and side (log-odds for the left side, added to the order
        effect), each with the ends of a 95 % interval (``sharpness_low``, ``sharpness_high``, ...).
    judge_spread_ : dict
        With judge effects, the standard deviations of log sharpness, log ties and side, by these names; 0 if
        an effect is left out.
    prior_ : float
        The largest μ that was used, of eq. (7) or of the local prior.
    prior_scale_ : float
        The standard deviation s of a normal prior; nan with another prior. It is 0 if the items do not differ
        beyond what their features explain.
    kind_effects_ : DataFrame
        With ``judge_kind``: one row per other kind of judge, see `kind_effects_`.
    kind_bias_ : DataFrame
        With ``judge_kind``: what every other kind sees in every item, see `kind_bias_`.
    feature_names_ : tuple of str
        The names of the features that explain skills; empty without features or a normal prior.
    feature_effect_ : array of shape (n_features,)
        How much log-skill rises on average with one unit more of a feature; nan if the feature was left out.
    feature_error_ : array of shape (n_features,)
        The standard errors of ``feature_effect_`` given s, computed on first use.
    covariance_ : array of shape (n_items, n_items)
        The covariance of ``log_skill_``, computed on first use.
    standard_error_ : array of shape (n_items,)
        The standard errors of ``log_skill_``, computed on first use.
    log_likelihood_ : float
        The sum of log P(outcome) over the comparisons, each times its count and weight, without the prior.
        It compares models of the same comparisons. With ``ties="half"`` it is not a likelihood; with
        ``ties="ignore"`` it is that of the comparisons without ties; with ``prior="normal"`` it is marginal.
    aic_, bic_ : float
        2 (AIC) or log(number of comparisons) (BIC) for each free parameter, minus twice ``log_likelihood_``;
        nan with ``ties="half"`` if there are ties.
    notes_ : tuple of str
        The warnings of `fit`.
    fit_ : PairedFit
        The fit as an immutable object, which leaderboards, tests and the bootstrap use.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        Iterations of the solver, at least 1.
    result_ : SolverResult
        The report of the solver, with its relative gradient norm.

    See Also
    --------
    DynamicBradleyTerry : skills that move through time
    PlackettLuce : skills from rankings and choices
    Elo : one rating per item, updated after every game
    SVMCompare : pairs with features, learns from ties
    Leaderboard : the table of items, best first

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

    fit_: "PairedFit" = field(init=False)
    ties: Literal["davidson", "rao-kupper", "half", "ignore"] = "davidson"
    _: KW_ONLY
    prior: float | Literal["auto", "normal"] = "auto"
    order_effect: bool = False
    judge_effects: Literal["auto"] | Sequence[str] | None = None
    half_life: float | str | None = None
    covariance: Literal["model", "robust", "cluster"] = "model"
    fixed: Mapping[Any, Any] | Leaderboard | None = None
    judge_kind: str | None = None
    solver: Literal["auto", "lbfgs", "newton", "mm"] = "auto"
    tol: float = 1e-9
    max_iter: int = 1000

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the skills.

        Parameters
        ----------
        c : Comparisons, or what `podium.read_comparisons` reads
            Who met whom, with the outcomes. Of a lazy frame (Dask, Spark, Ibis, polars, DuckDB) and of a file
            past memory, only the counts of equal rows are read.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``. A row of weight 2 counts as two rows; a row of weight 0 is left
            out.

        Returns
        -------
        self
        """
        from podium.bradley_terry.estimate import Settings, fitted
        from podium.bradley_terry.together import check_together
        from podium.skill.plan import warn

        self._check_parameters()
        how = Settings(**self.get_params())
        if not isinstance(c, Comparisons):
            from podium.reading.comparisons import as_comparisons

            c = as_comparisons(c)
        c = with_outcomes(c, y, sample_weight)
        check_together(self.get_params(), c)
        fit, result = fitted(c, how)
        warn(fit.notes)  # before any attribute is set, since a warning may be turned into an error
        result.warn_if_stopped_early(self.tol)
        self._set_fitted(fit, result)
        return self

    def _check_parameters(self) -> None:
        check_choice("ties", self.ties, TIES)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("covariance", self.covariance, COVARIANCES)
        if self.prior not in ("auto", "normal") and not (is_number(self.prior) and 0 <= self.prior < np.inf):  # type: ignore[operator]
            raise ValueError(
                f"prior must be 'auto', 'normal' or a finite number of at least 0, not {self.prior!r}"
            )
        check_stopping(self.tol, self.max_iter)
        if self.judge_effects is not None:
            from podium.bradley_terry.judge_effects.estimate import check_judge_effects

            check_judge_effects(self.judge_effects)

    def _set_fitted(self, fit: "PairedFit", result: "SolverResult") -> None:
        super()._set_fitted(fit, result)
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        self.tie_, self.order_effect_ = fit.tie, fit.order_effect
        self.grade_ = getattr(fit.link, "of_grades", np.zeros(0))
        self.grades_ = getattr(fit.link, "grades", self.classes_).astype(np.int8)
        self.covariate_names_, self.covariate_effect_ = fit.covariates.names, fit.covariate_effect
        self.feature_names_, self.feature_effect_ = fit.features.names, fit.feature_effect

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, c: Comparisons, *, unseen: "Unseen" = None) -> Floats:
        """The difference of the log-skills, r(right) - r(left), minus the order effect, plus covariates.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed.
        unseen : {"error", "average"} or None, default=None
            What to do about items that were not seen in `fit`: raise an error that names them, or treat them
            as average (log-skill 0), with a warning that names them. By default they get the mean of the
            prior, given their features, if ``prior="normal"``; otherwise they are an error.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Above 0 if the right side is better. The strength of a team is the sum of the skills of its
            members. The difference is nan, with a warning, if the sides are in groups that were never
            compared.
        """
        from podium.skill.prediction import differences

        return differences(self.fit_, c, unseen)

    def predict_proba(self, c: Comparisons, *, unseen: "Unseen" = None, uncertainty: bool = False) -> Floats:
        """The probabilities of the three outcomes.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed.
        unseen : {"error", "average"} or None, default=None
            What to do about items that were not seen, as in `decision_function`.
        uncertainty : bool, default=False
            Average over the errors of the estimates, which makes probabilities less extreme. The difference
            of each row is taken as normal, with its own variance, and integrated by quadrature; the tie
            parameter counts as known. The strength of a team counts as linear in its skills.

        Returns
        -------
        ndarray of shape (n_comparisons, 3)
            P(left is better), P(no difference) and P(right is better), in the order of ``classes_``. With
            ``prior="normal"`` they are means over the unknown skills of new items. With ``judge_kind`` they
            are those of a vote by the kind of judge that ``c.judge_kind`` names, or else by the kind whose
            scale the board has. With judge effects they are means over what is known of the judge
            (``c.group``), and over all judges for new ones.
        """
        from podium.skill.prediction import probabilities

        if uncertainty and self.judge_kind is not None and c.judge_kind is not None:
            raise ValueError("uncertainty is known for votes on the scale of the board; leave out judge_kind")
        return probabilities(self.fit_, c, unseen, uncertainty=uncertainty)

    def predict_grades(self, c: Comparisons, *, unseen: "Unseen" = None) -> Floats:
        """The probabilities of all grades.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed.
        unseen : {"error", "average"} or None, default=None
            What to do about items that were not seen, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_comparisons, n_grades)
            The columns are in the order of ``grades_``.
        """
        from podium.skill.prediction import probabilities

        if not isinstance(self.fit_.link, GradedLink):
            return self.predict_proba(c, unseen=unseen)
        return probabilities(self.fit_, c, unseen, grades=True)

    def predict(self, c: Comparisons, *, unseen: "Unseen" = None) -> NDArray[np.int8]:
        """The most probable outcome; without a model of ties, the better side.

        Parameters
        ----------
        c : Comparisons
            The comparisons. Outcomes are not needed.
        unseen : {"error", "average"} or None, default=None
            What to do about items that were not seen, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            -1, 0 or 1. It is also 0 if both sides have the same skill or were never compared.
        """
        return most_probable(self.predict_proba(c, unseen=unseen))

    def score(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy.

        A model of ties predicts one of three outcomes, which is right or wrong. With ``ties="half"`` and
        ``"ignore"`` a comparison counts half a point if it ended in a tie or if the prediction is 0. Items
        that were not seen in `fit` count as average, with a warning, so that every fold of a cross-validation
        has a score; with ``prior="normal"`` they are predicted by the prior.

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

        c = with_outcomes(c, y, sample_weight, "score")
        predicted = self.predict(c, unseen=None if self.prior == "normal" else "average")
        return accuracy(predicted, c, half=self.ties in ("half", "ignore"))

    # ------------------------------------------------------------------------------------ kinds of judges

    @property
    def kind_effects_(self) -> "pd.DataFrame":
        """How the other kinds of judges vote, one row each, with 95 % intervals; only with ``judge_kind``.

        - ``judge_kind``: the kind.
        - ``votes``: the number of its votes.
        - ``sharpness``: how many times as strongly it reacts to differences of skill.
        - ``ties``: a factor on the tie parameter: above 1 it calls more ties.
        - ``side``: its preference for the left side, in log-odds, beside ``order_effect_``.
        - ``bias``: the standard deviation of what it sees in items, in log-skills; see `kind_bias_`.
        """
        fit: Any = self._fit_with("judge_kind", "kind_effects_")
        return fit.kind_effects()

    @property
    def kind_bias_(self) -> "pd.DataFrame":
        """How much better each kind of judge finds each item, in log-skills; only with ``judge_kind``."""
        fit: Any = self._fit_with("judge_kind", "kind_bias_")
        return fit.kind_bias()

    def _check_asked(self, action: str) -> None:
        """Refuse what this fit does not support."""
        from podium.bradley_terry.together import check_together

        rows = Comparisons.from_arrays([], []) if self.fit_.rows is None else self.fit_.rows
        check_together(self.get_params(), rows, action)

    # ------------------------------------------------------------------------------------ uncertainty

    @property
    def covariate_error_(self) -> Floats:
        """The standard errors of ``covariate_effect_``; computed on first use."""
        return self.fit_.covariate_error

    @property
    def feature_error_(self) -> Floats:
        """The standard errors of ``feature_effect_``; computed on first use."""
        return self.fit_.feature_error

    @property
    def judge_effects_(self) -> "pd.DataFrame":
        """What is known of every judge, if ``judge_effects`` were asked for."""
        from podium.bradley_terry.judge_effects.fitted import judge_frame

        return judge_frame(self._fit_with("judge_effects", "judge_effects_"))

    @property
    def judge_spread_(self) -> dict[str, float]:
        """The standard deviation of each judge effect, 0 if left out, if ``judge_effects`` were asked for."""
        from podium.bradley_terry.judge_effects.fitted import spreads

        return spreads(self._fit_with("judge_effects", "judge_spread_"))

    def _fit_with(self, parameter: str, name: str) -> "PairedFit":
        """The fit, if a parameter asked for what only some fits have."""
        if getattr(self, parameter) is None:
            raise AttributeError(f"there is no {name}, since the model was fitted without {parameter}")
        return self.fit_

    def bootstrap(
        self,
        n: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        groups: bool = False,
        progress: bool | Progress = False,
    ) -> "Bootstrap":
        """Refit to resamples of the comparisons.

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
            Whether to resample whole groups of comparisons (judges, prompts) instead of rows. With few groups
            its intervals hold less often than those of ``covariance="cluster"``: of scores, 83 % with 5
            groups and 93 % with 30.
        progress : bool or callable, default=False
            True shows a progress bar; a function is called with the number of refits done and the total.

        Returns
        -------
        Bootstrap
            The estimates of all resamples.
        """
        from podium.bradley_terry.refit import run_bootstrap

        self._check_asked("bootstrap")
        with progress_of(progress, "bootstrap") as tell:
            return run_bootstrap(self.fit_, n, random_state, n_jobs, groups, tell)

    # ------------------------------------------------------------------------------------ checks and results

    def goodness_of_fit(self) -> "GoodnessOfFit":
        """Test whether the counts of the pairs agree with the model.

        Returns
        -------
        GoodnessOfFit
            Pearson's χ² and the deviance, with the p-value of χ². If counts are small, or with covariates, it
            comes from simulated data sets; without enough comparisons it is nan, and ``note`` says why.
        """
        from podium.bradley_terry.goodness import goodness_of_fit

        self._check_asked("goodness of fit")
        return goodness_of_fit(self.fit_)

    def differ(self, by: Any) -> "LikelihoodRatio":
        """Test whether groups of judges, or other categories, have boards of their own.

        The likelihood-ratio test of one model for every category against this model for all of them. Each has
        its own skills, ties, order effect and covariates.

        Parameters
        ----------
        by : array, "group", "category" or "judge_kind"
            The category of every fitted comparison, or a column of the comparisons that has it.

        Returns
        -------
        LikelihoodRatio
            Its ``statistic``, ``df`` and ``p_value``; ``notes`` say whether the comparisons are too few.

        Examples
        --------
        >>> import podium as pod
        >>> votes = pod.datasets.load_model_votes()
        >>> found = pod.BradleyTerry().fit(votes).differ(by=votes.group % 2)  # two halves of the judges
        >>> found.df, round(found.p_value, 2)
        (9, 0.37)
        """
        from podium.skill.likelihood_ratio import difference

        return difference(self, by)

    def intransitivity(self, limit: int = 10) -> "Intransitivity":
        """Find cycles of three items, in which each beat the next more often than not.

        Parameters
        ----------
        limit : int, default=10
            The largest number of cycles to return.

        Returns
        -------
        Intransitivity
            The cycles that contradict the model most come first.
        """
        from podium.bradley_terry.goodness import intransitivity

        self._check_asked("goodness of fit")
        return intransitivity(self.fit_, limit)

    def judges(self, level: float = 0.95, progress: bool | Progress = False) -> "pd.DataFrame":
        """Compare every judge (group of comparisons) with the model of all the others.

        Judges who surprise do not count among the others: the worst of them are taken out, the rest is
        compared again, and so on until nobody else surprises. At most half of all judges are taken out.

        Parameters
        ----------
        level : float, default=0.95
            If all judges follow the model, nobody is flagged in this share of data sets.
        progress : bool or callable, default=False
            True shows a progress bar; a function is called with the number of judges done and the total,
            which grows if judges are compared again.

        Returns
        -------
        DataFrame
            One row per judge. The probabilities are those of the model fitted without the judge, and without
            those who are out.

            - ``judge``: the group.
            - ``votes``: the number of comparisons.
            - ``agreement``: the share of the decided votes (not ties) for the side that the others favour.
            - ``ties``: the share of ties.
            - ``left``: the share of decided votes for the left side.
            - ``log_loss``: the mean of -log of the probability of a vote. Without a model of ties
              (``ties="half"`` and ``"ignore"``) it is that of the decided votes.
            - ``flagged``: whether the judge is surprising: the log loss is too high, the left side wins too
              often or too rarely, or, with a model of ties, there are too many or too few ties.
            - ``expected``: the log loss of a judge who follows the model.
            - ``chance``: the log loss without skills, with the others' share of ties and no favourite.
            - ``with_prior``: whether the model without the judge needed a prior, because the votes of
              the others do not determine all skills.
            - ``p_value``: the smallest p-value of the judge, adjusted by Holm's method for all tests of all
              judges.
            - ``reason``: why the judge is flagged, in words.
            - with judge effects, ``sharpness``, ``tie_habit`` and ``side``, as in ``judge_effects_``, with
              the ends of their intervals (``sharpness_low``, ``sharpness_high``, ...).

            ``attrs["krippendorff_alpha"]`` is the agreement on pairs, 1 at most and 0 by chance. If the
            winner is always on the same side, sides are not tested, and ``attrs["note"]`` says so.

        Examples
        --------
        >>> from podium.datasets import load_model_votes
        >>> table = BradleyTerry().fit(load_model_votes()).judges()
        >>> table[["judge", "votes", "agreement", "ties", "left", "log_loss", "flagged"]].head(2).round(2)
              judge  votes  agreement  ties  left  log_loss  flagged
        0  judge-00   40.0       0.64   0.3  0.54      1.01    False
        1  judge-01   40.0       0.60   0.5  0.55      1.14    False
        """
        from podium.bradley_terry.judges import judges

        self._check_asked("judges")
        with progress_of(progress, "judges") as tell:
            return judges(self.fit_, level, tell, self.judge_effects is not None)

    def fragility(
        self, pair: tuple[Any, Any] | None = None, *, top: int | None = None, by: str = "votes"
    ) -> "Fragility":
        """Find the fewest votes, judges or prompts without which the board would change.

        They are found step by step: the most influential are removed, the model is fitted again, and so on.
        The last fit proves that they are enough, but fewer may be enough too.

        Parameters
        ----------
        pair : (label, label), default=None
            Two items, of which the one that is behind is to draw level.
        top : int, default=None
            The best k items, one of which is to fall behind another item; without a pair, the leader
            (``top=1``).
        by : str, default="votes"
            What is removed: ``"votes"``, or whole groups of votes: ``"group"`` for those of ``c.group``, or
            the name of a kind of groups, such as ``"prompt"``.

        Returns
        -------
        Fragility
            With ``n``, ``share``, ``rows``, ``counts``, ``groups``, ``pair``, ``before`` and ``after``; as
            text it is a sentence or two.

        Examples
        --------
        >>> from podium.datasets import load_model_votes
        >>> print(BradleyTerry().fit(load_model_votes()).fragility(by="group"))
        At most 3 of 40 groups (120 votes, 7.5 %) decide the leader: without them heron-70b is level with
        albatross-2 or ahead.
        """
        from podium.bradley_terry.estimate import Settings, estimate
        from podium.bradley_terry.fragility import fragility

        if pair is not None and top is not None:
            raise ValueError("pair and top ask for different things; give one of them")
        rows = self._rows_for("fragility")
        how = Settings(**self.get_params() | {"half_life": None, "covariance": "model"})  # rows have aged
        return fragility(self.fit_, rows, pair, top, by, lambda rest: estimate(rest, how)[0])

    def _rows_for(self, action: str) -> Comparisons:
        """The fitted rows, if this can be asked of the fit."""
        self._check_asked(action)
        if self.fit_.rows is None:
            raise ValueError("a saved model does not keep its comparisons; fit it again")
        return self.fit_.rows

    def influence(self, by: str = "group", scale: Literal["elo", "log"] = "elo") -> "pd.DataFrame":
        """How much each judge, prompt or vote moves every score.

        Parameters
        ----------
        by : str, default="group"
            What is left out: ``"votes"``, ``"group"`` for the groups of ``c.group``, or the name of a kind of
            groups, such as ``"prompt"``.
        scale : {"elo", "log"}, default="elo"
            The scale of the scores.

        Returns
        -------
        DataFrame
            One row per group, or per row of the comparisons, the most influential first; one column per item,
            with the change of its score if the group were left out, to first order.

        Examples
        --------
        >>> from podium.datasets import load_model_votes
        >>> BradleyTerry().fit(load_model_votes()).influence().iloc[:3, :4].round(1)
                  albatross-2  condor-xl  dunnock-7b  egret-mini
        group
        judge-11          3.9      -11.7        -1.7        -0.7
        judge-04          5.6       -1.2        -1.7        -0.5
        judge-16          0.4        4.8         3.1        -0.3
        """
        from podium.bradley_terry.fragility import influence

        rows = self._rows_for("influence")  # first: it says so if there is no fit
        return influence(self.fit_, rows, by, scale)

    def reliability(self, splits: int = 100, level: float = 0.95, random_state: Any = 0) -> dict[str, float]:
        """How well the comparisons tell the items apart, in the terms of comparative judgement.

        It is a statistic of the comparisons, whatever the parameters of this model are: the skills are
        estimated again as R's ``sirt::btm`` does (ε = 0.3, ties left out), so that numbers agree with other
        work. Pairs that were chosen by earlier results make all of it too high.

        Parameters
        ----------
        splits : int, default=100
            How often judges are split into two halves at random (comparisons, if there are no judges).
        level : float, default=0.95
            The confidence level of the interval, which takes the items as a sample of more.
        random_state : int, RandomState, Generator or None, default=0
            The seed of the splits.

        Returns
        -------
        dict
            ``ssr``, the scale separation reliability, 1 - mean(error²) / var(skill), with its interval
            ``ssr_low`` and ``ssr_high``; ``separation``, 1 / √(1 - ssr); ``split_half``, the mean correlation
            of the skills from two halves, and ``splits``, the number of splits whose halves have estimates
            (nan and 0 if the comparisons are too few).

        Examples
        --------
        >>> from podium.datasets import load_model_votes
        >>> found = BradleyTerry().fit(load_model_votes()).reliability(splits=10)
        >>> {name: round(value, 2) for name, value in found.items()}
        {'ssr': 0.95, 'ssr_low': 0.9, 'ssr_high': 0.99, 'separation': 4.61, 'split_half': 0.92, 'splits': 10}
        """
        from podium.bradley_terry.reliability import reliability

        return reliability(self.fit_.rows, splits, level, random_state)

    def fit_statistics(self, by: Literal["item", "judge"] = "item") -> "pd.DataFrame":
        """How much more, or less, votes vary than the Bradley–Terry model expects, by item or by judge.

        Like `reliability`, these are statistics of the comparisons, from skills that are estimated as R's
        ``sirt::btm`` does, whatever the parameters of this model are. `judges` has tests.

        Parameters
        ----------
        by : {"item", "judge"}, default="item"
            Whether a row is an item or a judge (a group of comparisons).

        Returns
        -------
        DataFrame
            ``item`` or ``judge``; ``n``, the decided votes; ``infit``, the squared residuals as a share of
            what the model expects; ``outfit``, the mean of the squared standardised residuals, which single
            surprising votes dominate. Both are about 1 if the votes follow the model. Far above 1, votes
            contradict each other; below 1, they agree more than chance allows.

        Examples
        --------
        >>> from podium.datasets import load_model_votes
        >>> BradleyTerry().fit(load_model_votes()).fit_statistics("judge").head(2).round(2)
              judge     n  infit  outfit
        0  judge-00  28.0   0.90    0.85
        1  judge-01  20.0   1.26    1.26
        """
        from podium.bradley_terry.reliability import fit_statistics

        return fit_statistics(self.fit_.rows, by)

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
        pooled: bool = True,
        anytime: bool = False,
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
        pooled: bool = True,
        anytime: bool = False,
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
        pooled: bool = True,
        anytime: bool = False,
    ) -> "Leaderboard | Boards":
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
            Take intervals and tests from this bootstrap, or from a new one with this many resamples. With
            ``by`` it must be a number.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the resamples if ``bootstrap`` is a number.
        ranks : {"simultaneous", "pairwise"}, default="simultaneous"
            Whether all differences behind the ranks hold together at this level, or each on its own. Among
            many pairwise tests some are wrong by chance.
        by : array, "group" or "category", default=None
            Add one leaderboard per category. An array has one category per fitted comparison; ``"group"`` and
            ``"category"`` name a column of the comparisons. A category without the item of ``anchor`` has no
            leaderboard.
        pooled : bool, default=True
            Draw the board of each category towards the overall board: its log-skills are normal around the
            overall ones, with a standard deviation that the comparisons of the category determine. A note
            says how large it is, and the column ``unpooled`` has the scores from the category alone. If
            False, with a bootstrap, ``anytime`` or ``fixed`` skills, every category is fitted alone.
        anytime : bool, default=False
            Make intervals and ranks that hold whenever you look, for a board that is watched while votes
            come in, and for pairs that `next_pairs` chose. Ranks are then for at most 3,000 items. It
            excludes ``bootstrap``, ``prior="normal"`` and a half-life.

        Returns
        -------
        Leaderboard, or Boards with ``by``
        """
        how: Any = {"level": level, "scale": scale, "anchor": anchor, "min_games": min_games, "ranks": ranks}
        how |= {"anytime": anytime}
        board = super().leaderboard(bootstrap=bootstrap, random_state=random_state, **how)
        if by is None:
            return board
        self._check_asked("boards by category")
        from podium.skill.board import standings
        from podium.skill.categories import boards_by, with_unpooled

        if bootstrap is not None and not isinstance(bootstrap, int | np.integer):
            raise ValueError("with by=, bootstrap must be a number of resamples, not a finished bootstrap")

        def alone(part: Comparisons) -> "Leaderboard":
            fitted: Self = clone(self).fit(part)
            found: Leaderboard = fitted.leaderboard(bootstrap=bootstrap, random_state=random_state, **how)
            return found

        def drawn_in(part: Comparisons) -> "Leaderboard":
            fit = self._pooled_fit(part)
            board = standings(fit, bootstrap=None, **how)
            return with_unpooled(board, fit.prior_scale, lambda: alone(part))

        is_pooled = pooled and bootstrap is None and not anytime and self.fixed is None
        return boards_by(by, self.fit_.rows, board, drawn_in if is_pooled else alone)

    def _pooled_fit(self, part: Comparisons) -> "PairedFit":
        """The fit to a category, with the overall skills as its prior."""
        from podium.bradley_terry.estimate import Settings, estimate
        from podium.bradley_terry.normal.pooled import Overall

        how = Settings(**self.get_params() | {"prior": "normal", "solver": "auto"})
        fit, result = estimate(part, how, Overall(self.fit_))
        result.warn_if_stopped_early(self.tol)
        return fit
