"""The live parts of the lessons on masks: one mask at a time on a trained Transformer."""
