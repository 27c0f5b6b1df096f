"""Support vector ordinal regression, eq. (4) of [SwappedPairs]: Newton, interior point and kernels."""
