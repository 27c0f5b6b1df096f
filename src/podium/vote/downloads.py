"""The votes as a file that spreadsheets open and `podium rank` reads without options."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, select

from podium.vote.tables import invitations, items, judges, prompts, votes
from podium.writing.frames import as_csv, as_parquet

if TYPE_CHECKING:
    import pandas as pd


def votes_file(connection: Connection, kind: Literal["csv", "parquet"], *, undone: bool = False) -> bytes:
    """Return the votes in the order in which they were cast, one row per vote.

    The columns are left, right, winner, judge, judge_name, prompt, time, shown, probability and invitation
    (its label). Times are UTC: ISO 8601 in CSV, timestamps in Parquet.

    In CSV, text that starts with = + - @, a tab or a line break gets an apostrophe in front, as OWASP
    recommends, since a spreadsheet would run it as a formula. `podium rank` takes the apostrophe off again,
    so names are kept. Parquet has the text as it is.

    Parameters
    ----------
    connection : Connection
        To the database of the votes.
    kind : {"csv", "parquet"}
        The format.
    undone : bool
        Whether to add votes that were undone. A column ``undone`` then says when that happened.
    """
    import pandas as pd

    frame = pd.read_sql(_votes(undone), connection)
    for name in {"time", "shown", "undone"} & set(frame):
        frame[name] = _moments(frame[name])
        if kind == "csv":
            frame[name] = _as_text(frame[name])
    return as_csv(frame) if kind == "csv" else as_parquet(frame)


def _votes(undone: bool) -> Select[Any]:
    """The rows of the file; times are seconds since 1970."""
    left, right = items.alias("l"), items.alias("r")
    rows = (
        select(
            left.c.name.label("left"),
            right.c.name.label("right"),
            votes.c.answer.label("winner"),
            votes.c.judge,
            judges.c.name.label("judge_name"),
            prompts.c.text.label("prompt"),
            votes.c.time,
            votes.c.shown,
            votes.c.probability,
            invitations.c.label.label("invitation"),
        )
        .select_from(votes)
        .join(left, left.c.id == votes.c.left)
        .join(right, right.c.id == votes.c.right)
        .join(prompts, prompts.c.id == votes.c.prompt)
        .join(judges, judges.c.id == votes.c.judge)
        .outerjoin(invitations, invitations.c.id == judges.c.invitation)
        .order_by(votes.c.id)
    )
    return rows.add_columns(votes.c.undone) if undone else rows.where(votes.c.undone.is_(None))


def _moments(seconds: "pd.Series[Any]") -> "pd.Series[Any]":
    import pandas as pd

    microseconds = np.rint(seconds.astype(float) * 1e6).astype("Int64")
    return pd.to_datetime(microseconds, unit="us", utc=True).dt.as_unit("us")


def _as_text(moments: "pd.Series[Any]") -> NDArray[np.str_]:
    """ISO 8601; empty if there is no time."""
    values = moments.to_numpy("datetime64[us]")
    text = np.datetime_as_string(values, unit="us", timezone="UTC")
    return np.where(np.isnat(values), "", text)
