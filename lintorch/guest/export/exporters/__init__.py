"""The exporters: each one module that can export a model and run what it made."""
