"""What a table can be read from. Each kind of source has a header, and loads the columns asked for."""
