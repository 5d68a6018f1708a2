"""Hidden Markov models: recursions over one text, and learning from many."""
