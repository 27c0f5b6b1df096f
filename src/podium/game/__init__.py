"""Preferences between labels as a game of two players [PreferenceGame]."""
