"""Probabilities of many classes from those of binary problems between groups of them [GeneralizedBT]."""
