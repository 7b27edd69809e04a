"""What makes a file give other numbers than its model: each is a hypothesis that is told only where a run shows it."""
