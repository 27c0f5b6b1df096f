"""Tables larger than memory, read chunk by chunk in order of time."""
