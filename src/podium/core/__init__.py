"""What models of skill stand on: links of ties, one pass over pairs, graphs, linear algebra, one driver."""
