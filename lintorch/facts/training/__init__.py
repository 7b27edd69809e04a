"""What a training script does, and in which order."""
