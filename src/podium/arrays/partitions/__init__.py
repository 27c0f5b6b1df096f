"""Data in partitions on the workers of Dask, and sums over them."""
