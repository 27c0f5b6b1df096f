"""Models, one a file: scikit-learn estimators that check their input, call one solver and set attributes."""
