"""A process that runs code which is not ours: limited, watched, leaving nothing behind."""
