"""What runs in the user's interpreter: imports torch and lintorch.record; nothing of lintorch imports it."""
