"""Arrays on a device, such as a GPU, through the array API standard of Python."""
