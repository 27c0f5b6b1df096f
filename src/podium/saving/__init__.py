"""Fitted models as files that hold data and cannot run anything."""

from podium.saving.files import about, load, save

__all__ = ["about", "load", "save"]
