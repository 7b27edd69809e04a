"""Calls that export, and what is exported or scripted."""
