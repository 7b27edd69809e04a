"""What fixing makes of repositories and packages that nobody here wrote."""
