"""The kernel machines: the dual quadratic program over pairs, eq. (15) and (18) of [SVMcompare]."""
