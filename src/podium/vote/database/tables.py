"""The tables of the database, the same in SQLite and PostgreSQL.

Times are seconds since 1970. The view `comparisons` has one row per vote that counts; `podium rank` reads it.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    case,
    func,
    select,
)

metadata = MetaData()
_row = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only if their key is an INTEGER

# Secrets, settings as JSON, and whether voting is paused.
facts = Table(
    "facts", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)

items = Table(
    "items",
    metadata,
    Column("id", _row, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("added", Double, nullable=False),
    Column("withdrawn", Double),
)

# What the two things on the page answer. Items that answer nothing belong to one prompt without text.
prompts = Table(
    "prompts",
    metadata,
    Column("id", _row, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),  # the text itself is too long for an index
    Column("text", Text, nullable=False),
)

# What is shown of an item: text of some kind, or the bytes of an image.
contents = Table(
    "contents",
    metadata,
    Column("id", _row, primary_key=True),
    Column("item", ForeignKey(items.c.id), nullable=False),
    Column("prompt", ForeignKey(prompts.c.id), nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("data", LargeBinary),
    Column("language", Text, nullable=False, default=""),
    UniqueConstraint("item", "prompt"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", _row, primary_key=True),
    Column("code", Text, nullable=False, unique=True),
    Column("label", Text, nullable=False),
    Column("judges", Integer),  # how many people may use the link
    Column("votes", Integer),  # how many votes each of them may cast
    Column("created", Double, nullable=False),
    Column("revoked", Double),
)

judges = Table(
    "judges",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text),
    Column("joined", Double, nullable=False),
    Column("consented", Double),
    Column("invitation", ForeignKey(invitations.c.id)),
    Column("address", Text),
)

votes = Table(
    "votes",
    metadata,
    Column("id", _row, primary_key=True),
    Column("token", Text, nullable=False, unique=True),  # so that one vote counts for each shown pair
    Column("judge", ForeignKey(judges.c.id), nullable=False),
    Column("prompt", ForeignKey(prompts.c.id), nullable=False),
    Column("left", ForeignKey(items.c.id), nullable=False),
    Column("right", ForeignKey(items.c.id), nullable=False),
    Column("low", _row, nullable=False),  # left and right, the smaller id first
    Column("high", _row, nullable=False),
    Column("answer", Text, nullable=False),
    Column("probability", Double, nullable=False),  # with which this pair and prompt were chosen
    Column("shown", Double, nullable=False),
    Column("time", Double, nullable=False),
    Column("undone", Double),
)
IS_COUNTED = votes.c.undone.is_(None)  # no vote is ever deleted
Index(
    "votes_once",
    votes.c.judge,
    votes.c.prompt,
    votes.c.low,
    votes.c.high,
    unique=True,
    sqlite_where=IS_COUNTED,
    postgresql_where=IS_COUNTED,
)

GRADE = {"much left": -2, "left": -1, "right": 1, "much right": 2}
_left, _right = items.alias("l"), items.alias("r")
comparisons = (
    select(
        _left.c.name.label("left"),
        _right.c.name.label("right"),
        func.replace(votes.c.answer, "much ", "").label("winner"),
        votes.c.judge,
        prompts.c.text.label("prompt"),
        votes.c.time,
        votes.c.probability,
        case(GRADE, value=votes.c.answer, else_=0).label("grade"),
    )
    .select_from(votes)
    .join(_left, _left.c.id == votes.c.left)
    .join(_right, _right.c.id == votes.c.right)
    .join(prompts, prompts.c.id == votes.c.prompt)
    .where(IS_COUNTED)
)


def create_view(connection: Connection) -> None:
    """Make the view `comparisons`, with the votes in the order in which they were cast."""
    start = "CREATE OR REPLACE VIEW"
    if connection.dialect.name == "sqlite":  # the view of an older version may lack a column
        connection.exec_driver_sql("DROP VIEW IF EXISTS comparisons")
        start = "CREATE VIEW"
    rows = comparisons.order_by(votes.c.id).compile(connection, compile_kwargs={"literal_binds": True})
    connection.exec_driver_sql(f"{start} comparisons AS {rows}")
