"""The layers of a model: what they are made of, and what goes through them."""
