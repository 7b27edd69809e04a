"""Whether a fixed text computes what the original does: models are run with both, and compared."""
