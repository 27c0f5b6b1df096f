"""The tables of the database, the same in SQLite and PostgreSQL.

Times are seconds since 1970. The view `comparisons` has one row per vote that counts; `podium rank` reads it.
"""

import sqlalchemy as sa

metadata = sa.MetaData()
_row = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite numbers rows only by an INTEGER as key

# Secrets, settings as JSON, and whether voting is paused.
facts = sa.Table(
    "facts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("id", _row, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("added", sa.Double, nullable=False),
    sa.Column("withdrawn", sa.Double),
)

# What the two things on the page answer. Items that answer nothing belong to one prompt without text.
prompts = sa.Table(
    "prompts",
    metadata,
    sa.Column("id", _row, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, unique=True),  # the text itself is too long for an index
    sa.Column("text", sa.Text, nullable=False),
)

# What is shown of an item: text of some kind, or the bytes of an image.
contents = sa.Table(
    "contents",
    metadata,
    sa.Column("id", _row, primary_key=True),
    sa.Column("item", sa.ForeignKey(items.c.id), nullable=False),
    sa.Column("prompt", sa.ForeignKey(prompts.c.id), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary),
    sa.Column("language", sa.Text, nullable=False, default=""),
    sa.UniqueConstraint("item", "prompt"),
)

invitations = sa.Table(
    "invitations",
    metadata,
    sa.Column("id", _row, primary_key=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("judges", sa.Integer),  # how many people may use the link
    sa.Column("votes", sa.Integer),  # how many votes each of them may cast
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("revoked", sa.Double),
)

judges = sa.Table(
    "judges",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text),
    sa.Column("joined", sa.Double, nullable=False),
    sa.Column("consented", sa.Double),
    sa.Column("invitation", sa.ForeignKey(invitations.c.id)),
    sa.Column("address", sa.Text),
)

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("id", _row, primary_key=True),
    sa.Column("token", sa.Text, nullable=False, unique=True),  # so that one vote counts for each shown pair
    sa.Column("judge", sa.ForeignKey(judges.c.id), nullable=False),
    sa.Column("prompt", sa.ForeignKey(prompts.c.id), nullable=False),
    sa.Column("left", sa.ForeignKey(items.c.id), nullable=False),
    sa.Column("right", sa.ForeignKey(items.c.id), nullable=False),
    sa.Column("low", _row, nullable=False),  # left and right, the smaller id first
    sa.Column("high", _row, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("probability", sa.Double, nullable=False),  # with which this pair and prompt were chosen
    sa.Column("shown", sa.Double, nullable=False),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("undone", sa.Double),
)
IS_COUNTED = votes.c.undone.is_(None)  # no vote is ever deleted
sa.Index(
    "votes_once",
    *(votes.c[name] for name in ("judge", "prompt", "low", "high")),
    unique=True,
    sqlite_where=IS_COUNTED,
    postgresql_where=IS_COUNTED,
)

GRADE = {"much left": -2, "left": -1, "right": 1, "much right": 2}
_left, _right = items.alias("l"), items.alias("r")
comparisons = (
    sa.select(
        _left.c.name.label("left"),
        _right.c.name.label("right"),
        sa.func.replace(votes.c.answer, "much ", "").label("winner"),
        votes.c.judge,
        prompts.c.text.label("prompt"),
        votes.c.time,
        votes.c.probability,
        sa.case(GRADE, value=votes.c.answer, else_=0).label("grade"),
    )
    .select_from(votes)
    .join(_left, _left.c.id == votes.c.left)
    .join(_right, _right.c.id == votes.c.right)
    .join(prompts, prompts.c.id == votes.c.prompt)
    .where(IS_COUNTED)
)


def create_view(connection: sa.Connection) -> None:
    """Make the view `comparisons`, with the votes in the order in which they were cast."""
    start = "CREATE OR REPLACE VIEW"
    if connection.dialect.name == "sqlite":  # the view of an older version may lack a column
        connection.exec_driver_sql("DROP VIEW IF EXISTS comparisons")
        start = "CREATE VIEW"
    rows = comparisons.order_by(votes.c.id).compile(connection, compile_kwargs={"literal_binds": True})
    connection.exec_driver_sql(f"{start} comparisons AS {rows}")
