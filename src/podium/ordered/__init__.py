"""Items with ordered labels: all pairs, some pairs, or thresholds [SwappedPairs]."""
