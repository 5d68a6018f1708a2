"""The stream of a Transformer, layer by layer: what it would answer, what a patch brings back, how
the gradient gets through."""
