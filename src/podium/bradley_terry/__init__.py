"""Skill from who beat whom, for items and teams: the generalized Bradley–Terry model [GeneralizedBT]."""
