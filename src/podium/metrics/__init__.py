"""How good predictions of comparisons and rankings are.

Every metric also takes arrays on a device, such as those of torch and CuPy. They are copied to NumPy, since
they have only one number per row. Numbers come back as floats, curves as arrays on the same device.
"""

from typing import Any

from podium.metrics.agreement import krippendorff_alpha
from podium.metrics.calibration import Bins, calibration_bins, equal_bins
from podium.metrics.comparisons import (
    baseline_auc,
    comparison_auc,
    comparison_error,
    comparison_roc_curve,
    log_loss,
)
from podium.metrics.ordered import ndcg, ndcg_scorer, swapped_pairs

__all__ = [
    "Bins",
    "baseline_auc",
    "calibration_bins",
    "comparison_auc",
    "comparison_error",
    "comparison_roc_curve",
    "equal_bins",
    "krippendorff_alpha",
    "log_loss",
    "ndcg",
    "ndcg_scorer",
    "swapped_pairs",
]


def __getattr__(name: str) -> Any:
    """Make ``swapped_pairs_scorer``, a scikit-learn scorer of minus the share of swapped pairs.

    ``set_score_request(qid=True)`` routes groups to it. Each access makes a new scorer, so that such requests
    are not shared.
    """
    if name == "swapped_pairs_scorer":
        from sklearn.metrics import make_scorer

        return make_scorer(swapped_pairs, greater_is_better=False)
    raise AttributeError(f"module 'podium.metrics' has no attribute '{name}'")
