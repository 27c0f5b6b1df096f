"""Counting the pairs in the wrong order without forming one: Algorithm 2 of [SwappedPairs]."""
