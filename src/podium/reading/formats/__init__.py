"""How the cells of a column are read: decided from all of them, then applied to any part."""
