"""Which classes are models."""
