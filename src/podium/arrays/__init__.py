"""Arrays of other libraries than NumPy: on a device, or in partitions. No other folder knows them."""
