"""One-line shape faults put into real models: made, proved by running them, and looked for by lintorch."""
