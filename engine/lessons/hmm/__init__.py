"""The lesson on hidden Markov models."""
