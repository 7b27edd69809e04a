"""Finds what a model is fed: guesses, and what its errors say of them."""
