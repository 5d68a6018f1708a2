"""Comparing trained models with each other: on one text, on many lines, and two corpora through the
same kind of model."""
