"""A language server: editors show findings while one types. Only it needs pygls, the extra `server`."""
