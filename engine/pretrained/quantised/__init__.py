"""Weights that a checkpoint keeps in few bits: one file for each way, named as `quant_method` in
its config.json calls it."""
