"""What a model knows of the order of its tokens: encodings as numbers, shuffled words, texts longer
than in training."""
