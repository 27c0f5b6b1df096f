"""Several kinds of judges, such as people and language models, on the scale of one of them."""
