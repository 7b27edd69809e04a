"""Functions and loops of a file that train, called with arguments that are made up for them."""
