"""Reports: one HTML file with a leaderboard or with scores, and the data behind it, to be opened anywhere.

`page` puts the file together out of ``page.html``, ``page.css`` and ``page.js``, without a network; `report`
has the sections of a leaderboard, one file per section, and `scores` those of models that were tested.
"""

from podium.web.report import Report, save_report

__all__ = ["Report", "save_report"]
