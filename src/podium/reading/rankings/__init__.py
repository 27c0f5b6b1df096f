"""Files and frames become rankings, however they lay them out."""
