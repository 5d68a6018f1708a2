"""Which models are tables of word vectors."""

from __future__ import annotations

SPACES = ("skipgram", "cbow", "glove", "fasttext", "charngram", "ppmi", "vectors")
