"""What both sides of the wall need of the operating system; the standard library alone."""
