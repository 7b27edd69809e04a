"""One parsed file: its text, tree, parents, positions and edits. Asks no other file."""
