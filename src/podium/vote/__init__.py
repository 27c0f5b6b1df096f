"""The page that collects votes: two things side by side, and a board that follows the votes.

`items` reads what is voted on, and `database` stores it together with the votes. `pairs` chooses the next
pair, `tokens` signs it, and `content` renders it. `tally` adds up the votes, `standing` makes a board of
them, and `live` keeps it up to date. `pages` has the web pages; `app` puts everything together, and `serve`
serves it. Install it with
``pip install 'podium-learn[vote]'``.
"""
