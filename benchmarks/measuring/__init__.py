"""How the scripts of this folder measure: cases, processes that run alone, one table, and its comparison."""
