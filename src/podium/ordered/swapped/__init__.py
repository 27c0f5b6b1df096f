"""The ranking machine on all pairs: Newton, and the cutting planes of Algorithm 1 of [SwappedPairs]."""
