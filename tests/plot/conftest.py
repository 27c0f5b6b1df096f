import pytest

from podium import Comparisons, datasets
from podium.comparers.svm_compare_lp import SVMCompareLP


@pytest.fixture(scope="module")
def pairs() -> Comparisons:
    return datasets.make_norm_comparisons(60, norm=1, random_state=0)


@pytest.fixture(scope="module")
def model(pairs: Comparisons) -> SVMCompareLP:
    return SVMCompareLP("rbf", C=0.05, gamma=0.1).fit(pairs)
