"""The Large Margin Preference Game [PreferenceGame]: label ranking and multi-class classification."""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import row_weights
from podium.comparisons.random_states import legacy_generator
from podium.game.game import Game, contradiction, make_game
from podium.game.preferences import Preferences
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.estimators import ClassifierMixin, RowEstimator
from podium.numerics.kernels.kernel import KernelName, make_kernel
from podium.numerics.parameters import check_not_negative, check_share, check_stopping, check_whole, is_number
from podium.numerics.progress import Progress

if TYPE_CHECKING:
    from podium.game.sub_games import SubGame
    from podium.numerics.result import SolverResult


@dataclass(eq=False, repr=False)
class PreferenceGame(ClassifierMixin, RowEstimator):
    """Rank labels by a game: one player picks preferences, the other a function that satisfies them.

    Use it to learn rankings of labels, or to classify. A preference says that for an instance x one label is
    better than another. A function w satisfies it with the margin w · z, where z is (e_better - e_worse) ⊗
    Φ(x) (Kesler's construction), and the value of the game is

        V = min_p max_{‖w‖ = 1} Σ_a p_a w·z_a,   V² = min_p p'Kp,   K_ab = z_a · z_b,

    over the distributions p on the preferences [PreferenceGame, eq. (3)]: the best w is the one whose
    smallest margin is largest. One convex problem covers any number of labels, complete or partial orders,
    and classification, in which the class of an instance is better than every other label. With two classes
    and no ridge it is the hard-margin support vector machine without bias.

    The paper uses a hard margin and a homogeneous polynomial: ``PreferenceGame(gamma=1.0, coef0=0.0,
    ridge=0.0)``. This fails on data that the kernel cannot separate (accuracy 0.33 on standardised iris).
    Therefore the defaults allow errors (``ridge``), add linear and constant terms (``coef0``) and do not
    depend on the scale of the features (``gamma``). If the ridge is 0 and no w satisfies all preferences, V
    is 0 and w is meaningless. A warning then names preferences that contradict each other (in the sampled
    game, preferences of one instance or of one sub-game).

    A preference of weight 2 is the same as two rows. Two equal rows are no harder to satisfy than one, so
    without a ridge, weights only change how often the sampled game draws a preference. With a ridge, a
    shortfall of the margin costs weight / ridge. A preference of weight 0 is left out.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="poly"
        κ(x, x') = Φ(x)·Φ(x'): x·x', (γ x·x' + c)^degree, exp(-γ‖x - x'‖²), X as the square kernel matrix, or
        a function of two tables.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in scikit-learn; 1 in the paper.
    degree : int, default=2
        The degree of "poly".
    coef0 : float, default=1.0
        The constant c of "poly"; 0 in the paper.
    ridge : float, default=0.1
        The kernel of the soft-margin game is K + ridge · I: a margin may fall short, and the square of the
        shortfall costs 1 / ridge. 0 is the paper's hard margin.
    solver : {"exact", "sampled"}, default="exact"
        ``"exact"`` (the paper's LMPG*) finds the optimal strategy from the kernel rows of its support;
        ``"sampled"`` (Algorithm 1) plays ``n_games`` sub-games.
    combine : {"uniform", "optimal"}, default="uniform"
        How the strategies of sub-games are combined: equally (LMPG), or by eq. (4) (LMPG-α).
    sample_size : float or int, default=0.1
        The size of a sub-game: a share of all preferences, or their number.
    feedback : float, default=0.01
        The paper's λ, from 0 to 1: how fast sampling moves to the preferences that earlier games found hard.
        With 0 the games run in parallel.
    n_games : int, default=500
        The number of sub-games, the paper's T.
    tol : float, default=1e-4
        The relative gap of ``value_`` at which the exact solver stops.
    max_iter : int, default=10000
        The maximum number of working sets of the exact solver.
    n_jobs : int or None, default=None
        The number of threads, as in scikit-learn. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the sub-games.
    progress : bool or callable, default=False
        True shows a bar while sub-games are played. A function is called with the number of finished games
        and the total.

    Attributes
    ----------
    classes_ : array of shape (n_labels,)
        The labels, sorted.
    value_ : float
        p'Kp with the ridge: the square of the least margin, V² in the paper.
    strategy_ : array of shape (n_preferences,)
        The optimal p; equal preferences share their probability in proportion to their weights.
    support_ : array of int
        The positions of the preferences with p > 0.
    preferences_ : array of shape (n_preferences, 3)
        The instance of each preference, and the positions in ``classes_`` of the better and the worse label.
    support_instances_ : array of int
        The rows of X with a coefficient in w.
    dual_coef_ : array of shape (n_instances, n_labels)
        The coefficients of these rows for every label, scaled so that w has norm 1.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if X had any.
    n_iter_ : int
        Working sets of the exact solver, or sub-games played; at least 1.
    result_ : SolverResult
        The report of the solver; its ``gap`` is the relative gap of ``value_`` to the exact game.

    See Also
    --------
    CodedClassifier : fits the binary classifiers and couples them

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    >>> game = PreferenceGame("linear").fit(X, ["a", "b", "c"])
    >>> game.predict([[2.0, 0.5]]), game.rank_labels([[2.0, 0.5]])
    (array(['a'], dtype='<U1'), array([['a', 'b', 'c']], dtype='<U1'))
    >>> rows = [(0, "tea", "milk"), (0, "milk", "beer"), (2, "beer", "tea")]
    >>> game = PreferenceGame("linear", ridge=0.0).fit_preferences(X, rows)
    >>> game.rank_labels(X[:1]), float(round(game.value_, 4)), game.support_
    (array([['tea', 'milk', 'beer']], dtype='<U4'), 0.5, array([0, 1]))
    """

    kernel: KernelName | Callable[..., Any] = "poly"
    _: KW_ONLY
    gamma: float | Literal["scale", "auto"] = "scale"
    degree: int = 2
    coef0: float = 1.0
    ridge: float = 0.1
    solver: Literal["exact", "sampled"] = "exact"
    combine: Literal["uniform", "optimal"] = "uniform"
    sample_size: float = 0.1
    feedback: float = 0.01
    n_games: int = 500
    tol: float = 1e-4
    max_iter: int = 10_000
    n_jobs: int | None = None
    random_state: Any = None
    progress: bool | Progress = False

    # ------------------------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn to classify: the class of a row is better than every other label.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features, or the square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (n,)
            The class of each row.
        sample_weight : array of shape (n,), optional
            The weight of all preferences of a row; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            return self._fit(*self._read(X, y, sample_weight))

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> tuple[Any, Preferences]:
        X, y = self._rows_and_labels(X, y)
        check_classification_targets(y)
        return X, Preferences.from_classes(y, row_weights(sample_weight, len(y)))

    def fit_preferences(self, X: Any, preferences: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn to rank labels from preferences.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The features of the instances.
        preferences : sequence of (instance, better label, worse label)
            An instance is a row of X, counting from 0. It may have any number of preferences, which need not
            order all labels. The model knows only labels that appear.
        sample_weight : array of shape (n_preferences,), optional
            The weight of each preference; weight 0 leaves it out.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X = self._rows(X, fitted=False)
            return self._fit(X, Preferences.from_table(preferences, X.shape[0], sample_weight))

    def _fit(self, X: Any, preferences: Preferences) -> Self:
        game = self._game(X, preferences)
        self._adopt(preferences, game, self._solved(game))
        if (why := contradiction(preferences, game, self.result_, self.strategy_)) is not None:
            warnings.warn(why, UserWarning, stacklevel=3)
        if unfinished := self.result_.details.get("unfinished", 0):
            reached = f"raise max_iter, which {unfinished:,} of {self.n_games:,} sub-games reached"
            self.result_.warn_if_stopped_early(None, reached)
        else:
            self.result_.warn_if_stopped_early(self.tol, model=self)
        return self

    def _game(self, X: Any, preferences: Preferences) -> Game:
        self._check_parameters(X)
        kernel = partial(make_kernel, self.kernel, self.gamma, self.degree, self.coef0)
        return make_game(kernel, X, preferences, self.ridge, self.kernel == "precomputed")

    def _solved(self, game: Game) -> "SolverResult":
        if self.solver == "exact":
            from podium.game.active_set import solve_game

            return solve_game(game.kernel, tol=self.tol, max_iter=self.max_iter)
        from podium.game.sub_games import combine_sub_games

        return combine_sub_games(game.kernel, self._sub_games(game), self.combine, tol=self.tol)

    def _sub_games(self, game: Game) -> "list[SubGame]":
        from podium.game.sub_games import Rows, Sampler, play_sub_games
        from podium.numerics.progress import progress_of

        inside = game.kind >= 0
        rows, size = Rows(game.kind[inside], game.weight[inside]), self._size(int(inside.sum()))
        seed = legacy_generator(self.random_state).randint(2**32, dtype=np.uint32)
        with progress_of(self.progress, "sub-games") as progress:
            return play_sub_games(
                Sampler(game.kernel, rows, size, self.tol, self.max_iter),
                feedback=self.feedback,
                n_games=int(self.n_games),
                rng=np.random.default_rng(seed),
                n_jobs=self.n_jobs,
                progress=progress,
            )

    def _size(self, n: int) -> int:
        """The size of a sub-game: a share of the n preferences, rounded up, or a number, at most n."""
        whole = isinstance(self.sample_size, int | np.integer)
        return int(min(self.sample_size if whole else np.ceil(self.sample_size * n), n))

    def _adopt(self, preferences: Preferences, game: Game, result: "SolverResult") -> None:
        p, kernel = result.solution, game.kernel
        self.classes_ = preferences.labels
        self.preferences_ = np.column_stack([preferences.instance, preferences.better, preferences.worse])
        self.result_ = result
        self.value_ = result.objective
        self.n_iter_ = max(result.iterations, 1)
        self.strategy_ = game.spread(p)
        self.support_ = np.flatnonzero(self.strategy_)
        support = np.flatnonzero(p)
        used, table = kernel.table(support, p[support])
        self.support_instances_ = game.rows_of_items[used]
        self.dual_coef_ = table / np.sqrt(self.value_) if not result.details["degenerate"] else 0.0 * table
        self._support = used if self.kernel == "precomputed" else kernel.items[used]
        self._kernel = kernel.kernel

    def _check_parameters(self, X: Any) -> None:
        if self.solver not in ("exact", "sampled"):
            raise ValueError(f"solver must be 'exact' or 'sampled', not {self.solver!r}")
        if self.combine not in ("uniform", "optimal"):
            raise ValueError(f"combine must be 'uniform' or 'optimal', not {self.combine!r}")
        check_not_negative("ridge", self.ridge)
        check_stopping(self.tol, self.max_iter)
        whole = isinstance(self.sample_size, int | np.integer)
        size = self.sample_size
        if not (is_number(size) and (size >= 1 if whole else 0 < size <= 1)):
            raise ValueError(
                f"sample_size must be a share above 0, at most 1, or a whole number, not {self.sample_size!r}"
            )
        check_share("feedback", self.feedback)
        check_whole("n_games", self.n_games)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"with kernel='precomputed' X must be a square kernel matrix, but its shape is {X.shape}"
            )

    # ------------------------------------------------------------------------------------ using it

    def _scores(self, X: Any) -> Floats:
        """The scores w · ψ(x, label): one row per instance, one column per label."""
        X = self._rows(X)
        return self._kernel.expand(X, self._support, self.dual_coef_)

    def decision_function(self, X: Any) -> Floats:
        """The score of every label. Differences of scores are margins, since ‖w‖ is 1 (less with a ridge).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features; with ``kernel="precomputed"`` the kernel between these rows and all rows of the fit.

        Returns
        -------
        array of shape (n, n_labels), or (n,) with two labels
            With two labels, as in scikit-learn, the score of the second minus the score of the first.
        """
        scores = self._scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The best label of every row; of equally good labels, the first."""
        best = np.argmax(self._scores(X), axis=1)
        return np.asarray(self.classes_[best])

    def rank_labels(self, X: Any) -> NDArray[Any]:
        """All labels for every row, best first: an array of shape (n, n_labels)."""
        order = np.argsort(-self._scores(X), axis=1, kind="stable")
        return np.asarray(self.classes_[order])
