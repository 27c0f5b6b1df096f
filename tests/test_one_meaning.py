"""One meaning per word: constructors, docstrings and fitted attributes of all public estimators."""

import inspect
import re
import warnings
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

import podium as pod
from podium.comparisons.random_states import generator

# Names that two estimators share stand in this order in every constructor.
ORDER = (
    *("estimator", "partners", "constraints", "loss", "k"),  # what the model is
    *("kernel", "C", "gamma", "degree", "coef0"),
    *(
        "ties",
        "threshold",
        "start",
        "deviation",
        "max_deviation",
        "advantage",
        "tie",
        "initial",
        "period",
        "class_weight",
        "code",
        "method",
        "prior",
        "order_effect",
        "covariance",
        "fixed",
    ),  # choices of the model
    *("scale", "solver", "step", "step_size", "average", "tol", "max_iter", "epochs", "shuffle", "horizon"),
    *("cv", "n_jobs", "random_state", "progress"),
)
PUBLIC = [getattr(pod, name) for name in pod.__all__]
ESTIMATORS: list[Any] = [
    each for each in PUBLIC if isinstance(each, type) and issubclass(each, BaseEstimator)
]
OF_COMPARISONS = [each for each in ESTIMATORS if "c" in inspect.signature(each.fit).parameters]
RANDOM = [each for each in ESTIMATORS if "random_state" in inspect.signature(each).parameters]
NEEDS = {
    pod.CalibratedComparer: pod.LinearCompare(random_state=0),
    pod.CodedClassifier: LogisticRegression(),
}
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: each.__name__)


def made(estimator: Any, **parameters: Any) -> Any:
    """An estimator with these parameters; SVMCompareLP with slack, since few data are separable."""
    given = (NEEDS[estimator],) if estimator in NEEDS else ()
    slack = {"C": 0.1} if estimator is pod.SVMCompareLP else {}
    return estimator(*given, **(slack | parameters))


def parameters_of(estimator: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(estimator).parameters.values())


# ------------------------------------------------------------------------------------ data


def compared(named: bool = True) -> pod.Comparisons:
    rng = np.random.default_rng(0)
    X, left = rng.normal(size=(15, 2)) * [1.0, 10.0] + [0.0, 5.0], rng.integers(0, 15, 120)
    right = (left + rng.integers(1, 15, 120)) % 15
    d = (X[right] - X[left]) @ [1.0, -0.1] + 0.5 * rng.normal(size=120)
    outcome = np.where(np.abs(d) < 0.5, 0, np.sign(d)).astype(np.int8)
    c = pod.Comparisons.from_codes(np.arange(15), left, right, outcome, time=np.arange(120))
    return c.with_features(X, ["a", "b"] if named else None)


def labelled() -> tuple[pd.DataFrame, NDArray[np.int64]]:
    X = np.random.default_rng(0).normal(size=(40, 2))
    return pd.DataFrame(X, columns=["a", "b"]), np.digitize(X @ [1.0, 0.5], [-0.5, 0.5])


def fitted(estimator: Any, **parameters: Any) -> Any:
    """Fitted to the data above, by default with a fixed random state and once for all tests."""
    if "random_state" in parameters or estimator not in RANDOM:
        return (newly_fitted if "random_state" in parameters else fitted_once)(estimator, **parameters)
    return fitted_once(estimator, **parameters, random_state=0)


def newly_fitted(estimator: Any, **parameters: Any) -> Any:
    model = made(estimator, **parameters)
    with warnings.catch_warnings(action="ignore"):
        if estimator in OF_COMPARISONS:
            c = compared()
            if parameters.get("kernel") == "precomputed":
                c = c.with_features(rbf_kernel(c.features))
            return model.fit(c)
        if estimator is pod.PlackettLuce:
            return model.fit(pod.Rankings.from_scores(np.random.default_rng(0).normal(size=(20, 5)).round()))
        X, y = labelled()
        return model.fit(rbf_kernel(X) if parameters.get("kernel") == "precomputed" else X, y)


