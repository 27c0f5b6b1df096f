"""Comparison functions of features: SVMCompare and its kin [SVMcompare], and the online machine [Lecture]."""
