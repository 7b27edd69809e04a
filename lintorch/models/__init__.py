"""Finding the models of given files, building them, and working out what to feed them."""