fitted_once = cache(newly_fitted)


def settings(estimator: Any) -> list[dict[str, Any]]:
    """Parameters that between them set all fitted attributes."""
    names = [parameter.name for parameter in parameters_of(estimator)]
    found: list[dict[str, Any]] = [{}]
    if "kernel" in names:
        found += [{"kernel": kernel} for kernel in ("linear", "rbf", "precomputed")]
    if "scale" in names and estimator is not pod.Elo:
        found.append({"scale": True})
    if "bins" in names:
        found.append({"bins": 3})
    return found


# ------------------------------------------------------------------------------------ docstrings


class Entry(NamedTuple):
    """``name : kind``, and the text below it."""

    name: str
    kind: str
    text: str


def section(docstring: str | None, name: str) -> list[Entry]:
    """The entries of a section of a numpydoc docstring."""
    text = inspect.cleandoc(docstring or "")
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    body = dict(zip(parts[1::2], parts[2::2], strict=True)).get(name, "")
    entries = re.findall(r"^(\S.*)\n((?:[ ]{4}.*\n?|\n(?=[ ]{4}))*)", body + "\n", flags=re.MULTILINE)
    split = [(head.partition(" : "), inspect.cleandoc(text)) for head, text in entries]
    return [Entry(name, kind, text) for (names, _, kind), text in split for name in names.split(", ")]


def said_default(kind: str) -> Any:
    """The value after ``default=``."""
    found = re.search(r"default=(.+)$", kind)
    assert found, kind
    return eval(found[1], {"np": np})


@every_estimator
def test_the_docstring_says_what_it_is_for(estimator: Any) -> None:
    text = inspect.cleandoc(estimator.__doc__)
    headers = re.findall(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    assert headers == ["Parameters", "Attributes", "See Also", "Examples"]
    assert re.search(r"\bUse (it|one)\b", text)
    assert ">>>" in text.partition("Examples\n")[2]


@every_estimator
def test_parameters_are_documented_in_their_order(estimator: Any) -> None:
    entries, parameters = section(estimator.__doc__, "Parameters"), parameters_of(estimator)
    assert [entry.name for entry in entries] == [parameter.name for parameter in parameters]
    for entry, parameter in zip(entries, parameters, strict=True):
        assert entry.kind
        assert entry.text.endswith("."), entry
        if parameter.default is not inspect.Parameter.empty:
            assert said_default(entry.kind) == parameter.default, entry


@every_estimator
def test_fitted_attributes_are_documented(estimator: Any) -> None:
    documented = [entry.name for entry in section(estimator.__doc__, "Attributes")]
    assert len(set(documented)) == len(documented)
    assert all(entry.kind and entry.text for entry in section(estimator.__doc__, "Attributes"))
    models = [fitted(estimator, **each) for each in settings(estimator)]
    learned = {name for model in models for name in vars(model) if re.fullmatch(r"[A-Za-z]\w*_", name)}
    lazy = (property, cached_property)
    learned |= {n for n, m in inspect.getmembers_static(estimator) if n.endswith("_") and isinstance(m, lazy)}
    assert {name for name in learned if not name.startswith("_")} == set(documented)


@every_estimator
def test_methods_document_their_parameters_in_order(estimator: Any) -> None:
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        entries = section(method.__doc__, "Parameters")
        if not name.startswith("_") and method.__module__.startswith("podium") and entries:
            known = list(inspect.signature(method).parameters)[1:]
            assert [entry.name.strip("*") for entry in entries] == known, name
    assert section(estimator.fit.__doc__, "Parameters")
    assert section(estimator.fit.__doc__, "Returns")


# ------------------------------------------------------------------------------------ constructors


@every_estimator
def test_all_but_the_first_parameter_are_keywords(estimator: Any) -> None:
    first, *rest = parameters_of(estimator)
    assert first.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in rest)


