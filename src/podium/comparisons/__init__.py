"""Who met whom and how it ended: the data type, and all it is made of. It touches nothing else of podium."""
