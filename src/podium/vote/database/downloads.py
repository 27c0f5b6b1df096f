"""The votes as a file that spreadsheets open and `podium rank` reads without options."""

from typing import Literal

import numpy as np
from sqlalchemy import Connection

from podium.vote.database.tables import comparisons, invitations, judges, votes
from podium.writing.frames import as_csv, as_parquet

COLUMNS = "left right winner judge judge_name prompt time shown probability invitation".split()
_VOTES = (
    comparisons.add_columns(
        judges.c.name.label("judge_name"), votes.c.shown, invitations.c.label.label("invitation")
    )
    .join(judges, judges.c.id == votes.c.judge)
    .outerjoin(invitations, invitations.c.id == judges.c.invitation)
    .order_by(votes.c.id)
)


def votes_file(connection: Connection, kind: Literal["csv", "parquet"]) -> bytes:
    """Return the votes that count in the order in which they were cast, one row per vote.

    The columns are left, right, winner, judge, judge_name, prompt, time, shown, probability and invitation
    (its label). Times are UTC: ISO 8601 in CSV, timestamps in Parquet.

    In CSV, text that starts with = + - @, a tab or a line break gets an apostrophe in front, as OWASP
    recommends, since a spreadsheet would run it as a formula. `podium rank` takes the apostrophe off again,
    so names are kept. Parquet has the text as it is.
    """
    import pandas as pd

    frame = pd.read_sql(_VOTES, connection)[COLUMNS]
    for name in ("time", "shown"):
        microseconds = np.rint(frame[name].astype(float) * 1e6).astype("datetime64[us]")
        if kind == "csv":
            frame[name] = np.datetime_as_string(microseconds, unit="us", timezone="UTC")
        else:
            frame[name] = microseconds.dt.tz_localize("UTC")
    return as_csv(frame) if kind == "csv" else as_parquet(frame)
