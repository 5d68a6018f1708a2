"""The live part of the page on hidden Markov models."""
