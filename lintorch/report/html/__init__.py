"""The page that shows what `export` came to: templates, style and scripts, and what puts data into them."""
