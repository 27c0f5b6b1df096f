"""What the owner sees and does."""

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from podium.vote.app import create_app
from podium.vote.database.tables import invitations, items
from podium.vote.nouns import Shown
from podium.vote.opening import open_vote
from tests.vote.servers import soon
from tests.vote.voters import cast, counted, vote_on

DOT = b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>'


@pytest.fixture
def owned(tmp_path: Path) -> Any:
    with vote_on(tmp_path, n=3) as (client, vote):
        yield client, vote, f"/owner/{vote.owner}"


def test_another_secret_is_no_page(owned: Any) -> None:
    client, vote, _ = owned
    for page in ("", "/judges", "/votes.csv"):
        assert client.get(f"/owner/{vote.owner[:-1]}x{page}").status_code == 404
    assert client.post("/owner/é/pause", data={"paused": "true"}).status_code == 404


def test_paused_votes_are_not_counted_and_keep_their_pair(owned: Any) -> None:
    client, vote, home = owned
    page = client.get("/").text
    assert client.post(f"{home}/pause", data={"paused": "true"}).status_code == 303
    refused = cast(client, page)
    assert (refused.status_code, refused.headers["HX-Retarget"]) == (403, "#notice")
    assert "Voting is paused" in refused.text
    assert "Voting is paused" in client.get("/").text
    client.post(f"{home}/pause", data={"paused": "false"})
    assert cast(client, page).status_code == 200
    assert counted(vote.store) == 1


def test_items_come_by_name_and_by_file(owned: Any) -> None:
    client, vote, home = owned
    assert client.post(f"{home}/items", data={"name": "new", "text": "# New", "kind": "markdown"}).is_redirect
    files = [
        ("uploads", ("dot.svg", DOT, "image/svg+xml")),
        ("uploads", ("note.txt", b"a note", "text/plain")),
    ]
    assert client.post(f"{home}/items", files=files).is_redirect
    with vote.store.read() as connection:
        names = connection.scalars(select(items.c.name)).all()
    assert set(names) == {"item 1", "item 2", "item 3", "new", "dot", "note"}
    image = client.get("/image/5")
    assert (image.content, image.headers["content-type"]) == (DOT, "image/svg+xml")
    assert "sandbox" in image.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "give a name, or choose files"),
        ({"name": "\u202e"}, "the name is empty"),
        ({"name": "item 1", "text": "another thing"}, "shows something else"),
    ],
)
def test_items_that_cannot_be_added_change_nothing(owned: Any, form: dict[str, str], sentence: str) -> None:
    client, vote, home = owned
    refused = client.post(f"{home}/items", data=form)
    assert refused.status_code == 400
    assert sentence in refused.text
    with vote.store.read() as connection:
        assert len(connection.execute(select(items)).all()) == 3


def test_a_withdrawn_item_is_not_shown_until_it_is_restored(owned: Any) -> None:
    client, _, home = owned
    client.post(f"{home}/withdraw", data={"item": "1"})
    assert soon(lambda: not any("thing 1" in client.get("/").text for _ in range(3)))
    client.post(f"{home}/restore", data={"item": "1"})
    assert soon(lambda: "thing 1" in client.get("/").text)


def test_invitations_are_made_listed_and_revoked(owned: Any) -> None:
    client, vote, home = owned
    client.post(f"{home}/invite", data={"label": "team", "people": "5", "most_votes": ""})
    with vote.store.read() as connection:
        row = connection.execute(select(invitations)).one()
    assert (row.label, row.judges, row.votes) == ("team", 5, None)
    assert f"/invited/{row.code}" in client.get(home).text
    client.post(f"{home}/revoke", data={"invitation": str(row.id)})
    assert "revoked" in client.get(home).text


def test_downloads_hold_the_votes(owned: Any) -> None:
    client, _, home = owned
    cast(client, client.get("/").text, "right")
    csv = pd.read_csv(io.BytesIO(client.get(f"{home}/votes.csv").content))
    parquet = pd.read_parquet(io.BytesIO(client.get(f"{home}/votes.parquet").content))
    assert csv["winner"].tolist() == parquet["winner"].tolist() == ["right"]
    assert "attachment" in client.get(f"{home}/votes.csv").headers["content-disposition"]
    assert client.get(f"{home}/votes.exe").status_code in (400, 404)


def test_the_table_of_judges_needs_votes(owned: Any) -> None:
    client, _, home = owned
    assert "Nobody has voted yet." in client.get(f"{home}/judges").text
    cast(client, client.get("/").text)
    assert client.get(f"{home}/judges").status_code == 200


def test_a_vote_with_prompts_takes_no_item_without_answers(tmp_path: Path) -> None:
    answers = [Shown(model, "text", f"{model} says hi", prompt="Say hi.") for model in ("a", "b")]
    opened = open_vote(tmp_path / "votes.db", answers)
    with TestClient(create_app(opened.store, opened.settings)) as client:
        refused = client.post(f"/owner/{opened.owner}/items", data={"name": "c", "text": "hi"})
        assert refused.status_code == 400
        assert "answers to prompts" in refused.text


def test_the_page_says_what_was_done(owned: Any) -> None:
    client, _, home = owned
    done = client.post(f"{home}/pause", data={"paused": "true"})
    assert "Voting is paused." in client.get(done.headers["location"]).text
    assert "<script>" not in client.get(f"{home}?done=<script>").text
