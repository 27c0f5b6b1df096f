"""The sushi preferences of Kamishima, as the pairs with features that [SVMcompare] §4.2 learns from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons
from podium.datasets.home import Home, find_file

SUSHI = ("style", "major", "minor", "oiliness", "freq_eaten", "price", "freq_sold")
PERSON = (
    "gender",
    "age",
    "time",
    "latitude_until15",
    "longitude_until15",
    "latitude_now",
    "longitude_now",
)


def fetch_sushi(*, data_home: Home = None, random_state: Any = 0) -> Comparisons:
    """25,000 pairs of sushi rated by 5,000 people: 17,832 ties and 7,168 of which one is better.

    Licence: the data are for research, and must not be redistributed without the permission of their author,
    T. Kamishima (https://www.kamishima.net/sushi/). podium neither ships nor downloads them; ``data_home``
    (or ``PODIUM_DATA``) names the folder that has ``sushi/scores_b.csv.gz``, ``items``, ``users`` and
    ``prefectures``.

    As in [SVMcompare] §4.2, the ten sushi that a person rated are sorted by score (stable, worst first) and
    neighbours are paired, five pairs a person. Every pair that is no tie then points to the right, which a
    model must not learn: a random half of the rows is turned round, by ``random_state``. The 14 features are
    seven of the sushi and seven of the person, prefectures being latitude and longitude; those of the person
    are the same on both sides, and so matter only to kernels that are not linear. The person is the group.
    """
    import pandas as pd

    tables = {
        name: pd.read_csv(find_file(f"sushi/{name}.csv.gz", data_home))
        for name in ("scores_b", "items", "users", "prefectures")
    }
    scores = tables["scores_b"]
    user, item, score = (scores[name].to_numpy() for name in ("user", "item", "y"))
    left, right = _neighbours(user, score)
    outcome = np.sign(score[right] - score[left]).astype(np.int8)
    rng = generator(random_state)
    turned = np.zeros(len(left), dtype=bool)
    turned[rng.permutation(len(left))[: len(left) // 2]] = True
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    X = np.hstack([_sushi_features(tables["items"])[item], _person_features(tables)[user]])
    return Comparisons.from_features(
        X[left],
        X[right],
        np.where(turned, -outcome, outcome),
        group=user[left],
        feature_names=[*SUSHI, *PERSON],
    )


def _neighbours(user: NDArray[Any], score: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows 1 and 2, 3 and 4, ... of everybody's ratings from the lowest to the highest score."""
    order = np.lexsort((score, user))  # stable: equal scores stay in the order of the file
    return order[0::2], order[1::2]


def _sushi_features(items: Any) -> NDArray[np.float64]:
    return np.asarray(items.sort_values("item")[list(SUSHI)].to_numpy(dtype=np.float64))


def _person_features(tables: dict[str, Any]) -> NDArray[np.float64]:
    users = tables["users"].sort_values("user")
    place = tables["prefectures"].sort_values("prefecture")[["latitude", "longitude"]].to_numpy()
    columns = [users[["gender", "age", "time"]].to_numpy()]
    columns += [place[users[name].to_numpy()] for name in ("prefecture_until15", "prefecture_now")]
    return np.hstack(columns).astype(np.float64)
