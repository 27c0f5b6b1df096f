"""The table of judges: how often each voted, and whether anybody votes unlike the others."""

import warnings

from markupsafe import Markup
from sqlalchemy import Connection, select

from podium.vote.database.tables import comparisons, judges


def judges_table(connection: Connection) -> Markup:
    """The judges beside the model of all the others, or a sentence if there are too few votes for that."""
    # Imported here, so that the server starts in half the time.
    import pandas as pd

    from podium.bradley_terry.model import BradleyTerry
    from podium.comparisons.outcomes import only_winner
    from podium.comparisons.table import Comparisons
    from podium.web.judges import judges_section
    from podium.web.text import shown

    votes = pd.DataFrame(connection.execute(comparisons).mappings())
    if votes.empty:
        return Markup("<p>Nobody has voted yet.</p>")
    names = {row.id: row.name for row in connection.execute(select(judges.c.id, judges.c.name))}
    voter = votes["judge"].map(lambda judge: f"{names[judge]} ({judge})" if names[judge] else judge)
    outcome = votes["winner"].map({"left": -1, "right": 1}).fillna(0).astype(int)
    c = Comparisons.from_arrays(votes["left"], votes["right"], outcome, group=voter)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the board says what is missing
            table = BradleyTerry(order_effect=not only_winner(outcome)).fit(c).judges()
    except ValueError as error:
        counts = ", ".join(f"{judge}: {n}" for judge, n in voter.value_counts().items())
        return Markup(f"<p>{shown(str(error)).capitalize()}.</p><p>{shown(counts)}</p>")
    return Markup(judges_section(table))
