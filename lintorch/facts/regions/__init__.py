"""What runs in a forward pass that is exported."""
