"""What is known of a file without running it; each fact takes a file and lower facts."""
