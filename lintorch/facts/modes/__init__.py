"""Which mode a model is in."""
