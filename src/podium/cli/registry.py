"""The models that the command line knows, a line each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from importlib import import_module
from typing import Any


class Data(StrEnum):
    """What a model learns from."""

    items = "comparisons of named items"
    pairs = "comparisons of things with features"
    rows = "rows with features and a label"


@dataclass(frozen=True)
class Model:
    """A model by the name that users type; it is imported when it is needed.

    ``given`` are parameters that have no default, as names of classes that are made without arguments.
    ``tuned`` are the parameters that ``--tune`` searches, over the values in `podium.cli.tuning`.
    """

    name: str
    path: str
    data: Data
    summary: str
    tuned: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> type[Any]:
        found: type[Any] = _imported(self.path)
        return found

    def make(self, parameters: Mapping[str, Any]) -> Any:
        """An estimator that is not fitted yet."""
        made = {name: _imported(path)() for name, path in self.given.items()}
        return self.load()(**(made | dict(parameters)))


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


LOGISTIC = {"estimator": "sklearn.linear_model:LogisticRegression"}
C, C_AND_GAMMA = ("C",), ("C", "gamma")
HOME = "podium.models"
ALL = (
    Model("bradley-terry", f"{HOME}.bradley_terry:BradleyTerry", Data.items, "skills with ties and teams"),
    Model("elo", "podium.ratings:Elo", Data.items, "ratings that follow the games"),
    Model("glicko", "podium.ratings:Glicko", Data.items, "ratings with a deviation"),
    Model("svm-compare", f"{HOME}.svm_compare:SVMCompare", Data.pairs, "learns from ties", C_AND_GAMMA),
    Model("svm-rank", f"{HOME}.svm_rank:SVMRank", Data.pairs, "ranks, then a threshold", C_AND_GAMMA),
    Model("linear-compare", f"{HOME}.linear_compare:LinearCompare", Data.pairs, "svm-compare at scale", C),
    Model("svm-compare-lp", f"{HOME}.svm_compare_lp:SVMCompareLP", Data.pairs, "by a linear program", C),
    Model("online-svm-rank", f"{HOME}.online:OnlineSVMRank", Data.pairs, "svm-rank as a stream", C),
    Model(
        "swapped-pairs-svm",
        f"{HOME}.swapped_pairs:SwappedPairsSVM",
        Data.rows,
        "ranks, on all pairs",
        C_AND_GAMMA,
    ),
    Model("herbrich-svm", f"{HOME}.herbrich:HerbrichSVM", Data.rows, "ranks, on some pairs", C_AND_GAMMA),
    Model("ordinal-svm", f"{HOME}.ordinal:OrdinalSVM", Data.rows, "ordered classes", C_AND_GAMMA),
    Model("online-svc", f"{HOME}.online_svc:OnlineSVC", Data.rows, "classes, as a stream", C),
    Model("preference-game", f"{HOME}.preference_game:PreferenceGame", Data.rows, "classes, by a game"),
    Model(
        "coded-classifier",
        f"{HOME}.coded_classifier:CodedClassifier",
        Data.rows,
        "class probabilities of logistic regressions",
        given=LOGISTIC,
    ),
)
MODELS = {model.name: model for model in ALL}


def find_model(name: str) -> Model:
    """The model of this name, or a sentence that has all of them."""
    if name in MODELS:
        return MODELS[name]
    close = get_close_matches(name, MODELS, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise ValueError(f"there is no model '{name}' among {', '.join(MODELS)}{hint}")
