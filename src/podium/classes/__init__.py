"""Many classes: from binary probabilities [GeneralizedBT], or one example at a time [Lecture]."""
