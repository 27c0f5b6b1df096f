"""Features of two sides, and labelled rows."""

from pathlib import Path

import pandas as pd
import pytest

from podium import read_comparisons
from podium.comparisons.features import is_sparse
from podium.reading.features import read_rows

ROWS = pd.DataFrame({"qid": [1, 1, 2], "a": [0.5, 1, 2], "b": [1, 2, 3], "grade": [0, 2, 1]})


def test_described_sides_that_have_names_too() -> None:
    table = pd.DataFrame(
        {
            "white": ["x", "y"],
            "black": ["y", "x"],
            "left_age": [1, 2],
            "right_age": [2, 1],
            "result": ["left", "tie"],
        }
    )
    c = read_comparisons(table, features=True)
    assert c.feature_names == ("age",)
    assert c.features[c.left].ravel().tolist() == [1, 2]


def test_scores_of_the_sides_are_no_features() -> None:
    table = pd.DataFrame({"left_x": [1, 2], "right_x": [2, 1], "left_pts": [3, 1], "right_pts": [0, 1]})
    c = read_comparisons(table, features=True, outcome=("left_pts", "right_pts"))
    assert c.feature_names == ("x",)
    assert c.outcome is not None
    assert c.outcome.tolist() == [-1, 0]


def test_no_features_names_the_columns() -> None:
    with pytest.raises(ValueError, match=r"no features: .* the columns are 'left', 'right', 'outcome'"):
        read_comparisons(pd.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]}), features=True)


def test_rows() -> None:
    rows = read_rows(ROWS)
    assert rows.feature_names == ("a", "b")
    assert rows.label is not None
    assert rows.query is not None
    assert rows.label.tolist() == [0, 2, 1]
    assert rows.query.tolist() == [0, 0, 1]
    part = rows[[2, 0]]
    assert part.label is not None
    assert (len(part), part.features[:, 0].tolist(), part.label.tolist()) == (2, [2, 0.5], [1, 0])


def test_rows_without_labels() -> None:
    assert read_rows(ROWS, label=False).label is None
    assert read_rows(ROWS, label=False).feature_names == ("a", "b")
    assert read_rows(ROWS.drop(columns="grade"), label=False, features=["b"]).features.ravel().tolist() == [
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("cells", "expected"), [("1\n2", [1, 2]), ("1.5\n2", [1.5, 2]), ("a\n2", ["a", "2"])]
)
def test_labels_of_a_text_file(cells: str, expected: list[object], tmp_path: Path) -> None:
    first, second = cells.split("\n")
    (tmp_path / "rows.csv").write_text(f"x,class\n1,{first}\n2,{second}\n")
    label = read_rows(tmp_path / "rows.csv").label
    assert label is not None
    assert label.tolist() == expected


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (ROWS, {"label": "z"}, "there is no column 'z'"),
        (ROWS, {"features": ["z"]}, "there is no column 'z'"),
        (ROWS.assign(label=1), {}, "which column holds the label is not clear"),
        (ROWS.drop(columns="grade"), {}, "which column holds the label is not clear"),
        (ROWS[["grade"]], {}, "no columns to use as features"),
        (ROWS[:0], {}, "no rows"),
        (ROWS.assign(a=["x", "y", "z"]), {}, "'x' at row 1 .* features, unless features= names some"),
        (ROWS.assign(a=["x", "y", "z"]), {"features": ["a"]}, "where a number should be$"),
        (ROWS.assign(a=[1, None, 2]), {}, "'a' is missing .*at row 2 .* where='\"a\" is not null'"),
        (
            ROWS.assign(grade=["x", None, "y"]),
            {},
            "'grade' is missing at row 2 .* where='\"grade\" is not null'",
        ),
    ],
)
def test_bad_rows(table: pd.DataFrame, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rows(table, **options)  # type: ignore[arg-type]


def test_a_feature_of_one_side_alone_is_an_error() -> None:
    offers = {
        "left_cost": [1.0],
        "left_size": [2.0],
        "right_price": [3.0],
        "right_size": [4.0],
        "outcome": ["tie"],
    }
    with pytest.raises(ValueError, match="column 'left_cost' has no partner 'right_cost'"):
        read_comparisons(pd.DataFrame(offers), features=True)


def test_blanks_around_labels_and_queries(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x,qid,grade\n1,q1,2\n2, q1,1 \n3,q2 , 0\n")
    rows = read_rows(tmp_path / "rows.csv")
    assert rows.label is not None
    assert rows.query is not None
    assert (rows.label.tolist(), rows.query.tolist()) == ([2, 1, 0], [0, 0, 1])
    words = pd.DataFrame({"x": [1, 2, 3], "class": pd.Categorical(["a", "a ", "b"])})
    label = read_rows(words).label
    assert label is not None
    assert label.tolist() == ["a", "a", "b"]
    (tmp_path / "rows.csv").write_text("x,class\n1,a\n2,  \n")
    with pytest.raises(ValueError, match=r"'class' is missing at row 2 \(line 3 of '.*rows\.csv'\)"):
        read_rows(tmp_path / "rows.csv")


def test_rows_are_counted_as_the_file_counts_them(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("Rows of May\nx,grade\n1,1\n2,0\nsmall,1\n")
    for where in (None, "grade = 1"):
        with pytest.raises(ValueError, match=r"'small'.* at row \d \(line 5 of '.*rows\.csv'\)"):
            read_rows(tmp_path / "rows.csv", where=where)


HUGE = 2**31 - 1


def svmlight(folder: Path, text: str) -> Path:
    (folder / "rows.svm").write_text(text)
    return folder / "rows.svm"


def test_large_numbers_of_features_cost_no_more_than_small_ones(tmp_path: Path) -> None:
    path = svmlight(tmp_path, f"0 1:1 {HUGE}:3\n1 2:2\n")
    rows = read_rows(path)
    assert rows.feature_names == ("1", "2", str(HUGE))
    assert rows.features.tolist() == [[1, 0, 3], [0, 2, 0]]
    some = read_rows(path, features=[str(HUGE), "7"]).features
    assert (some.toarray() if is_sparse(some) else some).tolist() == [[3, 0], [0, 0]]


def test_svmlight_files_have_encodings(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    for encoding, given in (("utf-16", "utf-8"), ("utf-16-le", "utf-16-le")):
        path.write_text("0 qid:1 1:1\n1 qid:1 2:2\n", encoding=encoding)
        rows = read_rows(path, encoding=given)
        assert rows.features.tolist() == [[1, 0], [0, 2]]
        assert rows.query is not None
    with pytest.raises(ValueError, match="UTF-16 without a mark that says so; say encoding='utf-16-le'"):
        read_rows(path)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (f"1 {HUGE + 1}:1", r"the number of a feature is above 2,147,483,647 \(line 3\)"),
        ("1 99999999999999999999:1", r"the number of a feature is above 2,147,483,647 \(line 3\)"),
        ("x 1:1", r"\(line 3\)"),
        ("inf 1:1", "a label or feature of '.*' is missing or infinite at row 2"),
        ("1 1:nan", "a label or feature of '.*' is missing or infinite at row 2"),
    ],
)
def test_bad_svmlight_rows_are_named(bad: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_rows(svmlight(tmp_path, f"# rows\n0 1:1\n{bad}\n1 2:1\n"))
