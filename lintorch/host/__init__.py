"""The parent's side of the wall: asks a worker process to run models, and vouches for what it answers."""
