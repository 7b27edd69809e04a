"""What the models of a file do, worked out without running them."""
