"""Skill that moves: Bradley–Terry with skills that follow a random walk through time."""
