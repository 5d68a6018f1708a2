"""Optimisers: how a gradient becomes a step.  One file each; torch takes the steps."""
