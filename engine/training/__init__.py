"""A training and its folder: what it writes, what it tells while it goes on, what it can be asked,
and whose turn it is."""
