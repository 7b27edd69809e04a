"""How the project itself calls its models: calls are found in its files, and what they pass is worked out."""
