"""What other files of the project define."""
