"""Models that compare items by their features: SVMCompare and its relatives, and OnlineSVMRank."""
