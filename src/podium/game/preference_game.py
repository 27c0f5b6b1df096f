"""The Large Margin Preference Game [PreferenceGame]: label ranking and multi-class classification."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_present, check_unmasked
from podium.comparisons.features import summed
from podium.comparisons.inputs import row_weights
from podium.game.game import Game, contradiction, make_game
from podium.game.preferences import Preferences
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.kernels.kernel import KernelName, make_kernel
from podium.numerics.parameters import check_not_negative, check_share, check_stopping, check_whole, is_number

if TYPE_CHECKING:
    from podium.game.sub_games import SubGame
    from podium.numerics.result import SolverResult

Progress = Callable[[int, int], None]


class PreferenceGame(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ranks labels by a game: one player picks preferences, the other a function that satisfies them.

    A preference says that for an instance x one label is better than another. It is satisfied by w with the
    margin w · z, z = (e_better - e_worse) ⊗ Φ(x) (Kesler's construction), and the value of the game is

        V = min_p max_{‖w‖ = 1} Σ_a p_a w·z_a,   V² = min_p p'Kp,   K_ab = z_a · z_b,

    over the distributions p on the preferences [PreferenceGame, eq. (3)]: w has the largest least margin. One
    convex problem serves any number of labels, whole or partial orders of them, and classification, in which
    the class of an instance is better than every other. With two classes and no ridge it is the hard-margin
    support vector machine without bias.

    Use it to learn rankings of labels, or to classify. The paper plays with a hard margin, a homogeneous
    polynomial and features of its own choice: ``PreferenceGame(gamma=1.0, coef0=0.0, ridge=0.0)``. That fails
    on data that the kernel cannot tell apart (an accuracy of .33 on standardised iris), so the defaults allow
    for errors (``ridge``), have linear and constant terms (``coef0``) and do not depend on the scale of the
    features (``gamma``). With a ridge of 0 and data that no w satisfies, V is 0 and w says nothing: a warning
    names preferences that contradict each other; that of the sampled game sees those of one instance, and
    those that meet in a sub-game.

    Parameters
    ----------
    kernel, degree, gamma, coef0 :
        κ(x, x') = Φ(x)·Φ(x'): ``"linear"``, ``"poly"`` (γ x·x' + c)^degree, ``"rbf"`` exp(-γ‖x - x'‖²),
        ``"precomputed"`` (X is the square kernel matrix), or a function of two tables. γ is a number,
        ``"scale"`` or ``"auto"`` as in scikit-learn. The paper has γ = 1 and c = 0.
    ridge : float
        The soft-margin game, K + ridge · I: a margin may fall short, at a squared cost of 1 / ridge. 0 is the
        paper's hard margin.
    solver : "exact" or "sampled"
        ``"exact"`` (the paper's LMPG*) finds the optimal strategy from kernel rows of its support alone;
        ``"sampled"`` (Algorithm 1) plays ``n_games`` sub-games.
    combine : "uniform" or "optimal"
        How the strategies of sub-games are combined: equally (LMPG), or by eq. (4) (LMPG-α).
    sample_size : float or int
        Of a sub-game: a share of all preferences, or their number.
    feedback : float from 0 to 1
        The paper's λ: how fast sampling moves to the preferences that earlier games found hard. With 0 the
        games run in parallel.
    n_games : int
        The paper's T.
    random_state, n_jobs :
        As in scikit-learn; ``n_jobs`` counts threads, and changes no result.
    tol : float
        The relative gap of ``value_`` at which the exact solver stops.
    max_iter : int
        Working sets that the exact solver may try.
    progress : bool or function
        True shows a bar while sub-games are played; a function is called with the number done and of all.

    Attributes
    ----------
    classes_ : the labels, sorted.
    value_ : p'Kp with the ridge, the square of the least margin (of the paper's V).
    strategy_ : p, a number for every preference; equal preferences share by weight.
    support_ : the places of the preferences with p > 0.
    preferences_ : array (n, 3): instance, and places in ``classes_`` of the better and the worse label.
    support_instances_, dual_coef_ : rows of X and their coefficients, a column a label, in w of norm 1.
    n_iter_ : working sets tried, or sub-games played.
    result_ : the end of the solver's run; its ``gap`` is the relative gap of ``value_`` to the exact game.

    Weights. A preference of weight 2 is the same as two rows. Two rows are no harder to satisfy than one, so
    without a ridge weights change only how often the sampled game draws; with one the cost of a shortfall is
    weight / ridge. Weight 0 leaves a preference out.

    >>> X = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    >>> game = PreferenceGame("linear").fit(X, ["a", "b", "c"])
    >>> game.predict([[2.0, 0.5]]), game.rank_labels([[2.0, 0.5]])
    (array(['a'], dtype='<U1'), array([['a', 'b', 'c']], dtype='<U1'))
    >>> rows = [(0, "tea", "milk"), (0, "milk", "beer"), (2, "beer", "tea")]
    >>> game = PreferenceGame("linear", ridge=0.0).fit_preferences(X, rows)
    >>> game.rank_labels(X[:1]), float(round(game.value_, 4)), game.support_
    (array([['tea', 'milk', 'beer']], dtype='<U4'), 0.5, array([0, 1]))
    """

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "poly",
        degree: int = 2,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 1.0,
        ridge: float = 0.1,
        solver: Literal["exact", "sampled"] = "exact",
        combine: Literal["uniform", "optimal"] = "uniform",
        sample_size: float = 0.1,
        feedback: float = 0.01,
        n_games: int = 500,
        random_state: Any = None,
        n_jobs: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 10_000,
        progress: bool | Progress = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.ridge = ridge
        self.solver = solver
        self.combine = combine
        self.sample_size = sample_size
        self.feedback = feedback
        self.n_games = n_games
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ------------------------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn to classify: the class of a row of X is better than every other label."""
        with all_or_nothing(self):
            return self._fit(*self._read(X, y, sample_weight))

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> tuple[Any, Preferences]:
        check_present(y, "y")
        check_unmasked(X=X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        return summed(X), Preferences.from_classes(y, row_weights(sample_weight, len(y)))

    def fit_preferences(self, X: Any, preferences: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn to rank labels from rows (instance, better label, worse label).

        An instance is a row of X, counting from 0. An instance may have any number of preferences, of a whole
        or a partial order; labels that never appear are not known to the model.
        """
        with all_or_nothing(self):
            check_unmasked(X=X)
            X = summed(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
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
            self.result_.warn_if_stopped_early(self.tol)
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
        from podium.game.sub_games import Rows, play_sub_games
        from podium.numerics.progress import progress_of

        inside = game.kind >= 0
        seed = check_random_state(self.random_state).randint(2**32, dtype=np.uint32)
        with progress_of(self.progress, "sub-games") as progress:
            return play_sub_games(
                game.kernel,
                Rows(game.kind[inside], game.weight[inside]),
                size=self._size(int(inside.sum())),
                feedback=self.feedback,
                n_games=int(self.n_games),
                rng=np.random.default_rng(seed),
                tol=self.tol,
                max_iter=self.max_iter,
                n_jobs=self.n_jobs,
                progress=progress,
            )

    def _size(self, n: int) -> int:
        """A share is of all preferences and rounds up; a number is cut at all of them."""
        whole = isinstance(self.sample_size, int | np.integer)
        return int(min(self.sample_size if whole else np.ceil(self.sample_size * n), n))

    def _adopt(self, preferences: Preferences, game: Game, result: "SolverResult") -> None:
        p, kernel = result.solution, game.kernel
        self.classes_ = preferences.labels
        self.preferences_ = np.column_stack([preferences.instance, preferences.better, preferences.worse])
        self.result_ = result
        self.value_ = result.objective
        self.n_iter_ = result.iterations
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
            raise ValueError(f"solver is 'exact' or 'sampled', not {self.solver!r}")
        if self.combine not in ("uniform", "optimal"):
            raise ValueError(f"combine is 'uniform' or 'optimal', not {self.combine!r}")
        check_not_negative("ridge", self.ridge)
        check_stopping(self.tol, self.max_iter)
        whole = isinstance(self.sample_size, int | np.integer)
        if not is_number(self.sample_size) or not (
            self.sample_size >= 1 if whole else 0 < self.sample_size <= 1
        ):
            raise ValueError(
                f"sample_size is a share above 0 and up to 1, or a whole number, not {self.sample_size!r}"
            )
        check_share("feedback", self.feedback)
        check_whole("n_games", self.n_games)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"with kernel='precomputed' X is a square kernel matrix, not of shape {X.shape}")

    # ------------------------------------------------------------------------------------ using it

    def _scores(self, X: Any) -> Floats:
        """The products w · ψ(x, label): a row an instance, a column a label."""
        check_is_fitted(self)
        check_unmasked(X=X)
        X = summed(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))
        return self._kernel.expand(X, self._support, self.dual_coef_)

    def decision_function(self, X: Any) -> Floats:
        """The score of every label; with two labels, as in scikit-learn, that of the second less the first.

        ‖w‖ is 1 (with a ridge, less), so that differences of scores are margins.
        """
        scores = self._scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The best label of every row; of equal ones the first."""
        best = np.argmax(self._scores(X), axis=1)
        return np.asarray(self.classes_[best])

    def rank_labels(self, X: Any) -> NDArray[Any]:
        """All labels for every row, best first."""
        order = np.argsort(-self._scores(X), axis=1, kind="stable")
        return np.asarray(self.classes_[order])
