"""What everything else stands on, and that knows of nothing else."""
