"""Reports: a single HTML file with a leaderboard or with scores, and a summary of the data.

`page` assembles the file from ``page.html``, ``page.css`` and ``page.js``; it loads nothing from the network.
`report` has the sections of a leaderboard, one module per section, and `scores` those of tested models.
"""

from podium.web.report import Report, page_of

__all__ = ["Report", "page_of"]
