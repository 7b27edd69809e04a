"""Running a model to see what it does."""
