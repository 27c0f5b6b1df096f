"""Files as people have them: each is read as expected, or refused in a sentence that says what to do.

Every file is written here, after the exports of spreadsheets, leagues, arenas of language models and R.
"""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from podium import Comparisons, read_comparisons, read_rows

Write = Callable[[Path], Any]  # into a folder; what to read of it
CHESS = "white,black,result\nAda,Boris,1-0\nBoris,Carmen,1/2-1/2\nCarmen,Ada,0-1\n"
CHESS_FRAME = pd.DataFrame(
    {
        "white": ["Ada", "Boris", "Carmen"],
        "black": ["Boris", "Carmen", "Ada"],
        "result": ["1-0", "½-½", "0-1"],
    }
)
CHESS_OUTCOMES = [-1, 0, 1]
ARENA = [
    {
        "question_id": "58210e39b3fd4441",
        "model_a": "vicuna-13b",
        "model_b": "koala-13b",
        "winner": "model_a",
        "judge": "arena_user_973",
        "conversation_a": [{"role": "user", "content": "Hi, there"}, {"role": "assistant", "content": "Hi!"}],
        "conversation_b": [{"role": "user", "content": "Hi, there"}],
        "turn": 1,
        "anony": True,
        "language": "English",
        "tstamp": 1682351591.1322,
        "toxic_chat_tag": {"roberta-large": {"flagged": False, "probability": 0.012}},
    },
    {"model_a": "koala-13b", "model_b": "alpaca-13b", "winner": "tie", "judge": "arena_user_1", "turn": 2},
    {"model_a": "alpaca-13b", "model_b": "vicuna-13b", "winner": "model_b", "judge": "expert", "turn": 1},
    {"model_a": "koala-13b", "model_b": "vicuna-13b", "winner": "tie (bothbad)", "judge": "x", "turn": 1},
]
ARENA_OUTCOMES = [-1, 0, 1, 0]
NESTED = [
    {"id": i, "conversation": {"model_a": vote["model_a"], "model_b": vote["model_b"], "turn": vote["turn"]}}
    | {"vote": {"winner": vote["winner"], "judge": {"id": vote["judge"]}}}
    for i, vote in enumerate(ARENA)
]
SIDES = [
    {"a": {"model": "x", "score": 3}, "b": {"model": "y", "score": 1}},
    {"a": {"model": "y", "score": 2}, "b": {"model": "z", "score": 2}},
]


def text(content: str | bytes, name: str = "games.csv", encoding: str = "utf-8") -> Write:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return folder / name

    return write


def json_file(value: Any, name: str = "votes.json") -> Write:
    return text(json.dumps(value, indent=1), name)


