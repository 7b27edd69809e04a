"""Names and arguments of torch: what there is, since when, and what was meant."""
