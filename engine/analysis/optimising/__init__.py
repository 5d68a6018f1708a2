"""What the choices before a training do, each on something small enough to see every number of it."""
