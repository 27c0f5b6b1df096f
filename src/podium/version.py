"""The version of podium, on its own so that nothing has to import the public names to know it."""

__version__ = "0.3.0"
