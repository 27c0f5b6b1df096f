"""Count the pairs in the wrong order without forming them: Algorithm 2 of [SwappedPairs]."""
