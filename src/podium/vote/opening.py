"""Open a vote: its database, its items and its settings."""

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from podium.vote.database.catalogue import Added, add_items
from podium.vote.database.store import Store, fact_of, set_fact
from podium.vote.nouns import Settings, Shown


class Opened(NamedTuple):
    """A vote that can be served."""

    store: Store
    settings: Settings
    added: Added
    owner: str  # the secret of the owner's page


def open_vote(
    source: str | os.PathLike[str], shown: Iterable[Shown] = (), changes: Mapping[str, Any] | None = None
) -> Opened:
    """Open the database, add items to it, and change settings. Settings that are not given are kept.

    Raises
    ------
    StoreError
        If the database cannot be used.
    ValueError
        If a setting is wrong, or an item of the same name in the database shows something else.
    """
    store = Store.open(source)
    try:
        job = partial(_set_up, shown=tuple(shown), changes=changes or {}, now=time.time())
        settings, added, owner = store.write(job).result()
    except BaseException:
        store.close()
        raise
    return Opened(store, settings, added, owner)


def _set_up(
    connection: Connection, shown: Iterable[Shown], changes: Mapping[str, Any], now: float
) -> tuple[Settings, Added, str]:
    stored = json.loads(fact_of(connection, "settings") or "{}")
    settings = replace(Settings(**stored), **changes)
    set_fact(connection, "settings", json.dumps(asdict(settings)))
    return settings, add_items(connection, shown, now=now), str(fact_of(connection, "owner"))