def test_shared_parameters_have_one_order() -> None:
    names = [[parameter.name for parameter in parameters_of(each)] for each in ESTIMATORS]
    flat = [name for signature in names for name in signature]
    shared = {name for name in flat if flat.count(name) > 1}
    assert shared <= set(ORDER)
    for signature in names:
        known = [name for name in signature[1:] if name in ORDER]  # the first one is what the model is
        assert known == sorted(known, key=ORDER.index)


@every_estimator
def test_clone_and_parameters(estimator: Any) -> None:
    model = made(estimator)
    given = model.get_params(deep=False)
    assert list(given) == sorted(parameter.name for parameter in parameters_of(estimator))
    twin = clone(model)
    assert twin is not model
    assert repr(twin) == repr(model)
    assert all(getattr(model.set_params(**given), name) is value for name, value in given.items())
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        model.set_params(nonsense=1)
    learned = {name for name in vars(fitted(estimator)) if name.endswith("_")}
    assert not learned & vars(clone(fitted(estimator))).keys()


# ------------------------------------------------------------------------------------ methods


@pytest.mark.parametrize("estimator", OF_COMPARISONS, ids=lambda each: each.__name__)
def test_comparisons_are_called_c(estimator: Any) -> None:
    assert str(inspect.signature(estimator.fit)).startswith("(self, c: ")
    assert list(inspect.signature(estimator.fit).parameters)[1:] == ["c", "y", "sample_weight"]
    for name in ("partial_fit", "update", "decision_function", "predict", "predict_proba", "score"):
        if hasattr(estimator, name):
            assert list(inspect.signature(getattr(estimator, name)).parameters)[1] == "c"


@pytest.mark.parametrize("estimator", [pod.BradleyTerry, pod.Elo, pod.Glicko, pod.Glicko2])
def test_models_of_skill_have_a_leaderboard(estimator: Any) -> None:
    model = fitted(estimator)
    board = model.leaderboard(level=0.9, min_games=1)
    record = compared().record()
    assert board.level == 0.9
    np.testing.assert_array_equal(board.games[np.argsort(board.item)], record.games)
    np.testing.assert_array_equal(board.wins[np.argsort(board.item)], record.wins)


# ------------------------------------------------------------------------------------ fitted attributes


@every_estimator
def test_n_iter_counts_from_1(estimator: Any) -> None:
    for each in settings(estimator):
        n_iter = fitted(estimator, **each).n_iter_
        assert isinstance(n_iter, int)
        assert n_iter >= 1


def test_n_iter_of_passes() -> None:
    c, (X, y) = compared(), labelled()
    assert pod.OnlineSVMRank(epochs=3).fit(c).n_iter_ == 3
    assert pod.OnlineSVMRank(epochs=3).fit(c).partial_fit(c).n_iter_ == 1
    assert pod.OnlineSVC(epochs=3).fit(X, y).n_iter_ == 3
    assert pod.OnlineSVC().partial_fit(X, y, classes=[0, 1, 2]).n_iter_ == 1
    assert pod.LinearCompare().partial_fit(c).n_iter_ == 1


@every_estimator
def test_support_are_positions(estimator: Any) -> None:
    """Of rows of X, of items of the comparisons, or of preferences."""
    for each in settings(estimator):
        model = fitted(estimator, **each)
        if not hasattr(model, "support_"):
            continue
        assert model.support_.ndim == 1
        assert model.support_.dtype.kind == "i"
        if hasattr(model, "support_vectors_"):
            rows = compared().features if estimator in OF_COMPARISONS else labelled()[0].to_numpy()
            np.testing.assert_array_equal(model.support_vectors_, rows[model.support_])
        coefficients = getattr(model, "item_coef_", getattr(model, "dual_coef_", None))
        assert coefficients is not None
        assert estimator is pod.PreferenceGame or len(coefficients) == len(model.support_)


