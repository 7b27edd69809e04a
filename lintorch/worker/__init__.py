"""Running code that is not ours: in another process, with limits, leaving nothing behind."""
