"""Optimisers: how a gradient becomes a step.  One file each, which ends in
OPTIMISER; torch takes the steps."""
