"""Every error is one sentence and exit code 2: no traceback, no half-written file, no leftover file.

After Ctrl-C the code is 130.
"""

import contextlib
import errno
import gzip
import json
import os
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import podium as pod
from podium.cli.options.registry import MODELS
from podium.cli.output.errors import ON_SCREEN, sentences
from podium.comparisons.messages import InputWarning
from tests.cli.runs import CHESS, done, offers, podium, sentence, write_offers


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valid and invalid files."""
    folder = tmp_path_factory.mktemp("template")
    with contextlib.chdir(folder):
        _write_files(folder)
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a copy of these files."""
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_files(folder: Path) -> None:
    write_offers(folder).rename("offers.csv")
    frame = offers()[0]
    done("fit", "offers.csv", "--model", "linear-compare", "--save", "linear.skops")
    done("fit", CHESS, "--model", "bradley-terry", "--save", "chess.skops")
    Path("text.skops").write_text("this is no model")
    Path("cut.skops").write_bytes(Path("chess.skops").read_bytes()[:2000])
    _edited("chess.skops", "old.skops", podium="0.0.1")
    pod.save(pod.Elo().fit(pod.datasets.load_chess_club()), "python.skops")
    pod.save(pod.BradleyTerry().fit(pod.datasets.load_chess_club()).fit_, "part.skops")
    Path("empty.csv").touch()
    Path("header.csv").write_text("left_x,right_x,outcome\n")
    Path("binary.csv").write_bytes(bytes(range(256)) * 20)
    Path("cut.csv.gz").write_bytes(gzip.compress(Path("offers.csv").read_bytes())[:900])
    Path("not.csv.gz").write_bytes(Path("offers.csv").read_bytes())
    Path("twice.csv").write_text("left_x,left_x,right_x,outcome\n1,2,3,left\n")
    Path("ragged.csv").write_text("left_x,right_x,outcome\n1,2,left\n1,2\n")
    Path("words.csv").write_text("left_x,right_x,outcome\n1,2,left\n1,two,right\n")
    Path("missing.csv").write_text("left_x,right_x,outcome\n1,2,left\n1,,right\n")
    Path("strange.csv").write_text("left_x,right_x,outcome\n1,2,left\n1,2,perhaps\n")
    Path("one.csv").write_text("left_x,right_x,outcome\n1,2,left\n")
    Path("names.csv").write_text("left,right,outcome\na,b,left\nb,a,right\n")
    Path("strangers.csv").write_text("white,black,result\nXia,Yve,1-0\n")
    Path("grades.csv").write_text("a,b\n1,2\n")
    Path("graded.csv").write_text("x,y\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n")
    Path("few.csv").write_text("x,y\n1,0\n2,1\n")
    Path("data.xlsx").write_bytes(b"PK")
    frame.drop(columns="left_y").to_csv("narrow.csv", index=False)
    frame.drop(columns="outcome").to_csv("blind.csv", index=False)
    Path("subfolder").mkdir()
    Path("folder/inner.csv").mkdir(parents=True)
    Path("loop.csv").symlink_to("loop.csv")
    Path("dangling.csv").symlink_to("gone.csv")
    Path("homeless.csv").symlink_to("nowhere/new.csv")
    Path("zones.csv").write_text(
        "left,right,outcome,t\na,b,left,2021-01-01T10:00Z\nb,a,left,2021-01-02T10:00\n"
    )
    Path("heavy.csv").write_text("left,right,outcome,weight\na,b,left,1\nb,a,left,1e200\n")
    Path("steered.csv").write_text("\x1b[31mleft,right,outcome\na,b,left\n")


def _edited(old: str, new: str, **facts: str) -> None:
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "podium.json":
                content = json.dumps(json.loads(content) | facts).encode()
            target.writestr(name, content)


