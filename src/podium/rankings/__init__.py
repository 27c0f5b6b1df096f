"""The Plackett–Luce model: skill from rankings of several items and from choices, with ties."""
