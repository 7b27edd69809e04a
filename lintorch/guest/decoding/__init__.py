"""Decoders of language models: found by what they do, taken apart into prompt and step, and compared as they generate."""
