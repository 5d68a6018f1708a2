"""How noisy the gradient of a batch is, and whether a training under- or overfitted."""
