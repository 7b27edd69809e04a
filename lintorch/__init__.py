"""lintorch: finds where a PyTorch model breaks on its way to deployment."""

__version__ = "0.1.0"
