"""The page that collects votes: two things side by side, and a board that follows the votes.

`app` has the pages for judges and `owner` those for the owner. `items` reads what is to be voted on, `pairs`
chooses the next pair, `live` keeps the board up to date, and `store` is the database. Install it with
``pip install 'podium-learn[vote]'``.
"""
