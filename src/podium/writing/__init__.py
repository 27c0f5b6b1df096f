"""Write files completely or not at all, and names as text."""
