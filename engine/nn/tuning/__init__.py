"""Tunings: which weights of a trained net learn when it is trained further.  One file each, which
ends in TUNING."""
