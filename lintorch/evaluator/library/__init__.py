"""What functions of Python, torch and NumPy do, where more is to be known than a shape."""
