"""Campaigns of votes: which pair next, how many more, and when to stop."""
