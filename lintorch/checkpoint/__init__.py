"""Reads checkpoint files without running anything in them, and without torch."""
