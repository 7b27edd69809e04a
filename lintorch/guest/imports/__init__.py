"""What the user's code imports, reads and fetches: where it finds its own, and what stands in for what is not there."""
