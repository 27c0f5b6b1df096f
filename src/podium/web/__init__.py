"""The report: one HTML file with a leaderboard and what it rests on, to be opened anywhere, offline too.

`report` puts the page together, a file a section; ``page.html``, ``page.css`` and ``page.js`` are in it.
"""

from podium.web.report import Report, save_report

__all__ = ["Report", "save_report"]