def lines(values: list[Any]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def zstd(content: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content.encode())
    return bytes(sink.getvalue().to_pybytes())


def archive(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name.replace("__", ".").replace("_in_", "/"), content)
    return buffer.getvalue()


def workbook(**sheets: list[list[Any]]) -> Write:
    def write(folder: Path) -> Path:
        from openpyxl import Workbook

        book = Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
            sheet.sheet_state = "hidden" if name == "Hidden" else "visible"
        book.save(folder / "club.xlsx")
        return folder / "club.xlsx"

    return write


def folder_of(**files: str | bytes) -> Write:
    def write(folder: Path) -> Path:
        for path, content in files.items():
            target = folder / "season" / path.replace("__", ".").replace("_in_", "/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder / "season"

    return write


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def dataset(folder: Path) -> Any:
    pq.write_to_dataset(
        pa.Table.from_pandas(CHESS_FRAME).append_column("year", [[1, 1, 2]]), folder / "d", ["year"]
    )
    return pyarrow.dataset.dataset(folder / "d", partitioning="hive")


class Case(NamedTuple):
    write: Write
    expected: Any  # outcomes, or outcomes with weights, or words of the refusal
    options: dict[str, Any] = {}  # noqa: RUF012


GAMES_SHEET = [["white", "black", "result"], *CHESS_FRAME.to_numpy().tolist()]
KAGGLE = (
    "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    '30192,gpt-4,koala,"[""Is it\nmorally right?""]","[""No""]","[""Yes""]",1,0,0\n'
    '53567,koala,gpt-3.5,"[""Hi""]","[""a""]","[""b""]",0,0,1\n'
)
FOOTBALL = (
    "Div;Date;HomeTeam;AwayTeam;FTHG;FTAG;FTR\n"
    "E0;14/08/2010;Villa;West Ham;3;0;H\n"
    "E0;14/08/2010;Wigan;Blackpool;0;4;A\n"
)
COUNTS = {"wins": [-1, 1, -1, 1], "counts": [4.0, 3.0, 4.0, 2.0]}
SPRINGALL = (
    '"","row","col","win","loss","tie","win.adj","loss.adj"\n'
    '"1","1","2",16,2,7,19.5,5.5\n'
    '"2","1","3",21,0,1,21.5,0.5\n'
)
PUDDING = '"","i","j","r_ij","w_ij","w_ji","t_ij"\n"1",1,2,57,19,22,16\n"2",1,3,47,16,19,12\n'
WIDE = ",".join(f"q{k}" for k in range(400)) + "\n" + ",".join("1" for _ in range(400)) + "\n"

CASES: dict[str, Case] = {
    # spreadsheets saved as text
    "plain": Case(text(CHESS), CHESS_OUTCOMES),
    "byte order mark": Case(text(CHESS, encoding="utf-8-sig"), CHESS_OUTCOMES),
    "semicolons": Case(text(CHESS.replace(",", ";")), CHESS_OUTCOMES),
    "tabs": Case(text(CHESS.replace(",", "\t"), "games.tsv"), CHESS_OUTCOMES),
    "pipes": Case(text(CHESS.replace(",", "|"), "games.txt"), CHESS_OUTCOMES),
    "unicode text of a spreadsheet": Case(
        text(CHESS.replace(",", "\t"), "games.txt", "utf-16"), CHESS_OUTCOMES
    ),
    "Windows line ends": Case(text(CHESS.replace("\n", "\r\n")), CHESS_OUTCOMES),
    "a title": Case(text("Club championship 2023\n\n" + CHESS), CHESS_OUTCOMES),
    "a title over all columns": Case(text("Club championship,,\n,,\n" + CHESS), CHESS_OUTCOMES),
    "the delimiter said first": Case(text("sep=;\n" + CHESS.replace(",", ";")), CHESS_OUTCOMES),
    "blank columns": Case(text(CHESS.replace("\n", ",,\n")), CHESS_OUTCOMES),
    "blank first column": Case(text("," + CHESS.strip().replace("\n", "\n,") + "\n"), CHESS_OUTCOMES),
    "blank rows at the end": Case(text(CHESS + ",,\n,,\n"), CHESS_OUTCOMES),
    "a frame with its index": Case(text(CHESS_FRAME.to_csv()), CHESS_OUTCOMES),
    "quoted names": Case(text('"home","away","winner"\n"Smith, J.","O""Neil","home"\n'), [-1]),
    "names in capitals": Case(text("White,Black,Result\nAda,Boris,1-0\n"), [-1]),
    "names with units": Case(text("Player 1;Player 2;Winner\nAda;Boris;Ada\nBoris;Ada;draw\n"), [-1, 0]),
    "latin-1": Case(text("white,black,result\nAndré,Zoë,1-0\n", encoding="latin-1"), "encoding='cp1252'"),
    "latin-1, said": Case(
        text("white,black,result\nAndré,Zoë,1-0\n", encoding="latin-1"), [-1], {"encoding": "latin-1"}
    ),
    "German": Case(text("Weiß;Schwarz;Ergebnis\nJürgen;Zoë;1:0\nZoë;Jürgen;Remis\n"), [-1, 0]),
    "Spanish": Case(
        text("Equipo local,Equipo visitante,Resultado\nJaén,León,0-1\nLeón,Jaén,empate\n"), [1, 0]
    ),
    "two columns of one name": Case(
        text("white,elo,black,elo,result\nAda,1,Boris,2,1-0\n"), "'elo' more than once; rename"
    ),
    "a title with a comma": Case(text("Results, 2023\n" + CHESS), "two sides; .* out of 'Results', '2023'"),
    # leagues
    "football results": Case(text(FOOTBALL), [-1, 1]),
    "football results, said": Case(
        text(FOOTBALL), [-1, 1], {"left": "HomeTeam", "right": "AwayTeam", "outcome": ("FTHG", "FTAG")}
    ),
    "a league's final table": Case(
        text("Team,P,W,D,L,Pts\nRovers,38,20,10,8,70\nCity,38,19,9,10,66\n"), "hold the two sides; .* left="
    ),
    "goals of both sides": Case(
        text("date,home_team,away_team,home_score,away_score\n1872-11-30,Scotland,England,0,0\n"), [0]
    ),
    "winners and losers": Case(text("winner_name,loser_name,score\nAda,Boris,6-4\n"), [-1]),
    # arenas
    "an arena's JSON": Case(json_file(ARENA), ARENA_OUTCOMES),
    "an arena's JSON lines": Case(text(lines(ARENA), "votes.jsonl"), ARENA_OUTCOMES),
    "JSON lines called JSON": Case(text(lines(ARENA), "votes.json"), ARENA_OUTCOMES),
    "JSON lines, gzip": Case(
        text(gzip.compress(lines(ARENA).encode(), mtime=0), "votes.jsonl.gz"), ARENA_OUTCOMES
    ),
    "JSON lines, zstd": Case(text(zstd(lines(ARENA)), "votes.ndjson.zst"), ARENA_OUTCOMES),
    "JSON lines, zip": Case(text(archive(votes__jsonl=lines(ARENA)), "votes.jsonl.zip"), ARENA_OUTCOMES),
    "JSON with a byte order mark": Case(text(json.dumps(ARENA), "votes.json", "utf-8-sig"), ARENA_OUTCOMES),
    "JSON in UTF-16": Case(text(json.dumps(ARENA), "votes.json", "utf-16"), ARENA_OUTCOMES),
    "nested JSON": Case(json_file(NESTED), ARENA_OUTCOMES),
    "nested sides": Case(json_file([{"answers": vote, "winner": "b"} for vote in SIDES]), [1, 1]),
    "nested JSON, said": Case(
        json_file(NESTED),
        ARENA_OUTCOMES,
        {
            "left": "conversation.model_a",
            "right": "conversation.model_b",
            "outcome": "vote.winner",
            "group": "vote.judge.id",
            "time": "conversation.turn",
        },
    ),
    "an object for each side": Case(json_file(SIDES), [-1, 0]),
    "teams in lists": Case(
        json_file([{"left": ["a", "b"], "right": ["c", "d"], "winner": "left"}] * 2), [-1, -1]
    ),
    "JSON in a key": Case(
        json_file({"version": {"n": 1}, "votes": ARENA}), "save its list 'votes' as a file"
    ),
    "a frame's JSON": Case(text(CHESS_FRAME.to_json(), "games.json"), r"to_json\(orient='records'\)"),
    "broken JSON": Case(
        text('[{"model_a": "x",\n "model_b": }]', "votes.json"), "votes.json' is not valid JSON"
    ),
    "no JSON": Case(text("[]", "votes.json"), "has no objects in it; write an array of objects"),
    "one-hot votes": Case(text(KAGGLE), [-1, 0]),
    # workbooks
    "a workbook": Case(workbook(Games=GAMES_SHEET), CHESS_OUTCOMES),
    "a workbook with titles and blank rows": Case(
        workbook(Games=[["Club championship"], [], *GAMES_SHEET, [None, None, " "]]), CHESS_OUTCOMES
    ),
    "a workbook with empty and hidden sheets": Case(
        workbook(Sheet1=[], Games=GAMES_SHEET, Hidden=[[1]]), CHESS_OUTCOMES
    ),
    "a workbook with two sheets": Case(
        workbook(Games=GAMES_SHEET, Players=[["name"], ["Ada"]]),
        "the sheets 'Games', 'Players'; choose one with sheet=, or all with sheet='*'",
    ),
    "a sheet of a workbook": Case(
        workbook(Players=[["name"], ["Ada"]], Games=GAMES_SHEET), CHESS_OUTCOMES, {"sheet": "Games"}
    ),
    "several sheets of a workbook": Case(
        workbook(Round1=GAMES_SHEET, Round2=GAMES_SHEET, Hidden=[["name"], ["Ada"]]),
        CHESS_OUTCOMES * 2,
        {"sheet": ["Round1", "Round2"]},
    ),
    "all sheets of a workbook": Case(
        workbook(Round1=GAMES_SHEET, Empty=[], Round2=GAMES_SHEET, Hidden=[["name"], ["Ada"]]),
        CHESS_OUTCOMES * 2,
        {"sheet": "*"},
    ),
    "sheets with different headers": Case(
        workbook(Games=GAMES_SHEET, Players=[["name"], ["Ada"]]),
        "sheet 'Players' of .* has another header than sheet 'Games' of .*; choose sheets of one header",
        {"sheet": "*"},
    ),
    "a sheet that is not text": Case(workbook(Games=GAMES_SHEET), "or a list, not 1", {"sheet": 1}),
    "a sheet that is not there": Case(
        workbook(Games=GAMES_SHEET), "no sheet 'Round 2'", {"sheet": "Round 2"}
    ),
    "a sheet of a text": Case(text(CHESS), "sheet= is the sheet of a workbook, or table", {"sheet": "Games"}),
    "numbers, truth and dates in a workbook": Case(
        workbook(
            A=[
                ["left", "right", "y", "time"],
                [7, 8, 1, date(2023, 5, 1)],
                [8, 9, 0.5, datetime(2023, 5, 2, 9)],
            ]
        ),
        [-1, 0],
    ),
    "names and numbers in a workbook": Case(
        workbook(A=[["left", "right", "winner"], ["X9", 7, 7], ["X8", 8, "tie"]]), [1, 0]
    ),
    # archives and folders
    "zipped CSV": Case(text(archive(games__csv=CHESS), "games.zip"), CHESS_OUTCOMES),
    "zipped by a Mac": Case(
        text(archive(data_in_games__csv=CHESS, __MACOSX_in_data_in___games__csv="\x00\x05"), "games.csv.zip"),
        CHESS_OUTCOMES,
    ),
    "zipped pictures": Case(
        text(archive(board__png="x"), "games.zip"), "has no table in it, but 'board.png'"
    ),
    "zstd": Case(text(zstd(CHESS), "games.csv.zst"), CHESS_OUTCOMES),
    "plain and gzip together": Case(
        folder_of(a__csv=CHESS, b__csv__gz=gzip.compress(CHESS.encode(), mtime=0)), CHESS_OUTCOMES * 2
    ),
    "a folder of Parquet": Case(
        folder_of(
            **{
                "part-0__parquet": parquet(pa.Table.from_pandas(CHESS_FRAME)),
                "2024_in_part-1__parquet": parquet(pa.Table.from_pandas(CHESS_FRAME[::-1])),
                "_SUCCESS": b"",
            }
        ),
        None,
    ),
    "a folder with a README": Case(folder_of(README__txt="by the club", games__csv=CHESS), CHESS_OUTCOMES),
    "an empty folder": Case(folder_of(__gitkeep=""), "no table in the folder"),
    "a folder of several kinds": Case(
        folder_of(games__csv=CHESS, votes__json=json.dumps(ARENA)), "read one kind at a time"
    ),
    "a dataset": Case(dataset, None, {"group": "year"}),
    "a Parquet file with nested columns": Case(
        text(parquet(pa.Table.from_pylist(NESTED)), "votes.parquet"), ARENA_OUTCOMES
    ),
    "a nested Arrow table": Case(lambda _: pa.Table.from_pylist(NESTED), ARENA_OUTCOMES),
    "another format": Case(text("x", "games.pgn"), r"ends in '\.pgn'; podium reads \.csv"),
    # counts
    "R's baseball": Case(
        text(
            '"home.team","away.team","home.wins","away.wins"\n"Milwaukee","Detroit",4,3\n"Boston","Detroit",4,2\n'
        ),
        COUNTS,
    ),
    "R's binomial counts": Case(
        text('"","player1","player2","win1","win2"\n"1","Biometrika","JASA",4,3\n"2","JASA","JRSS-B",4,2\n'),
        COUNTS,
    ),
    "R's pudding": Case(
        text(PUDDING), {"wins": [-1, 0, 1, -1, 0, 1], "counts": [19.0, 16.0, 22.0, 16.0, 12.0, 19.0]}
    ),
    "R's springall": Case(text(SPRINGALL), "hold the two sides; .* left="),
    "R's springall, said": Case(
        text(SPRINGALL),
        {"wins": [-1, 0, 1, -1, 0], "counts": [16.0, 7.0, 2.0, 21.0, 1.0]},
        {"left": "col", "right": "row"},
    ),
    "R's springall, adjusted": Case(
        text(SPRINGALL),
        {"wins": [-1, 1, -1, 1], "counts": [19.5, 5.5, 21.5, 0.5]},
        {"left": "col", "right": "row", "wins": ("win.adj", "loss.adj")},
    ),
    "counts in a long table": Case(
        text("cited,citing,count\nJASA,Biometrika,320\nBiometrika,JASA,730\nJASA,JRSS-B,0\n"),
        {"wins": [-1, -1], "counts": [320.0, 730.0]},
        {"left": "cited", "right": "citing", "wins": "count"},
    ),
    "a tasting": Case(
        text("a;b;votes_a;votes_b\ntea;milk;12;30\n"), "look like counts .* name them with wins="
    ),
    "a tasting, said": Case(
        text("a;b;votes_a;votes_b;undecided\ntea;milk;12;30;5\n"),
        {"wins": [-1, 0, 1], "counts": [12.0, 5.0, 30.0]},
        {"wins": ("votes_a", "votes_b"), "ties": "undecided"},
    ),
    "single games without a winner": Case(
        text("left,right,left_win,right_win\na,b,1,0\nb,c,0,0\n"), "no winner at row 2 .* may be a tie"
    ),
    "negative counts": Case(text("i,j,win_i,win_j\n1,2,3,-1\n"), "'win_j' has -1 at row 1"),
    # wide files and labelled rows
    "a wide file": Case(text(WIDE), "'q4' and 395 more"),
    "LETOR": Case(text("2 qid:1 1:0.5 2:0.1 # doc\n", "train.txt"), "svmlight file of labelled rows"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_people_have(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    source = case.write(tmp_path)
    if isinstance(case.expected, str):
        with pytest.raises((ValueError, FileNotFoundError), match=case.expected) as caught:
            read_comparisons(source, **case.options)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 500
        return
    c = read_comparisons(source, **case.options)
    assert c.outcome is not None
    if isinstance(case.expected, dict):
        assert c.outcome.tolist() == case.expected["wins"]
        assert c.count.tolist() == case.expected["counts"]
    elif case.expected is not None:
        assert c.outcome.tolist() == case.expected
        assert (c.mass == 1).all()
    else:
        assert sorted(c.items) == ["Ada", "Boris", "Carmen"]
        assert c.record().wins.tolist() == [len(c) / 3 * 2, 0, 0]


def test_types_of_cells_are_kept(tmp_path: Path) -> None:
    c = read_comparisons(CASES["numbers, truth and dates in a workbook"].write(tmp_path))
    assert c.items.tolist() == [7, 8, 9]
    assert np.asarray(c.time).astype("datetime64[h]").tolist() == [
        datetime(2023, 5, 1),
        datetime(2023, 5, 2, 9),
    ]
    assert read_comparisons(CASES["names and numbers in a workbook"].write(tmp_path)).items.tolist() == [
        "7",
        "8",
        "X8",
        "X9",
    ]
    votes = [{"left": 7, "right": 8, "y": True}, {"left": 8, "right": 9, "y": False}]
    c = read_comparisons(json_file(votes)(tmp_path), outcome_format="score")
    assert c.items.tolist() == [7, 8, 9]


def test_types_of_json_hold_beyond_the_sample(tmp_path: Path) -> None:
    """DuckDB alone would round the score of the last vote to 0, and lose its time."""
    votes: list[dict[str, Any]] = [{"left": 1, "right": 2, "y": 1, "time": 1}] * 25_000
    votes.append({"left": 2, "right": "X9", "y": 0.5, "time": 2.5})
    c = read_comparisons(text(lines(votes), "votes.jsonl")(tmp_path), outcome_format="score")
    assert c.time is not None
    assert c.time[-1] == 2.5
    assert c.outcome is not None
    assert c.outcome[-1] == 0
    assert c.items.tolist() == ["1", "2", "X9"]


def test_huge_numbers_in_json_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "votes.jsonl"
    votes = [
        {"model_a": 2**63, "model_b": 2**63 + 1, "winner": "model_a", "judge": 2**64 + k} for k in (1, 2)
    ]
    file.write_text("\n".join(map(json.dumps, votes)), encoding="utf-8")
    c = read_comparisons(file, group="judge", dedup="group")
    assert c.items.tolist() == [str(2**63), str(2**63 + 1)]
    assert len(c) == 2


def test_unpacked_files_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    assert len(read_comparisons(CASES["zipped CSV"].write(tmp_path))) == 3
    assert list((tmp_path / "tmp").iterdir()) == []


# ------------------------------------------------------------------------------------ labelled rows

LETOR = "# MSLR\n2 qid:10 1:3 2:0.5 4:1 # a\n0 qid:10 1:1 4:1\n1 qid:11 1:2 2:0.25 4:7\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.txt", LETOR.encode()),
        ("train", LETOR.encode()),
        ("train.letor", LETOR.encode()),
        ("train.txt.gz", gzip.compress(LETOR.encode(), mtime=0)),
        ("train.svmlight.zst", zstd(LETOR)),
        ("train.zip", archive(train__txt=LETOR)),
    ],
)
def test_letor(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    rows = read_rows(tmp_path / name)
    assert rows.label is not None
    assert rows.query is not None
    assert rows.label.tolist() == [2, 0, 1]
    assert rows.query.tolist() == [0, 0, 1]
    assert rows.feature_names == ("1", "2", "3", "4")
    assert rows.features.tolist() == [[3, 0.5, 0, 1], [1, 0, 0, 1], [2, 0.25, 0, 7]]
    chosen = read_rows(tmp_path / name, features=["4", "9"], label=False)  # a feature that no row mentions
    assert chosen.label is None
    assert chosen.features.tolist() == [[1, 0], [1, 0], [7, 0]]


def test_svmlight(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("-1 3:1\n+1 0:2.5 900:1\n")
    (tmp_path / "b.svm").write_text("1 1:1\n")
    rows = read_rows([tmp_path / "a.svm", tmp_path / "b.svm"])
    assert rows.query is None
    assert (len(rows), rows.features.shape, rows.features.nnz) == (3, (3, 901), 4)
    assert rows[[2]].features.toarray()[0, 1] == 1
    refused: list[tuple[dict[str, Any], str]] = [
        ({"label": "y"}, "name no columns of them"),
        ({"features": ["price"]}, "no feature 'price'"),
    ]
    for options, said in refused:
        with pytest.raises(ValueError, match=said):
            read_rows(tmp_path / "a.svm", **options)
    for broken in ("1 2:x\n", ""):
        (tmp_path / "b.svm").write_text(broken)
        with pytest.raises(ValueError, match=r"b\.svm' (cannot be read as a svmlight file|has no rows)"):
            read_rows(tmp_path / "b.svm")


def test_labelled_rows_of_a_workbook(tmp_path: Path) -> None:
    path = workbook(Rows=[["size", "class"], [1.5, "small"], [2, "large"]], Notes=[["x"]])(tmp_path)
    rows = read_rows(path, sheet="Rows")
    assert rows.label is not None
    assert rows.label.tolist() == ["small", "large"]


# ------------------------------------------------------------------------------------ R's tables


def test_real_tables_of_r(real_data: Path) -> None:
    folder = real_data / "bt_classic"
    options: dict[str, Any] = {"left": "cited", "right": "citing", "wins": "count"}
    with pytest.warns(UserWarning, match="left out 4 rows that count how often an item beat itself"):
        cited = read_comparisons(folder / "citations.csv.gz", **options)
    table = pd.read_csv(folder / "citations.csv.gz").pivot(index="cited", columns="citing", values="count")
    square = table.where(~np.eye(4, dtype=bool), 0)
    np.testing.assert_array_equal(cited.record(), Comparisons.from_counts(square).record())
    assert cited.record().games.sum() == 2 * square.to_numpy().sum()
    for name, games in (("baseball", 273), ("springall", 885), ("pudding", 745)):
        assert read_comparisons(folder / f"{name}.csv.gz").count.sum() == games


# ------------------------------------------------------------------------------------ wide files

FIELDS = pa.struct([(f"field_{k}", pa.int64()) for k in range(300)])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"left": "nobody", "right": "q1"},
        {"left": "turns", "right": "turns"},
        {"left": "turns", "right": "q1", "outcome": False},
        {"left": "q1", "right": "q2", "outcome": "turns"},
        {"left": "q1", "right": "q2", "outcome": "nested"},
        {"left": "q1", "right": "q2", "outcome": "q3", "weight": "turns"},
        {"left": [f"q{k}" for k in range(90)], "right": [f"q{k}" for k in range(90, 180)]},
        {"wins": ("q1", "nothing")},
        {"items": "self", "left": "q1", "right": "q2", "outcome": False},
    ],
)
def test_errors_of_wide_files_name_few_columns(options: dict[str, Any]) -> None:
    columns: dict[str, Any] = {f"q{k}": [k, None] for k in range(200)}
    columns["turns"] = pa.array([[{"field_0": 1}], []], pa.list_(FIELDS))
    columns["nested"] = pa.array([{"field_0": 1}, None], FIELDS)
    table = pa.table(columns)
    if options.get("items") == "self":
        options = {**options, "items": table}
    with pytest.raises(ValueError, match=r"column|label|table of items") as caught:
        read_comparisons(table, **options)
    said = str(caught.value)
    assert sum(f"q{k}'" in said for k in range(200)) <= 10
    assert said.count("field_") <= 10
    assert len(said) < 500


def test_what_excel_puts_beside_an_open_workbook_is_no_workbook(tmp_path: Path) -> None:
    pd.DataFrame({"white": ["ann"], "black": ["bob"], "result": ["1-0"]}).to_excel(
        tmp_path / "games.xlsx", index=False
    )
    (tmp_path / "~$games.xlsx").write_bytes(b"\x03Ann" + b" " * 160)
    for source in (tmp_path, str(tmp_path / "*.xlsx")):
        assert len(read_comparisons(source)) == 1


def test_lists_of_numbers_and_of_names_are_lists(tmp_path: Path) -> None:
    rows = [{"white": white, "black": ["b"], "result": "1-0"} for white in ([1], ["c"])]
    (tmp_path / "votes.json").write_text(json.dumps(rows))
    assert set(read_comparisons(tmp_path / "votes.json").items) == {"1", "b", "c"}


@pytest.mark.parametrize("other", [["c", "d"], {"name": "c"}])
def test_names_and_lists_in_one_column_of_json_are_refused(tmp_path: Path, other: Any) -> None:
    rows = [{"white": white, "black": "b", "result": "1-0"} for white in ("a", other)]
    (tmp_path / "votes.json").write_text(json.dumps(rows))
    with pytest.raises(ValueError, match=r"column 'white' has .* at row 2 .*, and other rows have no lists"):
        read_comparisons(tmp_path / "votes.json")


@pytest.mark.parametrize("name", ["N/A", "NA", "NaN", "null", "None"])
def test_words_for_nothing_are_names_in_text(tmp_path: Path, name: str) -> None:
    (tmp_path / "games.csv").write_text(f"white,black,result\nann,{name},1-0\n")
    assert set(read_comparisons(tmp_path / "games.csv").items) == {"ann", name}


def test_errors_say_where_the_row_is(tmp_path: Path) -> None:
    """The row that a message names and the line that it offers to leave out are one and the same."""
    games = "white,black,result,year\n" + "ann,bob,1-0,2024\n" * 4
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("Club games\n\n" + games + "bob,,1-0,2025\nbob,ann,won,2025\nbob,ann,0-1,2025\n" * 2)
    two.write_text("Club games\n\n" + games)
    with pytest.raises(ValueError, match=r"at row 5 \(line 8 of '.*one.csv'\); .* the first: line 8,"):
        read_comparisons(one)
    with pytest.raises(ValueError, match=r"at row 1 \(line 8 of '.*one.csv'\)"):
        read_comparisons(one, where="year = 2025")
    with pytest.raises(ValueError, match=r"at row 5 \(counting from 1, through all 2 files\)"):
        read_comparisons([one, two])
