"""Weights that code asks for while a model is built: nothing is fetched or unpickled, it has random ones."""
