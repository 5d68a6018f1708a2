"""Tokenizer comparison: the shipped tokenizers, cut down to any vocabulary, and what they make of a text."""
