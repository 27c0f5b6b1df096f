"""Classifiers of many classes: from binary probabilities [GeneralizedBT], or row by row [Lecture]."""
