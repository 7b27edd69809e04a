"""What `unchanged.py` records of a checkout, and how two records are compared."""
