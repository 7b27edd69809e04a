"""Rewrites that keep the meaning of a program, each in a small file, and whether they kept it."""
