"""Features that live on a device, such as a GPU."""