FIT = "--model svm-compare --save new.skops"
BAD = {
    # wrong command lines
    "nothing-like-it offers.csv": "no such command 'nothing-like-it'",
    "fit": "missing",
    "fit offers.csv": "missing option",
    "fit offers.csv --model": "requires an argument",
    f"fit offers.csv {FIT} --kernel rbf": "no such option: --kernel",
    "fit offers.csv --model svm --save new.skops": "there is no model 'svm' among bradley-terry, ",
    f"fit offers.csv {FIT} --set c=1": "did you mean 'C'?",
    f"fit offers.csv {FIT} --set C=much": "--set C takes a number, not 'much'",
    f"fit offers.csv {FIT} --set C=-1": "above 0",
    f"fit offers.csv {FIT} --set C=nan": "above 0",
    "fit offers.csv --model svm-compare-lp --set C=1e300 --save new.skops": "found no solution",
    f"fit offers.csv {FIT} --set C": "--set takes NAME=VALUE",
    f"fit offers.csv {FIT} --set class_weight=[1]": "an object in JSON",
    f"fit offers.csv {FIT} --outcome-format maybe": "invalid value",
    f"fit {CHESS} --model bradley-terry --tune --save new.skops": "bradley-terry has nothing to tune",
    "evaluate linear.skops offers.csv --level 2": "between 0 and 1",
    "evaluate linear.skops offers.csv --bootstrap few": "should be a valid integer",
    "compare offers.csv --level 0": "between 0 and 1",
    "compare offers.csv --bootstrap -1": "invalid value for '--bootstrap'",
    "compare offers.csv --folds 1": "invalid value for '--folds'",
    "compare offers.csv --folds 1000": "1000 folds need more than 80 rows",
    "compare offers.csv --time outcome": "where a number or a date should be",
    f"compare {CHESS} --time season --folds 3": "give one of them",
    f"compare {CHESS} --time season --test-share 2": "between 0 and 1",
    "compare graded.csv --model online-svc --time x": "--time is for comparisons",
    "compare graded.csv --model online-svc --model elo": "learn from different files",
    "compare graded.csv --label y": "name the models of labelled rows",
    "fit graded.csv --model online-svc --calibrate --save new.skops": "--calibrate is for comparisons",
    "fit graded.csv --model preference-game --tune --save new.skops": "preference-game has nothing to tune",
    "fit few.csv --model online-svc --tune --save new.skops": "--tune needs more than 2 rows",
    "fit graded.csv --model online-svc --label z --save new.skops": "there is no column 'z'",
    "compare offers.csv --model elo": "names no items",
    "compare offers.csv --model elo --model svm-rank": "with names and --items",
    "models svm": "there is no model 'svm'",
    f"rank {CHESS} --anchor Ada=nan": "the score of the anchor must be a finite number, not nan",
    f"rank {CHESS} --anchor Ada=inf": "must be a finite number",
    f"rank {CHESS} --anchor Ada=": "'' is no number",
    f"rank {CHESS} --anchor Ada=much": "'much' is no number",
    f"rank {CHESS} --anchor Nobody": "there is no item 'Nobody'",
    f"rank {CHESS} --anchor =5": "there is no item '=5'",
    f"rank {CHESS} --seed 3": "say with --bootstrap how many",
    f"rank {CHESS} --bootstrap 20 --seed -1": "invalid value for '--seed'",
    f"rank {CHESS} --bootstrap 1000000000": "invalid value for '--bootstrap'",
    f"rank {CHESS} --bootstrap 1": "at least 2 replicates",
    f"rank {CHESS} --level 95": "must be between 0 and 1",
    f"rank {CHESS} --level nan": "must be between 0 and 1",
    f"rank {CHESS} --min-games -1": "invalid value for '--min-games'",
    f"rank {CHESS} --min-games nan": "invalid value for '--min-games'",
    f"rank {CHESS} --prior nan": "finite number of at least 0",
    f"rank {CHESS} --prior some": "--prior is 'auto', 'normal' or a number",
    f"rank {CHESS} --weight 2": "there is no column '2'",
    f"rank {CHESS} --time result": "'1-0' at row 1",
    f"rank {CHESS} --left white": "--right is not given",
    f"rank {CHESS} --left white --right white": "is compared with itself",
    f"rank {CHESS} --encoding base64": "there is no --encoding 'base64'",
    f"rank {CHESS} --encoding utf-16": "is not encoded in utf-16",
    f"rank {CHESS} --set ties=half --ties half": "say the same",
    f"rank {CHESS} --set max_iter=1e9": "takes a whole number",
    f"fit offers.csv {FIT} --set C=1 --set C=2": "--set C is given twice",
    f"fit offers.csv {FIT} --set =1": "no parameter ''",
    f"fit offers.csv {FIT} --set gamma=inf": "gamma is",
    "evaluate linear.skops offers.csv --seed -1": "invalid value for '--seed'",
    "compare offers.csv --seed -1": "invalid value for '--seed'",
    f"compare {CHESS} --time season --test-share nan": "between 0 and 1, not nan",
    # wrong targets
    "fit offers.csv --model svm-compare --save new.pkl": "saved as .skops",
    "fit offers.csv --model svm-compare --save nowhere/new.skops": "there is no folder",
    "fit offers.csv --model svm-compare --save offers.csv/new.skops": "there is no folder",
    "predict linear.skops offers.csv --out new.xlsx": "ends in none of",
    "predict linear.skops offers.csv --out nowhere/new.csv": "there is no folder",
    "evaluate linear.skops offers.csv --out new.txt": "ends in none of",
    "compare offers.csv --out nowhere/new.csv": "there is no folder",
    "evaluate linear.skops offers.csv --report new.pdf": "ends in none of .html",
    "compare offers.csv --report nowhere/new.html": "there is no folder",
    f"rank {CHESS} --out nowhere/new.csv": "there is no folder",
    f"rank {CHESS} --out loop.csv": "a link that leads back to itself",
    f"rank {CHESS} --out homeless.csv": "there is no folder",
    f"rank {CHESS} --out subfolder": "ends in none of",
    f"rank {CHESS} --out folder/inner.csv": "is a directory",
    "demo --picture nowhere/new.png": "there is no folder",
    # wrong data files
    f"fit gone.csv {FIT}": "there is no file 'gone.csv'",
    f"fit subfolder {FIT}": "there is no table in the folder 'subfolder'; podium reads .csv",
    f"fit data.xlsx {FIT}": "'data.xlsx' cannot be read as a workbook",
    f"fit empty.csv {FIT}": "is empty",
    f"fit header.csv {FIT}": "no rows",
    f"fit binary.csv {FIT}": "'binary.csv'",
    f"fit cut.csv.gz {FIT}": "not a whole compressed file",
    f"fit not.csv.gz {FIT}": "not a whole compressed file",
    f"fit twice.csv {FIT}": "more than once",
    f"fit ragged.csv {FIT}": "line 3 of 'ragged.csv'",
    f"fit words.csv {FIT}": "'two' at row 2",
    f"fit missing.csv {FIT}": "'right_x' is missing at row 2",
    f"fit strange.csv {FIT}": "'perhaps' at row 2",
    f"fit names.csv {FIT}": "the two sides have no features",
    f"fit one.csv {FIT} --tune": "--tune needs more than 1 comparisons",
    f"fit offers.csv {FIT} --feature z": "there is no column 'left_z'",
    f"fit offers.csv {FIT} --encoding klingon": "there is no --encoding 'klingon'",
    f"fit names.csv {FIT} --items gone.csv": "there is no file 'gone.csv'",
    f"fit names.csv {FIT} --items grades.csv": "which column names the items",
    "fit offers.csv --model bradley-terry --save new.skops": "names no items",
    "rank empty.csv": "is empty",
    "rank offers.csv": "learn what makes one side better with 'podium fit FILE",
    "rank cut.csv.gz": "not a whole compressed file",
    "rank loop.csv": "'loop.csv' is a link that leads to no file",
    "rank dangling.csv": "'dangling.csv' is a link that leads to no file",
    "rank fold*": "there is no file among what 'fold*' matches",
    "rank folder/*.csv": "there is no file among what",
    "rank names.csv names.csv": "'names.csv' is named twice",
    "rank names.csv nam*.csv": "'names.csv' is named twice",
    "rank names.csv offers.csv": "has another header",
    "rank /dev/null": "is a pipe or a device",
    "rank .": "read one kind at a time",
    "rank zones.csv --time t": "(line 3 of 'zones.csv') where a date like '2021-01-01T10:00Z' should be",
    "rank heavy.csv": "the weight 1e+200 at row 2 (line 3 of 'heavy.csv') is above 1e+15",
    "rank steered.csv": "out of '\\x1b[31mleft', 'right', 'outcome'",
    "predict linear.skops narrow.csv --out new.csv": "there is no column 'left_y'",
    "predict linear.skops gone.csv --out new.csv": "there is no file 'gone.csv'",
    "evaluate linear.skops blind.csv": "no column is known to hold the outcome",
    "evaluate chess.skops strangers.csv": "the model has seen none of these items",
    "compare blind.csv": "no column is known to hold the outcome",
    # wrong model files
    "predict gone.skops offers.csv --out new.csv": "there is no file 'gone.skops'",
    "predict subfolder offers.csv --out new.csv": "is a directory",
    "predict offers.csv offers.csv --out new.csv": "is not a model saved by podium",
    "predict text.skops offers.csv --out new.csv": "is not a model saved by podium",
    "predict cut.skops offers.csv --out new.csv": "is not a model saved by podium",
    "predict old.skops offers.csv --out new.csv": "was saved by podium 0.0.1",
    "predict python.skops offers.csv --out new.csv": "this file describes its two sides by features",
    "evaluate old.skops offers.csv": "was saved by podium 0.0.1",
    f"predict part.skops {CHESS} --out new.csv": "was not saved by 'podium fit'",
    f"evaluate part.skops {CHESS}": "was not saved by 'podium fit'",
    f"score part.skops {CHESS}": "was not saved by 'podium fit'",
}  # fmt: skip


