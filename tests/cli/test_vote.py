"""podium vote: what it says before the page is served, and how it ends."""

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from podium.vote.nouns import Settings
from tests.cli.runs import done, podium, sentence

pytest.importorskip("fastapi")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with three poems."""
    monkeypatch.chdir(tmp_path)
    write_poems(tmp_path / "poems", "dawn", "dusk", "noon")
    return tmp_path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What would be served; the server is ready at once and stops."""
    found: dict[str, Any] = {}

    def create_app(store: Any, settings: Settings, url: str | None) -> Any:
        found["settings"] = settings
        return store

    def serve(store: Any, listening: Any, *, names: Any, ready: Callable[[], None]) -> None:
        found["names"], found["port"] = names, listening.getsockname()[1]
        ready()

    monkeypatch.setattr("podium.vote.app.create_app", create_app)
    monkeypatch.setattr("podium.vote.serve.serve", serve)
    return found


def write_poems(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.txt").write_text(f"A poem about {name}")


# ------------------------------------------------------------------------------------ starting


def test_a_vote_starts_and_says_how_to_go_on(folder: Path, served: dict[str, Any]) -> None:
    said = done("vote", "poems", "--port", 0)
    port = served["port"]
    assert (
        f"votes.db has 3 items, 3 new Vote: http://127.0.0.1:{port}/ Board: http://127.0.0.1:{port}/board"
        in said
    )
    assert f"Owner: http://127.0.0.1:{port}/owner/" in said
    assert said.endswith("The votes are in votes.db; rank them with: podium rank votes.db")
    assert "127.0.0.1" in served["names"]
    assert served["settings"] == Settings()


def test_a_hidden_board_has_no_link(folder: Path, served: dict[str, Any]) -> None:
    said = done("vote", "poems", "--port", 0, "--hide-board")
    assert "Board:" not in said
    assert "Owner: http://127.0.0.1" in said


def test_settings_are_kept_until_they_are_changed(folder: Path, served: dict[str, Any]) -> None:
    how = ["--question", "Which one rhymes?", "--goal", "top-2", "--explore", 0.5, "--votes-per-judge", 9]
    done("vote", "poems", "--port", 0, "--expires", 2, "--both-bad", *how)
    kept = Settings(
        question="Which one rhymes?", goal="top-2", explore=0.5, votes_per_judge=9, expires=120, both_bad=True
    )
    assert served["settings"] == kept
    done("vote", "--port", 0)  # goes on with votes.db
    assert served["settings"] == kept
    done("vote", "--port", 0, "--no-both-bad", "--votes-per-judge", 0, "--goal", "best")
    changed = served["settings"]
    assert (changed.both_bad, changed.votes_per_judge, changed.goal) == (False, None, "best")


def test_items_may_be_added_but_not_changed(folder: Path, served: dict[str, Any]) -> None:
    done("vote", "poems", "--port", 0)
    write_poems(folder / "poems", "night")
    (folder / "poems" / "dawn.txt").unlink()
    result = podium("vote", "poems", "--port", 0)
    assert "votes.db has 4 items, 1 new" in result.stdout
    assert "podium: also shown, from an earlier start: 'dawn'; withdraw items" in result.stderr
    (folder / "poems" / "noon.txt").write_text("Another poem")
    assert "the item 'noon' shows something else in the database" in sentence("vote", "poems", "--port", 0)


@pytest.mark.parametrize(
    ("name", "text", "items"),
    [
        ("names.txt", "Ann\nBob\nCat\n", 3),
        ("items.csv", "name,text\nAnn,tall\nBob,short\n", 2),
        ("long.csv", "prompt,model,answer\nHi,a,Hello\nHi,b,Hey\nBye,a,Ciao\nBye,b,See you\n", 2),
        ("wide.csv", "prompt,a,b,c\nHi,Hello,Hey,Moin\n", 3),
        ("nested.jsonl", '{"prompt": "Hi", "answers": {"a": "Hello", "b": "Hey"}}\n', 2),
    ],
)
def test_tables(folder: Path, served: dict[str, Any], name: str, text: str, items: int) -> None:
    (folder / name).write_text(text)
    assert f"votes.db has {items} items, {items} new" in done("vote", name, "--port", 0)


def test_what_is_left_out_is_said_before_the_page_is_served(folder: Path, served: dict[str, Any]) -> None:
    (folder / "poems" / "notes.pdf").write_bytes(b"%PDF")
    result = podium("vote", "poems", "--port", 0)
    assert "podium: left out 1 file of 'poems': 'notes.pdf'" in result.stderr


def test_the_demo_leaves_nothing_behind(
    folder: Path, served: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    said = done("vote", "--demo", "--port", 0)
    assert "simulated votes" in said
    assert said.endswith("The votes of the demo are deleted. For a vote of your own: podium vote FOLDER")
    assert list(scratch.iterdir()) == []
    assert not (folder / "votes.db").exists()


@pytest.mark.parametrize(
    ("how", "link", "warned"),
    [
        (["--host", "0.0.0.0"], f"http://{socket.gethostname()}:", True),
        (["--host", "0.0.0.0", "--url", "http://vote.example.org"], "http://vote.example.org/board", True),
        (
            ["--host", "0.0.0.0", "--url", "https://vote.example.org/"],
            "https://vote.example.org/board",
            False,
        ),
        (["--url", f"https://{'long.' * 20}example.org"], f"https://{'long.' * 20}example.org/owner/", False),
    ],
)
def test_other_computers_need_https(
    folder: Path, served: dict[str, Any], how: list[str], link: str, warned: bool
) -> None:
    result = podium("vote", "poems", "--port", 0, *how)
    assert link in result.stdout  # on one line
    assert ("HTTPS" in result.stderr) == warned
    names = served["names"]
    assert names == () if "--host" in how else f"{'long.' * 20}example.org" in names


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (["nowhere"], "there is no file or folder 'nowhere'"),
        ([], "there is nothing to vote on; name a folder or a table of items"),
        (["--demo", "poems"], "--demo has items of its own"),
        (["poems", "--goal", "nonsense"], "the goal 'nonsense' is none of ranking, best, and top-K"),
        (["poems", "--goal", "top-0"], "the goal 'top-0' is none of"),
        (["poems", "--explore", "2"], "'--explore'"),
        (["poems", "--question", " "], "the question is empty"),
        (["poems", "--as", "song"], "'song'"),
        (["poems", "--url", "vote.example.org"], "--url is the address of a site without a path"),
        (["poems", "--url", "https://example.org/vote"], "--url is the address of a site without a path"),
        (
            ["poems", "--db", "mysql://a:secret@localhost/votes"],
            "'mysql://a:***@localhost/votes' cannot be used: the database must be a SQLite file or",
        ),
        (
            ["poems", "--db", "postgresql://a:s3@cret:x@host/v"],
            "a:***@host/v' cannot be used: the address",
        ),
        (
            ["poems", "--db", "postgresql://a:secret@localhost:1/v"],
            "'postgresql://a:***@localhost:1/v'",
        ),
        (["poems", "--db", "nowhere/votes.db"], "there is no folder 'nowhere' for the database 'votes.db'"),
        (
            ["poems", "--db", "poems/dawn.txt"],
            "'poems/dawn.txt' cannot be used: the file is not",
        ),
        (["poems", "--db", "other.db"], "'other.db' is a database of something else: it has a table 'pets'"),
        (["poems", "--host", "host.invalid"], "cannot listen on host.invalid"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_made(folder: Path, how: list[str], said: str) -> None:
    database = sqlite3.connect("other.db")
    database.execute("CREATE TABLE pets (name)")
    database.close()
    assert said in sentence("vote", *how, *([] if "--host" in how else ["--port", 0]))
    assert not (folder / "votes.db").exists()


def test_a_busy_port(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        said = sentence("vote", "poems", "--port", port)
    assert said.endswith(
        f"127.0.0.1, port {port}: address already in use; choose another with --host or --port"
    )
    assert not (folder / "votes.db").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": "all"},
        {"explore": -0.1},
        {"explore": float("nan")},
        {"votes_per_judge": 0},
        {"votes_per_minute": 0},
        {"expires": float("inf")},
        {"question": ""},
    ],
)
def test_settings_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Settings(**wrong)


def test_without_the_extra(folder: Path) -> None:
    code = "import sys; sys.modules['fastapi'] = None; from podium.cli import main; main()"
    command = [sys.executable, "-c", code, "vote", "poems"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "podium: the vote page needs fastapi: pip install 'podium-learn[vote]'\n"


# ------------------------------------------------------------------------------------ the server


@pytest.mark.parametrize(
    ("signals", "code"), [([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGTERM], 143)]
)
def test_a_server_ends_cleanly(folder: Path, signals: list[signal.Signals], code: int) -> None:
    command = [sys.executable, "-m", "podium", "vote", "poems", "--port", "0"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        said = ""
        while "Ctrl-C" not in said and (line := server.stdout.readline()):
            said += line
        address = re.search(r"Vote:  (http:\S+)", said)
        assert address is not None, said
        with urlopen(address[1], timeout=30) as page:
            assert "A poem about" in page.read().decode()
        for one in signals:
            server.send_signal(one)
        said, _ = server.communicate(timeout=30)
    assert server.returncode == code
    assert said == "The votes are in votes.db; rank them with: podium rank votes.db\n"
