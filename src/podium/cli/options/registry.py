"""The models that the command line knows, one line each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from inspect import signature
from typing import Any

from podium.cli.output.errors import did_you_mean


class Data(StrEnum):
    """What a model learns from."""

    items = "comparisons of named items"
    rankings = "rankings and choices"
    pairs = "comparisons of things with features"
    rows = "rows with features and a label"


@dataclass(frozen=True)
class Model:
    """A model by the name that users type; its class is imported when it is needed.

    ``given`` are parameters without a default: the names of classes to make them from, without arguments.
    ``tuned`` are the parameters that ``--tune`` chooses, as `podium.cli.options.recipe` says.
    """

    name: str
    path: str
    data: Data
    summary: str
    tuned: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> type[Any]:
        found: type[Any] = imported(self.path)
        return found

    def make(self, parameters: Mapping[str, Any]) -> Any:
        """An estimator that is not fitted yet."""
        made = {name: imported(path)() for name, path in self.given.items()}
        return self.load()(**(made | dict(parameters)))

    def standardizes(self) -> bool:
        """Whether --standardize is for it: a step before it does so, or its parameter ``scale``."""
        own = self.data is Data.pairs and "scale" in signature(self.load()).parameters
        return own or self.data is Data.rows


def imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


LOGISTIC = {"estimator": "sklearn.linear_model:LogisticRegression"}
C, C_AND_GAMMA = ("C",), ("C", "gamma")
OF_ELO = ("k", "advantage", "tie", "regression")
OF_GLICKO, OF_GLICKO2 = (("advantage", "tie", "deviation", more) for more in ("growth", "volatility"))
ALL = (
    Model("bradley-terry", "podium:BradleyTerry", Data.items, "skills with ties and teams"),
    Model("dynamic-bradley-terry", "podium:DynamicBradleyTerry", Data.items, "skills that move"),
    Model("plackett-luce", "podium:PlackettLuce", Data.rankings, "skills with ties of any size"),
    Model("elo", "podium:Elo", Data.items, "ratings that follow the games", OF_ELO),
    Model("glicko", "podium:Glicko", Data.items, "ratings with a deviation", OF_GLICKO),
    Model("glicko2", "podium:Glicko2", Data.items, "glicko with a volatility", OF_GLICKO2),
    Model("svm-compare", "podium:SVMCompare", Data.pairs, "learns from ties", C_AND_GAMMA),
    Model("svm-rank", "podium:SVMRank", Data.pairs, "ranks, then a threshold", C_AND_GAMMA),
    Model("linear-compare", "podium:LinearCompare", Data.pairs, "svm-compare at scale", C),
    Model("svm-compare-lp", "podium:SVMCompareLP", Data.pairs, "by a linear program", C),
    Model("online-svm-rank", "podium:OnlineSVMRank", Data.pairs, "svm-rank as a stream", C),
    Model("swapped-pairs-svm", "podium:SwappedPairsSVM", Data.rows, "ranks, on all pairs", C_AND_GAMMA),
    Model("herbrich-svm", "podium:HerbrichSVM", Data.rows, "ranks, on some pairs", C_AND_GAMMA),
    Model("ordinal-svm", "podium:OrdinalSVM", Data.rows, "ordered classes", C_AND_GAMMA),
    Model("online-svc", "podium:OnlineSVC", Data.rows, "classes, as a stream", C),
    Model("preference-game", "podium:PreferenceGame", Data.rows, "classes, by a game"),
    Model(
        "coded-classifier",
        "podium:CodedClassifier",
        Data.rows,
        "class probabilities of logistic regressions",
        given=LOGISTIC,
    ),
)
MODELS = {model.name: model for model in ALL}
FITTED = [model.name for model in ALL if model.data is not Data.rankings]  # by 'podium fit' and 'compare'


def find_model(name: str, listed: Iterable[str] = tuple(MODELS)) -> Model:
    """The model of this name, or the only one whose name begins so; the error lists names to choose from."""
    if name in MODELS:
        return MODELS[name]
    if len(begun := [known for known in MODELS if known.startswith(f"{name}-")]) == 1:
        return MODELS[begun[0]]
    listed = list(listed)
    raise ValueError(f"there is no model '{name}' among {', '.join(listed)}{did_you_mean(name, listed)}")


def find_fitted(name: str) -> Model:
    """The model of this name; an error if only 'podium rank' takes its data."""
    model = find_model(name, FITTED)
    if model.data is Data.rankings:
        made = model.path.replace(":", ".")
        raise ValueError(f"{model.name} learns from rankings; use 'podium rank FILE', or {made} in Python")
    return model


def fit_to(estimator: Any, data: Any) -> Any:
    """Fit to comparisons, or to rows and their labels."""
    given, queries = _arguments(estimator, data)
    return estimator.fit(*given, **queries)


def score_on(estimator: Any, data: Any) -> float:
    """The share of comparisons or classes predicted right, or of pairs of rows in the right order."""
    if hasattr(estimator, "steps"):  # the score of a pipeline would not know the queries
        from podium.evaluation.scoring import without_steps

        estimator, features = without_steps(estimator, data.features)
        data = replace(data, features=features)
    given, queries = _arguments(estimator, data)
    return float(estimator.score(*given, **queries))


def _arguments(estimator: Any, data: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Comparisons, or rows and labels, with queries if the model takes them."""
    from podium.comparisons.table import Comparisons

    if isinstance(data, Comparisons):
        return (data,), {}
    from sklearn.utils.validation import has_fit_parameter

    name, last = getattr(estimator, "steps", [("", estimator)])[-1]
    queried = data.query is not None and has_fit_parameter(last, "qid")
    return (data.features, data.label), {f"{name}__qid".lstrip("_"): data.query} if queried else {}
