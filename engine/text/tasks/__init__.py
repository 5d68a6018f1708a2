"""Planted-truth tasks: streams whose right answers are known, to measure how far back a model
remembers."""
