"""Masks: patterns of who may look at whom, and a trained Transformer under each of them."""
