"""The frame of a lesson: what it is made of, as values."""
