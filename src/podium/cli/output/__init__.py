"""What the commands show and write: tables, bars, files, pages and errors."""
