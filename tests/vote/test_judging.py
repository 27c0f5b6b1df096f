"""What judges see and do."""

import re
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

import podium as pod
from podium.vote.database.people import invite, revoke
from podium.vote.database.tables import comparisons, judges, votes
from podium.vote.nouns import Settings, StoreError
from podium.vote.pages.owner import votes_file
from tests.vote.voters import HTMX, cast, counted, field, undo, vote_on


def things_on(html: str) -> set[str]:
    return set(re.findall(r"thing \d+", html))


def test_a_vote_is_stored_with_its_pair_and_probability_and_brings_the_next_pair(tmp_path: Path) -> None:
    with vote_on(tmp_path, n=3, explore=1.0) as (voter, vote):
        page = voter.get("/").text
        answer = cast(voter, page, "tie")
        assert answer.status_code == 200
        assert "Your vote for no difference is counted." in answer.text
        assert things_on(answer.text) != things_on(page)
        with vote.store.read() as connection:
            row = connection.execute(select(votes)).one()
        assert row.answer == "tie"
        assert {f"thing {row.left}", f"thing {row.right}"} == things_on(page)
        assert row.probability == pytest.approx(1 / 3)
        assert row.shown <= row.time


def test_a_judge_sees_every_pair_once(tmp_path: Path) -> None:
    with vote_on(tmp_path, n=4, votes_per_minute=1000) as (voter, vote):
        html, pairs = voter.get("/").text, set()
        for _ in range(6):
            pairs.add(frozenset(things_on(html)))
            html = cast(voter, html).text
        assert len(pairs) == 6
        assert "You have seen every pair. Thank you!" in html
        assert counted(vote.store) == 6


def test_undo_takes_back_the_vote_and_shows_its_pair_again(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, vote):
        first = voter.get("/").text
        second = cast(voter, first).text
        back = undo(voter, second)
        assert "Your last vote is taken back." in back.text
        assert things_on(back.text) == things_on(first)
        assert counted(vote.store) == 0
        assert cast(voter, back.text, "right").status_code == 200
        assert counted(vote.store) == 1


def test_undo_without_a_vote_says_so(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, _):
        html = cast(voter, voter.get("/").text).text
        undo(voter, html)
        assert "There is no vote to take back." in undo(voter, html).text


