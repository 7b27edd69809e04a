"""What the callables of torch take, known without torch."""
