"""Schedules: how the learning rate changes while training goes on.  One file each, which
ends in SCHEDULE."""
