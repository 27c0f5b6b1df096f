"""What every model of skill stands on: links of ties, one pass over pairs, graphs, linear algebra, one driver."""  # noqa: E501
