"""What operators of torch make of shapes and types: one small function each, in torch's own words."""
