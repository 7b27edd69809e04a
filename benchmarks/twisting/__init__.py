"""Other layouts of a text that mean the same, and what fixes may not do to them."""
