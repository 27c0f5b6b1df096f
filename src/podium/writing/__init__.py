"""Results as files, whole or not at all, and names as text. It touches nothing else of podium."""
