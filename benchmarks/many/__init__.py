"""Many small models, for measuring what a run costs as their number grows."""
