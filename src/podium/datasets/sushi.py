"""The sushi preferences of Kamishima, as pairs with features, as in §4.2 of [SVMcompare]."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.random_states import generator
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.datasets.fetched import Home, find_file

SUSHI = ("style", "major", "minor", "oiliness", "freq_eaten", "price", "freq_sold")
PERSON = ("gender", "age", "time", "latitude_until15", "longitude_until15", "latitude_now", "longitude_now")


def fetch_sushi(*, data_home: Home = None, random_state: Any = 0) -> Comparisons:
    """25,000 pairs of sushi rated by 5,000 people: 17,832 ties and 7,168 decisive pairs.

    As in §4.2 of [SVMcompare], the ten sushi that a person rated are sorted by score (worst first; equal
    scores keep their order) and neighbours are paired, which gives five pairs per person. All decisive
    pairs would then have the better side on the right, so a random half of the rows is swapped. There are
    14 features: seven of the sushi and seven of the person, with prefectures as latitude and longitude.
    Those of the person are the same on both sides, so they matter only to nonlinear kernels.

    Licence: the data are for research and must not be redistributed without the permission of their author,
    T. Kamishima (https://www.kamishima.net/sushi/). podium neither ships nor downloads them; the folder must
    contain ``sushi/scores_b.csv.gz``, ``items``, ``users`` and ``prefectures``.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.
    random_state : int, RandomState, Generator or None, default=0
        Which rows are swapped.

    Returns
    -------
    Comparisons
        Grouped by person.
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


def fetch_sushi_orders(which: Literal["a", "b"] = "a", *, data_home: Home = None) -> Rankings:
    """5,000 people rank ten sushi each.

    The licence is that of `fetch_sushi`; the files are ``sushi/orders_a.csv.gz`` and ``orders_b.csv.gz``.

    Parameters
    ----------
    which : {"a", "b"}, default="a"
        ``"a"``: all people rank the same ten sushi. ``"b"``: each person ranks ten of 100 sushi. The two sets
        number their sushi separately.
    data_home : str or path, default=None
        The folder with the data; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    Rankings
    """
    import pandas as pd

    if which not in ("a", "b"):
        raise ValueError(f"which must be 'a' or 'b', not {which!r}")
    orders = pd.read_csv(find_file(f"sushi/orders_{which}.csv.gz", data_home))
    return Rankings.from_lists(orders.drop(columns="user").to_numpy())


def _neighbours(user: NDArray[Any], score: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of rows 1 and 2, 3 and 4, ... of each person's ratings, sorted from the lowest score."""
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
