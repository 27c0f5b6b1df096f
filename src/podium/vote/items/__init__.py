"""What is voted on: items read from folders, tables, lists and uploaded files."""

from podium.vote.items.checks import image_type
from podium.vote.items.files import shown_from_upload
from podium.vote.items.reading import read_items

__all__ = ["image_type", "read_items", "shown_from_upload"]
