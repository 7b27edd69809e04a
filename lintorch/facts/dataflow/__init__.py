"""What values are, where they come from and where they go."""
