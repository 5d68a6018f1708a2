"""Clipping: what is done with gradients that are too large.  One file each, which ends in
CLIPPING."""
