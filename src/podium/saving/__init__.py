"""Save fitted models to files that hold only data and cannot run code."""

from podium.saving.files import about, load, save

__all__ = ["about", "load", "save"]
