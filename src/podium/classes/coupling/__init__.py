"""Class probabilities from the probabilities of binary problems between groups of classes [GeneralizedBT]."""
