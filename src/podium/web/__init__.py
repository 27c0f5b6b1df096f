"""Reports: one HTML file with a leaderboard, or with scores, and what it rests on, to be opened anywhere.

`page` puts the file together, offline too, out of ``page.html``, ``page.css`` and ``page.js``; `report` has
the sections of a leaderboard, a file a section, and `scores` those of models that were tested.
"""

from podium.web.report import Report, save_report

__all__ = ["Report", "save_report"]
