"""Fixes: edits that go into a text, in rounds, whole or not at all."""
