"""Comparisons with several groups: judges and prompts, kept by everything that makes other tables of them."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium import Comparisons

ROWS: Any = (["a", "b", "c", "a"], ["b", "c", "a", "b"], [1, -1, 0, 1])
JUDGES, PROMPTS = ["x", "y", "x", "x"], [1, 2, 1, 2]


def two() -> Comparisons:
    return Comparisons.from_arrays(*ROWS, group={"prompt": PROMPTS, "judge": JUDGES})


def labels(c: Comparisons) -> dict[str, list[Any]]:
    return {name: known[codes].tolist() for name, (codes, known) in c.groupings.items()}


def test_the_judge_comes_first_and_code_for_one_group_sees_it() -> None:
    c = two()
    one = Comparisons.from_arrays(*ROWS, group=JUDGES)
    np.testing.assert_array_equal(c.group, one.group)
    np.testing.assert_array_equal(c.groups, one.groups)
    assert c.group_names == ("judge", "prompt")
    assert labels(c) == {"judge": JUDGES, "prompt": PROMPTS}
    assert labels(one) == {"group": JUDGES}
    first = Comparisons.from_arrays(*ROWS, group={"prompt": PROMPTS, "season": JUDGES})
    assert first.group_names == ("prompt", "season")
    assert "groups: 2 of judge, 2 of prompt" in repr(c)


def test_other_tables_keep_all_groups() -> None:
    c = two()
    assert c != Comparisons.from_arrays(*ROWS, group={"prompt": PROMPTS[::-1], "judge": JUDGES})
    assert pickle.loads(pickle.dumps(c)) == c
    assert pod.concat([c[:2], c[2:]]) == c
    assert labels(c[[3, 1]]) == {"judge": ["x", "y"], "prompt": [2, 2]}
    assert labels(c.with_items(np.array(["c", "b", "a"]))) == labels(c) == labels(c.swap())
    assert c.aggregate().groupings == {}
    assert len(c.aggregate(by_group=True)) == 4  # rows 0 and 3 have different prompts
    assert c.to_frame()[["judge", "prompt"]].to_dict("list") == labels(c)
    features = np.arange(8.0).reshape(4, 2)
    described = Comparisons.from_features(features, features + 1, ROWS[2], group={"prompt": PROMPTS})
    assert labels(described) == {"prompt": PROMPTS}
    more = Comparisons.from_arrays(["z"], ["a"], [1], group={"judge": ["q"], "prompt": [0]})
    assert labels(pod.concat([c, more])) == {"judge": [*JUDGES, "q"], "prompt": [*PROMPTS, 0]}


@pytest.mark.parametrize("counted", [False, True])
def test_several_columns_are_read(tmp_path: Path, counted: bool) -> None:
    frame = two().to_frame()
    c = pod.read_comparisons(frame, group=["prompt", "judge"], counted=counted)
    assert c.group_names == ("judge", "prompt")
    assert str(c.columns).endswith("judge (group), prompt (group)")
    assert sorted(zip(*labels(c).values(), strict=True)) == sorted(zip(JUDGES, PROMPTS, strict=True))
    named = pod.read_comparisons(frame, group={"judge": "prompt", "voter": "judge"}, counted=counted)
    assert sorted(labels(named)["judge"]) == sorted(PROMPTS)
    frame.loc[1, "prompt"] = None
    with pytest.warns(UserWarning, match="nothing in 'prompt'"):
        assert len(pod.read_comparisons(frame, group=["judge", "prompt"], bad_rows="skip")) == 3


def test_groups_of_other_tables_and_names_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="'judge' has 1 rows where 4 rows are expected"):
        Comparisons.from_arrays(*ROWS, group={"judge": ["x"]})
    with pytest.raises(ValueError, match="group= has 'left'"):
        Comparisons.from_arrays(*ROWS, group={"left": JUDGES})
    with pytest.raises(ValueError, match="group= has 'length'"):
        Comparisons.from_arrays(*ROWS, group={"length": JUDGES}, covariates={"length": [1, 2, 3, 4]})
    other = Comparisons.from_arrays(*ROWS, group=JUDGES)
    with pytest.raises(ValueError, match="groups of table 2 are without a name and those of table 1 judge"):
        pod.concat([two(), other])
    with pytest.raises(ValueError, match="different ones"):
        pod.read_comparisons(two().to_frame(), group=["judge", "judge"])
    with pytest.raises(ValueError, match="there is no column 'jury'"):
        pod.read_comparisons(two().to_frame(), group={"judge": "jury"})


def test_reading_says_its_groups_in_json() -> None:
    from podium.options import FeatureReading, groups_in

    said = FeatureReading(group=groups_in(["judge=worker", "prompt"])).remembered()
    assert json.loads(json.dumps(said)) == {"group": {"judge": "worker", "prompt": "prompt"}}
    with pytest.raises(ValueError, match="--group names different columns, not judge and judge"):
        groups_in(["judge", "judge"])
