"""Orders and choices of several items: the data type, and how lists, choices and scores become one."""