def test_without_scripts_a_vote_leads_to_a_new_page(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, vote):
        page = voter.get("/").text
        answer = voter.post("/vote", data={"token": field(page, "token"), "answer": "left"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert counted(vote.store) == 1


def test_both_bad_is_a_button_only_if_asked_for(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, _):
        page = voter.get("/").text
        assert "Both bad" not in page
        assert cast(voter, page, "both bad").status_code == 400
    with vote_on(tmp_path, both_bad=True) as (voter, vote):
        page = voter.get("/").text
        assert "Both bad" in page
        assert cast(voter, page, "both bad").status_code == 200
        assert counted(vote.store) == 1


def test_grades_are_five_buttons_and_are_kept(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, _):
        page = voter.get("/").text
        assert "much better" not in page
        assert cast(voter, page, "much left").status_code == 400
    with vote_on(tmp_path, grades=5) as (voter, vote):
        page, answers = voter.get("/").text, ["much left", "left", "tie", "right", "much right"]
        for key, answer in enumerate(answers, 1):
            assert re.search(rf'value="{answer}" aria-keyshortcuts="{key}\b', page)
        for answer in answers:
            response = cast(voter, page, answer)
            assert response.status_code == 200
            page = response.text
        with vote.store.read() as connection:
            found = connection.execute(comparisons.order_by(votes.c.id)).mappings().all()
            text = votes_file(connection, "csv").decode()
    assert [row["winner"] for row in found] == ["left", "left", "tie", "right", "right"]
    assert [row["grade"] for row in found] == [-2, -1, 0, 1, 2]
    (tmp_path / "votes.csv").write_text(text, newline="")
    for source in (tmp_path / "votes.csv", tmp_path / "votes.db"):
        plain = pod.read_comparisons(source)
        assert plain.grade is None
        graded = pod.read_comparisons(source, outcome="grade", outcome_format="grades")
        assert graded.grade is not None
        assert graded.outcome is not None
        assert graded.grade.tolist() == [-2, -1, 0, 1, 2]
        assert np.array_equal(graded.outcome, np.asarray(plain.outcome))


def test_there_are_three_or_five_grades() -> None:
    with pytest.raises(ValueError, match="grades is the number of buttons, 3 or 5, not 4"):
        Settings(grades=4)


def test_names_and_consent_are_asked_for_before_the_first_vote(tmp_path: Path) -> None:
    with vote_on(tmp_path, ask_name=True, consent="We keep <your> votes.") as (voter, vote):
        page = voter.get("/").text
        assert 'name="token"' not in page
        assert "We keep &lt;your&gt; votes." in page
        form = {"form": field(page, "form"), "name": " Ann ", "consents": "true"}
        assert voter.post("/join", data=form | {"name": " "}).status_code == 400
        assert voter.post("/join", data=form | {"consents": "false"}).status_code == 400
        assert voter.post("/join", data=form).status_code == 303
        assert cast(voter, voter.get("/").text).status_code == 200
        with vote.store.read() as connection:
            judge = connection.execute(select(judges)).one()
        assert judge.name == "Ann"
        assert judge.consented is not None
        assert judge.address is None


def test_addresses_are_kept_only_if_asked_for(tmp_path: Path) -> None:
    with vote_on(tmp_path, keep_addresses=True) as (voter, vote):
        cast(voter, voter.get("/").text)
        with vote.store.read() as connection:
            assert connection.execute(select(judges.c.address)).scalar_one() == "testclient"


def test_a_limit_ends_the_vote_and_shows_progress(tmp_path: Path) -> None:
    with vote_on(tmp_path, votes_per_judge=2) as (voter, _):
        html = cast(voter, voter.get("/").text).text
        assert "1 of 2 votes" in html
        assert "You have cast all your votes. Thank you!" in cast(voter, html).text


def test_an_invitation_lets_so_many_people_cast_so_many_votes(tmp_path: Path) -> None:
    with vote_on(tmp_path, invited_only=True) as (voter, vote):
        assert "Voting needs an invitation." in voter.get("/").text
        code = vote.store.write(lambda c: invite(c, "team", now=1.0, people=1, most_votes=1)).result()
        late = {"form": field(voter.get(f"/invited/{code}").text, "form"), "code": code}
        late_cookie = voter.cookies["podium_judge"]
        voter.cookies.clear()
        page = voter.get(f"/invited/{code}").text
        form = {"form": field(page, "form"), "code": code}
        assert voter.post("/join", data=form).status_code == 303
        assert "1 of 1 votes" in cast(voter, voter.get(f"/invited/{code}").text).text  # no form again
        voter.cookies.clear()
        voter.cookies.set("podium_judge", late_cookie)
        for refused in (voter.post("/join", data=late), voter.get(f"/invited/{code}")):
            assert refused.status_code == 403
            assert "used by as many people as it allows" in refused.text


def test_a_revoked_invitation_ends_voting_and_keeps_votes(tmp_path: Path) -> None:
    with vote_on(tmp_path, invited_only=True) as (voter, vote):
        code = vote.store.write(lambda c: invite(c, "team", now=1.0)).result()
        voter.post("/join", data={"form": field(voter.get(f"/invited/{code}").text, "form"), "code": code})
        html = cast(voter, voter.get("/").text).text
        vote.store.write(lambda c: revoke(c, 1, now=2.0)).result()
        refused = cast(voter, html)
        assert refused.status_code == 403
        assert "no longer valid" in refused.text
        assert "no longer valid" in voter.get(f"/invited/{code}").text
        assert counted(vote.store) == 1


def test_one_item_is_nothing_to_compare(tmp_path: Path) -> None:
    with vote_on(tmp_path, n=1) as (voter, _):
        assert "There is nothing to compare yet" in voter.get("/").text


def test_a_wrong_cookie_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, _):
        voter.cookies.set("podium_judge", "forged")
        assert "podium_judge" in voter.get("/").headers["set-cookie"]


def test_programs_that_watch_the_server_may_ask_for_the_head_alone(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, vote):
        for page in ("/", "/board", "/health", "/static/page.css", f"/owner/{vote.owner}"):
            assert voter.head(page).status_code == 200
        assert voter.head("/vote").status_code == 405


def test_pages_that_do_not_exist_say_so(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, _):
        missing = voter.get("/nothing")
        assert missing.status_code == 404
        assert "There is no such page." in missing.text
        assert voter.get("/image/1").status_code == 404
        assert voter.get("/nothing", headers=HTMX).headers["HX-Retarget"] == "#notice"


def test_a_vote_is_counted_even_if_the_next_pair_cannot_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vote_on(tmp_path) as (voter, vote):
        page = voter.get("/").text

        def fails(*_: object, **__: object) -> None:
            raise StoreError("The disk with the database fails.")

        monkeypatch.setattr("podium.vote.pages.booth.Booth.view", fails)
        answer = cast(voter, page)
        assert answer.status_code == 503
        assert "Your vote for the left one is counted. There is no next pair yet" in answer.text
        assert counted(vote.store) == 1


def test_without_scripts_a_vote_that_came_too_fast_keeps_its_pair(tmp_path: Path) -> None:
    with vote_on(tmp_path, votes_per_minute=1) as (voter, vote):
        voter.post("/vote", data={"token": field(voter.get("/").text, "token"), "answer": "left"})
        page = voter.get("/").text
        refused = voter.post("/vote", data={"token": field(page, "token"), "answer": "left"})
        assert refused.status_code == 429
        assert things_on(refused.text) == things_on(page)
        assert counted(vote.store) == 1
