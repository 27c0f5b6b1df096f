"""Displays that only the papers' figures need: level curves, margins, and the grid of the preference game."""
