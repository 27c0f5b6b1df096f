"""Skills with a normal prior: its scale and the effects of features, by the marginal likelihood."""
