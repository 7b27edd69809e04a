"""Builds a model: which classes and factories there are, and what they are called with."""
