"""Pretrained checkpoints of the `transformers` library, read into our own models.

One file, one family: its name is what config.json calls `model_type`; each ends in FAMILY.
"""