def contents(folder: Path) -> dict[str, bytes | None]:
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


@pytest.mark.parametrize(("line", "said"), BAD.items(), ids=BAD)
def test_bad_command_lines_and_files(line: str, said: str, folder: Path) -> None:
    before = contents(folder)
    assert said in sentence(*line.split())
    assert contents(folder) == before


# ------------------------------------------------------------------------------------ while it runs

WRITING = {
    "linear.skops": "fit offers.csv --model linear-compare --save linear.skops",
    "old.csv": "predict linear.skops offers.csv --out old.csv",
    "old.json": "evaluate linear.skops offers.csv --bootstrap 10 --out old.json",
    "old.parquet": "compare offers.csv --model linear-compare --folds 2 --out old.parquet",
    "old.md": f"rank {CHESS} --out old.md",
    "old.html": "evaluate linear.skops offers.csv --bootstrap 10 --report old.html",
    "old.htm": "compare offers.csv --model linear-compare --folds 2 --bootstrap 10 --report old.htm",
}
FAILURES: dict[str, tuple[Callable[[], BaseException], str, int]] = {
    "full disk": (lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left on device", 2),
    "no permission": (
        lambda: PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
        "permission denied",
        2,
    ),
    "Ctrl-C": (KeyboardInterrupt, "interrupted; nothing was written", 130),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("target", WRITING)
def test_a_file_that_cannot_be_written_stays_as_it_was(
    target: str, failure: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path(target).exists():
        Path(target).write_text("what was there")
    before = contents(folder)
    error, said, code = FAILURES[failure]

    def fail(*_: Any) -> None:
        raise error()

    monkeypatch.setattr(os, "fsync", fail)
    result = podium(*WRITING[target].split())
    assert result.exit_code == code
    assert isinstance(result.exception, SystemExit)
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("podium: ")
    assert said in last
    assert "Traceback" not in result.output
    assert contents(folder) == before


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["bradley-terry", "elo", "svm-compare", "linear-compare"])
def test_ctrl_c_while_fitting(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODELS[name].load(), "fit", interrupt)
    before = contents(folder)
    file = CHESS if name in ("bradley-terry", "elo") else "offers.csv"
    assert "interrupted" in sentence("fit", file, "--model", name, "--save", "new.skops", code=130)
    assert "interrupted" in sentence("compare", file, "--model", name, "--out", "new.csv", code=130)
    assert contents(folder) == before


def test_nothing_is_written_before_all_is_computed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page fits the model to parts of the file, which takes longest."""
    before = contents(folder)
    monkeypatch.setattr("podium.leaderboard.calibration.Calibration.of", interrupt)
    outputs = ("--out", "new.csv", "--plot", "new.png", "--report", "new.html")
    said = sentence("rank", CHESS, *outputs, code=130)
    assert said == "podium: interrupted; nothing was written"
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("writes", "said"),
    [
        (0, "nothing was written"),
        (1, "'new.csv' was written before"),
        (2, "'new.csv' and 'new.png' were written before"),
    ],
)
def test_ctrl_c_between_files_says_which_there_are(
    writes: int, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, fsync = [None] * writes, os.fsync

    def some(file: int) -> None:
        if not left:
            interrupt()
        left.pop()
        fsync(file)

    monkeypatch.setattr(os, "fsync", some)
    command = "rank", CHESS, "--out", "new.csv", "--plot", "new.png", "--report", "new.html"
    assert sentence(*command, code=130).endswith(f"interrupted; {said}")
    assert sorted(path.name for path in folder.glob("new.*")) == ["new.csv", "new.png"][:writes]
    monkeypatch.setattr(MODELS["elo"].load(), "fit", interrupt)
    assert sentence("rank", CHESS, "--model", "elo", code=130).endswith("nothing was written")  # by this run


def test_no_memory_and_no_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    def hungry(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(pod.SVMCompare, "fit", hungry)
    assert "not enough memory" in sentence("fit", "offers.csv", *FIT.split())
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    assert "pip install 'podium-learn[save]'" in sentence(
        "predict", "linear.skops", "offers.csv", "--out", "new.csv"
    )


def test_nothing_at_all_shows_the_help() -> None:
    result = podium()
    assert result.exit_code == 2
    assert "Commands" in result.output


# ------------------------------------------------------------------------------------ at random

CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
HEADER = st.one_of(
    CELL,
    st.sampled_from(
        ["left", "right", "left_x", "right_x", "outcome", "winner", "weight", "time", "y", "label"]
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.lists(HEADER, min_size=1, max_size=6),
    rows=st.lists(
        st.lists(st.one_of(CELL, st.sampled_from(["1", "0", "2.5", "left", "tie"])), max_size=6), max_size=5
    ),
    model=st.sampled_from(["bradley-terry", "linear-compare", "elo"]),
)
def test_fuzzed_headers_and_cells(
    header: list[str], rows: list[list[str]], model: str, tmp_path: Path
) -> None:
    file, saved = tmp_path / "fuzzed.csv", tmp_path / "model.skops"
    saved.unlink(missing_ok=True)
    file.write_text("\n".join(",".join(row) for row in [header, *rows]), encoding="utf-8", newline="")
    result = podium("fit", file, "--model", model, "--save", saved)
    assert result.exit_code in (0, 2), result.exception
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert saved.exists() == (result.exit_code == 0)
    if result.exit_code:
        assert all(line.startswith("podium: ") for line in result.stderr.strip().splitlines())


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_formulas_are_not_run_by_a_spreadsheet(ending: str, tmp_path: Path) -> None:
    games, saved, out = tmp_path / "games.csv", tmp_path / "model.skops", tmp_path / f"out.{ending}"
    games.write_text("left,right,outcome\n=1+1,b,left\nb,=1+1,left\n")
    done("fit", games, "--model", "bradley-terry", "--save", saved)
    done("predict", saved, games, "--out", out)
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[ending]
    assert read(out)["left"][0] == ("'=1+1" if ending == "csv" else "=1+1")


# ------------------------------------------------------------------------------------ names that steer

STEER = "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "b\x08ack\x9b2J", "\u202egnp.exe", "two\nlines", ":apple:"


def test_no_name_reaches_the_terminal_raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of items, columns, files and labels, in tables, notes, warnings and errors."""
    monkeypatch.chdir(tmp_path)
    games = pd.DataFrame({"left": STEER, "right": [*STEER[1:], STEER[0]], "outcome": "left"})
    games.to_csv("games.csv", index=False)
    games[:1].to_csv("wins.csv", index=False)
    shown = [podium("rank", "games.csv"), podium("rank", "wins.csv", "--out", "\x1b[31m.csv")]
    shown += [podium("fit", "games.csv", "--model", "elo", "--save", "elo.skops")]
    games.assign(left="\x1b]0;new\x07").to_csv("new.csv", index=False)
    shown += [podium("predict", "elo.skops", "new.csv", "--out", "new.json")]
    rows = pd.DataFrame({"x": range(6), "label": ["\x1b[31mred", "blue"] * 3})
    rows.to_csv("rows.csv", index=False)
    shown += [podium("fit", "rows.csv", "--model", "online-svc", "--save", "rows.skops")]
    shown += [podium("predict", "rows.skops", "rows.csv", "--out", "rows.json")]
    for line in (
        "rank \x1b.csv",
        "rank games.csv --left \x1b --right b",
        "\x1b",
        "rank games.csv --\x1b",
        "models \x1b",
    ):
        shown.append(podium(*line.split(" ")))
        assert shown[-1].exit_code == 2
    assert [result.exit_code for result in shown[:6]] == [0] * 6, [result.stderr for result in shown]
    text = "".join(result.output for result in shown)
    assert not [c for c in text if not c.isprintable() and c != "\n"]
    assert ":apple:" in text
    assert "two\\nlines" in text


def test_notes_on_the_screen_are_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    with sentences():
        ON_SCREEN.add("below the board")
        for said in ("below the board", InputWarning("{@use order_effect=False}")):
            warnings.warn(said, stacklevel=1)
    assert capsys.readouterr().err == "podium: leave out --order-effect\n"