@pytest.mark.parametrize("estimator", [pod.SVMCompare, pod.SVMRank, pod.SwappedPairsSVM, pod.HerbrichSVM])
def test_positions_count_rows_of_weight_0(estimator: Any) -> None:
    model = made(estimator, kernel="rbf")
    if estimator in OF_COMPARISONS:
        c = compared()
        with warnings.catch_warnings(action="ignore"):
            model.fit(c, sample_weight=np.arange(len(c)) % 2)
        rows = c.features
    else:
        X, y = labelled()
        model.fit(X, y, sample_weight=np.arange(len(y)) % 2)
        rows = X.to_numpy()
        assert (model.support_ % 2 == 1).all()
    np.testing.assert_array_equal(model.support_vectors_, rows[model.support_])


# ------------------------------------------------------------------------------------ random_state

DRAWS: dict[Any, dict[str, Any]] = {  # so that the random state matters
    pod.PreferenceGame: {"solver": "sampled", "n_games": 3},
    pod.CodedClassifier: {"code": "sparse"},
    pod.HerbrichSVM: {"partners": 1},
}
SOURCES = [lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)]


def state(model: Any) -> Any:
    return next(getattr(model, name) for name in ("coef_", "strategy_", "code_") if hasattr(model, name))


@pytest.mark.parametrize("estimator", RANDOM, ids=lambda each: each.__name__)
@pytest.mark.parametrize("source", SOURCES)
def test_a_random_state_can_be_repeated(estimator: Any, source: Any) -> None:
    options = DRAWS.get(estimator, {})
    first, second = (fitted(estimator, **options, random_state=source()) for _ in range(2))
    np.testing.assert_array_equal(state(first), state(second))
    if isinstance(first.random_state, int):
        with warnings.catch_warnings(action="ignore"):
            again = first.fit(compared()) if estimator in OF_COMPARISONS else first.fit(*labelled())
        np.testing.assert_array_equal(state(again), state(second))
    fitted(estimator, **options, random_state=None)


@pytest.mark.parametrize("estimator", RANDOM, ids=lambda each: each.__name__)
@pytest.mark.parametrize("wrong", [-1, "seven", 0.5])
def test_a_wrong_random_state_is_named(estimator: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="random_state is None, a whole number of at least 0, a RandomState"):
        fitted(estimator, **DRAWS.get(estimator, {}), random_state=wrong)


@pytest.mark.parametrize("source", SOURCES)
def test_functions_take_any_random_state(source: Any) -> None:
    model = fitted(pod.BradleyTerry)
    X, y = labelled()
    for call in (
        lambda rng: pod.datasets.make_games(5, 20, random_state=rng)[0].left,
        lambda rng: pod.datasets.make_norm_comparisons(20, random_state=rng).features,
        lambda rng: model.bootstrap(5, random_state=rng).samples,
        lambda rng: model.top_probability(random_state=rng, n_draws=50),
        lambda rng: model.leaderboard(bootstrap=5, random_state=rng).low,
        lambda rng: pod.Comparisons.from_labels(X, y, partners=1, random_state=rng).right,
    ):
        np.testing.assert_array_equal(call(source()), call(source()))


def test_none_is_the_global_state_of_numpy() -> None:
    def drawn() -> tuple[Any, Any]:
        np.random.seed(3)  # noqa: NPY002
        return generator(None).random(), fitted(pod.HerbrichSVM, partners=1, random_state=None).coef_

    (first, coef), (second, other) = drawn(), drawn()
    assert first == second
    np.testing.assert_array_equal(coef, other)


# ------------------------------------------------------------------------------------ sentences


@pytest.mark.parametrize("anchor", [{0: 1500}, [0], (0, "high"), (0, 1, 2)])
def test_a_wrong_anchor_is_one_sentence(anchor: Any) -> None:
    with pytest.raises(ValueError, match=r"anchor"):
        fitted(pod.BradleyTerry).leaderboard(anchor=anchor)


@pytest.mark.parametrize("estimator", [pod.SwappedPairsSVM, pod.HerbrichSVM])
def test_text_has_no_order_to_rank_by(estimator: Any) -> None:
    X, y = labelled()
    with pytest.raises(ValueError, match="y is text, such as 'fair', which has no order to rank by"):
        estimator().fit(X, np.array(["fair", "good", "poor"])[y - y[0]])
