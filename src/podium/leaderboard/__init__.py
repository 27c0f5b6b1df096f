"""The frozen board that every view reads, as text and as files."""

from podium.leaderboard.leaderboard import Leaderboard

__all__ = ["Leaderboard"]
