"""What names stand for."""
